/** The first answer of a server: said that it is waited for, and not waited for longer than a connection may take. */
import type { Timeline } from "../../platform/timeline.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../api/transport.ts";

export interface FirstContactOptions {
  readonly timeline: Timeline;
  /** Makes a connection of its own. @throws TransportError that is to be told, when it takes too long. */
  readonly probe: (signal: AbortSignal) => Promise<void>;
  /** No answer has come for two seconds. Called once. */
  readonly onSlow: () => void;
}

/** So long nobody asks what is going on. The limits of the probe count from here. */
export const patienceMs = 2000;

/**
 * A transport that looks after its first request: after 2 s without an answer it says so and tries the connection by itself. A
 * server that cannot be connected to, or does not shake hands, ends all requests that wait; one that is only slow is waited for.
 * After the first answer it costs nothing.
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
  /** Ends the requests that wait. A new one for each probe. */
  #failed: AbortController = new AbortController();
  /** Ends the probe. */
  readonly #answered: AbortController = new AbortController();
  #cancelTimer: (() => void) | undefined;
  #waiting = 0;

  constructor(options: FirstContactOptions) {
    this.#options = options;
  }

  async send(transport: Transport, request: ApiRequest): Promise<ApiResponse> {
    // Not `AbortSignal.any`: nothing but the request would hold its result, and the body is read with it.
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
      this.#answered.abort();
      return response;
    } finally {
      this.#waiting--;
    }
  }

  /** From the first request on: tries that fail one after the other are no answer either. */
  #begin(): void {
    const { timeline } = this.#options;
    this.#cancelTimer ??= timeline.after(patienceMs, "first contact", () => void this.#slow(), { background: true });
  }

  async #slow(): Promise<void> {
    this.#options.onSlow();
    // Between two tries there is nothing to find out: each has ended by itself.
    if (this.#waiting === 0) return;
    try {
      await this.#options.probe(this.#answered.signal);
    } catch (error) {
      const failed = this.#failed;
      this.#failed = new AbortController();
      if (!this.#answered.signal.aborted) failed.abort(error);
    }
  }
}
