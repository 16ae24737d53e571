import { describe, expect, test } from "bun:test";
import { Pods } from "../../../src/api/kinds.ts";
import { TransportError, type ApiBody, type ApiRequest, type Transport } from "../../../src/api/transport.ts";
import { createListerWatcher } from "../../../src/client/api/lists.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline } from "../../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";

const encoder = new TextEncoder();
const { signal } = new AbortController();

/** Pages p0, p1, …: each arrives in two chunks, the second when the test releases it. */
function server(
  pages: number,
  options: { readonly headOnly?: RegExp } = {},
): {
  transport: Transport;
  requested: string[];
  readonly finish: (page: string) => void;
} {
  const requested: string[] = [];
  const gates = new Map<string, () => void>();
  const transport: Transport = {
    send(request: ApiRequest) {
      const page = request.query?.find(([name]) => name === "continue")?.[1] ?? "p0";
      requested.push(page);
      if (options.headOnly?.test(page) === true) return Promise.reject(new TransportError("broken"));
      const number = Number(page.slice(1));
      const next = number + 1 < pages ? `,"continue":"p${number + 1}"` : "";
      const head = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"${next}},"items":[`;
      const tail = `{"metadata":{"name":"${page}"}}]}`;
      let step = 0;
      const opened = new Promise<void>((resolve) => gates.set(page, resolve));
      const body: ApiBody = {
        async next() {
          step++;
          if (step === 1) return encoder.encode(head);
          if (step > 2) return undefined;
          await opened;
          return encoder.encode(tail);
        },
        cancel: () => undefined,
      };
      return Promise.resolve({ status: 200, header: () => undefined, body });
    },
  };
  return { transport, requested, finish: (page) => gates.get(page)?.() };
}

function listing(transport: Transport): (token: string) => Promise<{ name: string | undefined; next: string }> {
  const timeline = virtualTimeline(0, seededRandom(1));
  const bus = new TraceBus({ now: () => timeline.now() });
  const pods = createListerWatcher({ transport, bus, timeline, fieldManager: "test" }, Pods, {});
  return async (token) => {
    const page = await pods.list({ limit: 1, ...(token !== "" && { continueToken: token }) }, signal);
    return { name: page.items[0]?.metadata.name, next: page.continueToken };
  };
}

/** Runs everything that is not waiting for the test. */
async function settle(): Promise<void> {
  for (let i = 0; i < 100; i++) await Promise.resolve();
}

describe("a paged list", () => {
  test("requests the next page while one is read, and not the one after", async () => {
    const { transport, requested, finish } = server(3);
    const page = listing(transport);
    const first = page("");
    await settle();
    expect(requested).toEqual(["p0", "p1"]);
    finish("p0");
    expect(await first).toEqual({ name: "p0", next: "p1" });
    expect(requested).toEqual(["p0", "p1"]);
    const second = page("p1");
    await settle();
    expect(requested).toEqual(["p0", "p1", "p2"]);
    finish("p1");
    expect(await second).toEqual({ name: "p1", next: "p2" });
    finish("p2");
    expect(await page("p2")).toEqual({ name: "p2", next: "" });
    expect(requested).toEqual(["p0", "p1", "p2"]);
  });

  test("reports the failure of a prefetched page when it is needed, and requests it again the next time", async () => {
    const { transport, requested, finish } = server(2, { headOnly: /p1/ });
    const page = listing(transport);
    const first = page("");
    await settle();
    finish("p0");
    await first;
    const error = await page("p1").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TransportError);
    void page("p1").catch(() => undefined);
    expect(requested).toEqual(["p0", "p1", "p1"]);
  });

  test("drops prefetched pages when it restarts", async () => {
    const { transport, requested } = server(2);
    const page = listing(transport);
    void page("");
    await settle();
    void page("");
    await settle();
    expect(requested).toEqual(["p0", "p1", "p0", "p1"]);
  });
});
