/** The result of a dry run: the difference between two states, and findings about it. */
import { splitKey } from "../../api/key.ts";
import { type ChangeGroup, type OutcomeOptions, outcomeOf } from "../../views/outcome.ts";
import type { Rollout } from "../../views/rollout.ts";
import type { KindName } from "../../trace/names.ts";
import type { State } from "../../views/state.ts";
import type { Refused, WriteAttribution } from "../../views/write-attribution.ts";
import type { AppliedChange, RejectedChange } from "./apply.ts";
import { type AdmissionNote, admissionNotes } from "./admission.ts";
import { type Availability, availabilityOf } from "./availability.ts";
import { nextRunsOf, type NextRuns } from "./next-runs.ts";
import { openClaims, type OpenClaim } from "./open-claims.ts";
import type { Convergence } from "./convergence.ts";
import { danglingOf, type References } from "./dangling.ts";
import { deletedYetHeld } from "./deletions.ts";
import { deviceDoubts } from "./device-claims.ts";
import type { Unseen } from "../../verdict/verdict.ts";
import { type FailingKey, type NotSynced, notSynced } from "./failing.ts";
import { type EffectsInput, isJudged, nodeEffects, type NodeEffects } from "./node-effects.ts";
import { isReconciled, type Reconcilers } from "./reconciled-kinds.ts";
import { isInScope, type Scope } from "./scope.ts";
import type { SentWrite } from "./server-validate.ts";
import { type ChangedWorkload, changedWorkloads } from "./workloads.ts";

/** The result of a dry run. */
export interface DryRun {
  /** What would change without the requested changes. */
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
  /** Keys that a controller could not sync. */
  readonly notSynced: readonly NotSynced[];
  readonly availability: readonly Availability[];
  /** When created or changed CronJobs are due next. */
  readonly nextRuns: readonly NextRuns[];
  readonly references: References;
  /** Unbound claims of what was applied. */
  readonly claims: readonly OpenClaim[];
  /** Workloads for which it is unknown whether their pods get devices. */
  readonly devices: readonly Unseen[];
  /** Deleted namespaces of which it is unknown what is deleted with them. */
  readonly held: readonly Unseen[];
  /** Applied objects that no controller here reconciles. */
  readonly notFollowed: readonly AppliedChange[];
  readonly rollouts: readonly Rollout[];
  readonly admission: readonly AdmissionNote[];
  /** With `keepWrites`: the writes since the manifests were applied. */
  readonly writes: readonly SentWrite[];
  /** Workloads created or changed besides the applied ones. */
  readonly workloads: readonly ChangedWorkload[];
  /** If nodes were asked about: their effects. */
  readonly nodes?: NodeEffects | undefined;
  /** The state at the end. */
  readonly state: State;
}

/** The state of the cluster before anything was applied. */
export interface Before {
  readonly drift: readonly ChangeGroup[];
  readonly settled: Convergence;
  /** Changes of the baseline that were rejected. */
  readonly refused: readonly RejectedChange[];
  /** The keys whose last sync had failed. */
  readonly failing: readonly FailingKey[];
  readonly state: State;
}

/** What happened since. */
export interface Played extends Pick<DryRun, "done" | "refused" | "settled" | "rollouts" | "writes" | "state"> {
  readonly first: Before;
  /** The keys whose last sync failed. */
  readonly failing: readonly FailingKey[];
  /** What was asked about nodes, and what happened to them. */
  readonly effectsInput?: Pick<EffectsInput, "questions" | "record">;
  readonly attribution: WriteAttribution;
}

/** What the result is derived with. */
export interface ResultOptions extends OutcomeOptions, Reconcilers {
  readonly scope: Scope;
  /** Only what would change in the namespaces that were read counts. */
  readonly asItIs?: boolean;
  /** When it ended, by the cluster's clock, in ms since 1970. */
  readonly now: number;
  /** The fixed time at which its clock was started, in ms since 1970; unset if the time is that of a cluster. */
  readonly fixedStart?: number | undefined;
  /** The plural of a kind, as webhook rules name it; empty for an unknown kind. */
  readonly pluralOf: (of: KindName) => string;
}

/** Derives the result. */
export function resultOf(
  { first, attribution, effectsInput, failing, ...played }: Played,
  options: ResultOptions,
): DryRun {
  const { done, state } = played;
  const { scope, pluralOf } = options;
  const before = first.state;
  const nodes = effectsInput === undefined ? undefined : nodeEffects({ ...options, ...effectsInput, before, state });
  const changed = changedWorkloads(done, { before, state });
  // Workloads affected by a node are already judged there.
  const others = nodes === undefined ? changed : changed.filter((each) => !isJudged(each, nodes));
  const outcome = outcomeOf(before, state, attribution, options);
  const groups = options.asItIs === true ? changesInScope(outcome, scope) : outcome;
  const availability = [...availabilityOf([...done, ...others], { ...options, state }), ...(nodes?.availability ?? [])];
  return {
    ...played,
    drift: first.drift,
    before: first.settled,
    groups,
    syncs: attribution.syncs,
    refusedWrites: attribution.refused,
    workloads: [...others, ...(nodes?.workloads ?? [])],
    ...(nodes !== undefined && { nodes }),
    notSynced: notSynced(failing, { before: first.failing, done, groups, availability }),
    availability,
    nextRuns: nextRunsOf([...done, ...others], { ...options, state }),
    claims: openClaims(done, { state, scope }),
    devices: deviceDoubts([...done, ...changed, ...(nodes?.workloads ?? [])], { before, state, scope }),
    held: deletedYetHeld(done, scope),
    references: danglingOf(done, { before, state, scope }),
    notFollowed: done.filter((each) => !isReconciled(each, options)),
    admission: admissionNotes(attribution.admitted, { before, after: state, pluralOf }),
  };
}

/** The result if nothing could be applied. */
export function nothingApplied({ drift, settled, refused, failing, state }: Before): DryRun {
  return {
    drift,
    before: settled,
    done: [],
    refused,
    groups: [],
    settled,
    syncs: 0,
    refusedWrites: [],
    notSynced: failing.map(({ controller, key, error }) => ({ controller, key, error, isDecisive: false })),
    workloads: [],
    availability: [],
    nextRuns: [],
    claims: [],
    devices: [],
    held: [],
    references: { looked: 0, dangling: [], unseen: [] },
    notFollowed: [],
    rollouts: [],
    admission: [],
    writes: [],
    state,
  };
}

/** Only changes in scope: the rest of the cluster is not known well enough. */
export function changesInScope(groups: readonly ChangeGroup[], scope: Scope): readonly ChangeGroup[] {
  if (scope.namespaces === undefined) return groups;
  return groups.flatMap((group) => {
    const changes = group.changes.filter(({ of, key }) => {
      if (of.group === "" && of.kind === "Namespace") return isInScope(scope, key);
      return key.includes("/") && isInScope(scope, splitKey(key).namespace);
    });
    return changes.length === 0 ? [] : [{ ...group, changes }];
  });
}
