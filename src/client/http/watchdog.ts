/** A read-idle timeout for responses and watch bodies, and a time limit for requests. */
import type { Timeline } from "../../platform/timeline.ts";
import { TransportError, type ApiBody, type ApiRequest, type Transport } from "../../api/transport.ts";
import { isWatch } from "./request-kind.ts";

/** Options of `withWatchdog`. */
export interface WatchdogOptions {
  readonly timeline: Timeline;
  /**
   * How long a response may receive no bytes. A server sends bookmarks about every 60 s and ends any other request
   * after 60 s, so after the default of 90 s the connection is half-open.
   */
  readonly silentMs?: number;
  /**
   * kubectl's `--request-timeout`: how long a request may take, including its body. Does not apply to watches. Default:
   * no limit.
   */
  readonly requestTimeoutMs?: number;
  /** Called when a connection is considered dead: idle ones beside it are likely dead too. */
  readonly onSilence?: () => void;
}

const defaultSilentMs = 90_000;

/** One request under observation. Chunks only record the time; a single timer checks it periodically. */
class IdleTimeout {
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

  /** The watchdog's reason, if it ended the request; otherwise what was thrown. */
  reason(thrown: unknown): unknown {
    return this.#controller.signal.aborted ? this.#controller.signal.reason : thrown;
  }

  #arm(ms: number): void {
    const now = this.#timeline.now();
    const wait = Math.min(ms, this.#deadline - now);
    this.#cancel = this.#timeline.after(wait, "watchdog", () => this.#check(), { background: true });
  }

  #check(): void {
    const now = this.#timeline.now();
    if (now >= this.#deadline) return this.#break("timed out: --request-timeout is over");
    // A slow consumer is not silence.
    const silent = this.#waiting ? now - this.#waitingSince : 0;
    // Timers may round away the clock's fractions.
    if (silent >= this.#silentMs - 1) {
      this.#break(`silent for ${Math.round(silent / 1000)} s: the connection is considered dead`);
      this.#onSilence?.();
      return;
    }
    this.#arm(this.#silentMs - silent);
  }

  #break(message: string): void {
    this.#controller.abort(new TransportError(message, { failure: "timeout" }));
  }
}

/**
 * A transport whose requests fail with a TransportError when the connection has gone silent, or after the time limit.
 */
export function withWatchdog(transport: Transport, options: WatchdogOptions): Transport {
  return {
    async send(request) {
      request.signal.throwIfAborted();
      const guard = new IdleTimeout(options, request);
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

function guardedBody(body: ApiBody, guard: IdleTimeout): ApiBody {
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
