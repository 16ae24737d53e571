/** What happens to an object between its defaults and its checks, and after them: the API server's built-in admission, in its order. */
import { child, nameOrStem, type ApiObject } from "../meta/object.ts";
import type { Call } from "../context/server.ts";
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
export function admitUpdate(call: Call, object: ApiObject, old: ApiObject): void {
  if (call.resource.storage !== "pods" || call.subresource !== "") return;
  const plugins = call.server.admission;
  if (plugins.has("DefaultTolerationSeconds")) admitTolerations(object);
  if (!plugins.has("Priority")) return;
  // A pod keeps the priority that it was let in with.
  const spec = child(object, "spec");
  for (const key of ["priority", "preemptionPolicy"]) {
    if (spec[key] === undefined && old.spec?.[key] !== undefined) spec[key] = old.spec[key];
  }
}

/** Looks at an update that is valid; changes nothing of it. @throws StatusError 403. */
export function admitChanges(call: Call, object: ApiObject, old: ApiObject): void {
  if (call.resource.storage === "persistentvolumeclaims" && call.server.admission.has("PersistentVolumeClaimResize"))
    admitResize(call, object, old);
  if (call.resource.storage === "pods" && call.subresource !== "status") admitPodResize(call, object, old);
  if (call.resource.storage === priorityClasses && call.server.admission.has("Priority"))
    checkDefaultClass(call, object, false);
  admitQuota(call, object, old)();
}

/** Before the object has a name made up for it. May change the object. @throws StatusError, mostly 403. */
export function admitCreate(call: Call, object: ApiObject): void {
  const plugins = call.server.admission;
  if (plugins.has("NamespaceLifecycle")) admitIntoNamespace(call, nameOrStem(object));
  switch (call.resource.storage) {
    case "nodes":
      if (plugins.has("TaintNodesByCondition")) admitNode(object);
      break;
    case "persistentvolumeclaims":
      if (plugins.has("DefaultStorageClass")) admitStorageClass(call, object);
      break;
    case "pods":
      if (plugins.has("ServiceAccount")) admitServiceAccount(call, object);
      if (plugins.has("DefaultTolerationSeconds")) admitTolerations(object);
      if (plugins.has("Priority")) admitPriority(call, object);
      if (plugins.has("RuntimeClass")) admitRuntimeClass(call, object);
      if (plugins.has("PodTopologyLabels")) admitTopologyLabels(call.server, object);
      if (plugins.has("LimitRanger")) setDefaultLimits(call, object);
      break;
    default:
  }
  if (plugins.has("StorageObjectInUseProtection")) protect(call.resource.storage, object);
}

const priorityClasses = "priorityclasses.scheduling.k8s.io";

/** Looks at a new object that is valid; changes nothing of it. @throws StatusError 403. */
export function admitValid(call: Call, object: ApiObject): void {
  const plugins = call.server.admission;
  admitPodSecurity(call, object);
  if (call.resource.storage === priorityClasses && plugins.has("Priority")) checkDefaultClass(call, object, true);
  if (call.resource.storage === "pods" && plugins.has("RuntimeClass")) checkOverhead(call, object);
}
