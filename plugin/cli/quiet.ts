/** When controllers have come to rest: what `--once` and `why --sandbox` wait for. */
import { sleep, type Timeline } from "../../src/platform/timeline.ts";

const pollMs = 50;
const quietForMs = 300;

/** For `ControllerManager.isIdle`: a key that has failed so often in a row does not hold up the rest. */
export const giveUp = { failures: 5 } as const;

/** Resolves when nothing has been left to do for 0.3 s, or as soon as `isOver`. `who` waits, for the timeline. */
export async function untilQuiet(
  timeline: Timeline,
  who: string,
  isIdle: () => boolean,
  isOver: () => boolean = () => false,
): Promise<void> {
  for (let quietMs = 0; quietMs < quietForMs && !isOver();) {
    await sleep(timeline, pollMs, who);
    quietMs = isIdle() ? quietMs + pollMs : 0;
  }
}
