/** Tracks forwarded requests without a response. On closing, the results of writes are awaited even if the process is gone. */
import { sleep, type Timeline } from "../platform/timeline.ts";
import { TransportError } from "../api/transport.ts";

/** How long to wait for the responses of writes when the proxy is closed. */
const graceMs = 2000;

interface PendingRequest {
  readonly abort: AbortController;
  readonly isWrite: boolean;
  readonly ended: Promise<unknown>;
}

/** The pending requests of one proxy. */
export class PendingRequests {
  readonly #timeline: Timeline;
  readonly #all = new Set<PendingRequest>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** Sends a request and tracks it until it has a response or fails. */
  async during<T>(request: { readonly method: string }, send: (abort: AbortController) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const sent = send(abort);
    const isWrite = request.method !== "GET";
    const pending: PendingRequest = { abort, isWrite, ended: sent.catch(() => undefined) };
    this.#all.add(pending);
    try {
      return await sent;
    } finally {
      this.#all.delete(pending);
    }
  }

  /** Waits up to 2 s for the responses of writes, then aborts all remaining requests. */
  async end(): Promise<void> {
    const writes = [...this.#all].filter(({ isWrite }) => isWrite).map(({ ended }) => ended);
    if (writes.length > 0) await Promise.race([Promise.all(writes), sleep(this.#timeline, graceMs, "proxy closing")]);
    for (const { abort } of this.#all) abort.abort(new TransportError("closed before there was a response"));
    await Promise.all([...this.#all].map(({ ended }) => ended));
  }
}
