import { describe, expect, test } from "bun:test";
import { DeltaDetail } from "../../../src/trace/delta-detail.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import type { DeltaEvent, RequestEvent, StageEventBody, WriteEvent } from "../../../src/trace/events.ts";
import { WriteDetail } from "../../../src/trace/write-detail.ts";
import { ProcessLoops } from "../../../src/views/process/process-loops.ts";
import { agent, of, request, write as writeEvent } from "./events.ts";

/** A write; by default one that changes nothing. */
function write(sentAt: number, over: Partial<WriteEvent> = {}): WriteEvent {
  const detail = new WriteDetail({}, { metadata: { uid: "u" } });
  return writeEvent({ resourceVersion: "7", sentAt, detail, ...over });
}

function read(sentAt: number, over: Partial<RequestEvent> = {}): RequestEvent {
  return request({ sentAt, resourceVersion: "7", ...over });
}

const delta = (receivedAt: number, resourceVersion = "7"): DeltaEvent => ({
  stage: "delta",
  agent,
  of,
  type: "Updated",
  key: "shop/web",
  uid: "u",
  resourceVersion,
  receivedAt,
  detail: new DeltaDetail(of, undefined, undefined, undefined),
});

function loopsOf(events: readonly StageEventBody[], perMinute = 10): ProcessLoops {
  const bus = new TraceBus({ now: () => 0 });
  const loops = new ProcessLoops({ perMinute });
  bus.listen((event) => loops.accept(event));
  for (const event of events) bus.emit(event);
  loops.flush(Infinity);
  return loops;
}

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

describe("loops of a process that no object shows", () => {
  test("writes without changes, with their causes", () => {
    const events = times(10, (n) => {
      const version = String(10 + n);
      return [delta(n * 1000, version), write(n * 1000 + 5, { before: version, resourceVersion: version })];
    }).flat();
    const [loop, ...more] = loopsOf(events).found();
    expect(more).toEqual([]);
    expect(loop).toMatchObject({
      is: "without effect",
      controller: "operator",
      of,
      key: "shop/web",
      writes: 10,
      ms: 9000,
      lastAt: 9005,
    });
    const because = loop?.is === "without effect" ? loop.because : [];
    expect(because.reduce((sum, { writes }) => sum + writes, 0)).toBe(10);
    expect(because[0]?.why).toStartWith("because Deployment web Updated");
  });

  test("refused writes, with the last refusal; a status separately", () => {
    const refused = { status: 422, resourceVersion: "", error: "spec.replicas: Invalid value: -1" };
    const found = loopsOf(times(8, (n) => write(n * 1000, { ...refused, subresource: "status" }))).found();
    expect(found).toMatchObject([
      { is: "refused", subresource: "status", writes: 8, ms: 7000, error: "spec.replicas: Invalid value: -1" },
    ]);
  });

  test("reads with the same response", () => {
    const found = loopsOf(times(9, (n) => read(n * 1000))).found();
    expect(found).toEqual([
      {
        is: "read again",
        controller: "operator",
        key: "/apis/apps/v1/namespaces/shop/deployments/web",
        reads: 8,
        ms: 8000,
        lastAt: 8000,
        everyMs: 1000,
      },
    ]);
  });

  test.each([
    ["too few", times(5, (n) => write(n * 2000))],
    ["too short", times(20, (n) => write(n * 100))],
    ["too seldom", times(10, (n) => write(n * 20_000))],
    ["each changes something", times(10, (n) => write(n * 1000, { resourceVersion: String(10 + n) }))],
    ["answers that differ", times(10, (n) => read(n * 1000, { resourceVersion: String(n) }))],
    [
      "leader election",
      times(20, (n) => {
        const lease = { of: { group: "coordination.k8s.io", kind: "Lease" }, key: "kube-system/op" };
        return [read(n * 1000, { ...lease, resource: "leases", uri: "/lease" }), write(n * 1000 + 1, lease)];
      }).flat(),
    ],
  ])("none: %s", (_, events) => {
    expect(loopsOf(events).found()).toEqual([]);
  });

  test("too short to be called one: writes and reads that go on for less than 5 s", () => {
    const loops = loopsOf(times(20, (n) => [write(n * 100), read(n * 100 + 1)]).flat());
    expect(loops.found()).toEqual([]);
    expect(loops.tooShort()).toMatchObject([
      { is: "without effect", writes: 20, ms: 1900 },
      { is: "read again", reads: 19, ms: 1900 },
    ]);
    expect(loopsOf(times(20, (n) => write(n * 1000))).tooShort()).toEqual([]);
  });

  test("repeated reads last from the first to the last, however uneven the pauses", () => {
    const reads = [0, 100, 200, 300, 400, 500, 6000].map((at) => read(at));
    expect(loopsOf(reads).found()).toMatchObject([{ is: "read again", ms: 6000, everyMs: 100 }]);
    expect(loopsOf(reads.slice(0, -1).concat(read(4000))).found()).toEqual([]);
  });

  test("why an object was written, whatever the writes did", () => {
    const events = times(6, (n) => [
      delta(n * 1000, String(20 + n)),
      write(n * 1000 + 5, { resourceVersion: String(10 + n) }),
    ]).flat();
    const causes = loopsOf(events).causesOf({ of, key: "shop/web" });
    expect(causes.map(({ writes }) => writes)).toEqual([6]);
    expect(loopsOf(events).causesOf({ of, key: "shop/other" })).toEqual([]);
  });
});
