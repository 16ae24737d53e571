import { expect, test } from "bun:test";
import { DeltaDetail } from "../../../src/trace/delta-detail.ts";
import { type NumberedDelta, RecentDeltas } from "../../../src/views/process/recent-deltas.ts";
import { agent, of } from "./events.ts";

function delta(seq: number): NumberedDelta {
  const name = `web-${seq}`;
  return {
    v: 1,
    seq,
    at: seq,
    stage: "delta",
    agent,
    of,
    type: "Added",
    key: `shop/${name}`,
    uid: name,
    resourceVersion: String(seq),
    receivedAt: seq,
    detail: new DeltaDetail(of, undefined, undefined, undefined),
  };
}

test("the latest 10,000 are kept, and older ones are dropped", () => {
  const deltas = new RecentDeltas();
  const old: WeakRef<NumberedDelta>[] = [];
  for (let seq = 1; seq <= 15_000; seq++) {
    const one = delta(seq);
    if (seq <= 5000) old.push(new WeakRef(one));
    deltas.add(one);
  }
  expect([deltas.own("web-5000"), deltas.own("web-5001")].map(({ length }) => length)).toEqual([0, 1]);
  expect(deltas.latest(14_000)?.seq).toBe(13_999);
  expect([deltas.latest(5002)?.seq, deltas.latest(5001)]).toEqual([5001, undefined]);
  expect([...deltas.named(new Set(["web-15000", "web-14999", "web-14000"]))].map(({ seq }) => seq)).toEqual([
    15_000, 14_999,
  ]);
  Bun.gc(true);
  // The collector scans the stack conservatively, so that it can leave a few.
  expect(old.filter((one) => one.deref() !== undefined).length).toBeLessThan(100);
});

test("the existing ones among the first are found by name, too", () => {
  const deltas = new RecentDeltas();
  expect([...deltas.named(new Set(["web-1"]))]).toEqual([]);
  for (let seq = 1; seq <= 3; seq++) deltas.add(delta(seq));
  expect([...deltas.named(new Set(["web-1"]))].map(({ seq }) => seq)).toEqual([1]);
});
