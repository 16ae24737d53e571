/** Admission plugins that read one cluster-scoped thing each: TaintNodesByCondition, RuntimeClass. */
import { isNil } from "../meta/canonical.ts";
import { at, child, fieldsIn, isFields, nameOrGenerateName, textOf, type ApiObject } from "../meta/object.ts";
import { forbidden, refusal } from "../meta/refusal.ts";
import { lookupProblem } from "../validation/names.ts";
import { amountsIn } from "../registry/core/pod/resources/pod-amounts.ts";
import type { RequestScope } from "../context/server.ts";

const notReady = "node.kubernetes.io/not-ready";

/** A new node is tainted as not ready until its status says otherwise. Source: plugin/pkg/admission/nodetaint. */
export function admitNode(node: ApiObject): void {
  const spec = child(node, "spec");
  const taints = fieldsIn(spec["taints"]);
  if (taints.some(({ key, effect }) => key === notReady && effect === "NoSchedule")) return;
  spec["taints"] = [...taints, { key: notReady, effect: "NoSchedule" }];
}

/**
 * A pod's RuntimeClass must exist; its overhead and scheduling are copied to the pod. Source: plugin/pkg/admission/runtimeclass.
 * @throws StatusError 403.
 */
export function admitRuntimeClass(scope: RequestScope, pod: ApiObject): void {
  const spec = child(pod, "spec");
  const found = runtimeClassOf(scope, pod);
  if (found === undefined) return;
  const { overhead, scheduling } = found;
  if (isFields(overhead) && isFields(overhead["podFixed"])) {
    const own = spec["overhead"];
    if (isFields(own) && Object.keys(own).length > 0 && !isSameAmounts(own, overhead["podFixed"]))
      throw rejected(scope, pod, "Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    spec["overhead"] = overhead["podFixed"];
  }
  if (!isFields(scheduling)) return;
  const wanted = isFields(scheduling["nodeSelector"]) ? scheduling["nodeSelector"] : {};
  const own = isFields(spec["nodeSelector"]) ? spec["nodeSelector"] : {};
  const conflict = Object.keys(wanted).find((key) => own[key] !== undefined && own[key] !== wanted[key]);
  if (conflict !== undefined) {
    const [theirs, ours] = [textOf(wanted[conflict]), textOf(own[conflict])];
    const why = `conflict: runtimeClass.scheduling.nodeSelector[${conflict}] = ${theirs}; pod.spec.nodeSelector[${conflict}] = ${ours}`;
    throw forbidden(scope.resource.asResource, nameOrGenerateName(pod), why);
  }
  if (Object.keys(wanted).length > 0) spec["nodeSelector"] = { ...own, ...wanted };
  const tolerations = fieldsIn(scheduling["tolerations"]);
  if (tolerations.length > 0) spec["tolerations"] = [...fieldsIn(spec["tolerations"]), ...tolerations];
}

const rejected = (scope: RequestScope, pod: ApiObject, why: string): Error =>
  forbidden(scope.resource.asResource, nameOrGenerateName(pod), `pod rejected: ${why}`);

function isSameAmounts(a: unknown, b: unknown): boolean {
  const [left, right] = [amountsIn(a), amountsIn(b)];
  return left.size === right.size && [...left].every(([name, { nano }]) => right.get(name)?.nano === nano);
}

/** The RuntimeClass that a pod names. @throws StatusError 403 if it does not exist. */
function runtimeClassOf(scope: RequestScope, pod: ApiObject): ApiObject | undefined {
  const name = pod.spec?.["runtimeClassName"];
  if (typeof name !== "string") return undefined;
  const found = scope.server.store.collection("runtimeclasses.node.k8s.io", false).get("", name);
  if (found !== undefined) return found.object;
  // The real server requests it from its own API.
  const problem = lookupProblem(name);
  if (problem !== undefined) throw refusal(500, "", problem);
  throw rejected(scope, pod, `RuntimeClass "${name}" not found`);
}

/** A valid pod has exactly the overhead of its RuntimeClass. @throws StatusError 403. */
export function checkOverhead(scope: RequestScope, pod: ApiObject): void {
  const theirs = at(runtimeClassOf(scope, pod), "overhead");
  const own = pod.spec?.["overhead"];
  if (isFields(theirs)) {
    if (isSameAmounts(theirs["podFixed"], own)) return;
    throw rejected(scope, pod, "Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  if (pod.spec !== undefined && !isNil(pod.spec, "overhead"))
    throw rejected(scope, pod, "Pod Overhead set without corresponding RuntimeClass defined Overhead");
}
