/** Ends requests whose connection has died without a word, and those that take longer than they may. */
import type { Timeline } from "../../platform/timeline.ts";
import { TransportError, type ApiBody, type ApiRequest, type Transport } from "../../api/transport.ts";
import { isWatch } from "./request-kind.ts";

export interface WatchdogOptions {
  readonly timeline: Timeline;
  /**
   * How long an answer may be waited for without a byte. A server sends bookmarks about every 60 s and ends any other request
   * after 60 s, so the default of 90 s means a half-open connection.
   */
  readonly silentMs?: number;
  /** kubectl's `--request-timeout`: how long a request may take, its body included. Watches are not held to it. Default: no limit. */
  readonly requestTimeoutMs?: number;
  /** A connection was taken for dead: the idle ones beside it are likely dead too. */
  readonly onSilence?: () => void;
}

const defaultSilentMs = 90_000;

/** One request under guard. Chunks only note the time; one timer looks at it now and then. */
class Guard {
  readonly #controller: AbortController = new AbortController();
  readonly #timeline: Timeline;
  readonly #silentMs: number;
  readonly #deadline: number;
  readonly #outer: AbortSignal;
  readonly #onAbort: () => void;
  #waitingSince: number;
  #waiting = true;
  #cancel: () => void = () => undefined;
  readonly #onSilence: (() => void) | undefined;

  constructor(options: WatchdogOptions, request: ApiRequest) {
    this.#timeline = options.timeline;
    this.#silentMs = options.silentMs ?? defaultSilentMs;
    this.#waitingSince = options.timeline.now();
    const limit = options.requestTimeoutMs ?? 0;
    this.#deadline = limit > 0 && !isWatch(request) ? this.#waitingSince + limit : Infinity;
    this.#outer = request.signal;
    this.#onAbort = () => {
      this.#cancel();
      this.#controller.abort(this.#outer.reason);
    };
    this.#onSilence = options.onSilence;
    this.#outer.addEventListener("abort", this.#onAbort, { once: true });
    this.#arm(this.#silentMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  wait(): void {
    this.#waiting = true;
    this.#waitingSince = this.#timeline.now();
  }

  arrived(): void {
    this.#waiting = false;
  }

  end(): void {
    this.#cancel();
    this.#outer.removeEventListener("abort", this.#onAbort);
  }

  /** The watchdog's own reason, where it was the one that ended the request. */
  reason(thrown: unknown): unknown {
    return this.#controller.signal.aborted ? this.#controller.signal.reason : thrown;
  }

  #arm(ms: number): void {
    const now = this.#timeline.now();
    const wait = Math.min(ms, this.#deadline - now);
    this.#cancel = this.#timeline.after(wait, "watchdog", () => this.#look(), { background: true });
  }

  #look(): void {
    const now = this.#timeline.now();
    if (now >= this.#deadline) return this.#break("timed out: --request-timeout is over");
    // A consumer that takes its time is no silence.
    const silent = this.#waiting ? now - this.#waitingSince : 0;
    // The clock has fractions that timers may round away.
    if (silent >= this.#silentMs - 1) {
      this.#break(`silent for ${Math.round(silent / 1000)} s: the connection is taken for dead`);
      this.#onSilence?.();
      return;
    }
    this.#arm(this.#silentMs - silent);
  }

  #break(message: string): void {
    this.#controller.abort(new TransportError(message, { failure: "timeout" }));
  }
}

/** A transport whose requests end in a TransportError when the connection has gone silent, or after the time limit. */
export function withWatchdog(transport: Transport, options: WatchdogOptions): Transport {
  return {
    async send(request) {
      request.signal.throwIfAborted();
      const guard = new Guard(options, request);
      try {
        const response = await transport.send({ ...request, signal: guard.signal });
        guard.arrived();
        return {
          status: response.status,
          header: (name) => response.header(name),
          body: guardedBody(response.body, guard),
        };
      } catch (error) {
        guard.end();
        throw guard.reason(error);
      }
    },
  };
}

function guardedBody(body: ApiBody, guard: Guard): ApiBody {
  return {
    async next() {
      guard.wait();
      try {
        const chunk = await body.next();
        guard.arrived();
        if (chunk === undefined) guard.end();
        return chunk;
      } catch (error) {
        guard.end();
        throw guard.reason(error);
      }
    },
    cancel(reason) {
      guard.end();
      body.cancel(reason);
    },
  };
}
