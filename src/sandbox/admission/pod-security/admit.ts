/**
 * PodSecurity: rejects pods that violate their namespace's enforced policy; warns clients that write such pods, or workloads that would
 * create them. There are no exemptions, as by default. Source: pod-security-admission v0.36 admission/admission.go.
 */
import { deepEqual } from "../../../api/field-changes.ts";
import { at, fieldsIn, isFields, type ApiObject, type Fields } from "../../meta/object.ts";
import { invalidObject } from "../../meta/field-errors.ts";
import { forbidden } from "../../meta/refusal.ts";
import type { RequestScope } from "../../context/server.ts";
import type { Attributes } from "../../context/attributes.ts";
import type { PodLike } from "./checks/check.ts";
import { inDetail, inShort, violationsOf } from "./evaluate.ts";
import { compareLevels, policyOf, shownPolicy, type LevelVersion, type Policy } from "./checks/policy.ts";

/** How many existing pods are checked when a namespace enforces a stricter policy. */
const mostPods = 3000;

/** The path of the pod template in each workload kind, by storage name. */
const templates: ReadonlyMap<string, readonly string[]> = new Map([
  ["podtemplates", ["template"]],
  ["replicationcontrollers", ["spec", "template"]],
  ["replicasets.apps", ["spec", "template"]],
  ["deployments.apps", ["spec", "template"]],
  ["statefulsets.apps", ["spec", "template"]],
  ["daemonsets.apps", ["spec", "template"]],
  ["jobs.batch", ["spec", "template"]],
  ["cronjobs.batch", ["spec", "jobTemplate", "spec", "template"]],
]);

const podParts: ReadonlySet<string> = new Set(["", "ephemeralcontainers", "resize"]);

/**
 * Checks an object against the Pod Security Standards of its namespace; changes nothing.
 * @throws StatusError 403 for a pod that its namespace rejects, 422 for invalid labels of a namespace.
 */
export function admitPodSecurity(attributes: Attributes): void {
  const { scope, object } = attributes;
  const { resource, subresource, server } = scope;
  if (!server.admission.has("PodSecurity")) return;
  if (resource.storage === "pods") {
    if (podParts.has(subresource)) admitPod(attributes);
    return;
  }
  if (subresource !== "") return;
  if (resource.storage === "namespaces") return admitLabels(attributes);
  const path = templates.get(resource.storage);
  const template = path === undefined ? undefined : at(object, ...path);
  if (isFields(template)) warnOf(scope, podLike(template), policyAt(scope).warn);
}

function podLike(of: Fields): PodLike {
  const annotations = at(of, "metadata", "annotations");
  return {
    annotations: isFields(annotations) ? (annotations as Record<string, string>) : {},
    spec: isFields(of["spec"]) ? of["spec"] : {},
  };
}

function policyAt({ server, namespace }: RequestScope): Policy {
  return policyOf(server.store.collection("namespaces", false).get("", namespace)?.object.metadata.labels).policy;
}

function admitPod({ scope, object: pod, old }: Attributes): void {
  const { enforce, warn } = policyAt(scope);
  const isAllowed = enforce.level === "privileged" && warn.level === "privileged";
  if (isAllowed || old === undefined || changesImages(pod, old))
    scope.audit?.annotate("pod-security.kubernetes.io/enforce-policy", shownPolicy(enforce));
  if (isAllowed) return;
  if (old !== undefined && !changesImages(pod, old)) return;
  const violations = violationsOf(podLike(pod), enforce);
  if (violations.length > 0) {
    const why = `violates PodSecurity "${shownPolicy(enforce)}": ${inDetail(violations)}`;
    throw forbidden(scope.resource.asResource, pod.metadata.name ?? "", why);
  }
  warnOf(scope, podLike(pod), warn);
}

function warnOf(scope: RequestScope, pod: PodLike, policy: LevelVersion): void {
  const violations = violationsOf(pod, policy);
  if (violations.length === 0) return;
  scope.warnings.push(`would violate PodSecurity "${shownPolicy(policy)}": ${inDetail(violations)}`);
}

/** True if an update of a pod adds containers or changes images: nothing else that can change matters here. */
function changesImages({ spec }: ApiObject, old: ApiObject): boolean {
  const changed = (key: string): boolean => {
    const [now, before] = [fieldsIn(spec?.[key]), fieldsIn(old.spec?.[key])];
    return now.length !== before.length || now.some(({ image }, index) => image !== before[index]?.["image"]);
  };
  if (changed("containers") || changed("initContainers")) return true;
  const before = new Map(fieldsIn(old.spec?.["ephemeralContainers"]).map(({ name, image }) => [name, image]));
  return fieldsIn(spec?.["ephemeralContainers"]).some(
    ({ name, image }) => !before.has(name) || before.get(name) !== image,
  );
}

function admitLabels({ scope, object: namespace, old }: Attributes): void {
  const { policy, errors } = policyOf(namespace.metadata.labels);
  const before = old === undefined ? undefined : policyOf(old.metadata.labels);
  // Errors are tolerated if the stored labels already have them.
  if (errors.length > 0 && (before === undefined || !deepEqual(errors, before.errors))) {
    throw invalidObject(scope.resource.asKind, namespace.metadata.name ?? "", errors);
  }
  if (before === undefined) return;
  const [next, last] = [policy.enforce, before.policy.enforce];
  if (next.level === "privileged" || (next.version === last.version && compareLevels(next.level, last.level) <= 0))
    return;
  scope.warnings.push(...warningsOfPods(scope, namespace.metadata.name ?? "", next));
}

/** Warnings about existing pods that violate a namespace's new policy; they keep running. */
function warningsOfPods({ server }: RequestScope, namespace: string, policy: LevelVersion): string[] {
  const pods = [...server.store.collection("pods", true).range({ namespace })].map(({ object }) => object);
  const looked = oneOfEachFirst(pods).slice(0, mostPods);
  const named = new Map<string, string[]>();
  for (const pod of looked) {
    const violations = violationsOf(podLike(pod), policy);
    if (violations.length === 0) continue;
    const text = inShort(violations);
    named.set(text, [...(named.get(text) ?? []), pod.metadata.name ?? ""]);
  }
  const lines = [...named].map(([text, names]) => `${shownPods(names)}: ${text}`).sort();
  return [
    ...(looked.length < pods.length
      ? [
          `new PodSecurity enforce level only checked against the first ${looked.length} of ${pods.length} existing pods`,
        ]
      : []),
    ...(lines.length > 0
      ? [`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${shownPolicy(policy)}"`]
      : []),
    ...lines,
  ];
}

function shownPods(names: string[]): string {
  const [first = "", ...others] = names.sort();
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? "pod" : "pods"})`;
}

/** Pods without a controller and the first pod of each controller, then all others, which are probably alike. */
function oneOfEachFirst(pods: readonly ApiObject[]): ApiObject[] {
  const seen = new Set<string>();
  const first: ApiObject[] = [];
  const others: ApiObject[] = [];
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    if (owner !== undefined && seen.has(owner)) others.push(pod);
    else first.push(pod);
    if (owner !== undefined) seen.add(owner);
  }
  return [...first, ...others];
}
