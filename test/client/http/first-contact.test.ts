import { describe, expect, test } from "bun:test";
import { TransportError, type Transport } from "../../../src/api/transport.ts";
import { withFirstContact } from "../../../src/client/http/first-contact.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline, type VirtualTimeline } from "../../../src/platform/virtual-timeline.ts";
import { rejection } from "../../support/rejection.ts";
import { fakeResponse, get } from "../transports.ts";

interface Scene {
  readonly transport: Transport;
  readonly timeline: VirtualTimeline;
  readonly events: string[];
  /** Responds to the oldest request. */
  readonly respondOne: () => void;
  readonly breakOne: () => void;
  readonly failProbe: (error: Error) => void;
}

/** A server and a probe that respond when the test says so. */
function scene(): Scene {
  const timeline = virtualTimeline(0, seededRandom(1));
  const events: string[] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  const probe = Promise.withResolvers<void>();
  const inner: Transport = {
    async send(request) {
      const one = Promise.withResolvers<void>();
      waiting.push(one);
      request.signal.addEventListener("abort", () => one.reject(request.signal.reason));
      await one.promise;
      return fakeResponse({ body: "ok" });
    },
  };
  const transport = withFirstContact(inner, {
    timeline,
    onSlow: () => events.push("slow"),
    probe(signal) {
      events.push("probe");
      signal.addEventListener("abort", () => events.push("probe ended"));
      return probe.promise;
    },
  });
  return {
    transport,
    timeline,
    events,
    respondOne: () => waiting.shift()?.resolve(),
    breakOne: () => waiting.shift()?.reject(new TransportError("the connection was closed")),
    failProbe: (error) => probe.reject(error),
  };
}

const wait = async (timeline: VirtualTimeline, ms: number): Promise<void> => {
  timeline.after(ms, "test", () => undefined);
  await timeline.runUntil({ ms });
};

describe("the first contact with a server", () => {
  test("is not reported if the server responds within two seconds", async () => {
    const { transport, timeline, events, respondOne } = scene();
    const first = transport.send(get("/version"));
    await wait(timeline, 1900);
    respondOne();
    expect((await first).status).toBe(200);
    await wait(timeline, 10_000);
    expect(events).toEqual([]);
  });

  test("is reported once if it is slow, and waited for; later silence is not", async () => {
    const { transport, timeline, events, respondOne } = scene();
    const both = [transport.send(get("/version")), transport.send(get("/apis"))];
    await wait(timeline, 60_000);
    expect(events).toEqual(["slow", "probe"]);
    respondOne();
    respondOne();
    for (const response of await Promise.all(both)) expect(response.status).toBe(200);
    const later = transport.send(get("/pods"));
    await wait(timeline, 60_000);
    expect(events).toEqual(["slow", "probe", "probe ended"]);
    respondOne();
    await later;
  });

  test("that fails ends every waiting request with the probe's error", async () => {
    const { transport, timeline, failProbe } = scene();
    const both = ["/version", "/apis"].map((path) => rejection(transport.send(get(path))));
    await wait(timeline, 3000);
    const error = new TransportError("no handshake", { failure: "timeout" });
    failProbe(error);
    expect(await Promise.all(both)).toEqual([error, error]);
  });

  test("is reported if several attempts fail in a row", async () => {
    const { transport, timeline, events, breakOne } = scene();
    for (let tries = 0; tries < 3; tries++) {
      const failed = rejection(transport.send(get("/version")));
      breakOne();
      expect(await failed).toBeInstanceOf(TransportError);
      await wait(timeline, 1000);
    }
    expect(events).toEqual(["slow"]);
  });

  test("that the caller aborts ends with the caller's reason", async () => {
    const { transport, timeline } = scene();
    const stop = new AbortController();
    const sent = rejection(transport.send(get("/version", { signal: stop.signal })));
    await wait(timeline, 3000);
    stop.abort(new Error("stopped"));
    expect(await sent).toMatchObject({ message: "stopped" });
  });
});
