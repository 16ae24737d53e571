/** Requests for one Lease, each with a timeout. */
import { Leases } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Lease } from "../../api/types.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Timeline } from "../../platform/timeline.ts";

/** Options of a `LeaseAccess`. */
export interface LeaseAccessOptions {
  readonly client: Client;
  readonly timeline: Timeline;
  readonly namespace: string;
  readonly name: string;
  /** Labels to add to the existing ones. */
  readonly labels: Readonly<Record<string, string>>;
  /** The timeout of a request, in ms. */
  readonly requestMs: number;
}

type Spec = NonNullable<Lease["spec"]>;

/** The server did not respond to a request for a Lease in time. A write may have been carried out. */
export class LeaseTimeoutError extends Error {
  override readonly name = "LeaseTimeoutError";
  constructor(ms: number) {
    super(`the server did not respond within ${ms / 1000} s`);
  }
}

/** Reads and writes one Lease. Every method rejects with StatusError, TransportError, or LeaseTimeoutError. */
export class LeaseAccess {
  readonly #options: LeaseAccessOptions;

  constructor(options: LeaseAccessOptions) {
    this.#options = options;
  }

  /** Reads the Lease; undefined if there is none. */
  async read(): Promise<Lease | undefined> {
    const { client, namespace, name } = this.#options;
    try {
      return await this.#within((signal) => client.get(Leases, { namespace, name }, { renewsLease: true, signal }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Creates the Lease, or replaces the spec of the one that was read. Rejects with a conflict if that was modified since. */
  write(there: Lease | undefined, spec: Spec): Promise<Lease> {
    const { client, namespace, name, labels } = this.#options;
    return this.#within((signal) => {
      const write = { renewsLease: true, signal } as const;
      if (there === undefined) return client.create(Leases, { metadata: { namespace, name, labels }, spec }, write);
      const metadata = { ...there.metadata, labels: { ...there.metadata.labels, ...labels } };
      return client.update(Leases, { ...there, metadata, spec }, write);
    });
  }

  /** Deletes the Lease that was read. Rejects with a conflict if it was modified since. */
  async remove({ metadata: { uid, resourceVersion } }: Lease): Promise<void> {
    const { client, namespace, name } = this.#options;
    const preconditions = { uid, resourceVersion };
    await this.#within((signal) =>
      client.delete(Leases, { namespace, name }, { preconditions, renewsLease: true, signal }),
    );
  }

  async #within<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { timeline, name, requestMs } = this.#options;
    const controller = new AbortController();
    const why = new LeaseTimeoutError(requestMs);
    const cancel = timeline.after(requestMs, `lease ${name} limit`, () => controller.abort(why), { background: true });
    try {
      return await request(controller.signal);
    } finally {
      cancel();
    }
  }
}
