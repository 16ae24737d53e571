/** What happens to a new object between its defaults and its checks: the API server's built-in admission, in its order. */
import { child, nameOrStem, type ApiObject } from "../object.ts";
import type { Call } from "../server.ts";
import { admitIntoNamespace } from "./namespace-lifecycle.ts";
import { admitNode, admitRuntimeClass, admitStorageClass } from "./cluster-defaults.ts";
import { setDefaultLimits } from "./limit-ranger.ts";
import { admitPriority, admitServiceAccount, admitTolerations } from "./service-account.ts";

/** What happens to an object that is updated. May change it. */
export function admitUpdate(call: Call, object: ApiObject, old: ApiObject): void {
  if (call.resource.storage !== "pods" || call.subresource !== "") return;
  admitTolerations(object);
  // A pod keeps the priority that it was let in with.
  const spec = child(object, "spec");
  for (const key of ["priority", "preemptionPolicy"]) {
    if (spec[key] === undefined && old.spec?.[key] !== undefined) spec[key] = old.spec[key];
  }
}

/** Before the object has a name made up for it. May change the object. @throws StatusError, mostly 403. */
export function admitCreate(call: Call, object: ApiObject): void {
  admitIntoNamespace(call, nameOrStem(object));
  switch (call.resource.storage) {
    case "nodes":
      admitNode(object);
      break;
    case "persistentvolumeclaims":
      admitStorageClass(call, object);
      break;
    case "pods":
      admitServiceAccount(call, object);
      admitTolerations(object);
      admitPriority(call, object);
      admitRuntimeClass(call, object);
      setDefaultLimits(call, object);
      break;
    default:
  }
}
