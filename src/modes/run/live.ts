/** Live: the cluster, the real timeline, and controllers that write. What `run` runs. */
import type { Kind } from "../../api/kind.ts";
import type { Selector } from "../../api/labels.ts";
import { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import type { InformerState } from "../../cache/shared-informer.ts";
import type { OwnLimits } from "../../client/http/rate-limit.ts";
import type { Client } from "../../client/api/verbs.ts";
import { ControllerManager } from "../../controller/runtime/controller-manager.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { fieldManagerOf } from "../../api/own-field-manager.ts";
import type { ServerVersion } from "../../api/server-version.ts";
import { HeldLease } from "../../controller/runtime/lease.ts";
import type { LeaseFence } from "../../controller/runtime/lease-fence.ts";
import { releaseMemory } from "../../platform/memory.ts";
import { OwnerWatch, showsOwnersByStatus } from "../preflight/owner-watch.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";

/** How controllers run against a cluster. */
export interface LiveOptions {
  readonly controllers: readonly ControllerDefinition[];
  /** A client that writes with this field manager; with its own rate limits if the controller requests them. */
  readonly clientFor: (fieldManager: string, own?: OwnLimits) => Client;
  /**
   * For lists and watches; without a rate limit, as kube-controller-manager's watches are. Default: a client like the
   * others.
   */
  readonly readingClient?: Client;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly random: Random;
  /** PEM of the CAs that the API server is trusted by, if the connection names any. */
  readonly serverCa?: string | undefined;
  /** The version of the API server: called for each sync, after the preflight. Default: 1.36. */
  readonly serverVersion?: () => ServerVersion;
  readonly namespace?: string;
  readonly selector?: Selector;
  readonly workers?: number;
  /** Each listener's resync period; unset: 12 to 24 hours, as in kube-controller-manager. */
  readonly resyncMs?: number;
  /** Freezes cached objects, so that a controller which changes one fails at once. */
  readonly freeze?: boolean;
  readonly lease: {
    readonly identity: string;
    readonly isDead: (identity: string) => boolean;
    readonly force: boolean;
    readonly onWait: (controller: string, holder: string, atMostMs: number) => void;
  };
  /** Called while the caches fill, before anything is written. If it throws, the start fails. */
  readonly preflight: () => Promise<void>;
  /**
   * Called when workers start while caches are still filling: some controllers start now, others once their caches are
   * filled.
   */
  readonly onEarlyStart?: () => void;
  /** A Lease was lost: the run must stop. */
  readonly onLeaseLost: (why: string) => void;
  readonly onEventLost: (why: string) => void;
  /** Called when discovery fails for a controller with dynamic watches: the first time, and then once a minute. */
  readonly onDiscoveryFailed?: (controller: string, why: string) => void;
  /** Called once when another owner of the same objects has been detected by a write. Unset: not watched for. */
  readonly onOtherOwner?: (controller: string, clause: string) => void;
  /** Whether to determine who made each change; see SharedInformerOptions. */
  readonly trackFieldManagers?: boolean;
  /** Called when a Lease could not be renewed for a while; it is still held. Once until all are renewed again. */
  readonly onLeaseLate?: (why: string) => void;
  /** Called when all Leases are renewed again, with the time that took. */
  readonly onLeasesRenewed?: (afterMs: number) => void;
  /** Delays writes of `clientFor` while a Lease is not valid. Unset: no delay. */
  readonly fence?: LeaseFence;
}

/** How many objects of a kind are cached. */
export type CacheState = Pick<InformerState, "kind" | "objects" | "isServed">;

/** A started run. */
export interface LiveRun {
  readonly manager: ControllerManager;
  /** How long the caches took to fill. */
  readonly cachesMs: number;
  readonly caches: readonly CacheState[];
  /** Stops the run: running syncs finish, Leases are released. Returns how many queued keys were dropped. */
  stop(): Promise<number>;
}

/** When a run collects the garbage left by filling its caches: after the first syncs. */
const settledMs = 2000;

/** The namespace of a run's Leases: its own, or kube-system for a run over all namespaces. */
export function leaseNamespace(namespace: string | undefined): string {
  return namespace ?? "kube-system";
}

/**
 * Fills the caches, meanwhile runs the preflight, then acquires the Leases and starts each controller's workers as soon as its caches are
 * filled, as kube-controller-manager does. Nothing is written before the preflight has passed, and nothing but Leases before all of them
 * are held. Resolves when all caches are filled.
 * @throws the preflight's error; LeaseHeldError if another copy of this program holds a Lease; StatusError, TransportError; the signal's
 * reason.
 */
export async function startLive(options: LiveOptions, signal: AbortSignal): Promise<LiveRun> {
  const { controllers, timeline, bus, random, namespace, selector } = options;
  const clients = new Map(
    controllers.map((controller) => [
      controller.name,
      options.clientFor(fieldManagerOf(controller), controller.requests),
    ]),
  );
  const clientOf = (controller: ControllerDefinition): Client => clients.get(controller.name) as Client;
  const informers = new SharedInformerFactory({
    client: options.readingClient ?? options.clientFor("kubectl-reconcile"),
    timeline,
    random,
    bus,
    ...(namespace !== undefined && { namespace }),
    ...(options.resyncMs !== undefined && { resyncMs: options.resyncMs }),
    ...(options.freeze !== undefined && { freeze: options.freeze }),
    ...(options.trackFieldManagers !== undefined && { trackFieldManagers: options.trackFieldManagers }),
    ...(options.trackFieldManagers === false && { trackFieldManagersOf: (kind) => isWatchedForOwners(kind, options) }),
  });
  const manager = new ControllerManager({
    controllers,
    informers,
    clientOf,
    bus,
    timeline,
    random,
    serverCa: options.serverCa,
    ...(options.serverVersion !== undefined && { serverVersion: options.serverVersion }),
    scope: { ...(namespace !== undefined && { namespace }), ...(selector !== undefined && { selector }) },
    onEventLost: options.onEventLost,
    ...(options.onDiscoveryFailed !== undefined && { onDiscoveryFailed: options.onDiscoveryFailed }),
    ...(options.workers !== undefined && { workers: options.workers }),
  });
  const leases: HeldLease[] = [];
  const late = new Set<HeldLease>();
  const releaseAll = async (): Promise<void> => void (await Promise.all(leases.map((lease) => lease.release())));
  try {
    const startedAt = timeline.now();
    let cachesMs = 0;
    const filled = manager.fillCaches(signal).then(() => (cachesMs = timeline.now() - startedAt));
    // If the start fails, the caches are stopped too; their own failure is reported when they are awaited.
    filled.catch(() => undefined);
    await options.preflight();
    await allOf(
      controllers.map(async (controller) =>
        leases.push(await takeLease({ ...options, late }, controller, clientOf(controller), signal)),
      ),
    );
    const ownerWatch = watchOwners(options, manager, leases);
    if (!manager.isReady) options.onEarlyStart?.();
    manager.startWorkers();
    await filled;
    const cancelRelease = timeline.after(settledMs, "memory", releaseMemory, { background: true });
    const caches = informers.states();
    return {
      manager,
      caches,
      cachesMs,
      async stop() {
        cancelRelease();
        ownerWatch?.stop();
        options.fence?.end("the run has ended");
        const dropped = await manager.stop();
        await releaseAll();
        return dropped;
      },
    };
  } catch (error) {
    await manager.stop();
    await releaseAll();
    throw error;
  }
}

/** Whether statuses of the kind reveal another owner: few kinds, and not Pods, of which there are many. */
function isWatchedForOwners(kind: Kind, { controllers, onOtherOwner }: LiveOptions): boolean {
  if (onOtherOwner === undefined) return false;
  return controllers.some((controller) => showsOwnersByStatus(controller) && controller.for === kind);
}

/** By the server's clock, as the Leases show it: writes before them do not show who is running now. */
function watchOwners(
  options: LiveOptions,
  manager: ControllerManager,
  leases: readonly HeldLease[],
): OwnerWatch | undefined {
  const { bus, timeline, onOtherOwner } = options;
  if (onOtherOwner === undefined) return undefined;
  const client = options.readingClient ?? options.clientFor("kubectl-reconcile");
  const since = Math.max(...leases.map(({ takenAt }) => takenAt));
  return new OwnerWatch({ manager, client, bus, timeline, since, onFound: onOtherOwner });
}

/** Like Promise.all, but waits for all to settle first: a Lease acquired late must be released too. */
async function allOf(parts: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(parts)).find((part) => part.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** `late`: all Leases that could not be renewed for a while. */
async function takeLease(
  options: LiveOptions & { readonly late: Set<HeldLease> },
  controller: ControllerDefinition,
  client: Client,
  signal: AbortSignal,
): Promise<HeldLease> {
  const { late } = options;
  const { identity, isDead, force, onWait } = options.lease;
  const { fence } = options;
  const lease: HeldLease = new HeldLease({
    client,
    timeline: options.timeline,
    namespace: leaseNamespace(options.namespace),
    name: fieldManagerOf(controller),
    labels: { "app.kubernetes.io/managed-by": "kubectl-reconcile" },
    identity,
    isDead,
    force,
    onWait: (holder, atMostMs) => onWait(controller.name, holder, atMostMs),
    onLost(why) {
      fence?.end(why);
      options.onLeaseLost(why);
    },
    onLate(why) {
      if (late.size === 0) options.onLeaseLate?.(why);
      late.add(lease);
    },
    onRenewed(lateMs) {
      fence?.renewed();
      if (late.delete(lease) && late.size === 0) options.onLeasesRenewed?.(lateMs ?? 0);
    },
  });
  await lease.acquire(signal);
  fence?.guard(lease);
  return lease;
}
