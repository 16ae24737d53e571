/** Which of the applied objects somebody here does something about. */
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { AppliedChange } from "./apply.ts";

/** Nobody would act on these by themselves: they are read by others. */
const passive: ReadonlySet<string> = new Set([
  "ConfigMap",
  "Secret",
  "ServiceAccount",
  "Namespace",
  "Role",
  "RoleBinding",
  "ClusterRole",
  "ClusterRoleBinding",
  "PriorityClass",
  "RuntimeClass",
  "StorageClass",
  "IngressClass",
  "LimitRange",
  "PodTemplate",
  "ControllerRevision",
  "Lease",
  "Event",
  "Node",
]);

/** Of kinds whose controllers need not be chosen: the scheduler, the kubelet and the count of quotas always act. */
const alwaysFollowed: ReadonlySet<string> = new Set(["Pod", "ResourceQuota"]);

export function isReconciled(
  { of, did, isCustom }: AppliedChange,
  controllers: readonly ControllerDefinition[],
): boolean {
  if (isCustom === true) return false;
  if (of.group === "" && alwaysFollowed.has(of.kind)) return true;
  if (did !== "deleted" && passive.has(of.kind)) return true;
  if (controllers.some((controller) => controller.for?.kind === of.kind && controller.for.group === of.group))
    return true;
  // What a deletion leaves behind is the garbage collector's.
  return did === "deleted" && controllers.some(({ name }) => name.startsWith("garbage"));
}
