/** Changes of node selectors and affinities. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import { deepEqual } from "../../api/field-changes.ts";
import { invalid, type FieldError } from "../meta/field-errors.ts";
import { fieldsIn, isFields, type Fields } from "../meta/object.ts";

/** The `nodeSelector` of a gated pod may only grow. Source: validateNodeSelectorMutation. */
export function nodeSelectorErrors(now: unknown, before: unknown): readonly FieldError[] {
  const [next, old] = [isFields(now) ? now : {}, isFields(before) ? before : {}];
  if (Object.entries(old).every(([key, value]) => next[key] === value)) return [];
  const why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return [invalid("spec.nodeSelector", isFields(now) ? now : null, why)];
}

/** The required terms of a gated pod's node affinity may only be narrowed. Source: validateNodeAffinityMutation. */
export function nodeAffinityErrors(now: unknown, before: unknown): readonly FieldError[] {
  const field = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const [next, old] = [requiredTerms(now), requiredTerms(before)];
  if (old.length > 0 && next.length !== old.length) {
    const terms = next.length === 0 ? null : next.map(asGo);
    return [invalid(field, terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")];
  }
  return old.flatMap((term, index) => {
    const there = next[index] ?? {};
    if (isNarrower(there, term)) return [];
    return [invalid(`${field}[${index}]`, asGo(there), "only additions are allowed (no mutations or deletions)")];
  });
}

function requiredTerms(affinity: unknown): readonly Fields[] {
  const required = isFields(affinity) ? affinity["requiredDuringSchedulingIgnoredDuringExecution"] : undefined;
  return isFields(required) ? fieldsIn(required["nodeSelectorTerms"]) : [];
}

function isNarrower(now: Fields, before: Fields): boolean {
  const parts = (["matchExpressions", "matchFields"] as const).map((key) => [
    fieldsIn(now[key]),
    fieldsIn(before[key]),
  ]);
  // An empty term matches nothing: more would widen it.
  if (parts.every(([, old = []]) => old.length === 0)) return parts.every(([next = []]) => next.length === 0);
  return parts.every(([next = [], old = []]) => deepEqual(next.slice(0, old.length), old));
}

/** As Go prints its internal type. */
function asGo({ matchExpressions, matchFields }: Fields): object {
  const all = (requirements: unknown): object[] | null =>
    Array.isArray(requirements)
      ? fieldsIn(requirements).map(({ key, operator, values = null }) => ({
          Key: key,
          Operator: operator,
          Values: values,
        }))
      : null;
  return { MatchExpressions: all(matchExpressions), MatchFields: all(matchFields) };
}

/** Labels that other ones have replaced. */
const stableLabels: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
};

/** The node affinity of a volume never changes, except that a beta label may be replaced. Source: validatePvNodeAffinity. */
export function volumeAffinityErrors(now: unknown, before: unknown): readonly FieldError[] {
  if (!isFields(before) || deepEqual(renewed(now, before), now)) return [];
  const terms = isFields(now) && isFields(now["required"]) ? fieldsIn(now["required"]["nodeSelectorTerms"]) : [];
  const value = isFields(now)
    ? { Required: isFields(now["required"]) ? { NodeSelectorTerms: terms.map(asGo) } : null }
    : null;
  return [invalid("nodeAffinity", value, "field is immutable, except for updating from beta label to GA")];
}

/** The old affinity with the labels of the new one, where they replace its own. */
function renewed(now: unknown, before: unknown): unknown {
  if (Array.isArray(before))
    return before.map((each: unknown, index) => renewed(Array.isArray(now) ? now[index] : undefined, each));
  if (!isFields(before)) return before;
  const next = isFields(now) ? now : {};
  return Object.fromEntries(
    Object.entries(before).map(([name, value]) => {
      const isReplaced = name === "key" && typeof value === "string" && stableLabels[value] === next[name];
      return [name, isReplaced ? next[name] : renewed(next[name], value)];
    }),
  );
}
