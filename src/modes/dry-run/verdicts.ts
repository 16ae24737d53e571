/** What a dry-run has found, weighed against what it has looked at. */
import { controllerOf } from "../../api/owner-references.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { judge, type Unseen, type Verdict } from "../../verdict/verdict.ts";
import type { ObjectChange } from "../../views/outcome.ts";
import { entryName, type State } from "../../views/state.ts";
import type { AppliedChange } from "./apply.ts";
import { type Availability, countsOf, isShort } from "./availability.ts";
import type { OpenClaim } from "./open-claims.ts";
import type { DanglingReference, References } from "./dangling.ts";
import { isReconciled } from "./reconciled-kinds.ts";
import type { LiveRefusals } from "./live-refusals.ts";

export interface Verdicts {
  /** Whether all that was applied becomes available. Findings: what does not. */
  readonly available: Verdict<Availability>;
  /** Whether all that is named is there. Findings: what is not. */
  readonly references: Verdict<DanglingReference>;
  /** Whether nothing would change. Findings: what would. */
  readonly unchanged: Verdict<ObjectChange>;
}

export interface VerdictInput {
  readonly done: readonly AppliedChange[];
  readonly state: State;
  readonly controllers: readonly ControllerDefinition[];
  readonly availability: readonly Availability[];
  readonly references: References;
  readonly claims: readonly OpenClaim[];
  readonly changes: readonly ObjectChange[];
  readonly liveRefusals: LiveRefusals;
}

export function verdictsOf(all: VerdictInput): Verdicts {
  const { done, availability, references, changes } = all;
  const compared = done.filter(({ did }) => did !== "not compared");
  const unseen = [...notFollowed(all), ...stillRefused(all), ...takenToBeBound(all)];
  const open = new Set(unseen.filter(({ isDecisive }) => isDecisive).map(({ what }) => what));
  return {
    available: judge({
      findings: availability.filter(isShort),
      seen: compared.map(({ of, key }) => `${of.kind} ${key}`).filter((what) => !open.has(what)),
      unseen,
    }),
    references: judge({
      findings: references.dangling,
      seen: [`${references.looked} references of ${done.length} objects`],
      unseen: references.unseen,
    }),
    unchanged: judge({
      findings: changes,
      seen: [`${compared.length} objects applied`],
      unseen: done
        // That a patch is empty needs no server; what the server would make of another one is not known, and that it differs is.
        .filter(({ did, isCustom = false }) => isCustom && did !== "unchanged")
        .map(({ of, key, did, hasDefaults, why }) => ({
          what: `${of.kind} ${key}`,
          why: why ?? `${hasDefaults === true ? "" : "defaults and "}validation of its kind were not looked at`,
          isDecisive: did === "not compared",
        })),
    }),
  };
}

/** Said, and not weighed: pods are taken to start, too. */
function takenToBeBound({ claims }: VerdictInput): readonly Unseen[] {
  return claims.flatMap(({ of, key, binding }) =>
    binding.is === "waits"
      ? []
      : [{ what: `${of.kind} ${key}`, why: `taken to be bound: ${binding.because}`, isDecisive: false }],
  );
}

/** They make pods, and say in their status how many are ready: but nobody here does their work. */
const workloads: ReadonlySet<string> = new Set(["DaemonSet", "StatefulSet", "Job", "CronJob"]);

function notFollowed({ done, controllers, state }: VerdictInput): readonly Unseen[] {
  const unseen = new Map<string, Unseen>();
  for (const each of done) {
    const { of, key, did } = each;
    if (isReconciled(each, controllers) || did === "deleted") continue;
    const what = `${of.kind} ${key}`;
    const isWorkload = workloads.has(of.kind) || countsOf(of, state.get(entryName(of, key))?.object) !== undefined;
    const why = isWorkload ? `nobody here runs ${of.kind}s` : "no controller here acts on it";
    // An object may be applied and scaled: one change is enough.
    const isChanged = did !== "unchanged" || unseen.get(what)?.isDecisive === true;
    unseen.set(what, { what, why, isDecisive: isWorkload && isChanged });
  }
  return [...unseen.values()];
}

/**
 * Deployments of which the cluster refuses the pods, for a reason that is not asked here, and that have a new ReplicaSet: whether its
 * pods will be let in is for the webhook or policy to say.
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
    unseen.set(name, { what: `pods of ${name}`, why: `the cluster refuses them now: ${message}`, isDecisive: true });
  }
  return [...unseen.values()];
}
