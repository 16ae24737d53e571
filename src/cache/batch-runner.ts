import type { Timeline } from "../platform/timeline.ts";

const turnMs = 10;
const lookAtClockEvery = 64;

/** Whose work is run, and one step of it. */
export interface BatchRunnerOptions {
  readonly timeline: Timeline;
  /** The actor of the timeline whose turns the batches take. */
  readonly actor: string;
  /** Does one piece of work; false when there is none. Must not throw. */
  readonly step: () => boolean;
}

/**
 * Runs work in batches, each in its own turn of the timeline: `wake` starts one unless one is due already. A batch does all the work
 * there is; on a real timeline it gives way after 10 ms, so that a long list never blocks timers and connections for longer.
 */
export class BatchRunner {
  #options: BatchRunnerOptions;
  #due = false;
  #stopped = false;

  constructor(options: BatchRunnerOptions) {
    this.#options = options;
  }

  /** There is work: makes sure that a batch is due. Cheap if one is. */
  wake(): void {
    if (this.#due || this.#stopped) return;
    this.#due = true;
    // One promise a batch, not one for each step.
    void this.#options.timeline.hop(this.#options.actor).then(() => this.#run());
  }

  /** Does nothing any more, even in the middle of a batch. */
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
