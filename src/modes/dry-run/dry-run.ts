/**
 * Dry-run: what the controllers would make of manifests. First the cluster as it is runs to steady by itself, so that its drift is
 * not blamed on the manifests; then they are applied, and it runs to steady again. The answer is the difference between the two.
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

/** The cluster to begin with. */
export interface InitialState extends UntouchedPods {
  /** Whole objects, with `apiVersion` and `kind`. */
  readonly objects: readonly StoredObject[];
  /** When it was so, in ms since 1970: time goes on from there. */
  readonly atMs: number;
  readonly revision?: number;
  readonly scope: Scope;
  readonly liveRefusals: LiveRefusals;
  readonly customResources: CustomResources;
}

export interface DryRunOptions extends OutcomeOptions {
  readonly initialState: InitialState;
  /** Applied before everything else: the state that the answer is the difference to. */
  readonly baseline: readonly RequestedChange[];
  readonly requestedChanges: readonly RequestedChange[];
  readonly controllers: readonly ControllerDefinition[];
  readonly seed: number;
  readonly horizonMs?: number;
  /** Keep the writes as they were sent. */
  readonly keepWrites?: boolean;
}

export interface DryRun {
  /** What would change without the manifests. */
  readonly drift: readonly ChangeGroup[];
  /** How the cluster settled before anything was applied. Where that is not steady, nothing was applied. */
  readonly before: Convergence;
  readonly done: readonly AppliedChange[];
  readonly refused: readonly RejectedChange[];
  readonly groups: readonly ChangeGroup[];
  readonly settled: Convergence;
  readonly syncs: number;
  /** Writes of controllers that the API server refused. */
  readonly refusedWrites: readonly Refused[];
  readonly availability: readonly Availability[];
  readonly references: References;
  /** Claims of what was applied that are not bound yet. */
  readonly claims: readonly OpenClaim[];
  /** What was applied and has no controller here. */
  readonly notFollowed: readonly AppliedChange[];
  readonly rollouts: readonly Rollout[];
  readonly admission: readonly AdmissionNote[];
  /** With `keepWrites`: since the manifests were applied. */
  readonly writes: readonly SentWrite[];
  /** At the end. */
  readonly state: State;
}

/** Needs no cluster and no time of its own: the same options give the same answer. */
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

/** The plural of a kind, as rules of webhooks name it; empty for one that nobody knows. */
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

/** Has the workers start, brings in the baseline, and waits until all is quiet. */
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

/** What would become of the rest of the cluster is not known, and not asked. */
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
