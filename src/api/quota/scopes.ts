/** Which objects a ResourceQuota with scopes counts. Source: kubernetes v1.36 pkg/quota/v1/evaluator/core pods.go, persistent_volume_claims.go. */
import { type Labels, matches, type Selector } from "../labels.ts";
import { parseQuantity } from "../quantity.ts";
import type { PersistentVolumeClaim, Pod, PodAffinityTerm, ResourceQuota } from "../types.ts";
import type { Countable, CountedResource } from "./counted.ts";

/** One scope with its operator, as in `spec.scopeSelector`; those of `spec.scopes` mean `Exists`. */
interface Scope {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Whether the object matches all scopes of the quota. Resources without scopes never match any. */
export function isInScopes(
  spec: ResourceQuota["spec"],
  { group, plural }: CountedResource,
  object: Countable,
): boolean {
  const scopes: readonly Scope[] = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ];
  if (group === "" && plural === "pods") return scopes.every((scope) => takesPod(scope, object as Pod));
  if (group === "" && plural === "persistentvolumeclaims") {
    return scopes.every((scope) => takesClaim(scope, object as PersistentVolumeClaim));
  }
  return scopes.length === 0;
}

/** Whether the pod has its own deadline. */
export function isTerminating({ spec }: Pod): boolean {
  return (spec?.activeDeadlineSeconds ?? -1) >= 0;
}

function takesPod(scope: Scope, pod: Pod): boolean {
  switch (scope.scopeName) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return isBestEffort(pod);
    case "NotBestEffort":
      return !isBestEffort(pod);
    case "PriorityClass":
      return takesNamed(scope, [pod.spec?.priorityClassName]);
    case "CrossNamespacePodAffinity":
      return reachesOtherNamespaces(pod);
    default:
      return false;
  }
}

function takesClaim(scope: Scope, { spec, status }: PersistentVolumeClaim): boolean {
  if (scope.scopeName !== "VolumeAttributesClass") return false;
  return takesNamed(scope, [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]);
}

/** Whether one of the named classes matches the scope; an object that names none may match because of that. */
function takesNamed({ scopeName, operator, values = [] }: Scope, names: readonly (string | undefined)[]): boolean {
  if (operator !== "In" && operator !== "NotIn" && operator !== "Exists" && operator !== "DoesNotExist") return false;
  const selector: Selector = [{ key: scopeName, operator, values }];
  const named = names.filter((name): name is string => name !== undefined && name !== "");
  const sets: readonly Labels[] = named.length === 0 ? [{}] : named.map((name) => ({ [scopeName]: name }));
  return sets.some((set) => matches(selector, set));
}

/**
 * Whether nothing in the pod requests or limits cpu or memory. Source: kubernetes v1.36
 * pkg/apis/core/v1/helper/qos/qos.go.
 */
function isBestEffort({ spec, status }: Pod): boolean {
  if (status?.qosClass !== undefined && status.qosClass !== "") return status.qosClass === "BestEffort";
  const all = [spec, ...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return !all.some((each) =>
    [each?.resources?.requests, each?.resources?.limits].some((list) =>
      ["cpu", "memory"].some((name) => (parseQuantity(list?.[name] ?? "")?.nano ?? 0n) > 0n),
    ),
  );
}

function reachesOtherNamespaces({ spec }: Pod): boolean {
  const reaches = ({ namespaces = [], namespaceSelector }: PodAffinityTerm): boolean =>
    namespaces.length > 0 || namespaceSelector !== undefined;
  return [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity].some((affinity) =>
    [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((each) => each.podAffinityTerm),
    ].some(reaches),
  );
}
