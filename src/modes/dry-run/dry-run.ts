/** Dry run: what the controllers would do with manifests, on a snapshot, in virtual time. */
import type { StoredObject } from "../../api/object.ts";
import type { ServerVersion } from "../../api/server-version.ts";
import type { CustomResources } from "./custom-objects.ts";
import type { UntouchedPods } from "./kubelet.ts";
import type { LiveRefusals } from "./live-refusals.ts";
import type { Scope } from "./scope.ts";
import { defaultHorizonMs, untilConverged } from "./convergence.ts";
import { idleMs, NodeQuestions } from "./node-questions.ts";
import { playOn, type PlayOptions } from "./play.ts";
import type { DryRun } from "./result.ts";
import type { SentWrite } from "./server-validate.ts";
import { createSimulatedCluster } from "./simulated-cluster.ts";
import type { State } from "../../views/state.ts";

/** The cluster in which a dry run starts. */
export interface InitialState extends UntouchedPods {
  /** Complete objects, with `apiVersion` and `kind`. */
  readonly objects: readonly StoredObject[];
  /** The time of this state, in ms since 1970: the dry run continues from there. */
  readonly atMs: number;
  /** Whether this time is fixed, since it is not that of a cluster. */
  readonly isFixed?: boolean;
  readonly revision?: number;
  /** The version of the cluster, whose controllers would make the changes. Default: 1.36. */
  readonly serverVersion?: ServerVersion;
  readonly scope: Scope;
  readonly liveRefusals: LiveRefusals;
  readonly customResources: CustomResources;
}

/** What is changed, where, and which controllers run. */
export interface DryRunOptions extends Omit<PlayOptions, "scope"> {
  readonly initialState: InitialState;
  readonly seed: number;
  readonly horizonMs?: number;
  /** Records the writes as sent. */
  readonly keepWrites?: boolean;
}

/** Needs no cluster and no real time: equal options give equal results. */
export async function dryRun(options: DryRunOptions): Promise<DryRun> {
  const { initialState: beginning, horizonMs = defaultHorizonMs } = options;
  const writes: SentWrite[] = [];
  const isAboutNodes = options.requestedChanges.some(({ is }) => is === "silence" || is === "drain");
  const nodeQuestions = isAboutNodes ? new NodeQuestions() : undefined;
  const times = { horizonMs, idleMs: isAboutNodes ? idleMs : 0 };
  const cluster = await createSimulatedCluster({
    ...(options.keepWrites === true && { onWrite: (write) => void writes.push(write) }),
    startMs: beginning.atMs,
    seed: options.seed,
    objects: beginning.objects,
    ...(beginning.revision !== undefined && { revision: beginning.revision }),
    ...(beginning.serverVersion !== undefined && { serverVersion: beginning.serverVersion }),
    controllers: options.controllers,
    settledPods: beginning.settledPods,
    loadPods: beginning.loadPods,
    scope: beginning.scope,
    liveRefusals: beginning.liveRefusals,
    customResources: beginning.customResources,
    managedFields: options.shown.managedFields === true,
    nodeQuestions,
  });
  const world = {
    ...cluster,
    writes,
    start: () => Promise.resolve(cluster.manager.startWorkers()),
    begin: () => Promise.resolve(),
    untilConverged: (onEnd?: () => void) =>
      untilConverged(cluster, { ...times, ...(onEnd !== undefined && { onEnd }) }),
    completed: (earlier: State) => earlier,
    follows: () => false,
  };
  return playOn(world, {
    ...options,
    scope: cluster.scope,
    ...(beginning.isFixed === true && { fixedStart: beginning.atMs }),
  });
}
