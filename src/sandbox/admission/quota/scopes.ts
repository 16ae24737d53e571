/** Which objects a quota with scopes is about. Source: kubernetes v1.36 pkg/quota/v1/evaluator/core/{pods,persistent_volume_claims}.go. */
import { at, fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../../object.ts";
import { qosClassOf } from "../../registry/qos-class.ts";

interface Scope {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** The scopes of a quota, however they are written. */
export function scopesOf({ spec = {} }: ApiObject): readonly Scope[] {
  const plain = Array.isArray(spec["scopes"]) ? (spec["scopes"] as string[]) : [];
  const chosen = fieldsIn(at(spec, "scopeSelector", "matchExpressions"));
  return [
    ...plain.map((name) => ({ name, operator: "Exists", values: [] })),
    ...chosen.map(({ scopeName, operator, values }) => ({
      name: textOf(scopeName),
      operator: textOf(operator),
      values: Array.isArray(values) ? (values as string[]) : [],
    })),
  ];
}

/** Whether a name that is there, or none, is one that a scope chooses. */
function chooses({ operator, values }: Scope, name: string): boolean {
  switch (operator) {
    case "Exists":
      return name !== "";
    case "DoesNotExist":
      return name === "";
    case "In":
      return name !== "" && values.includes(name);
    case "NotIn":
      return name === "" || !values.includes(name);
    default:
      return false;
  }
}

const affinities = ["podAffinity", "podAntiAffinity"];

const isElsewhere = (term: unknown): boolean =>
  isFields(term) &&
  ((Array.isArray(term["namespaces"]) && term["namespaces"].length > 0) || term["namespaceSelector"] !== undefined);

function reachesElsewhere(spec: Fields): boolean {
  return affinities.some((kind) => {
    const affinity = at(spec, "affinity", kind);
    const needed = fieldsIn(at(affinity, "requiredDuringSchedulingIgnoredDuringExecution"));
    const wished = fieldsIn(at(affinity, "preferredDuringSchedulingIgnoredDuringExecution"));
    return needed.some(isElsewhere) || wished.some(({ podAffinityTerm }) => isElsewhere(podAffinityTerm));
  });
}

/** A pod whose end is set before it starts. */
export function isTerminating({ spec = {} }: ApiObject): boolean {
  return typeof spec["activeDeadlineSeconds"] === "number" && spec["activeDeadlineSeconds"] >= 0;
}

const qosOf = (pod: ApiObject): unknown => pod.status?.["qosClass"] ?? qosClassOf(pod);

export function podInScope(pod: ApiObject, scope: Scope): boolean {
  switch (scope.name) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return qosOf(pod) === "BestEffort";
    case "NotBestEffort":
      return qosOf(pod) !== "BestEffort";
    case "PriorityClass":
      return chooses(scope, textOf(pod.spec?.["priorityClassName"]));
    case "CrossNamespacePodAffinity":
      return reachesElsewhere(pod.spec ?? {});
    default:
      return false;
  }
}

/** By each class that the claim has, or is to have. */
export function claimInScope(claim: ApiObject, scope: Scope): boolean {
  if (scope.name !== "VolumeAttributesClass") return false;
  const names = [
    claim.spec?.["volumeAttributesClassName"],
    claim.status?.["currentVolumeAttributesClassName"],
    at(claim.status, "modifyVolumeStatus", "targetVolumeAttributesClassName"),
  ].map(textOf);
  const classes = names.filter((name) => name !== "");
  return (classes.length === 0 ? [""] : classes).some((name) => chooses(scope, name));
}

export type InScope = (object: ApiObject, scope: Scope) => boolean;
