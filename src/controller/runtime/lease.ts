import { messageOf } from "../../api/error-message.ts";
import { isAlreadyExists, isConflict, isForbidden } from "../../api/status-error.ts";
import { formatMicroTime, readTime } from "../../api/time.ts";
import type { Lease } from "../../api/types.ts";
import type { Client } from "../../client/api/verbs.ts";
import { type Clocks, mostSince, sleep, type Timeline } from "../../platform/timeline.ts";
import { LeaseAccess, LeaseTimeoutError } from "./lease-access.ts";

/** Options of a `HeldLease`. */
export interface LeaseOptions {
  readonly client: Client;
  readonly timeline: Timeline;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The holder identity, unique to this process. */
  readonly identity: string;
  /** Whether the process with this identity is known to have died: then its Lease is taken at once. */
  readonly isDead: (identity: string) => boolean;
  /** Takes the Lease even if another process holds it. */
  readonly force: boolean;
  /** Called if another holder's Lease must be observed before it can be taken, for at most `atMostMs`. */
  readonly onWait?: (holder: string, atMostMs: number) => void;
  /** Called once when another process has taken the Lease: the work must stop. */
  readonly onLost: (why: string) => void;
  /** Called when the Lease could not be renewed for 10 s, once until it is renewed. */
  readonly onLate?: (why: string) => void;
  /** Called after each renewal; `lateMs`: how long it had not been renewed, if `onLate` was called. */
  readonly onRenewed?: (lateMs: number | undefined) => void;
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
/** The timeout of a request for the Lease, which is then retried. */
const requestMs = 5000;
/** The number of attempts to take it. */
const maxAttempts = 6;

/**
 * A Lease that marks work as done by this process. It is held until `release`. While another process holds it, `acquire` observes whether
 * it is renewed, by this process's own clock, so that clock differences do not matter; after 15 s without a renewal it is taken.
 *
 * If the API server does not respond, the Lease stays held, but is good only for 15 s after the start of its last renewal, by both the wall
 * clock and the steady clock: after that another process may have it, and nothing may be written. Each renewal carries the resourceVersion
 * of the last, so that the server refuses it if the Lease was modified since.
 *
 * Source: client-go v0.36 tools/leaderelection; differs: candidates do not queue, a Lease that another process renews is an error, a Lease
 * that could not be renewed is kept until another process has taken it, and it is deleted at the end.
 */
export class HeldLease {
  #options: LeaseOptions;
  #access: LeaseAccess;
  #held: Lease | undefined;
  #renewedAt: Clocks | undefined;
  #stop = new AbortController();
  #renewing: Promise<void> | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#access = new LeaseAccess({ ...options, requestMs });
  }

  /** When the server last wrote it, by the server's clock, in ms since 1970; by ours if the server's time is unknown. */
  get takenAt(): number {
    const times = (this.#held?.metadata.managedFields ?? []).flatMap(({ time }) => readTime(time) ?? []);
    return times.length === 0 ? this.#options.timeline.now() : Math.max(...times);
  }

  /** Whether nobody else can hold it now: it was renewed less than 15 s ago, by both clocks. */
  get isGood(): boolean {
    return this.#held !== undefined && this.#renewedAt !== undefined && this.#sinceRenewal() < durationMs;
  }

  #sinceRenewal(): number {
    const now = this.#options.timeline.clocks();
    return mostSince(this.#renewedAt ?? now, now);
  }

  /**
   * Takes the Lease and starts renewing it. If another process holds it, waits until it has not been renewed for its duration (15 s). Starts
   * over if another process was faster or the server does not respond, since nothing is held that could expire: a server that never responds
   * is an error after 30 s.
   * @throws LeaseHeldError if another process renews it; StatusError, TransportError, LeaseTimeoutError; the signal's reason.
   */
  async acquire(signal?: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#tryToAcquire(signal);
        break;
      } catch (error) {
        signal?.throwIfAborted();
        const isWorthAnother = isConflict(error) || isAlreadyExists(error) || error instanceof LeaseTimeoutError;
        if (attempt === maxAttempts || !isWorthAnother) throw error;
      }
    }
    this.#renewing = this.#renew();
  }

  async #tryToAcquire(signal: AbortSignal | undefined): Promise<void> {
    const { timeline, identity, isDead, force, onWait } = this.#options;
    let there = await this.#access.read();
    const holder = there?.spec?.holderIdentity ?? "";
    if (there !== undefined && holder !== "" && holder !== identity && !force && !isDead(holder)) {
      onWait?.(holder, durationMs);
      there = await this.#waitUntilGivenUp(there, signal);
    }
    const began = timeline.clocks();
    this.#held = await this.#take(there);
    this.#renewedAt = began;
  }

  /** Stops renewing and deletes the Lease, or clears its holder if deleting is forbidden, so that the next process need not wait. Never rejects. */
  async release(): Promise<void> {
    this.#stop.abort(new Error("the lease is released"));
    await this.#renewing;
    const lease = this.#held;
    if (lease === undefined) return;
    this.#held = undefined;
    try {
      await this.#access.remove(lease);
    } catch (error) {
      // If anything else fails, the Lease expires by itself.
      const given = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1 };
      if (isForbidden(error)) await this.#access.write(lease, given).catch(() => undefined);
    }
  }

  /** Returns the Lease as last read: if another process takes it after that, taking it is a conflict. */
  async #waitUntilGivenUp(first: Lease, signal: AbortSignal | undefined): Promise<Lease | undefined> {
    const { timeline, namespace, name } = this.#options;
    // A wall clock that is set forward must not shorten the wait.
    const steady = (): number => timeline.clocks().steady;
    const untilMs = steady() + (first.spec?.leaseDurationSeconds ?? durationMs / 1000) * 1000;
    let there: Lease | undefined = first;
    while (steady() < untilMs) {
      await sleep(timeline, pollMs, `lease ${name}`, signal === undefined ? {} : { signal });
      there = await this.#access.read();
      const holder = there?.spec?.holderIdentity ?? "";
      if (holder === "") break;
      if (there?.spec?.renewTime !== first.spec?.renewTime) throw new LeaseHeldError(`${namespace}/${name}`, holder);
    }
    return there;
  }

  #take(there: Lease | undefined): Promise<Lease> {
    const { identity, timeline } = this.#options;
    const now = formatMicroTime(timeline.now());
    return this.#access.write(there, {
      holderIdentity: identity,
      leaseDurationSeconds: durationMs / 1000,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: (there?.spec?.leaseTransitions ?? 0) + (there === undefined ? 0 : 1),
    });
  }

  async #renew(): Promise<void> {
    const { timeline, namespace, name, onLost, onLate, onRenewed } = this.#options;
    const { signal } = this.#stop;
    let late = false;
    for (let waitMs = renewEveryMs; !signal.aborted;) {
      await sleep(timeline, waitMs, `lease ${name}`, { signal, background: true }).catch(() => undefined);
      if (signal.aborted || this.#held === undefined) return;
      const lateMs = this.#sinceRenewal();
      const failed = await this.#renewOnce(this.#held);
      if (failed === undefined) {
        onRenewed?.(late ? lateMs : undefined);
        [late, waitMs] = [false, renewEveryMs];
        continue;
      }
      if (signal.aborted) return;
      waitMs = pollMs;
      const lost = await this.#lostTo();
      if (lost !== undefined) {
        this.#held = undefined;
        onLost(`Lease ${namespace}/${name} was ${lost}`);
        return;
      }
      if (!late && this.#sinceRenewal() > lateAfterMs) {
        late = true;
        onLate?.(`Lease ${namespace}/${name} could not be renewed for ${lateAfterMs / 1000} s: ${failed}`);
      }
    }
  }

  /** Renews the Lease once. @returns why it failed; undefined on success. */
  async #renewOnce(lease: Lease): Promise<string | undefined> {
    const { timeline } = this.#options;
    const began = timeline.clocks();
    try {
      this.#held = await this.#access.write(lease, { ...lease.spec, renewTime: formatMicroTime(timeline.now()) });
      this.#renewedAt = began;
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  /**
   * Reads who holds it; undefined if it is ours, or the server does not respond. A deleted Lease is recreated as long as nobody can have taken
   * it. Later than that, another process may have held and released it, with writes that our caches do not have.
   */
  async #lostTo(): Promise<string | undefined> {
    const { identity } = this.#options;
    let there: Lease | undefined;
    try {
      there = await this.#access.read();
      if (there === undefined && this.isGood) {
        const began = this.#options.timeline.clocks();
        there = await this.#take(undefined);
        this.#renewedAt = began;
      }
    } catch {
      return undefined;
    }
    const holder = there?.spec?.holderIdentity ?? "";
    if (holder === "") return "taken by another, which has given it back";
    if (holder !== identity) return `taken by ${holder}`;
    // Still ours, at another version: another client modified it, or the response to our renewal was lost.
    this.#held = there;
    return undefined;
  }
}
