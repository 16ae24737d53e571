import { setImmediate as macrotask } from "node:timers";
import type { Cancel, Timeline } from "./timeline.ts";

const settled = Promise.resolve();

/** Above this, setTimeout fires at once: 2³¹ − 1 ms, 24.8 days. */
export const longestTimerMs: number = 2 ** 31 - 1;
/** How often the clock is compared with the wall clock, which is slewed by the machine and continues while a laptop sleeps. */
const compareAfterMs = 1000;
/** How fast the clock runs while it is far ahead of the wall clock. */
const slowest = 0.5;
/** Hops are microtasks; how often the clock is read, and after which time timers and connections get their turn. */
const hopsALook = 64;
const giveWayAfterMs = 10;

/**
 * The real clock: the wall clock at the start plus a monotonic one, so that it has fractions of milliseconds and never goes
 * back. It is compared with the wall clock once a second and follows it: forward at once, when the machine has slept, when the wall clock
 * was set, and when it runs a little faster, so that a timestamp is in the second that other processes are in. A wall clock that was set back
 * is waited for: this clock slows down, at most to half its speed, so that an hour ahead is made up for in two, and no duration is negative.
 * What must not depend on that, such as a lease, reads `clocks`.
 *
 * A hop costs a microtask. Actors that hand work to each other for longer than 10 ms yield to timers and connections, so that a
 * hundred thousand keys without work do not block the event loop.
 *
 * @example
 * ```ts
 * import { realTimeline } from "kubectl-reconcile";
 *
 * const timeline = realTimeline();
 * const cancel = timeline.after(60_000, "reminder", () => console.log("a minute later"));
 * cancel();
 * ```
 */
export function realTimeline(): Timeline {
  let compared = { steady: performance.now(), shown: Date.now() };
  let speed = 1;
  let hops = 0;
  let gaveWayAt = 0;
  const turn = (): Promise<void> | undefined => {
    if (++hops % hopsALook !== 0) return undefined;
    const monotonic = performance.now();
    if (monotonic - gaveWayAt < giveWayAfterMs) return undefined;
    gaveWayAt = monotonic;
    return new Promise((resolve) => macrotask(resolve));
  };
  const now = (): number => {
    const steady = performance.now();
    const passed = steady - compared.steady;
    const shown = compared.shown + passed * speed;
    if (passed <= compareAfterMs) return shown;
    const wall = Date.now();
    compared = { steady, shown: Math.max(shown, wall) };
    // The wall clock has whole milliseconds: less than one is not ahead.
    const ahead = Math.max(0, shown - (wall + 1));
    speed = Math.max(slowest, 1 - ahead / compareAfterMs);
    return compared.shown;
  };
  let began: number | undefined;
  const endBurst = (): void => void (began = undefined);
  return {
    now,
    burstBegan() {
      if (began === undefined) {
        began = now();
        queueMicrotask(endBurst);
      }
      return began;
    },
    clocks: () => ({ wall: Date.now(), steady: performance.now() }),
    hop: () => turn() ?? settled,
    turn,
    after(ms, _actor, fn, options): Cancel {
      let left = Math.max(0, ms);
      let timer: ReturnType<typeof setTimeout>;
      const arm = (): void => {
        const step = Math.min(left, longestTimerMs);
        left -= step;
        timer = setTimeout(left > 0 ? arm : fn, step);
        // A background timer alone does not keep the process alive.
        if (options?.background === true && typeof timer === "object") timer.unref();
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}
