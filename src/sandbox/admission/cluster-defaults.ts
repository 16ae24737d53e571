/** Admission that looks at one cluster-wide thing each: TaintNodesByCondition, RuntimeClass, DefaultStorageClass. */
import { child, fieldsIn, isFields, nameOrStem, type ApiObject } from "../object.ts";
import { forbidden } from "../refusal.ts";
import type { Call } from "../server.ts";

const notReady = "node.kubernetes.io/not-ready";

/** A new node takes no pods until somebody says that it is ready. Source: plugin/pkg/admission/nodetaint. */
export function admitNode(node: ApiObject): void {
  const spec = child(node, "spec");
  const taints = fieldsIn(spec["taints"]);
  if (taints.some(({ key, effect }) => key === notReady && effect === "NoSchedule")) return;
  spec["taints"] = [...taints, { key: notReady, effect: "NoSchedule" }];
}

/**
 * A pod's runtime class must be there; its overhead and its nodes become the pod's. Source: plugin/pkg/admission/runtimeclass.
 * @throws StatusError 403.
 */
export function admitRuntimeClass(call: Call, pod: ApiObject): void {
  const spec = child(pod, "spec");
  const name = spec["runtimeClassName"];
  if (typeof name !== "string" || name === "") return;
  const found = call.server.store.collection("runtimeclasses.node.k8s.io", false).get("", name);
  const refused = (why: string): Error => forbidden(call.resource.asResource, nameOrStem(pod), `pod rejected: ${why}`);
  if (found === undefined) throw refused(`RuntimeClass "${name}" not found`);
  const { overhead, scheduling } = found.object;
  if (isFields(overhead) && isFields(overhead["podFixed"])) spec["overhead"] = overhead["podFixed"];
  if (!isFields(scheduling)) return;
  const wanted = isFields(scheduling["nodeSelector"]) ? scheduling["nodeSelector"] : {};
  const own = isFields(spec["nodeSelector"]) ? spec["nodeSelector"] : {};
  const conflict = Object.keys(wanted).find((key) => own[key] !== undefined && own[key] !== wanted[key]);
  if (conflict !== undefined) {
    throw refused(
      `conflict: runtimeClass.scheduling.nodeSelector[${conflict}] = ${JSON.stringify(wanted[conflict])}; pod.spec.nodeSelector[${conflict}] = ${JSON.stringify(own[conflict])}`,
    );
  }
  if (Object.keys(wanted).length > 0) spec["nodeSelector"] = { ...own, ...wanted };
  const tolerations = fieldsIn(scheduling["tolerations"]);
  if (tolerations.length > 0) spec["tolerations"] = [...fieldsIn(spec["tolerations"]), ...tolerations];
}

const isDefault = "storageclass.kubernetes.io/is-default-class";

/** A claim without a class gets the newest default one. Source: plugin/pkg/admission/storage/storageclass/setdefault. */
export function admitStorageClass(call: Call, claim: ApiObject): void {
  const spec = child(claim, "spec");
  if (spec["storageClassName"] !== undefined) return;
  let newest: ApiObject | undefined;
  for (const { object } of call.server.store.collection("storageclasses.storage.k8s.io", false).range({})) {
    if (object.metadata.annotations?.[isDefault] !== "true") continue;
    const [time, best] = [object.metadata.creationTimestamp ?? "", newest?.metadata.creationTimestamp ?? ""];
    if (newest === undefined || time > best) newest = object;
  }
  if (newest !== undefined) spec["storageClassName"] = newest.metadata.name;
}
