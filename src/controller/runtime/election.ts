import { messageOf } from "../../api/error-message.ts";
import { isAlreadyExists, isConflict, isForbidden } from "../../api/status-error.ts";
import { formatMicroTime } from "../../api/time.ts";
import type { Lease } from "../../api/types.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Random } from "../../platform/random.ts";
import { type Clocks, mostSince, sleep, type Timeline } from "../../platform/timeline.ts";
import { LeaseAccess } from "./lease-access.ts";

/** The timing of leader election, with client-go's names. Each must be longer than the next. */
export interface ElectionTiming {
  /** Without a renewal for this long, another candidate takes over; whole seconds. Default 15 s. */
  readonly leaseDurationMs: number;
  /** Without a renewal for this long, the leader gives up. Default 10 s. */
  readonly renewDeadlineMs: number;
  /** The interval between attempts to renew the Lease or to become the leader. Default 2 s. */
  readonly retryPeriodMs: number;
}

/** The timing of kube-controller-manager. Source: k8s.io/component-base v0.36 config/v1alpha1/defaults.go. */
export const defaultTiming: ElectionTiming = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };

/** Options of an `Election`. */
export interface ElectionOptions extends ElectionTiming {
  readonly client: Client;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process. */
  readonly identity: string;
  /** Called when another candidate leads: once for each leader. */
  readonly onOther?: (leader: string) => void;
  /** Called when the Lease cannot be read or written; not again until it can. */
  readonly onTrouble?: (why: string) => void;
  /** Called after each renewal. */
  readonly onRenewed?: () => void;
  /** Called once when this process no longer leads: the work must stop. */
  readonly onLost: (why: string) => void;
}

/** When a term started, and how many there were before it. */
type Term = Pick<NonNullable<Lease["spec"]>, "acquireTime" | "leaseTransitions">;

function termOf(lease: Lease | undefined): Term {
  const { acquireTime, leaseTransitions } = lease?.spec ?? {};
  return {
    ...(acquireTime !== undefined && { acquireTime }),
    ...(leaseTransitions !== undefined && { leaseTransitions }),
  };
}

/** The record of another leader, and when it was first seen. */
interface Observed {
  readonly record: string;
  /** By the steady clock. */
  readonly at: number;
}

/**
 * The jitter factor: each attempt is delayed by a random share of the period, up to this factor, so that candidates do not retry together.
 * Source: client-go v0.36 tools/leaderelection JitterFactor.
 */
export const jitter = 1.2;
/** The timeout of a request for the Lease. */
const maxRequestMs = 5000;

/**
 * Leader election over a Lease, compatible with client-go's record, so that candidates may be in any language. A leader writes the Lease
 * every `retryPeriodMs`. A candidate that has seen an unchanged record for its `leaseDurationSeconds`, by its own clock, takes over.
 *
 * The term is valid only until `renewDeadlineMs` after the start of the last renewal, by both the wall clock and the steady clock. That is
 * before anyone can take over, so two processes never lead at once, as long as no request takes longer than the difference.
 *
 * Source: client-go v0.36 tools/leaderelection/leaderelection.go. Differs: a leader that sees another name in the Lease stops at once, not
 * at its deadline; a missing right is an error and not retried.
 */
export class Election {
  readonly #options: ElectionOptions;
  readonly #access: LeaseAccess;
  readonly #stop = new AbortController();
  #held: Lease | undefined;
  #renewedAt: Clocks | undefined;
  #other: Observed | undefined;
  #leader = "";
  #isTroubled = false;
  #renewing: Promise<void> | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    const requestMs = Math.min(maxRequestMs, options.renewDeadlineMs / 2);
    this.#access = new LeaseAccess({ ...options, labels: {}, requestMs });
  }

  /** Whether this process leads and nobody else can. */
  get isGood(): boolean {
    return this.#held !== undefined && this.#sinceRenewal() < this.#options.renewDeadlineMs;
  }

  /**
   * Resolves when this process has become the leader, and keeps renewing the Lease from then on.
   * @throws StatusError for a missing right; the signal's reason.
   */
  async won(signal: AbortSignal): Promise<void> {
    const { timeline, random, retryPeriodMs, name } = this.#options;
    while (!(await this.#run())) {
      const ms = retryPeriodMs * (1 + jitter * random.next());
      await sleep(timeline, ms, `election ${name}`, { signal });
    }
    this.#renewing = this.#renew();
  }

  /** Ends the candidacy or the term, and releases the Lease so that the next candidate need not wait. Never rejects. */
  async resign(): Promise<void> {
    this.#stop.abort(new Error("the election is over"));
    await this.#renewing;
    const lease = this.#held;
    this.#held = undefined;
    if (lease === undefined) return;
    const now = formatMicroTime(this.#options.timeline.now());
    const given = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
    // If this fails, the Lease expires by itself.
    await this.#access.write(lease, given).catch(() => undefined);
  }

  /** Makes one attempt to become the leader. @returns whether it succeeded. */
  async #run(): Promise<boolean> {
    try {
      const there = await this.#access.read();
      if (there !== undefined && !this.#isFree(there)) return false;
      const acquireTime = formatMicroTime(this.#options.timeline.now());
      const leaseTransitions = there === undefined ? 0 : (there.spec?.leaseTransitions ?? 0) + 1;
      await this.#write(there, { acquireTime, leaseTransitions });
      return true;
    } catch (error) {
      if (isForbidden(error)) throw error;
      // Another candidate was faster.
      if (!isConflict(error) && !isAlreadyExists(error)) this.#trouble(error);
      return false;
    }
  }

  /** Whether nobody leads, or the leader has not renewed the Lease within its own duration. */
  #isFree({ spec }: Lease): boolean {
    const { timeline, onOther } = this.#options;
    const leader = spec?.holderIdentity ?? "";
    if (leader === "") return true;
    const record = JSON.stringify(spec);
    const now = timeline.clocks().steady;
    if (this.#other?.record !== record) this.#other = { record, at: now };
    if (leader !== this.#leader) onOther?.(leader);
    this.#leader = leader;
    return now - this.#other.at > (spec?.leaseDurationSeconds ?? 0) * 1000;
  }

  async #write(there: Lease | undefined, term: Term): Promise<void> {
    const { timeline, identity, leaseDurationMs } = this.#options;
    const began = timeline.clocks();
    this.#held = await this.#access.write(there, {
      ...term,
      holderIdentity: identity,
      leaseDurationSeconds: leaseDurationMs / 1000,
      renewTime: formatMicroTime(timeline.now()),
    });
    this.#renewedAt = began;
    this.#isTroubled = false;
  }

  async #renew(): Promise<void> {
    const { timeline, name, retryPeriodMs, renewDeadlineMs, onRenewed, onLost } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const left = Math.max(0, renewDeadlineMs - this.#sinceRenewal());
      const ms = Math.min(retryPeriodMs, left);
      await sleep(timeline, ms, `election ${name}`, { signal, background: true }).catch(() => undefined);
      if (signal.aborted || this.#held === undefined) return;
      const lost = await this.#renewOnce(this.#held);
      if (lost === undefined) {
        if (this.isGood) onRenewed?.();
        continue;
      }
      this.#held = undefined;
      onLost(`Lease ${this.#options.namespace}/${name} ${lost}`);
      return;
    }
  }

  /** Renews the Lease once. @returns why this process no longer leads; undefined if it does. */
  async #renewOnce(lease: Lease): Promise<string | undefined> {
    const { renewDeadlineMs } = this.#options;
    try {
      await this.#write(lease, termOf(lease));
      return undefined;
    } catch (error) {
      const other = await this.#otherLeader();
      if (other !== undefined) return other;
      if (this.#sinceRenewal() >= renewDeadlineMs)
        return `could not be renewed for ${renewDeadlineMs / 1000} s: ${messageOf(error)}`;
      if (!isConflict(error)) this.#trouble(error);
      return undefined;
    }
  }

  /** Reads who leads; undefined if it is this process, or unknown. Recreates a deleted Lease. */
  async #otherLeader(): Promise<string | undefined> {
    const { identity } = this.#options;
    let there: Lease | undefined;
    try {
      there = await this.#access.read();
      if (there === undefined) {
        await this.#write(undefined, termOf(this.#held));
        return undefined;
      }
    } catch {
      return undefined;
    }
    const leader = there.spec?.holderIdentity ?? "";
    if (leader !== identity) return leader === "" ? "was released" : `was taken by ${leader}`;
    // Another client has modified the Lease, or the response to a renewal was lost.
    this.#held = there;
    return undefined;
  }

  #trouble(error: unknown): void {
    if (this.#isTroubled) return;
    this.#isTroubled = true;
    this.#options.onTrouble?.(messageOf(error));
  }

  #sinceRenewal(): number {
    const now = this.#options.timeline.clocks();
    return mostSince(this.#renewedAt ?? now, now);
  }
}
