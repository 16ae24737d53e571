/** A program's own controllers on a real cluster. */
import { ownVersion } from "../../api/server-version.ts";
import { serverVersion } from "../../client/api/server-version.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { LeaseFence } from "../../controller/runtime/lease-fence.ts";
import { formatRight, reviewRights, rightsToRun } from "../preflight/rights.ts";
import { isDeadHere, ownIdentity } from "../run/identity.ts";
import { type LiveRun, ownRequests, startLive } from "../run/live.ts";
import { leaseNamespace } from "../run/run-leases.ts";
import type { Cluster } from "./connect-to-cluster.ts";

/** What to run on a cluster, and where. */
export interface StartOptions {
  /** The controllers; they share one informer per kind. */
  readonly controllers: readonly ControllerDefinition[];
  /** Restricts caches and syncs to one namespace. Unset: all namespaces. */
  readonly namespace?: string;
  /** Number of workers per controller; unset: each controller's own. */
  readonly workers?: number;
  /** Aborts the start. Once the controllers run, use `stop`. */
  readonly signal?: AbortSignal;
}

/** Controllers that run on a cluster, from `startControllers`. */
export interface ControllerRun {
  /** How long the caches took to fill, in milliseconds. */
  readonly cachesMs: number;
  /**
   * Resolves with the reason when the run has ended: `stopped`, or why a Lease was lost. Never rejects. After a lost Lease another
   * process may be writing, so no write is sent any more; exit or start again.
   */
  readonly ended: Promise<string>;
  /** Finishes the syncs in flight, releases the Leases and resolves with the number of queued keys that were dropped. */
  stop(): Promise<number>;
}

/**
 * The user lacks rights that the controllers need. Nothing was written.
 *
 * @example
 * ```ts
 * import { connectToCluster, MissingRightsError, startControllers } from "kubectl-reconcile";
 *
 * try {
 *   const run = await startControllers(await connectToCluster(), { controllers: [] });
 *   await run.stop();
 * } catch (error) {
 *   if (!(error instanceof MissingRightsError)) throw error;
 *   console.error(error.missing.join("\n"));
 * }
 * ```
 */
export class MissingRightsError extends Error {
  override readonly name = "MissingRightsError";
  /** One line per right: `create pods`, `update leases in kube-system`. */
  readonly missing: readonly string[];

  /** Takes the missing rights, one line each. */
  constructor(missing: readonly string[]) {
    super(`Cannot run the controllers: the user may not ${missing.join(", ")}`);
    this.missing = missing;
  }
}

/**
 * Runs controllers on a cluster until `stop`. In order: fills the caches and meanwhile checks that the user has all rights (list and
 * watch of what is watched, and each controller's `permissions`); takes a Lease `kubectl-reconcile-NAME` per controller, in
 * `namespace` or in kube-system; starts the workers. Writes use the field manager `kubectl-reconcile-NAME`.
 *
 * The Lease keeps a second copy of this controller from running. Whether some other program reconciles the same objects is not
 * checked here; `kubectl reconcile loops` shows such fights.
 *
 * @throws MissingRightsError before anything is written.
 * @throws LeaseHeldError if another process holds a Lease and renews it.
 * @throws Error if a Lease is lost before the caches are full.
 * @throws RangeError for a namespace and a controller that works on cluster-scoped objects.
 * @throws StatusError or TransportError if the API server refuses or cannot be reached; the signal's reason if aborted.
 * @example
 * ```ts
 * import { connectToCluster, defineController, kinds, startControllers, watchPrimary } from "kubectl-reconcile";
 *
 * const counter = defineController({
 *   name: "service-counter",
 *   purpose: "counts the Services of each namespace",
 *   for: kinds.Services,
 *   watches: [watchPrimary(kinds.Services)],
 *   rules: [],
 *   async sync(key, context) {
 *     console.log(key, context.cache(kinds.Services).size);
 *   },
 * });
 *
 * const cluster = await connectToCluster();
 * const run = await startControllers(cluster, { controllers: [counter] });
 * await run.stop();
 * cluster.close();
 * ```
 */
export async function startControllers(cluster: Cluster, options: StartOptions): Promise<ControllerRun> {
  const { controllers, namespace, workers, signal = new AbortController().signal } = options;
  const { random } = cluster;
  const end = { report: (_why: string): void => undefined };
  const ended = new Promise<string>((resolve) => (end.report = resolve));
  const starting = new AbortController();
  const started: { run?: LiveRun } = {};
  let version = ownVersion;
  // This process may have been suspended for longer than its Leases last.
  const fence = new LeaseFence();
  const run = await startLive(
    {
      controllers,
      clientFor: (fieldManager, own = ownRequests) => cluster.clientFor(fieldManager, { ...own, fence }),
      fence,
      bus: cluster.bus,
      timeline: cluster.timeline,
      random,
      serverCa: cluster.serverCa,
      ...(namespace !== undefined && { namespace }),
      ...(workers !== undefined && { workers }),
      lease: {
        identity: ownIdentity(random),
        isDead: isDeadHere,
        force: false,
        onWait: () => undefined,
      },
      serverVersion: () => version,
      async preflight() {
        version = await serverVersion(cluster.client);
        await checkRights(cluster, controllers, namespace);
      },
      onLeaseLost(why) {
        // While the caches are still filling, a lost Lease ends the start.
        if (started.run === undefined) starting.abort(new Error(why));
        else void started.run.stop().then(() => end.report(why));
      },
      onEventLost: () => undefined,
    },
    AbortSignal.any([signal, starting.signal]),
  );
  started.run = run;
  return {
    cachesMs: run.cachesMs,
    ended,
    async stop() {
      const dropped = await run.stop();
      end.report("stopped");
      return dropped;
    },
  };
}

async function checkRights(
  { client }: Cluster,
  controllers: readonly ControllerDefinition[],
  namespace: string | undefined,
): Promise<void> {
  const { missing } = await reviewRights(client, rightsToRun(controllers, namespace, leaseNamespace(namespace)));
  if (missing.length > 0) throw new MissingRightsError(missing.map((right) => formatRight(right, namespace)));
}
