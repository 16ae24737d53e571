/** Requests about one Lease: each ends after a limit, however long the server takes. */
import { Leases } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Lease } from "../../api/types.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Timeline } from "../../platform/timeline.ts";

/** Which Lease, and how it is reached. */
export interface LeaseAccessOptions {
  readonly client: Client;
  readonly timeline: Timeline;
  readonly namespace: string;
  readonly name: string;
  /** Put beside those that it has already. */
  readonly labels: Readonly<Record<string, string>>;
  /** After so many ms a request is given up. */
  readonly requestMs: number;
}

type Spec = NonNullable<Lease["spec"]>;

/** Reads and writes one Lease. Every method rejects with StatusError, TransportError, or an Error that says `no answer for 5 s`. */
export class LeaseAccess {
  readonly #options: LeaseAccessOptions;

  constructor(options: LeaseAccessOptions) {
    this.#options = options;
  }

  /** Undefined: there is none. */
  async read(): Promise<Lease | undefined> {
    const { client, namespace, name } = this.#options;
    try {
      return await this.#within((signal) => client.get(Leases, { namespace, name }, { signal }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Creates it, or replaces the spec of the one that was read; refused where somebody has written to that since. */
  write(there: Lease | undefined, spec: Spec): Promise<Lease> {
    const { client, namespace, name, labels } = this.#options;
    return this.#within((signal) => {
      const write = { renewsLease: true, signal } as const;
      if (there === undefined) return client.create(Leases, { metadata: { namespace, name, labels }, spec }, write);
      const metadata = { ...there.metadata, labels: { ...there.metadata.labels, ...labels } };
      return client.update(Leases, { ...there, metadata, spec }, write);
    });
  }

  /** Deletes the one that was read; refused where somebody has written to it since. */
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
    const why = new Error(`no answer for ${requestMs / 1000} s`);
    const cancel = timeline.after(requestMs, `lease ${name} limit`, () => controller.abort(why), { background: true });
    try {
      return await request(controller.signal);
    } finally {
      cancel();
    }
  }
}
