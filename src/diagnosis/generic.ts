/** What can be determined about an object of any kind: generations, conditions, a phase, counts, and its dependents. */
import type { Unseen } from "../verdict/verdict.ts";
import { type Condition, conditionText, meaningOfPhase, type ReadConditions, readConditions } from "./conditions.ts";
import { type Diagnosis, type Examined, type Finding, findingsOf, type Item, refOf, refText } from "./diagnosis.ts";
import { unseenGeneration } from "./generations.ts";
import { aside, isOwnedBy, type Look } from "./look.ts";
import { isPassive } from "./passive.ts";
import { pluralize } from "../api/pluralize.ts";

interface Reported {
  readonly observedGeneration?: number;
  readonly phase?: unknown;
  readonly state?: unknown;
  readonly conditions?: unknown;
  readonly replicas?: unknown;
  readonly readyReplicas?: unknown;
  readonly availableReplicas?: unknown;
}

/** How many dependents are diagnosed; the others are counted. */
const maxOwned = 50;

/** For kinds without an examination of their own. */
export function examineGeneric(look: Look, item: Item): Examined {
  const status = statusOf(item);
  const conditions = readConditions(item, conditionsOf(status));
  const owned = examineOwned(look, item);
  // A status that was never written may not be meant to be written.
  const behind = status?.observedGeneration === undefined ? [] : unseenGeneration(look, item);
  const numbers = countFindings(item, status);
  const phase = phaseOf(status);
  const meaning = phase === undefined ? undefined : meaningOfPhase(phase);
  const phaseFinding: readonly Finding[] = meaning === "bad" ? [{ at: refOf(item), why: `phase ${phase}` }] : [];
  const own = [...behind, ...conditions.findings, ...numbers, ...phaseFinding];
  const isGood =
    meaning === "good" || conditions.isSummedUp || (conditions.fine.length > 0 && conditions.unclear.length === 0);
  const unclear = [
    ...unclearConditions(conditions, isGood),
    ...(meaning === "unclear" ? [unclearPhase(phase, conditions)] : []),
  ];
  return {
    says:
      own[0]?.why ??
      owned.findings[0]?.why ??
      summaryOf({ phase, conditions, owned, isWritten: status !== undefined, unclear }),
    reached: own.length > 0 ? false : isGood ? true : undefined,
    // Its dependents are closer to the root cause than its own status.
    findings: [...behind, ...owned.findings, ...conditions.findings, ...numbers, ...phaseFinding],
    seen: [...(isGood ? ["its status"] : []), ...owned.seen],
    unseen: [...unclear, ...(isGood ? aside(owned.unseen) : owned.unseen), ...unwritten(status, owned.seen.length > 0)],
    notes: conditions.unclear.map(conditionText),
  };
}

function statusOf({ object }: Item): Reported | undefined {
  const { status } = object as { readonly status?: unknown };
  return typeof status === "object" && status !== null ? status : undefined;
}

/** A custom resource may have anything there. */
function conditionsOf(status: Reported | undefined): readonly Condition[] {
  const { conditions } = status ?? {};
  if (!Array.isArray(conditions)) return [];
  return conditions.filter(
    (each: unknown): each is Condition => typeof each === "object" && each !== null && "type" in each,
  );
}

function phaseOf(status: Reported | undefined): string | undefined {
  const phase = status?.phase ?? status?.state;
  return typeof phase === "string" && phase !== "" ? phase : undefined;
}

/** If a summarizing condition is good, unclear ones are only shown. */
function unclearConditions({ unclear, isSummedUp }: ReadConditions, isGood: boolean): readonly Unseen[] {
  if (unclear.length === 0 || (isSummedUp && isGood)) return [];
  const types = unclear.map(({ type = "", status = "" }) => `${type} is ${status}`).join(", ");
  const what = `whether condition ${types} is good or bad`;
  return [{ what, why: "an unknown type", isDecisive: true }];
}

function unclearPhase(phase: string | undefined, { isSummedUp }: ReadConditions): Unseen {
  return { what: `whether phase ${phase} is good or bad`, why: "an unknown phase", isDecisive: !isSummedUp };
}

function unwritten(status: Reported | undefined, ownsAny: boolean): readonly Unseen[] {
  if (ownsAny) return [];
  if (status === undefined || Object.keys(status).length === 0) {
    return [
      { what: "its state", why: "its status has not been written, and it has no known dependents", isDecisive: true },
    ];
  }
  return [];
}

interface Parts {
  readonly phase: string | undefined;
  readonly conditions: ReadConditions;
  readonly owned: Owned;
  readonly isWritten: boolean;
  readonly unclear: readonly Unseen[];
}

function summaryOf({ phase, conditions, owned, isWritten, unclear }: Parts): string {
  const { fine } = conditions;
  const first = unclear[0];
  if (first !== undefined) return `${first.what} is not known`;
  const parts = [
    ...(phase === undefined ? [] : [`phase ${phase}`]),
    ...(fine.length === 0
      ? []
      : [
          fine.length > 3
            ? pluralize(fine.length, "condition is", "conditions are") + " good"
            : fine.map(plainCondition).join(", "),
        ]),
    ...(owned.wells.length === 0
      ? []
      : [
          `it owns ${owned.wells.slice(0, 3).join(", ")}${owned.wells.length > 3 ? ` and ${owned.wells.length - 3} more` : ""}`,
        ]),
  ];
  if (parts.length > 0) return parts.join(", ");
  return isWritten
    ? "its status does not reveal its state, and it has no known dependents"
    : "its status has not been written, and it has no known dependents";
}

function plainCondition({ type = "", status = "" }: Condition): string {
  return `condition ${type} is ${status}`;
}

/** For custom resources that count pods as a Deployment does. */
function countFindings(item: Item, status: Reported | undefined): readonly Finding[] {
  const { spec } = item.object as { readonly spec?: { readonly replicas?: unknown } };
  const desired = spec?.replicas;
  const counts = [status?.availableReplicas, status?.readyReplicas, status?.replicas];
  const actual = counts.find((count) => typeof count === "number");
  if (typeof desired !== "number" || typeof actual !== "number" || actual >= desired) return [];
  return [{ at: refOf(item), why: `${actual} of ${pluralize(desired, "replica")}` }];
}

interface Owned {
  readonly findings: readonly Finding[];
  readonly seen: readonly string[];
  readonly unseen: readonly Unseen[];
  /** The dependents that are well: `Deployment web`. */
  readonly wells: readonly string[];
}

/** The diagnoses of its dependents of any kind, except those that only hold data. */
function examineOwned(look: Look, item: Item): Owned {
  const { objects, unseen } = look.dependents(item);
  // A dependent owned by another dependent is diagnosed through that one.
  const active = objects.filter(({ kind }) => !isPassive(kind));
  const direct = active.filter(({ object }) => !active.some((other) => isOwnedBy(object, other.object.metadata.uid)));
  const diagnoses = direct.slice(0, maxOwned).flatMap((each) => ownedDiagnosis(look, each));
  const cut = direct.length - maxOwned;
  const tooMany = { what: `${cut} more objects that it owns`, why: `after the first ${maxOwned}`, isDecisive: true };
  return {
    findings: diagnoses.flatMap(findingsOf),
    seen: diagnoses.filter(({ is }) => is !== "cannot tell").map(({ of }) => refText(of)),
    unseen: [...unseen, ...diagnoses.flatMap(unseenOf), ...(cut > 0 ? [tooMany] : [])],
    wells: diagnoses.filter(({ is }) => is === "well").map(({ of }) => refText(of)),
  };
}

function ownedDiagnosis(look: Look, { kind, object: { metadata } }: Item): readonly Diagnosis[] {
  const found = look.get(kind, metadata.namespace ?? "", metadata.name);
  if (found.is !== "found") return [];
  const diagnosis = look.diagnose({ kind, object: found.object });
  return diagnosis === undefined ? [] : [diagnosis];
}

function unseenOf({ of, is, says }: Diagnosis): readonly Unseen[] {
  return is === "cannot tell" ? [{ what: refText(of), why: says, isDecisive: true }] : [];
}
