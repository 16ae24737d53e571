/** The findings of a dry run, weighed against what it examined. */
import { controllerOf } from "../../api/owner-references.ts";
import { judge, type Unseen, type Verdict } from "../../verdict/verdict.ts";
import type { ChangeGroup, ObjectChange } from "../../views/outcome.ts";
import { entryName, type State } from "../../views/state.ts";
import type { AppliedChange } from "./apply.ts";
import { assumptionText } from "./claims.ts";
import { type Availability, countsOf, isShort } from "./availability.ts";
import { lostObjects } from "./deletions.ts";
import { type NotSynced, unsyncedAsUnseen } from "./failing.ts";
import type { NodeEffects } from "./node-effects.ts";
import type { OpenClaim } from "./open-claims.ts";
import type { DanglingReference, References } from "./dangling.ts";
import { isReconciled, missingBelow, type Reconcilers } from "./reconciled-kinds.ts";
import type { ChangedWorkload } from "./workloads.ts";
import type { LiveRefusals } from "./live-refusals.ts";

/** The verdicts of a dry run. */
export interface Verdicts {
  /** Whether everything applied becomes available, and the workloads that were changed. Findings: what does not. */
  readonly available: Verdict<Availability>;
  /** Whether the targets of all references exist. Findings: dangling references. */
  readonly references: Verdict<DanglingReference>;
  /** Whether nothing is deleted for good. Findings: what is. */
  readonly deletions: Verdict<ObjectChange>;
  /** Whether nothing would change. Findings: the changes. */
  readonly unchanged: Verdict<ObjectChange>;
}

/** What the verdicts are derived from. */
export interface VerdictInput extends Reconcilers {
  readonly done: readonly AppliedChange[];
  readonly workloads: readonly ChangedWorkload[];
  readonly state: State;
  readonly availability: readonly Availability[];
  readonly references: References;
  readonly claims: readonly OpenClaim[];
  readonly devices: readonly Unseen[];
  readonly changes: readonly ObjectChange[];
  /** The same changes, in groups. */
  readonly groups: readonly ChangeGroup[];
  readonly held: readonly Unseen[];
  readonly notSynced: readonly NotSynced[];
  readonly liveRefusals: LiveRefusals;
  /** Set if nodes were asked about. */
  readonly nodes?: NodeEffects | undefined;
}

/** Weighs the findings of a dry run. */
export function verdictsOf(all: VerdictInput): Verdicts {
  const { done, workloads, availability, references, devices, changes } = all;
  const compared = done.filter(({ did }) => did !== "not compared");
  const assumed = [...assumedToBeBound(all), ...devices];
  const unsynced = unsyncedAsUnseen(all.notSynced);
  const unseen = [
    ...notFollowed(all),
    ...waiting(all),
    ...stillRefused(all),
    ...assumed,
    ...unsynced,
    ...(all.nodes?.unseen ?? []),
  ];
  const open = new Set(unseen.filter(({ isDecisive }) => isDecisive).map(({ what }) => what));
  return {
    available: judge({
      findings: availability.filter(isShort),
      seen: [...compared, ...workloads]
        .map(({ of, key }) => `${of.kind} ${key}`)
        .filter((what) => !open.has(what))
        .concat(done.length > 0 ? [] : [`${changes.length} objects that changed`]),
      unseen,
    }),
    references: judge({
      findings: references.dangling,
      seen: [`${references.looked} references of ${done.length} objects`],
      unseen: references.unseen,
    }),
    deletions: judge({
      findings: lostObjects(all),
      seen: [`${changes.length} objects that changed`],
      unseen: [...all.held, ...unsynced],
    }),
    unchanged: judge({
      findings: changes,
      seen: [`${compared.length} objects applied`],
      unseen: done
        // An empty patch is recognized without a server; the result of any other patch is unknown, except that it differs.
        .filter(({ did, isCustom = false }) => isCustom && did !== "unchanged")
        .map(({ of, key, did, hasDefaults, why }) => ({
          what: `${of.kind} ${key}`,
          why: why ?? `${hasDefaults === true ? "" : "defaults and "}validation of its kind were not checked`,
          isDecisive: did === "not compared",
        }))
        .concat(unsynced),
    }),
  };
}

/** Reported, but not decisive: pods are assumed to start, too. */
function assumedToBeBound({ claims }: VerdictInput): readonly Unseen[] {
  return claims.flatMap(({ of, key, binding }) =>
    binding.is === "waits" ? [] : [{ what: `${of.kind} ${key}`, why: assumptionText(binding), isDecisive: false }],
  );
}

/** Pods that wait for a scheduler that does not run here. */
function waiting({ availability }: VerdictInput): readonly Unseen[] {
  return availability.flatMap(({ of, key, why = "", isUnknown }) =>
    isUnknown === true ? [{ what: `${of.kind} ${key}`, why, isDecisive: true }] : [],
  );
}

function notFollowed({ done, workloads, state, ...reconcilers }: VerdictInput): readonly Unseen[] {
  const unseen = new Map<string, Unseen>();
  for (const each of [...done, ...workloads]) {
    const { of, key, did } = each;
    const below = missingBelow(of, reconcilers);
    if ((isReconciled(each, reconcilers) && below === undefined) || did === "deleted") continue;
    const what = `${of.kind} ${key}`;
    const isWorkload = countsOf(of, state.get(entryName(of, key))?.object) !== undefined;
    const runs = isReconciled(each, reconcilers) ? (below ?? of) : of;
    const why = isWorkload ? `no controller here runs ${runs.kind}s` : "no controller here acts on it";
    // An object may be both applied and scaled: one change is enough.
    const isChanged = did !== "unchanged" || unseen.get(what)?.isDecisive === true;
    unseen.set(what, { what, why, isDecisive: isWorkload && isChanged });
  }
  return [...unseen.values()];
}

/**
 * Deployments with a new ReplicaSet whose pods the cluster currently rejects, for a reason that is not evaluated here: whether
 * the new pods would be admitted is up to the webhook or policy.
 */
function stillRefused({ availability, state, liveRefusals }: VerdictInput): readonly Unseen[] {
  if (liveRefusals.size === 0) return [];
  const unseen = new Map<string, Unseen>();
  for (const { object } of state.values()) {
    const message = liveRefusals.get(object.metadata.uid);
    const owner = controllerOf(object);
    if (message === undefined || owner === undefined) continue;
    const name = `${owner.kind} ${object.metadata.namespace ?? ""}/${owner.name}`;
    if (!availability.some(({ of, key }) => `${of.kind} ${key}` === name)) continue;
    unseen.set(name, { what: `pods of ${name}`, why: `the cluster rejects them now: ${message}`, isDecisive: true });
  }
  return [...unseen.values()];
}
