import { expect, test } from "bun:test";
import { OwnerGate, type Missed } from "../../../src/modes/fork/owner-gate.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline } from "../../../src/platform/virtual-timeline.ts";

const of = { group: "", kind: "ConfigMap" };
const managed = (manager: string): object => ({ manager, operation: "Update", fieldsV1: {} });
const live = {
  metadata: { name: "a", uid: "1", resourceVersion: "1", creationTimestamp: "", managedFields: [managed("mine")] },
};

function scene(): {
  gate: OwnerGate;
  put: () => void;
  passed: () => number;
  missed: Missed[];
  run: (ms: number) => Promise<unknown>;
} {
  const timeline = virtualTimeline(0, seededRandom(1));
  const missed: Missed[] = [];
  const gate = new OwnerGate({ timeline, onMissed: (one) => void missed.push(one) });
  let passed = 0;
  const sink = {
    filled: Promise.resolve(),
    replace: () => undefined,
    bookmark: () => undefined,
    put: () => void passed++,
  };
  const gated = gate.around({ of, sink, here: () => undefined });
  gate.learn("mine");
  const delta = { key: "a", object: live, receivedAt: 0, tombstone: false, managedFields: undefined } as const;
  return {
    gate,
    put: () => gated.put({ type: "Added", ...delta }),
    passed: () => passed,
    missed,
    run(ms) {
      // Time goes on as far as something happens.
      timeline.after(ms, "test", () => undefined);
      return timeline.runUntil({ ms });
    },
  };
}

test("a change is held until the process has rested for a second", async () => {
  const { gate, put, passed, missed, run } = scene();
  put();
  await run(900);
  gate.requested()();
  await run(900);
  expect([passed(), gate.held]).toEqual([0, 1]);
  await run(200);
  expect([passed(), missed.length]).toEqual([1, 1]);
});

test("while a request is under way it is held, for ten seconds at most", async () => {
  const { gate, put, passed, run } = scene();
  const answered = gate.requested();
  put();
  await run(9000);
  expect(passed()).toBe(0);
  await run(1500);
  expect(passed()).toBe(1);
  answered();
});

test("an open gate holds nothing, and lets go what it held", () => {
  const { gate, put, passed, missed } = scene();
  put();
  gate.open();
  put();
  expect([passed(), missed.length]).toEqual([2, 0]);
});
