import { expect, test } from "bun:test";
import { seededRandom } from "../../src/platform/random.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import type { Trigger } from "../../src/trace/triggers.ts";
import { DelayingQueue } from "../../src/workqueue/delaying-queue.ts";

const because: Trigger = { cause: "other", why: "test" };
const background = { background: true };

function queueOn(): { timeline: ReturnType<typeof virtualTimeline>; queue: DelayingQueue } {
  const timeline = virtualTimeline(0, seededRandom(1));
  return { timeline, queue: new DelayingQueue({ name: "q", timeline }) };
}

test("keys that wait in the background do not keep a virtual run going", async () => {
  const { timeline, queue } = queueOn();
  queue.addAfter("heartbeat", 10, because, background);
  expect(await timeline.runUntil({ ms: 100 })).toBe("steady");
  expect({ depth: queue.depth, delayed: queue.delayed }).toEqual({ depth: 0, delayed: 1 });
});

test("a foreground key behind a background one does, and both are handed out in time", async () => {
  const { timeline, queue } = queueOn();
  queue.addAfter("heartbeat", 10, because, background);
  queue.addAfter("work", 20, because);
  await timeline.runUntil({ ms: 15 });
  expect(queue.take()?.key).toBe("heartbeat");
  expect(await timeline.runUntil({ ms: 100 })).toBe("steady");
  expect({ key: queue.take()?.key, at: timeline.now() }).toEqual({ key: "work", at: 20 });
});

test("a background key that is also added in the foreground becomes a foreground key", async () => {
  const { timeline, queue } = queueOn();
  queue.addAfter("key", 10, because, background);
  queue.addAfter("key", 30, because);
  expect(await timeline.runUntil({ ms: 100 })).toBe("steady");
  expect({ depth: queue.depth, at: timeline.now() }).toEqual({ depth: 1, at: 10 });
});

test("a due foreground key leaves only the background behind", async () => {
  const { timeline, queue } = queueOn();
  queue.addAfter("work", 10, because);
  queue.addAfter("heartbeat", 1000, because, background);
  expect(await timeline.runUntil({ ms: 5000 })).toBe("steady");
  expect({ depth: queue.depth, delayed: queue.delayed, at: timeline.now() }).toEqual({ depth: 1, delayed: 1, at: 10 });
});

test("a foreground key that is added again in either way stays one, and counts once", async () => {
  for (const options of [background, undefined]) {
    const { timeline, queue } = queueOn();
    queue.addAfter("key", 10, because);
    queue.addAfter("key", 30, because, options);
    queue.addAfter("heartbeat", 1000, because, background);
    expect(await timeline.runUntil({ ms: 5000 })).toBe("steady");
    expect({ depth: queue.depth, at: timeline.now() }).toEqual({ depth: 1, at: 10 });
  }
});

test("a background key that is added again in the background stays one", async () => {
  const { timeline, queue } = queueOn();
  queue.addAfter("heartbeat", 20, because, background);
  queue.addAfter("heartbeat", 10, because, background);
  expect(await timeline.runUntil({ ms: 100 })).toBe("steady");
  expect({ depth: queue.depth, dueAt: queue.dueAt("heartbeat"), at: timeline.now() }).toEqual({
    depth: 0,
    dueAt: 10,
    at: 0,
  });
});

test("a background key that became a foreground key leaves only the background behind when it is due", async () => {
  const { timeline, queue } = queueOn();
  queue.addAfter("key", 10, because, background);
  queue.addAfter("key", 10, because);
  queue.addAfter("heartbeat", 1000, because, background);
  expect(await timeline.runUntil({ ms: 5000 })).toBe("steady");
  expect(timeline.now()).toBe(10);
});
