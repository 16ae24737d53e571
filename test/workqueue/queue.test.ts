import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { type Trigger, TriggerLog } from "../../src/trace/triggers.ts";
import { Queue, type QueueItem } from "../../src/workqueue/queue.ts";

const because = (why: string): Trigger => ({ cause: "other", why });
const newQueue = (): Queue => new Queue({ name: "q", timeline: virtualTimeline(0, seededRandom(1)) });
const took = (queue: Queue): QueueItem => {
  const item = queue.take();
  if (item === undefined) throw new Error("the queue is empty");
  return item;
};
const whys = (item: QueueItem): string[] => item.triggers.first.map((t) => (t.cause === "other" ? t.why : t.cause));

describe("Queue", () => {
  test("hands keys out in the order they were added", () => {
    const queue = newQueue();
    for (const key of ["b", "a", "c"]) queue.add(key, because("x"));
    expect([took(queue).key, took(queue).key, took(queue).key]).toEqual(["b", "a", "c"]);
    expect(queue.take()).toBeUndefined();
  });

  test("merges a key that is already waiting, and keeps every trigger", () => {
    const queue = newQueue();
    expect(queue.add("a", because("1"))).toBe("added");
    expect(queue.add("a", because("2"))).toBe("merged");
    expect(queue.depth).toBe(1);
    expect(whys(took(queue))).toEqual(["1", "2"]);
  });

  test("adds triggers that were gathered elsewhere to a waiting key", () => {
    const queue = newQueue();
    const elsewhere = new TriggerLog(because("2"));
    elsewhere.add(because("3"));
    queue.add("a", because("1"));
    queue.add("a", elsewhere);
    queue.add("b", elsewhere);
    expect([whys(took(queue)), whys(took(queue))]).toEqual([
      ["1", "2", "3"],
      ["2", "3"],
    ]);
  });

  test("never hands one key to two workers: added in flight, it is queued again after done", () => {
    const queue = newQueue();
    queue.add("a", because("1"));
    const first = took(queue);
    expect(queue.add("a", because("2"))).toBe("in flight");
    expect(queue.add("a", because("3"))).toBe("in flight");
    expect(queue.take()).toBeUndefined();
    queue.done(first);
    expect(whys(took(queue))).toEqual(["2", "3"]);
  });

  test("forgets a key that is done without another add", () => {
    const queue = newQueue();
    queue.add("a", because("1"));
    queue.done(took(queue));
    expect([queue.depth, queue.inFlight]).toEqual([0, 0]);
    expect(queue.add("a", because("2"))).toBe("added");
  });

  test("refuses done for a key that no worker has", () => {
    const queue = newQueue();
    queue.add("a", because("1"));
    const item = took(queue);
    queue.done(item);
    expect(() => queue.done(item)).toThrow("no worker has it");
  });

  test("get waits for a key, and ends with the shutdown, after the remaining keys", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const queue = new Queue({ name: "q", timeline });
    const got: (string | undefined)[] = [];
    const worker = async (): Promise<void> => {
      for (;;) {
        const item = await queue.get("worker");
        got.push(item?.key);
        if (item === undefined) return;
        queue.done(item);
      }
    };
    const running = worker();
    timeline.after(5, "user", () => {
      queue.add("a", because("1"));
      queue.add("b", because("1"));
      queue.shutDown();
      expect(queue.add("c", because("1"))).toBe("shut down");
    });
    expect(await timeline.runUntil()).toBe("steady");
    await running;
    expect(got).toEqual(["a", "b", undefined]);
  });

  test("a shutdown ends the waiting of every worker, and later calls return at once", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const queue = new Queue({ name: "q", timeline });
    const workers = ["1", "2", "3"].map((worker) => Promise.resolve(queue.get(worker)));
    await timeline.runUntil();
    queue.shutDown();
    workers.push(Promise.resolve(queue.get("4")));
    await timeline.runUntil();
    expect(await Promise.all(workers)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("a key wakes one of the waiting workers, in the order in which they came", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const queue = new Queue({ name: "q", timeline });
    const got: string[] = [];
    for (const worker of ["1", "2", "3"])
      void Promise.resolve(queue.get(worker)).then((item) => got.push(`${worker} ${item?.key}`));
    await timeline.runUntil();
    queue.add("a", because("x"));
    await timeline.runUntil();
    expect(got).toHaveLength(1);
    queue.add("b", because("x"));
    queue.add("c", because("x"));
    await timeline.runUntil();
    expect(got.map((line) => line.slice(2)).sort()).toEqual(["a", "b", "c"]);
  });

  test("on a virtual timeline a key is handed over in the worker's turn, not before", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const queue = new Queue({ name: "q", timeline });
    queue.add("a", because("x"));
    const handed = queue.get("worker");
    expect([handed instanceof Promise, queue.depth]).toEqual([true, 1]);
    await timeline.runUntil();
    expect((await handed)?.key).toBe("a");
  });

  test("pending names keys that wait or were added again, not those that only a worker has", () => {
    const queue = newQueue();
    for (const key of ["taken", "again", "waits"]) queue.add(key, because("1"));
    took(queue);
    took(queue);
    queue.add("again", because("2"));
    expect(queue.pending()).toEqual(["again", "waits"]);
    queue.shutDown({ discard: true });
    expect(queue.pending()).toEqual([]);
  });

  test("on the real timeline a waiting key is handed over at once, with its triggers; otherwise later", async () => {
    const queue = new Queue({ name: "q", timeline: realTimeline() });
    queue.add("a", because("1"));
    queue.add("a", because("2"));
    const item = queue.get("worker");
    if (item === undefined || item instanceof Promise) throw new Error("a was not handed over at once");
    expect(whys(item)).toEqual(["1", "2"]);
    const next = queue.get("worker");
    expect(next).toBeInstanceOf(Promise);
    queue.add("a", because("3"));
    queue.done(item);
    const again = await next;
    expect(again === undefined ? undefined : whys(again)).toEqual(["3"]);
  });

  test("shutDown with discard drops the waiting keys and returns their number", () => {
    const queue = newQueue();
    for (const key of ["a", "b", "c"]) queue.add(key, because("1"));
    const item = took(queue);
    expect(queue.shutDown({ discard: true })).toBe(2);
    expect(queue.take()).toBeUndefined();
    queue.done(item);
  });

  test("shutDown drops nothing by default, and does nothing the second time", () => {
    for (const options of [undefined, {}, { discard: false }]) {
      const queue = newQueue();
      for (const key of ["a", "b"]) queue.add(key, because("1"));
      expect([queue.shuttingDown, queue.shutDown(options), queue.shuttingDown]).toEqual([false, 0, true]);
      expect([queue.shutDown(options), queue.depth]).toEqual([0, 2]);
    }
  });

  test("a key added while a worker has it is still handed out after the shutdown; with discard it is dropped", () => {
    for (const discard of [false, true]) {
      const queue = newQueue();
      queue.add("a", because("1"));
      const item = took(queue);
      queue.add("a", because("2"));
      expect(queue.shutDown({ discard })).toBe(discard ? 1 : 0);
      queue.done(item);
      expect(queue.depth).toBe(discard ? 0 : 1);
      const again = queue.take();
      expect(again === undefined ? undefined : whys(again)).toEqual(discard ? undefined : ["2"]);
    }
  });

  test("a key added while a worker has it waits since then, not since its first add, nor since done", () => {
    const clock = { now: 1000 };
    const timeline = { ...virtualTimeline(0, seededRandom(1)), now: () => clock.now, burstBegan: () => clock.now };
    const queue = new Queue({ name: "q", timeline });
    queue.add("a", because("1"));
    const item = took(queue);
    clock.now = 2000;
    queue.add("a", because("2"));
    clock.now = 3000;
    queue.add("a", because("3"));
    queue.done(item);
    expect({ oldestAt: queue.oldestAt, addedAt: took(queue).addedAt }).toEqual({ oldestAt: 2000, addedAt: 2000 });
    expect(queue.oldestAt).toBeUndefined();
  });

  test("in any sequence of adds, gets and dones it is fair, stingy, exclusive, and loses no trigger", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("add" as const), key: fc.constantFrom("a", "b", "c", "d") }),
      fc.record({ do: fc.constant("take" as const) }),
      fc.record({ do: fc.constant("done" as const), which: fc.nat(3) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = newQueue();
        const model: { key: string; triggers: number }[] = [];
        const again = new Map<string, number>();
        const taken: QueueItem[] = [];
        for (const s of steps) {
          if (s.do === "add") {
            const waits = model.find((entry) => entry.key === s.key);
            const inFlight = taken.some((item) => item.key === s.key);
            const result = queue.add(s.key, because("x"));
            if (inFlight) again.set(s.key, (again.get(s.key) ?? 0) + 1);
            else if (waits !== undefined) waits.triggers++;
            else model.push({ key: s.key, triggers: 1 });
            expect(result).toBe(inFlight ? "in flight" : waits === undefined ? "added" : "merged");
          } else if (s.do === "take") {
            const item = queue.take();
            const wanted = model.shift();
            expect(item?.key).toBe(wanted?.key as string);
            expect(item?.triggers.total).toBe(wanted?.triggers as number);
            if (item !== undefined) taken.push(item);
          } else {
            const [item] = taken.splice(s.which % Math.max(1, taken.length), 1);
            if (item === undefined) continue;
            queue.done(item);
            const triggers = again.get(item.key);
            again.delete(item.key);
            if (triggers !== undefined) model.push({ key: item.key, triggers });
          }
          expect([queue.depth, queue.inFlight]).toEqual([model.length, taken.length]);
        }
      }),
      { seed: 20261121, numRuns: 300 },
    );
  });
});

test("a queue with priorities hands out the keys with the highest priority first", () => {
  const timeline = virtualTimeline(0, seededRandom(1));
  const priorities: Record<string, number> = { low: 0, high: 10, also: 0 };
  const queue = new Queue({
    name: "q",
    timeline,
    order: { by: "priority", priorityOf: (key) => priorities[key] ?? 0 },
  });
  for (const key of ["low", "high", "also"]) queue.add(key, { cause: "other", why: "test" });
  expect([queue.take()?.key, queue.take()?.key, queue.take()?.key]).toEqual(["high", "low", "also"]);
  expect(queue.take()).toBeUndefined();
});

test("a queue of groups hands out one key of each in turn", () => {
  const timeline = virtualTimeline(0, seededRandom(1));
  const queue = new Queue({ name: "q", timeline, order: { by: "group", groupOf: (key) => key.slice(0, 1) } });
  for (const key of ["a1", "a2", "a3", "b1"]) queue.add(key, { cause: "other", why: "test" });
  expect([queue.take()?.key, queue.take()?.key, queue.take()?.key, queue.take()?.key]).toEqual([
    "a1",
    "b1",
    "a2",
    "a3",
  ]);
});
