import { Leases } from "../api/kind.ts";
import { draft } from "../api/object.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../api/status-error.ts";
import { formatMicroTime } from "../api/time.ts";
import type { Lease } from "../api/types.ts";
import type { Client } from "../client/verbs.ts";
import { sleep, type Timeline } from "../platform/timeline.ts";

export interface LeaseOptions {
  readonly client: Client;
  readonly timeline: Timeline;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Who holds it: unique to this process. */
  readonly identity: string;
  /** Whether the process that this identity names is known to have died: its Lease is then taken at once. */
  readonly isDead: (identity: string) => boolean;
  /** Takes the Lease whoever holds it. */
  readonly force: boolean;
  /** Told once when somebody else's Lease has to be watched for a while before it may be taken. */
  readonly onWait?: (holder: string, atMostMs: number) => void;
  /** Told once when another has taken the Lease: the work must stop. */
  readonly onLost: (why: string) => void;
  /** Told when the Lease could not be renewed for 10 s, once for each such time. */
  readonly onLate?: (why: string) => void;
}

/** Another process holds the Lease and renews it. */
export class LeaseHeldError extends Error {
  override readonly name = "LeaseHeldError";
  readonly holder: string;

  constructor(lease: string, holder: string) {
    super(`Lease ${lease} is held by ${holder}, which renews it`);
    this.holder = holder;
  }
}

/** Held for 15 s, renewed every 5 s. */
const durationMs = 15_000;
const renewEveryMs = 5000;
const lateAfterMs = 10_000;
const pollMs = 1000;

/**
 * A Lease that says "this process does this work here". Held until `release`; while another holds it, `acquire` watches whether
 * it is renewed, by this process's own clock, so that clocks that differ do no harm: 15 s without a renewal and it is taken.
 *
 * While the API server does not answer, the Lease stays held: nothing can be written then anyhow. When it answers again, it shows
 * whether somebody has taken the Lease meanwhile.
 *
 * Source: client-go v0.36 tools/leaderelection; differs: nobody stands in line, a renewed Lease is an error, and a Lease that
 * could not be renewed is not given up until another has it.
 */
export class HeldLease {
  #options: LeaseOptions;
  #held: Lease | undefined;
  #stop = new AbortController();
  #renewing: Promise<void> | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** @throws LeaseHeldError when another renews it; StatusError, TransportError. */
  async acquire(signal?: AbortSignal): Promise<void> {
    const { identity, isDead, force, onWait } = this.#options;
    const first = await this.#read();
    const holder = first?.spec?.holderIdentity ?? "";
    if (first !== undefined && holder !== "" && holder !== identity && !force && !isDead(holder)) {
      onWait?.(holder, durationMs);
      await this.#waitUntilGivenUp(first, signal);
    }
    for (let attempt = 1; ; attempt++) {
      try {
        this.#held = await this.#take(await this.#read());
        break;
      } catch (error) {
        // Another took it in between: once more, and then it is theirs.
        if (attempt === 3 || !(isConflict(error) || isAlreadyExists(error))) throw error;
      }
    }
    this.#renewing = this.#renew();
  }

  /** Stops renewing and gives the Lease back, so that the next one need not wait. Never rejects. */
  async release(): Promise<void> {
    this.#stop.abort(new Error("the lease is released"));
    await this.#renewing;
    const lease = this.#held;
    if (lease === undefined) return;
    const given = draft(lease);
    given.spec = { ...given.spec, holderIdentity: "", leaseDurationSeconds: 1 };
    // Whatever goes wrong now, the Lease runs out by itself.
    await this.#options.client.update(Leases, given as Lease).catch(() => undefined);
  }

  async #read(): Promise<Lease | undefined> {
    const { client, namespace, name } = this.#options;
    try {
      return await client.get(Leases, { namespace, name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #waitUntilGivenUp(first: Lease, signal: AbortSignal | undefined): Promise<void> {
    const { timeline, namespace, name } = this.#options;
    const untilMs = timeline.now() + (first.spec?.leaseDurationSeconds ?? durationMs / 1000) * 1000;
    while (timeline.now() < untilMs) {
      await sleep(timeline, pollMs, `lease ${name}`, signal === undefined ? {} : { signal });
      const now = await this.#read();
      const holder = now?.spec?.holderIdentity ?? "";
      if (holder === "") return;
      if (now?.spec?.renewTime !== first.spec?.renewTime) throw new LeaseHeldError(`${namespace}/${name}`, holder);
    }
  }

  async #take(there: Lease | undefined): Promise<Lease> {
    const { client, namespace, name, labels, identity, timeline } = this.#options;
    const now = formatMicroTime(timeline.now());
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: durationMs / 1000,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: (there?.spec?.leaseTransitions ?? 0) + (there === undefined ? 0 : 1),
    };
    if (there === undefined) return client.create(Leases, { metadata: { namespace, name, labels }, spec });
    return client.update(Leases, { ...there, metadata: { ...there.metadata, labels }, spec });
  }

  async #renew(): Promise<void> {
    const { timeline, namespace, name, identity, onLost, onLate } = this.#options;
    const { signal } = this.#stop;
    let renewedAt = timeline.now();
    let late = false;
    for (let waitMs = renewEveryMs; !signal.aborted;) {
      await sleep(timeline, waitMs, `lease ${name}`, { signal, background: true }).catch(() => undefined);
      if (signal.aborted || this.#held === undefined) return;
      const failed = await this.#renewOnce(this.#held, signal);
      if (failed === undefined) {
        [renewedAt, late, waitMs] = [timeline.now(), false, renewEveryMs];
        continue;
      }
      waitMs = pollMs;
      const now = await this.#read().catch(() => undefined);
      const holder = now?.spec?.holderIdentity ?? identity;
      if (holder !== identity) {
        this.#held = undefined;
        onLost(`Lease ${namespace}/${name} was taken by ${holder}`);
        return;
      }
      // Ours still, at another version: somebody else's write to it, or an answer of ours that was lost.
      if (now !== undefined) this.#held = now;
      if (!late && timeline.now() - renewedAt > lateAfterMs) {
        late = true;
        onLate?.(`Lease ${namespace}/${name} could not be renewed for ${lateAfterMs / 1000} s: ${failed}`);
      }
    }
  }

  /** @returns why it failed. */
  async #renewOnce(lease: Lease, signal: AbortSignal): Promise<string | undefined> {
    const { client, timeline } = this.#options;
    try {
      const spec = { ...lease.spec, renewTime: formatMicroTime(timeline.now()) };
      this.#held = await client.update(Leases, { ...lease, spec }, { signal });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
