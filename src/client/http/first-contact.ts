/** Supervises the wait for a server's first response: reports a slow server, and fails if no connection can be established. */
import type { Timeline } from "../../platform/timeline.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../api/transport.ts";

/** Options of `withFirstContact`. */
export interface FirstContactOptions {
  readonly timeline: Timeline;
  /** Opens a connection of its own. @throws TransportError if that takes too long; requests then fail with it. */
  readonly probe: (signal: AbortSignal) => Promise<void>;
  /** Called once if there has been no response for 2 s. */
  readonly onSlow: () => void;
}

/** How long to wait before `onSlow` is called and the probe starts. */
export const patienceMs = 2000;

/**
 * Watches the first request: after 2 s without a response it reports that, and probes the connection. If the server
 * cannot be connected to, or does not complete the TLS handshake, all waiting requests fail; a server that is only slow
 * is waited for. After the first response it costs nothing.
 */
export function withFirstContact(transport: Transport, options: FirstContactOptions): Transport {
  let contact: Contact | undefined = new Contact(options);
  return {
    async send(request) {
      if (contact === undefined) return transport.send(request);
      request.signal.throwIfAborted();
      const response = await contact.send(transport, request);
      contact = undefined;
      return response;
    },
  };
}

class Contact {
  readonly #options: FirstContactOptions;
  /** Fails the waiting requests. A new one for each probe. */
  #failed: AbortController = new AbortController();
  /** Ends the probe. */
  readonly #responded: AbortController = new AbortController();
  #cancelTimer: (() => void) | undefined;
  #waiting = 0;

  constructor(options: FirstContactOptions) {
    this.#options = options;
  }

  async send(transport: Transport, request: ApiRequest): Promise<ApiResponse> {
    // Not `AbortSignal.any`: only the request would reference its result, while the body is still read with it.
    const either = new AbortController();
    const failed = this.#failed.signal;
    for (const signal of [request.signal, failed]) {
      signal.addEventListener("abort", () => either.abort(signal.reason), { once: true });
    }
    this.#begin();
    this.#waiting++;
    try {
      const response = await transport.send({ ...request, signal: either.signal });
      this.#cancelTimer?.();
      this.#responded.abort();
      return response;
    } finally {
      this.#waiting--;
    }
  }

  /** Starts with the first request and continues through retries: failures are not responses. */
  #begin(): void {
    const { timeline } = this.#options;
    this.#cancelTimer ??= timeline.after(patienceMs, "first contact", () => void this.#slow(), { background: true });
  }

  async #slow(): Promise<void> {
    this.#options.onSlow();
    // Between two retries there is no waiting request to probe for.
    if (this.#waiting === 0) return;
    try {
      await this.#options.probe(this.#responded.signal);
    } catch (error) {
      const failed = this.#failed;
      this.#failed = new AbortController();
      if (!this.#responded.signal.aborted) failed.abort(error);
    }
  }
}
