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
import { releaseMemory } from "../../platform/memory.ts";
import { OwnerWatch, showsOwnersByStatus } from "../preflight/owner-watch.ts";
import type { Random } from "../../platform/random.ts";
import type { TraceBus } from "../../trace/bus.ts";
import { RunLeases, type RunLeasesOptions } from "./run-leases.ts";

/** How controllers run against a cluster. */
export interface LiveOptions extends RunLeasesOptions {
  readonly controllers: readonly ControllerDefinition[];
  /** A client that writes with this field manager; with its own rate limits if the controller requests them. */
  readonly clientFor: (fieldManager: string, own?: OwnLimits) => Client;
  /**
   * For lists and watches; without a rate limit, as kube-controller-manager's watches are. Default: a client like the
   * others.
   */
  readonly readingClient?: Client;
  readonly bus: TraceBus;
  readonly random: Random;
  /** PEM of the CAs that the API server is trusted by, if the connection names any. */
  readonly serverCa?: string | undefined;
  /** The version of the API server: called for each sync, after the preflight. Default: 1.36. */
  readonly serverVersion?: () => ServerVersion;
  readonly selector?: Selector;
  readonly workers?: number;
  /** Each listener's resync period; unset: 12 to 24 hours, as in kube-controller-manager. */
  readonly resyncMs?: number;
  /** Freezes cached objects, so that a controller which changes one fails at once. */
  readonly freeze?: boolean;
  /** Called first: if it throws, nothing else is read, and nothing written. */
  readonly preflight: () => Promise<void>;
  /**
   * Called when workers start while caches are still filling: some controllers start now, others once their caches are
   * filled.
   */
  readonly onEarlyStart?: () => void;
  readonly onEventLost: (why: string) => void;
  /** Called when discovery fails for a controller with dynamic watches: the first time, and then once a minute. */
  readonly onDiscoveryFailed?: (controller: string, why: string) => void;
  /** Called once when another owner of the same objects has been detected by a write. Unset: not watched for. */
  readonly onOtherOwner?: (controller: string, clause: string) => void;
  /** Whether to determine who made each change; see SharedInformerOptions. */
  readonly trackFieldManagers?: boolean;
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

/** Each controller has a limit of its own. Source: controller-manager v0.36 pkg/clientbuilder/client_builder.go: a client set for each. */
export const ownRequests: OwnLimits = { qpsTimes: 1, burstTimes: 1 };

/**
 * Runs the preflight, then fills the caches, meanwhile acquires the Leases, and starts each controller's workers as soon as its caches are
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
      options.clientFor(fieldManagerOf(controller), controller.requests ?? ownRequests),
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
  const leases = new RunLeases(options);
  try {
    await options.preflight();
    const startedAt = timeline.now();
    let cachesMs = 0;
    const filled = manager.fillCaches(signal).then(() => (cachesMs = timeline.now() - startedAt));
    // If the Leases are refused, the caches are stopped too; their own failure is reported when they are awaited.
    filled.catch(() => undefined);
    await leases.acquire(
      controllers.map((controller) => ({ controller, client: clientOf(controller) })),
      signal,
    );
    const ownerWatch = watchOwners(options, manager, leases.acquiredAt);
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
        await leases.release();
        return dropped;
      },
    };
  } catch (error) {
    // A sync may be waiting to write.
    options.fence?.end("the run did not start");
    await manager.stop();
    await leases.release();
    throw error;
  }
}

/** Whether statuses of the kind reveal another owner: few kinds, and not Pods, of which there are many. */
function isWatchedForOwners(kind: Kind, { controllers, onOtherOwner }: LiveOptions): boolean {
  if (onOtherOwner === undefined) return false;
  return controllers.some((controller) => showsOwnersByStatus(controller) && controller.for === kind);
}

/** `since`: writes before the Leases were acquired, by the server's clock, do not show who is running now. */
function watchOwners(options: LiveOptions, manager: ControllerManager, since: number): OwnerWatch | undefined {
  const { bus, timeline, onOtherOwner } = options;
  if (onOtherOwner === undefined) return undefined;
  const client = options.readingClient ?? options.clientFor("kubectl-reconcile");
  return new OwnerWatch({ manager, client, bus, timeline, since, onFound: onOtherOwner });
}
