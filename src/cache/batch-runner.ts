import type { Timeline } from "../platform/timeline.ts";

const turnMs = 10;
const lookAtClockEvery = 64;

/** Options of a `BatchRunner`. */
export interface BatchRunnerOptions {
  readonly timeline: Timeline;
  /** The actor of the timeline that runs the batches. */
  readonly actor: string;
  /** Does one unit of work; returns false if there is none. Must not throw. */
  readonly step: () => boolean;
}

/**
 * Runs work in batches, each in its own turn of the timeline. A batch does all waiting work; on a real timeline it yields after 10 ms, so
 * that a long list never blocks timers and connections for longer.
 */
export class BatchRunner {
  #options: BatchRunnerOptions;
  #due = false;
  #stopped = false;

  constructor(options: BatchRunnerOptions) {
    this.#options = options;
  }

  /** Schedules a batch, unless one is scheduled already. */
  wake(): void {
    if (this.#due || this.#stopped) return;
    this.#due = true;
    // One promise per batch, not per step.
    void this.#options.timeline.hop(this.#options.actor).then(() => this.#run());
  }

  /** Stops all work, even in the middle of a batch. */
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
