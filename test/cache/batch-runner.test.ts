import { expect, test } from "bun:test";
import { BatchRunner } from "../../src/cache/batch-runner.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { type VirtualTimeline, virtualTimeline } from "../../src/platform/virtual-timeline.ts";

interface Scene {
  readonly timeline: VirtualTimeline;
  readonly batches: BatchRunner;
  /** Number of steps left to do. */
  work: number;
  /** The scheduled turns, in order: `hop` or `after 0`. */
  readonly scheduled: string[];
  /** Number of steps done in each turn. */
  readonly done: number[];
  onStep: () => void;
}

/** Each step takes `stepMs`. */
function scene(stepMs = 0): Scene {
  const virtual = virtualTimeline(0, seededRandom(1));
  let spentMs = 0;
  const timeline: VirtualTimeline = {
    ...virtual,
    now: () => virtual.now() + spentMs,
    hop: (actor) => {
      made.scheduled.push("hop");
      return virtual.hop(actor).then(() => void made.done.push(0));
    },
    after: (ms, actor, fn) => {
      made.scheduled.push(`after ${ms}`);
      return virtual.after(ms, actor, () => {
        made.done.push(0);
        fn();
      });
    },
  };
  const step = (): boolean => {
    if (made.work === 0) return false;
    made.work--;
    spentMs += stepMs;
    made.done.push((made.done.pop() ?? 0) + 1);
    made.onStep();
    return true;
  };
  const batches = new BatchRunner({ timeline, actor: "worker", step });
  const made: Scene = { timeline, batches, work: 0, scheduled: [], done: [], onStep: () => undefined };
  return made;
}

test("one turn does all pending work, however often it was woken; later work gets another turn", async () => {
  const made = scene();
  made.work = 500;
  made.batches.wake();
  made.batches.wake();
  expect(made.work).toBe(500);
  await made.timeline.runUntil();
  expect([made.scheduled, made.done]).toEqual([["hop"], [500]]);
  made.work = 1;
  made.batches.wake();
  await made.timeline.runUntil();
  expect([made.scheduled, made.done]).toEqual([
    ["hop", "hop"],
    [500, 1],
  ]);
});

test("a turn that is woken while it works does that work, too", async () => {
  const made = scene();
  made.work = 1;
  made.onStep = () => {
    made.onStep = () => undefined;
    made.work = 3;
    made.batches.wake();
  };
  made.batches.wake();
  await made.timeline.runUntil();
  expect([made.scheduled, made.done]).toEqual([["hop"], [4]]);
});

for (const { name, stepMs, done } of [
  { name: "10 ms have passed at the first look at the clock", stepMs: 10 / 64, done: [64, 64, 22] },
  { name: "much more than 10 ms have passed", stepMs: 5, done: [64, 64, 22] },
  { name: "10 ms have passed at a later look", stepMs: 9.9 / 64, done: [128, 22] },
])
  test(`a turn yields when ${name}, and continues in another`, async () => {
    const made = scene(stepMs);
    made.work = 150;
    made.batches.wake();
    made.onStep = () => made.batches.wake();
    await made.timeline.runUntil();
    expect(made.done).toEqual(done);
    expect(made.scheduled).toEqual(["hop", ...Array<string>(done.length - 1).fill("after 0")]);
  });

test("nothing is done after a stop: no waiting work, no rest of a turn, no later work", async () => {
  const made = scene();
  made.work = 10;
  made.onStep = () => {
    if (made.work === 7) made.batches.stop();
  };
  made.batches.wake();
  await made.timeline.runUntil();
  expect(made.work).toBe(7);
  made.batches.wake();
  await made.timeline.runUntil();
  expect([made.work, made.scheduled]).toEqual([7, ["hop"]]);
});
