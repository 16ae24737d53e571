/** Advances virtual time while a promise is pending. */
import type { ApiBody, Transport } from "../../api/transport.ts";
import type { VirtualTimeline } from "../../platform/virtual-timeline.ts";

/** After this many turns without a hop, the promise cannot settle on its own: for example, a watch of objects that do not change. */
const mostIdleTurns = 10_000;
/** A Deployment of 300 replicas, until all are available, takes fewer than 10,000. */
const mostSteps = 50_000;

/**
 * Drives a virtual timeline for callers that do not know about it: while at least one promise passed to `during` is
 * pending, time advances, one hop at a time, for all actors.
 */
export class TimeDriver {
  #timeline: VirtualTimeline;
  #pending = 0;
  #isDriving = false;
  #idleTurns = 0;

  constructor(timeline: VirtualTimeline) {
    this.#timeline = timeline;
  }

  /** Returns the promise, and moves time on until it is settled. */
  during<T>(promise: Promise<T>): Promise<T> {
    this.#pending++;
    this.#idleTurns = 0;
    const end = (): void => void this.#pending--;
    promise.then(end, end);
    void this.#drive();
    return promise;
  }

  async #drive(): Promise<void> {
    if (this.#isDriving) return;
    this.#isDriving = true;
    try {
      while (this.#pending > 0 && this.#idleTurns < mostIdleTurns) {
        const end = await this.#timeline.runUntil({ steps: 1 });
        this.#idleTurns = end === "steady" ? this.#idleTurns + 1 : 0;
      }
    } finally {
      this.#isDriving = false;
    }
  }

  /** See `Sandbox.settle`. */
  async settle(limitMs: number): Promise<"steady" | "time"> {
    const end = await this.#timeline.runUntil({ ms: limitMs, steps: mostSteps });
    if (end === "steps") {
      throw new Error(
        `Cannot settle: the cluster is not steady after ${mostSteps} steps; its controllers keep writing`,
      );
    }
    return end;
  }

  /** A Transport whose requests, and reads of their bodies, move time on. */
  driven(transport: Transport): Transport {
    return {
      send: async (request) => {
        const response = await this.during(transport.send(request));
        const body = this.#drivenBody(response.body);
        return { status: response.status, header: (name) => response.header(name), body };
      },
    };
  }

  #drivenBody(body: ApiBody): ApiBody {
    return { next: () => this.during(body.next()), cancel: (reason) => body.cancel(reason) };
  }
}
