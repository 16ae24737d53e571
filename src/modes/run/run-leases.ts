/** The Leases of a run: one for each controller, so that no other copy of this program runs it on the same objects. */
import { fieldManagerOf } from "../../api/own-field-manager.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { LeaseFence } from "../../controller/runtime/lease-fence.ts";
import { HeldLease } from "../../controller/runtime/lease.ts";
import type { Timeline } from "../../platform/timeline.ts";

/** The namespace of a run's Leases: its own, or kube-system for a run over all namespaces. */
export function leaseNamespace(namespace: string | undefined): string {
  return namespace ?? "kube-system";
}

/** How a run holds its Leases. */
export interface RunLeasesOptions {
  readonly timeline: Timeline;
  /** The namespace of the run; undefined for all. */
  readonly namespace?: string;
  readonly lease: {
    readonly identity: string;
    readonly isDead: (identity: string) => boolean;
    readonly force: boolean;
    readonly onWait: (controller: string, holder: string, atMostMs: number) => void;
  };
  /** A Lease was lost: the run must stop. */
  readonly onLeaseLost: (why: string) => void;
  /** Called when a Lease could not be renewed for a while; it is still held. Once until all are renewed again. */
  readonly onLeaseLate?: (why: string) => void;
  /** Called when all Leases are renewed again, with the time that took. */
  readonly onLeasesRenewed?: (afterMs: number) => void;
  /** Delays writes while a Lease is not valid. Unset: no delay. */
  readonly fence?: LeaseFence;
}

/** A controller, and the client that it writes with. */
interface Holder {
  readonly controller: ControllerDefinition;
  readonly client: Client;
}

/** All Leases of one run. */
export class RunLeases {
  readonly #options: RunLeasesOptions;
  readonly #held: HeldLease[] = [];
  /** Those that could not be renewed for a while. */
  readonly #late = new Set<HeldLease>();

  constructor(options: RunLeasesOptions) {
    this.#options = options;
  }

  /**
   * Waits until all are settled, so that one that is acquired late is released too.
   * @throws LeaseHeldError if another copy of this program holds one; StatusError, TransportError; the signal's reason.
   */
  async acquire(holders: readonly Holder[], signal: AbortSignal): Promise<void> {
    const settled = await Promise.allSettled(holders.map((holder) => this.#acquireOne(holder, signal)));
    const failed = settled.find((part) => part.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /** When the last one was acquired, by the server's clock, in ms since 1970. */
  get acquiredAt(): number {
    return Math.max(...this.#held.map(({ takenAt }) => takenAt));
  }

  async release(): Promise<void> {
    await Promise.all(this.#held.map((lease) => lease.release()));
  }

  async #acquireOne({ controller, client }: Holder, signal: AbortSignal): Promise<void> {
    const { timeline, namespace, fence, onLeaseLost, onLeaseLate, onLeasesRenewed } = this.#options;
    const { identity, isDead, force, onWait } = this.#options.lease;
    const lease: HeldLease = new HeldLease({
      client,
      timeline,
      namespace: leaseNamespace(namespace),
      name: fieldManagerOf(controller),
      labels: { "app.kubernetes.io/managed-by": "kubectl-reconcile" },
      identity,
      isDead,
      force,
      onWait: (holder, atMostMs) => onWait(controller.name, holder, atMostMs),
      onLost(why) {
        fence?.end(why);
        onLeaseLost(why);
      },
      onLate: (why) => {
        if (this.#late.size === 0) onLeaseLate?.(why);
        this.#late.add(lease);
      },
      onRenewed: (lateMs) => {
        fence?.renewed();
        if (this.#late.delete(lease) && this.#late.size === 0) onLeasesRenewed?.(lateMs ?? 0);
      },
    });
    await lease.acquire(signal);
    fence?.guard(lease);
    this.#held.push(lease);
  }
}
