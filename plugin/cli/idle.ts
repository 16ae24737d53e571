/** Waits until controllers have nothing left to do, for `--once` and `why --sandbox`. */
import { sleep, type Timeline } from "../../src/platform/timeline.ts";

const pollMs = 50;
const idleForMs = 300;

/** For `ControllerManager.isIdle`: a key that has failed this often in a row does not block the rest. */
export const maxFailures = { failures: 5 } as const;

/** What `waitUntilIdle` checks, and the name of the waiter on the timeline. */
export interface IdleWait {
  readonly who: string;
  readonly isIdle: () => boolean;
  /** Ends the wait early. */
  readonly isOver: () => boolean;
}

/** Resolves when `isIdle` has been true for 0.3 s, or as soon as `isOver`. */
export async function waitUntilIdle(timeline: Timeline, { who, isIdle, isOver }: IdleWait): Promise<void> {
  for (let idleMs = 0; idleMs < idleForMs && !isOver();) {
    await sleep(timeline, pollMs, who);
    idleMs = isIdle() ? idleMs + pollMs : 0;
  }
}
