/**
 * Dry run: what the controllers would make of manifests. First the cluster as it is runs until it has converged, so
 * that its drift is not attributed to the manifests; then they are applied, and it runs again. The result is the
 * difference between the two.
 */
import { splitKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { type ChangeGroup, type OutcomeOptions, outcomeOf } from "../../views/outcome.ts";
import { type Rollout, Rollouts } from "../../views/rollout.ts";
import type { KindName } from "../../trace/names.ts";
import { entryName, type State } from "../../views/state.ts";
import { type Refused, WriteAttribution } from "../../views/write-attribution.ts";
import { type AppliedChange, applyChanges, type RejectedChange, type RequestedChange } from "./apply.ts";
import { type AdmissionNote, admissionNotes } from "./admission.ts";
import { type Availability, availabilityOf } from "./availability.ts";
import { storageIn } from "./claims.ts";
import { openClaims, type OpenClaim } from "./open-claims.ts";
import type { CustomResources } from "./custom-objects.ts";
import { danglingOf, type References } from "./dangling.ts";
import { isReconciled } from "./reconciled-kinds.ts";
import type { UntouchedPods } from "./kubelet.ts";
import type { LiveRefusals } from "./live-refusals.ts";
import { isInScope, type Scope } from "./scope.ts";
import { defaultHorizonMs, untilConverged, type Convergence } from "./convergence.ts";
import type { SentWrite } from "./server-validate.ts";
import { createSimulatedCluster, type SimulatedCluster } from "./simulated-cluster.ts";

/** The cluster in which a dry run starts. */
export interface InitialState extends UntouchedPods {
  /** Complete objects, with `apiVersion` and `kind`. */
  readonly objects: readonly StoredObject[];
  /** The time of this state, in ms since 1970: the dry run continues from there. */
  readonly atMs: number;
  readonly revision?: number;
  readonly scope: Scope;
  readonly liveRefusals: LiveRefusals;
  readonly customResources: CustomResources;
}

/** What is changed, where, and by which controllers. */
export interface DryRunOptions extends OutcomeOptions {
  readonly initialState: InitialState;
  /** Applied first: the result is the difference from this state. */
  readonly baseline: readonly RequestedChange[];
  readonly requestedChanges: readonly RequestedChange[];
  readonly controllers: readonly ControllerDefinition[];
  readonly seed: number;
  readonly horizonMs?: number;
  /** Keeps the writes as they were sent. */
  readonly keepWrites?: boolean;
}

/** The result of a dry run. */
export interface DryRun {
  /** What would change without the manifests. */
  readonly drift: readonly ChangeGroup[];
  /** How the cluster converged before anything was applied. If it did not, nothing was applied. */
  readonly before: Convergence;
  readonly done: readonly AppliedChange[];
  readonly refused: readonly RejectedChange[];
  readonly groups: readonly ChangeGroup[];
  readonly settled: Convergence;
  readonly syncs: number;
  /** Writes of controllers that the API server rejected. */
  readonly refusedWrites: readonly Refused[];
  readonly availability: readonly Availability[];
  readonly references: References;
  /** Unbound claims of what was applied. */
  readonly claims: readonly OpenClaim[];
  /** Applied objects that no controller here reconciles. */
  readonly notFollowed: readonly AppliedChange[];
  readonly rollouts: readonly Rollout[];
  readonly admission: readonly AdmissionNote[];
  /** With `keepWrites`: the writes since the manifests were applied. */
  readonly writes: readonly SentWrite[];
  /** At the end. */
  readonly state: State;
}

/** Needs no cluster and no real time: equal options give equal results. */
export async function dryRun(options: DryRunOptions): Promise<DryRun> {
  const { initialState: beginning, horizonMs = defaultHorizonMs } = options;
  const writes: SentWrite[] = [];
  const world = await createSimulatedCluster({
    ...(options.keepWrites === true && { onWrite: (write) => void writes.push(write) }),
    startMs: beginning.atMs,
    seed: options.seed,
    objects: beginning.objects,
    ...(beginning.revision !== undefined && { revision: beginning.revision }),
    controllers: options.controllers,
    settledPods: beginning.settledPods,
    loadPods: beginning.loadPods,
    scope: beginning.scope,
    liveRefusals: beginning.liveRefusals,
    customResources: beginning.customResources,
    managedFields: options.shown.managedFields === true,
  });
  const first = await driftOf(world, options, horizonMs);
  if (first.settled.is !== "steady" || first.refused.length > 0) return nothingApplied(world, first);
  const { before } = first;
  writes.length = 0;
  const attribution = new WriteAttribution();
  world.bus.listen(attribution.listener);
  const rollouts = new Rollouts(world.timeline.now(), before.values());
  world.onChange((change) => rollouts.accept(change));
  const { done, refused } = await applyChanges(world, options.requestedChanges);
  for (const { of, key, changes } of done) if (changes !== undefined) attribution.applied(entryName(of, key), changes);
  const settled: Convergence =
    refused.length > 0 ? { is: "steady", afterMs: 0 } : await untilConverged(world, horizonMs);
  const state = world.state();
  return {
    drift: first.drift,
    before: first.settled,
    done,
    refused,
    groups: outcomeOf(before, state, attribution, options),
    settled,
    syncs: attribution.syncs,
    refusedWrites: attribution.refused,
    availability: availabilityOf(done, { state, controllers: options.controllers, scope: beginning.scope }),
    claims: openClaims(done, storageIn(state, beginning.scope)),
    references: danglingOf(done, { before, state, scope: beginning.scope }),
    notFollowed: done.filter((each) => !isReconciled(each, options.controllers)),
    rollouts: rollouts.rollouts(),
    admission: admissionNotes(attribution.admitted, { before, after: state, pluralOf: pluralsOf(world) }),
    writes,
    state,
  };
}

/** The plural of a kind, by which rules of webhooks name it; empty for an unknown kind. */
function pluralsOf({ sandbox, customs }: SimulatedCluster): (of: KindName) => string {
  const kinds = [...sandbox.server.registry.resources, ...customs.kinds];
  return ({ group, kind }) => kinds.find((each) => each.group === group && each.kind === kind)?.plural ?? "";
}

interface First {
  readonly drift: readonly ChangeGroup[];
  readonly settled: Convergence;
  readonly refused: readonly RejectedChange[];
  readonly before: State;
}

/** Starts the workers, applies the baseline, and runs until the cluster has converged. */
async function driftOf(world: SimulatedCluster, options: DryRunOptions, horizonMs: number): Promise<First> {
  const asFound = world.state();
  const attribution = new WriteAttribution();
  const end = world.bus.listen(attribution.listener);
  world.manager.startWorkers();
  let settled = await untilConverged(world, horizonMs);
  end();
  const steady = world.state();
  const drift = inScope(outcomeOf(asFound, steady, attribution, options), options.initialState.scope);
  if (settled.is !== "steady" || options.baseline.length === 0) return { drift, settled, refused: [], before: steady };
  const { refused } = await applyChanges(world, options.baseline);
  if (refused.length === 0) settled = await untilConverged(world, horizonMs);
  return { drift, settled, refused, before: world.state() };
}

/** Only changes in scope: the rest of the cluster is not known well enough. */
function inScope(groups: readonly ChangeGroup[], scope: Scope): readonly ChangeGroup[] {
  if (scope.namespaces === undefined) return groups;
  return groups.flatMap((group) => {
    const changes = group.changes.filter(({ of, key }) => {
      if (of.group === "" && of.kind === "Namespace") return isInScope(scope, key);
      return key.includes("/") && isInScope(scope, splitKey(key).namespace);
    });
    return changes.length === 0 ? [] : [{ ...group, changes }];
  });
}

function nothingApplied(world: SimulatedCluster, { drift, settled, refused }: First): DryRun {
  return {
    drift,
    before: settled,
    done: [],
    refused,
    groups: [],
    settled,
    syncs: 0,
    refusedWrites: [],
    availability: [],
    claims: [],
    references: { looked: 0, dangling: [], unseen: [] },
    notFollowed: [],
    rollouts: [],
    admission: [],
    writes: [],
    state: world.state(),
  };
}
