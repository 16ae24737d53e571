/**
 * LimitRanges: defaults for containers, and bounds for containers, pods and claims.
 * Source: kubernetes v1.36 plugin/pkg/admission/limitranger/admission.go.
 */
import type { Amounts } from "../../api/quota/amounts.ts";
import { amountsTogether } from "../../api/quota/together.ts";
import { at, child, fieldsIn, isFields, type ApiObject, type Fields } from "../meta/object.ts";
import { forbidden } from "../meta/refusal.ts";
import type { Attributes, UpdateAttributes } from "../context/attributes.ts";
import type { RequestScope } from "../context/server.ts";
import { problemsWith, quantitiesIn, type Requirements } from "./limit-bounds.ts";

function rangesOf(scope: RequestScope): ApiObject[] {
  const collection = scope.server.store.collection("limitranges", true);
  return [...collection.range({ namespace: scope.namespace })].map(({ object }) => object);
}

const containersOf = (pod: ApiObject): Fields[] => [
  ...fieldsIn(pod.spec?.["containers"]),
  ...fieldsIn(pod.spec?.["initContainers"]),
];

const mapOf = (value: unknown): Record<string, string> => (isFields(value) ? (value as Record<string, string>) : {});

/** Sets default requests and limits of containers, and records that in an annotation of the pod. */
export function setDefaultLimits(scope: RequestScope, pod: ApiObject): void {
  for (const item of containerLimits(scope)) {
    const applied = containersOf(pod).map((container) => fillContainer(container, item));
    annotate(pod, fieldsIn(pod.spec?.["containers"]), applied);
  }
}

/** The same for a pod resize, which keeps the annotations. */
export function setResizedLimits({ scope, object: pod, old }: UpdateAttributes): void {
  if (old.metadata.deletionTimestamp !== undefined) return;
  for (const item of containerLimits(scope)) for (const container of containersOf(pod)) fillContainer(container, item);
}

const containerLimits = (scope: RequestScope): Fields[] =>
  rangesOf(scope).flatMap(({ spec }) => fieldsIn(spec?.["limits"]).filter(({ type }) => type === "Container"));

/** New pods, resized pods and claims are checked, unless they are being deleted. Source: SupportsAttributes, runLimitFunc. */
function isLimited({ scope, old }: Attributes): boolean {
  const { resource, subresource } = scope;
  if (old?.metadata.deletionTimestamp !== undefined) return false;
  if (resource.storage === "pods") return subresource === (old === undefined ? "" : "resize");
  return subresource === "";
}

/**
 * Checks a pod or a claim after mutation, when it has its name; ignores all other kinds.
 * @throws StatusError 403 if it requests more or less than a LimitRange of its namespace allows.
 */
export function checkLimits(attributes: Attributes): void {
  const { scope, object } = attributes;
  const { resource, server } = scope;
  const requirementsIn = requirementReaders[resource.storage];
  if (requirementsIn === undefined || !server.admission.has("LimitRanger") || !isLimited(attributes)) return;
  for (const range of rangesOf(scope)) {
    const found = fieldsIn(range.spec?.["limits"]).flatMap((item) =>
      requirementsIn(object, item["type"]).flatMap((requirements) => problemsWith(requirements, item)),
    );
    // Go drops duplicates.
    const problems = [...new Set(found)];
    if (problems.length === 0) continue;
    const text = problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`;
    throw forbidden(resource.asResource, object.metadata.name ?? "", text);
  }
}

/** By storage name: what an item of this type limits in an object. */
const requirementReaders: Readonly<Record<string, (object: ApiObject, type: unknown) => readonly Requirements[]>> = {
  pods: (pod, type) => {
    if (type === "Container") return containersOf(pod).map(requirementsOf);
    return type === "Pod" ? [podRequirements(pod)] : [];
  },
  persistentvolumeclaims: (claim, type) =>
    type === "PersistentVolumeClaim" ? [{ requests: quantitiesIn(at(claim, "spec", "resources", "requests")) }] : [],
};

function requirementsOf({ resources }: Fields): Required<Requirements> {
  const lists = isFields(resources) ? resources : {};
  return { requests: quantitiesIn(lists["requests"]), limits: quantitiesIn(lists["limits"]) };
}

/** The sum of the containers, unless there are pod-level resources. Source: podRequests, podLimits. */
function podRequirements({ spec = {} }: ApiObject): Requirements {
  const containers = fieldsIn(spec["containers"]).map(requirementsOf);
  const initContainers = fieldsIn(spec["initContainers"]).map((container) => ({
    isSidecar: container["restartPolicy"] === "Always",
    requirements: requirementsOf(container),
  }));
  const own = requirementsOf(spec);
  const together = (list: "requests" | "limits"): Amounts => {
    const needs = initContainers.map(({ isSidecar, requirements }) => ({ isSidecar, amounts: requirements[list] }));
    const sum = amountsTogether(
      containers.map((requirements) => requirements[list]),
      needs,
    );
    for (const name of ["cpu", "memory"]) {
      const amount = own[list].get(name);
      if (amount !== undefined) sum.set(name, amount);
    }
    return sum;
  };
  return { requests: together("requests"), limits: together("limits") };
}

/** Which resources were defaulted, for the annotation. */
interface AppliedDefaults {
  readonly name: string;
  readonly requests: readonly string[];
  readonly limits: readonly string[];
}

function fillContainer(container: Fields, item: Fields): AppliedDefaults {
  const added: { requests: string[]; limits: string[] } = { requests: [], limits: [] };
  const resources = child(container, "resources");
  for (const [key, defaults] of [
    ["limits", mapOf(item["default"])],
    ["requests", mapOf(item["defaultRequest"])],
  ] as const) {
    const own = mapOf(resources[key]);
    for (const name of Object.keys(defaults)) if (own[name] === undefined) added[key].push(name);
    if (added[key].length > 0) resources[key] = { ...defaults, ...own };
  }
  return { name: String(container["name"]), requests: added.requests.sort(), limits: added.limits.sort() };
}

function annotate(pod: ApiObject, containers: readonly Fields[], applied: readonly AppliedDefaults[]): void {
  const sentences = applied.flatMap(({ name, requests, limits }, index) => {
    const what = index < containers.length ? "container" : "init container";
    return [
      ...(requests.length > 0 ? [`${requests.join(", ")} request for ${what} ${name}`] : []),
      ...(limits.length > 0 ? [`${limits.join(", ")} limit for ${what} ${name}`] : []),
    ];
  });
  if (sentences.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    "kubernetes.io/limit-ranger": `LimitRanger plugin set: ${sentences.join("; ")}`,
  };
}
