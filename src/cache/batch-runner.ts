import type { Timeline } from "../platform/timeline.ts";

const turnMs = 10;
const lookAtClockEvery = 64;

/** What the turns are for, and the work of one step. */
export interface BatchRunnerOptions {
  readonly timeline: Timeline;
  readonly actor: string;
  /** Does one piece of work; false when there is none. */
  readonly step: () => boolean;
}

/**
 * Work that is done in batches, each in a turn of its own: `wake` starts one unless one is due already. A turn does all the work
 * there is; on a real timeline it gives way after 10 ms, so that a long list never blocks timers and connections for longer.
 */
export class BatchRunner {
  #options: BatchRunnerOptions;
  #due = false;
  #stopped = false;

  constructor(options: BatchRunnerOptions) {
    this.#options = options;
  }

  wake(): void {
    if (this.#due || this.#stopped) return;
    this.#due = true;
    // One promise a batch, not one for each piece.
    void this.#options.timeline.hop(this.#options.actor).then(() => this.#run());
  }

  stop(): void {
    this.#stopped = true;
  }

  #run(): void {
    const { timeline, actor, step } = this.#options;
    const end = timeline.now() + turnMs;
    for (let done = 1; !this.#stopped && step(); done++) {
      if (done % lookAtClockEvery === 0 && timeline.now() >= end) {
        timeline.after(0, actor, () => this.#run());
        return;
      }
    }
    this.#due = false;
  }
}
