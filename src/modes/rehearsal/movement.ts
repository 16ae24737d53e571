/** Activity: changes of the store, and requests that a program has not made before. */
import { sleep, type Timeline } from "../../platform/timeline.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { Convergence } from "../dry-run/convergence.ts";
import { Recurrence } from "../dry-run/recurrence.ts";
import { listenToStore, type StoreChange, type StoreListening } from "../dry-run/store.ts";

/** What is observed. */
export interface MovementOptions {
  readonly sandbox: Sandbox;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
}

/** How long without activity counts as quiet, and when the wait ends in any case, in ms. */
export interface Patience {
  readonly quietMs: number;
  readonly timeoutMs: number;
}

/** What else must be idle. */
export interface Resting {
  /** Whether no controller has anything to do now. */
  isIdle(): boolean;
  /** When one of them will have, in ms since 1970. */
  nextDueAt(): number | undefined;
  /** Called at each check. @throws to end the wait. */
  check(): void;
}

const lookEveryMs = 25;

/** Observes from its creation. */
export class Movement {
  readonly #timeline: Timeline;
  readonly #listening: StoreListening;
  readonly #requests = new Set<string>();
  #recurrence = new Recurrence();
  #lastAt: number;

  constructor({ sandbox, bus, timeline }: MovementOptions) {
    this.#timeline = timeline;
    this.#lastAt = timeline.now();
    this.#listening = listenToStore(sandbox, (change) => this.#changed(change));
    bus.listen((event) => {
      if (event.stage === "write") this.#recurrence.wrote(event);
      if (event.stage === "request") this.#requested(`${event.verb} ${event.uri}`);
    });
  }

  /**
   * Waits until everything is quiet, or is known never to be. `afterMs` is counted from the call to the last activity. @throws what `check`
   * throws.
   */
  async untilQuiet(resting: Resting, { quietMs, timeoutMs }: Patience): Promise<Convergence> {
    const startedAt = this.#timeline.now();
    const endsAt = startedAt + timeoutMs;
    this.#recurrence = new Recurrence();
    this.#lastAt = startedAt;
    for (;;) {
      await sleep(this.#timeline, lookEveryMs, "waiting until the cluster is steady");
      resting.check();
      this.#listening.takeNewKinds();
      const now = this.#timeline.now();
      const { loop } = this.#recurrence;
      if (loop !== undefined) return { is: "loop", loop };
      if (!resting.isIdle()) this.#lastAt = now;
      const isQuiet = now - this.#lastAt >= quietMs;
      const isDue = (resting.nextDueAt() ?? Infinity) < endsAt;
      if (isQuiet && (!isDue || now >= endsAt)) return { is: "steady", afterMs: this.#lastAt - startedAt };
      if (now >= endsAt) return { is: "horizon", horizonMs: timeoutMs };
    }
  }

  end(): void {
    this.#listening.end();
  }

  #changed(change: StoreChange): void {
    if (this.#recurrence.accept(change)) this.#lastAt = this.#timeline.now();
  }

  /** A repeated request is polling. */
  #requested(request: string): void {
    if (this.#requests.has(request)) return;
    this.#requests.add(request);
    this.#lastAt = this.#timeline.now();
  }
}
