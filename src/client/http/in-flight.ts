import type { ApiBody, ApiRequest, ApiResponse, Transport } from "../../api/transport.ts";
import { isWatch } from "./request-kind.ts";

const defaultLimit = 64;

/**
 * Allows at most `limit` concurrent requests, each counted until its body ends; others wait in order. Watches do not count, because they
 * stay open and would starve the rest; nor do requests for Leases, which must not come late.
 */
export function withMaxInFlight(transport: Transport, limit: number = defaultLimit): Transport {
  const gate = new Gate(limit);
  return {
    async send(request) {
      if (isWatch(request) || request.renewsLease === true) return transport.send(request);
      await gate.enter(request.signal);
      try {
        return leavingAtEnd(await transport.send(request), () => gate.leave());
      } catch (error) {
        gate.leave();
        throw error;
      }
    },
  };
}

class Gate {
  #free: number;
  readonly #waiting: Set<() => void> = new Set();

  constructor(places: number) {
    this.#free = places;
  }

  /** @throws the signal's reason. */
  enter(signal: ApiRequest["signal"]): Promise<void> | undefined {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiting.delete(admit);
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(admit);
    });
  }

  /** Atomic: passes the slot to the longest-waiting request, or frees it. */
  leave(): void {
    for (const admit of this.#waiting) {
      this.#waiting.delete(admit);
      admit();
      return;
    }
    this.#free++;
  }
}

function leavingAtEnd(response: ApiResponse, leave: () => void): ApiResponse {
  let inside = true;
  const once = (): void => {
    if (inside) leave();
    inside = false;
  };
  const body: ApiBody = {
    async next() {
      try {
        const chunk = await response.body.next();
        if (chunk === undefined) once();
        return chunk;
      } catch (error) {
        once();
        throw error;
      }
    },
    cancel(reason) {
      response.body.cancel(reason);
      once();
    },
  };
  return { status: response.status, header: (name) => response.header(name), body };
}
