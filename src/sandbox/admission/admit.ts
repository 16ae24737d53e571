/** What happens to an object between its defaults and its checks, and after them: the API server's built-in admission, in its order. */
import { child, nameOrGenerateName, type ApiObject } from "../meta/object.ts";
import type { RequestScope } from "../context/server.ts";
import { admitIntoNamespace } from "./namespace-lifecycle.ts";
import { admitResize } from "./claim-resize.ts";
import { admitNode, admitRuntimeClass, admitStorageClass, checkOverhead } from "./cluster-defaults.ts";
import { setDefaultLimits } from "./limit-ranger.ts";
import { admitPodSecurity } from "./pod-security/admit.ts";
import { admitPodResize } from "./pod-resize.ts";
import { admitPriority, checkDefaultClass } from "./priority.ts";
import { protect } from "./protection.ts";
import { admitQuota } from "./quota/admit.ts";
import { admitServiceAccount, admitTolerations } from "./service-account.ts";
import { admitTopologyLabels } from "./topology-labels.ts";

/** What happens to an object that is updated. May change it. */
export function admitUpdate(scope: RequestScope, object: ApiObject, old: ApiObject): void {
  if (scope.resource.storage !== "pods" || scope.subresource !== "") return;
  const plugins = scope.server.admission;
  if (plugins.has("DefaultTolerationSeconds")) admitTolerations(object);
  if (!plugins.has("Priority")) return;
  // A pod keeps the priority that it was let in with.
  const spec = child(object, "spec");
  for (const key of ["priority", "preemptionPolicy"]) {
    if (spec[key] === undefined && old.spec?.[key] !== undefined) spec[key] = old.spec[key];
  }
}

/** Looks at an update that is valid; changes nothing of it. @throws StatusError 403. */
export function admitChanges(scope: RequestScope, object: ApiObject, old: ApiObject): void {
  if (scope.resource.storage === "persistentvolumeclaims" && scope.server.admission.has("PersistentVolumeClaimResize"))
    admitResize(scope, object, old);
  if (scope.resource.storage === "pods" && scope.subresource !== "status") admitPodResize(scope, object, old);
  if (scope.resource.storage === priorityClasses && scope.server.admission.has("Priority"))
    checkDefaultClass(scope, object, false);
  admitQuota(scope, object, old)();
}

/** Before the object has a name made up for it. May change the object. @throws StatusError, mostly 403. */
export function admitCreate(scope: RequestScope, object: ApiObject): void {
  const plugins = scope.server.admission;
  if (plugins.has("NamespaceLifecycle")) admitIntoNamespace(scope, nameOrGenerateName(object));
  switch (scope.resource.storage) {
    case "nodes":
      if (plugins.has("TaintNodesByCondition")) admitNode(object);
      break;
    case "persistentvolumeclaims":
      if (plugins.has("DefaultStorageClass")) admitStorageClass(scope, object);
      break;
    case "pods":
      if (plugins.has("ServiceAccount")) admitServiceAccount(scope, object);
      if (plugins.has("DefaultTolerationSeconds")) admitTolerations(object);
      if (plugins.has("Priority")) admitPriority(scope, object);
      if (plugins.has("RuntimeClass")) admitRuntimeClass(scope, object);
      if (plugins.has("PodTopologyLabels")) admitTopologyLabels(scope.server, object);
      if (plugins.has("LimitRanger")) setDefaultLimits(scope, object);
      break;
    default:
  }
  if (plugins.has("StorageObjectInUseProtection")) protect(scope.resource.storage, object);
}

const priorityClasses = "priorityclasses.scheduling.k8s.io";

/** Looks at a new object that is valid; changes nothing of it. @throws StatusError 403. */
export function admitValid(scope: RequestScope, object: ApiObject): void {
  const plugins = scope.server.admission;
  admitPodSecurity(scope, object);
  if (scope.resource.storage === priorityClasses && plugins.has("Priority")) checkDefaultClass(scope, object, true);
  if (scope.resource.storage === "pods" && plugins.has("RuntimeClass")) checkOverhead(scope, object);
}
