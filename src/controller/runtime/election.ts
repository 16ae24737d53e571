import { messageOf } from "../../api/error-message.ts";
import { isAlreadyExists, isConflict, isForbidden } from "../../api/status-error.ts";
import { formatMicroTime } from "../../api/time.ts";
import type { Lease } from "../../api/types.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Random } from "../../platform/random.ts";
import { type Clocks, mostSince, sleep, type Timeline } from "../../platform/timeline.ts";
import { LeaseAccess } from "./lease-access.ts";

/** How long a term lasts, in ms; client-go's names. Each is longer than the one after it. */
export interface ElectionTiming {
  /** After so long without a renewal another candidate takes over; whole seconds. Default 15 s. */
  readonly leaseDurationMs: number;
  /** After so long without a renewal the leader gives up. Default 10 s. */
  readonly renewDeadlineMs: number;
  /** Between two tries to renew, or to be elected. Default 2 s. */
  readonly retryPeriodMs: number;
}

/** As kube-controller-manager's. Source: k8s.io/component-base v0.36 config/v1alpha1/defaults.go. */
export const defaultTiming: ElectionTiming = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };

/** Which Lease decides, who is a candidate, and who is notified. */
export interface ElectionOptions extends ElectionTiming {
  readonly client: Client;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process. */
  readonly identity: string;
  /** Called when another leads: once for each leader. */
  readonly onOther?: (leader: string) => void;
  /** Called when the Lease cannot be reached, once until it can be again. */
  readonly onTrouble?: (why: string) => void;
  /** Called after each renewal. */
  readonly onRenewed?: () => void;
  /** Called once when this process leads no longer: the work must stop. */
  readonly onLost: (why: string) => void;
}

/** When a term began, and how many there were before it. */
type Term = Pick<NonNullable<Lease["spec"]>, "acquireTime" | "leaseTransitions">;

function termOf(lease: Lease | undefined): Term {
  const { acquireTime, leaseTransitions } = lease?.spec ?? {};
  return {
    ...(acquireTime !== undefined && { acquireTime }),
    ...(leaseTransitions !== undefined && { leaseTransitions }),
  };
}

/** A record of another leader, as it was first seen. */
interface Observed {
  readonly record: string;
  /** By the steady clock. */
  readonly at: number;
}

/**
 * Candidates come back at different moments: a try is up to this much of the period later.
 * Source: client-go v0.36 tools/leaderelection JitterFactor.
 */
export const jitter = 1.2;
/** A request about the Lease that takes longer is given up. */
const mostRequestMs = 5000;

/**
 * Leader election over a Lease, with the record of client-go: candidates in any language take turns. A leader writes the Lease
 * every `retryPeriodMs`; a candidate that has seen the same record for its `leaseDurationSeconds`, by its own clock, takes over.
 *
 * The term is good only until `renewDeadlineMs` after the last renewal began, by the wall clock and by the steady one. That is before
 * anybody can take over, so that two never lead, as long as no request is under way for longer than the difference.
 *
 * Source: client-go v0.36 tools/leaderelection/leaderelection.go. Differs: a leader that sees another's name in the Lease stops at once
 * and not at its deadline; a missing right is an error and not retried.
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
    const requestMs = Math.min(mostRequestMs, options.renewDeadlineMs / 2);
    this.#access = new LeaseAccess({ ...options, labels: {}, requestMs });
  }

  /** Whether this process leads, and nobody else can. */
  get isGood(): boolean {
    return this.#held !== undefined && this.#sinceRenewal() < this.#options.renewDeadlineMs;
  }

  /**
   * Resolves when this process has been elected, and renews its term from then on.
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

  /** Ends the candidacy or the term; the next candidate need not wait. Never rejects. */
  async resign(): Promise<void> {
    this.#stop.abort(new Error("the election is over"));
    await this.#renewing;
    const lease = this.#held;
    this.#held = undefined;
    if (lease === undefined) return;
    const now = formatMicroTime(this.#options.timeline.now());
    const given = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
    // Where it cannot be written, it runs out by itself.
    await this.#access.write(lease, given).catch(() => undefined);
  }

  /** One try to be elected. @returns whether it succeeded. */
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

  /** Whether nobody leads, or the leader has not renewed its term for as long as it says. */
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

  /** @returns why this process leads no longer, if it does not. */
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

  /** Reads who leads: undefined while that is this process, or cannot be known. A Lease that was deleted is written again. */
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
    if (leader !== identity) return leader === "" ? "was given to nobody" : `was taken by ${leader}`;
    // Somebody else wrote to it, or the response to a renewal was lost.
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
