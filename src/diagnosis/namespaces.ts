/** What blocks the deletion of a namespace: the objects and finalizers in it, by name. */
import { resourceOf } from "../api/kind.ts";
import { readTime } from "../api/time.ts";
import { Pods } from "../api/kinds.ts";
import type { Namespace } from "../api/types.ts";
import { finalizerText, heldText, uniqueFindings, wholePod } from "./deletion.ts";
import { type Examined, type Finding, findingsOf, type Item, kubectl, refOf, since } from "./diagnosis.ts";
import { isKind } from "./kinds.ts";
import { aside, type Look } from "./look.ts";
import { pluralize } from "../api/pluralize.ts";

/** For a namespace that is not being deleted: its phase only. */
export function examineNamespace(_look: Look, item: Item<Namespace>): Examined {
  const { status } = item.object;
  const phase = status?.phase ?? "Active";
  const quiet = { findings: [], seen: ["its status"], unseen: [] };
  return { ...quiet, says: `phase ${phase}; its contents are not checked`, reached: phase === "Active" };
}

/** For a namespace with a deletionTimestamp. */
export function examineNamespaceDeletion(look: Look, item: Item<Namespace>): Examined {
  const { metadata, spec } = item.object;
  const begun = readTime(metadata.deletionTimestamp) ?? look.now;
  const at = refOf(item);
  const { objects, unseen } = look.everything(metadata.name);
  const held = objects.filter(({ object }) => (object.metadata.finalizers ?? []).length > 0);
  const findingsBelow = (each: Item): readonly Finding[] => {
    const diagnosis = look.diagnose(wholePod(look, each));
    return diagnosis === undefined ? [] : findingsOf(diagnosis);
  };
  const below = held.flatMap(findingsBelow);
  const rest = objects.filter(({ object }) => (object.metadata.finalizers ?? []).length === 0);
  const ending = rest.filter(
    ({ kind, object }) => isKind(kind, Pods) && object.metadata.deletionTimestamp !== undefined,
  );
  const pods = ending.flatMap(findingsBelow);
  const foreign = [...(metadata.finalizers ?? []), ...(spec?.finalizers ?? [])].filter((name) => name !== "kubernetes");
  const own = foreign.map((name): Finding => ({ at, why: finalizerText(name), since: begun }));
  const failures = conditionFindings(item, held.length > 0 && unseen.length === 0);
  const left: readonly Finding[] =
    rest.length === 0
      ? []
      : [{ at, why: `${countedKinds(rest)} left in it, without finalizers: they will be deleted`, since: begun }];
  const findings = uniqueFindings([...failures.first, ...below, ...own, ...pods, ...left, ...failures.last]);
  const why = "finalizer kubernetes: the namespace controller empties it first";
  return {
    says:
      held.length > 0
        ? `${pluralize(held.length, "object")} in it ${held.length === 1 ? "has" : "have"} finalizers`
        : foreign.length === 0 && rest.length > 0
          ? endingText(rest.length, ending.length)
          : heldText([...foreign, ...(spec?.finalizers ?? [])]),
    reached: false,
    findings: findings.length > 0 ? findings : [{ at, why, since: begun }],
    seen: ["its status", pluralize(objects.length, "object in it", "objects in it")],
    unseen: aside(unseen),
  };
}

function endingText(left: number, pods: number): string {
  if (pods === 0) return `${pluralize(left, "object is", "objects are")} left in it`;
  return `${pluralize(pods, "pod is", "pods are")} still terminating in it`;
}

/** `1 pod, 3 configmaps`. */
function countedKinds(items: readonly Item[]): string {
  const byKind = Map.groupBy(items, ({ kind }) => resourceOf(kind));
  const parts = [...byKind.values()].map((each) => {
    const { kind, plural } = each[0]?.kind ?? { kind: "object", plural: "objects" };
    return `${each.length} ${each.length === 1 ? kind.toLowerCase() : plural}`;
  });
  return parts.slice(0, 6).join(", ") + (parts.length > 6 ? " and more" : "");
}

/**
 * The namespace controller's conditions: a failed discovery or deletion is the cause, and comes first; remaining content comes
 * last, unless it could be listed by name.
 */
function conditionFindings(
  item: Item<Namespace>,
  isNamed: boolean,
): { readonly first: readonly Finding[]; readonly last: readonly Finding[] } {
  const { status } = item.object;
  const trueConditions = (status?.conditions ?? []).filter(({ status: is }) => is === "True");
  const isFailure = (type: string): boolean => type.endsWith("Failure");
  const finding = ({ type, message = "", lastTransitionTime }: (typeof trueConditions)[number]): Finding => ({
    at: refOf(item),
    why: `${type}: ${message}`,
    ...since(readTime(lastTransitionTime)),
    ...(type === "NamespaceDeletionDiscoveryFailure" && { advice: [kubectl("get apiservices")] }),
  });
  const first = trueConditions.filter(({ type }) => isFailure(type)).map(finding);
  const last = isNamed ? [] : trueConditions.filter(({ type }) => !isFailure(type)).map(finding);
  return { first, last };
}
