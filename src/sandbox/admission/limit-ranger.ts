/** LimitRanges: defaults for containers, and their bounds. Source: kubernetes v1.36 plugin/pkg/admission/limitranger/admission.go. */
import { parseQuantity } from "../../api/quantity.ts";
import { child, fieldsIn, isFields, type ApiObject, type Fields } from "../meta/object.ts";
import { forbidden } from "../meta/refusal.ts";
import type { RequestScope } from "../context/server.ts";

function rangesOf(scope: RequestScope): ApiObject[] {
  const collection = scope.server.store.collection("limitranges", true);
  return [...collection.range({ namespace: scope.namespace })].map(({ object }) => object);
}

const containersOf = (pod: ApiObject): Fields[] => [
  ...fieldsIn(pod.spec?.["containers"]),
  ...fieldsIn(pod.spec?.["initContainers"]),
];

const mapOf = (value: unknown): Record<string, string> => (isFields(value) ? (value as Record<string, string>) : {});

/** Gives containers what the ranges say for those that say nothing themselves. */
export function setDefaultLimits(scope: RequestScope, pod: ApiObject): void {
  for (const range of rangesOf(scope)) {
    for (const item of fieldsIn(range.spec?.["limits"])) {
      if (item["type"] !== "Container") continue;
      const applied = containersOf(pod).map((container) => fillContainer(container, item));
      annotate(pod, fieldsIn(pod.spec?.["containers"]), applied);
    }
  }
}

/** Looks at what a pod has in the end, its name included. @throws StatusError 403 for a container outside its bounds. */
export function checkLimits(scope: RequestScope, pod: ApiObject): void {
  if (scope.resource.storage !== "pods" || !scope.server.admission.has("LimitRanger")) return;
  for (const range of rangesOf(scope)) {
    for (const item of fieldsIn(range.spec?.["limits"])) checkItem(scope, pod, item);
  }
}

/** Which resources were set by default, for the annotation that says so. */
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

function checkItem(scope: RequestScope, pod: ApiObject, item: Fields): void {
  if (item["type"] !== "Container") return;
  const problems: string[] = [];
  for (const container of containersOf(pod)) {
    const resources = isFields(container["resources"]) ? container["resources"] : {};
    const [requests, limits] = [mapOf(resources["requests"]), mapOf(resources["limits"])];
    for (const [name, min] of Object.entries(mapOf(item["min"])))
      problems.push(...below(name, min, requests[name], limits[name]));
    for (const [name, max] of Object.entries(mapOf(item["max"])))
      problems.push(...above(name, max, requests[name], limits[name]));
  }
  if (problems.length === 0) return;
  const text = problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`;
  throw forbidden(scope.resource.asResource, pod.metadata.name ?? "", text);
}

const nano = (text: string | undefined): bigint | undefined =>
  text === undefined ? undefined : parseQuantity(text)?.nano;

function below(name: string, min: string, request: string | undefined, limit: string | undefined): string[] {
  const [bound, asked, most] = [nano(min), nano(request), nano(limit)];
  if (bound === undefined) return [];
  if (asked === undefined) return [`minimum ${name} usage per Container is ${min}.  No request is specified`];
  if (asked < bound) return [`minimum ${name} usage per Container is ${min}, but request is ${request}`];
  return most !== undefined && most < bound
    ? [`minimum ${name} usage per Container is ${min}, but limit is ${limit}`]
    : [];
}

function above(name: string, max: string, request: string | undefined, limit: string | undefined): string[] {
  const [bound, asked, most] = [nano(max), nano(request), nano(limit)];
  if (bound === undefined) return [];
  if (most === undefined) return [`maximum ${name} usage per Container is ${max}.  No limit is specified`];
  if (most > bound) return [`maximum ${name} usage per Container is ${max}, but limit is ${limit}`];
  return asked !== undefined && asked > bound
    ? [`maximum ${name} usage per Container is ${max}, but request is ${request}`]
    : [];
}
