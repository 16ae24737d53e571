/** The Priority plugin. Source: kubernetes v1.36 plugin/pkg/admission/priority. */
import { child, nameOrGenerateName, textOf, type ApiObject } from "../meta/object.ts";
import { forbidden } from "../meta/refusal.ts";
import type { RequestScope } from "../context/server.ts";
import type { Attributes } from "../context/attributes.ts";

const classesOf = (scope: RequestScope): RequestScope["collection"] =>
  scope.server.store.collection("priorityclasses.scheduling.k8s.io", false);

/** The default class; of several, the one with the lowest value. */
function defaultClass(scope: RequestScope): ApiObject | undefined {
  const classes = [...classesOf(scope).range({})].map(({ object }) => object);
  return classes.filter(({ globalDefault }) => globalDefault === true).sort((a, b) => valueOf(a) - valueOf(b))[0];
}

const valueOf = ({ value }: ApiObject): number => (typeof value === "number" ? value : 0);

/**
 * Sets the pod's priority from its class; without one, from the default class, or 0.
 * @throws StatusError 403 if the class does not exist or the pod contradicts it.
 */
export function admitPriority(scope: RequestScope, pod: ApiObject): void {
  const spec = child(pod, "spec");
  const refused = (why: string): Error => forbidden(scope.resource.asResource, nameOrGenerateName(pod), why);
  const name = textOf(spec["priorityClassName"]);
  const found = name === "" ? defaultClass(scope) : classesOf(scope).get("", name)?.object;
  if (name !== "" && found === undefined) throw refused(`no PriorityClass with name ${name} was found`);
  if (found !== undefined) spec["priorityClassName"] = found.metadata.name;
  const computed = "must not be provided in pod spec; priority admission controller computed";
  const given = "from the given PriorityClass name";
  const value = found === undefined ? 0 : valueOf(found);
  const { priority, preemptionPolicy: policy } = spec as { priority?: number; preemptionPolicy?: string };
  if (priority !== undefined && priority !== value)
    throw refused(`the integer value of priority (${priority}) ${computed} ${value} ${given}`);
  spec["priority"] = value;
  const preemption = textOf(found?.["preemptionPolicy"] ?? "PreemptLowerPriority");
  if (policy !== undefined && policy !== preemption)
    throw refused(`the string value of PreemptionPolicy (${policy}) ${computed} ${preemption} ${given}`);
  spec["preemptionPolicy"] = preemption;
}

/** At most one class may be the default. @throws StatusError 403. */
export function checkDefaultClass({ scope, object: priorityClass, old }: Attributes): void {
  if (priorityClass["globalDefault"] !== true) return;
  const name = defaultClass(scope)?.metadata.name;
  if (name === undefined || (old !== undefined && name === priorityClass.metadata.name)) return;
  const why = `PriorityClass ${name} is already marked as default. Only one default can exist`;
  throw forbidden(scope.resource.asResource, nameOrGenerateName(priorityClass), why);
}
