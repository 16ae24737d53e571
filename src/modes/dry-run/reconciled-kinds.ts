/** Which applied objects a controller here acts on. */
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { AppliedChange } from "./apply.ts";

/** No controller acts on these: others read them. */
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

/** Kinds whose controllers always run: the scheduler, the kubelet and the resourcequota controller. */
const alwaysFollowed: ReadonlySet<string> = new Set(["Pod", "ResourceQuota"]);

/** Whether one of the controllers reconciles the changed object, or nothing has to. */
export function isReconciled(
  { of, did, isCustom }: AppliedChange,
  controllers: readonly ControllerDefinition[],
): boolean {
  if (isCustom === true) return false;
  if (of.group === "" && alwaysFollowed.has(of.kind)) return true;
  if (did !== "deleted" && passive.has(of.kind)) return true;
  if (controllers.some((controller) => controller.for?.kind === of.kind && controller.for.group === of.group))
    return true;
  // The garbage collector handles the dependents of a deleted object.
  return did === "deleted" && controllers.some(({ name }) => name.startsWith("garbage"));
}
