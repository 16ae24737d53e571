/**
 * ResourceQuotas: what a new object takes is counted in the quota's status before it is made; a write of its own.
 * Source: apiserver v0.36 admission/plugin/resourcequota/controller.go; kubernetes v1.36 pkg/quota/v1/evaluator/core.
 */
import { addQuantities, compareQuantities, formatQuantity, parseQuantity, type Quantity } from "../../api/quantity.ts";
import { at, fieldsIn, isFields, type ApiObject, type Fields } from "../object.ts";
import { manageOwnStatus } from "../managed/managed-fields.ts";
import { forbidden } from "../refusal.ts";
import type { Call } from "../server.ts";

type Usage = Map<string, Quantity>;

const one: Quantity = { nano: 1_000_000_000n, format: "decimal" };
const zero: Quantity = { nano: 0n, format: "decimal" };

/** Kinds that are counted by their plain name too. */
const counted = new Set([
  "configmaps",
  "secrets",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "persistentvolumeclaims",
  "pods",
]);

function usageOf(call: Call, object: ApiObject): Usage {
  const usage: Usage = new Map();
  const { group, plural } = call.resource;
  usage.set(group === "" ? `count/${plural}` : `count/${plural}.${group}`, one);
  if (group === "" && counted.has(plural)) usage.set(plural, one);
  if (call.resource.storage === "pods") podUsage(object, usage);
  return usage;
}

function podUsage(pod: ApiObject, usage: Usage): void {
  for (const [key, prefix] of [
    ["requests", "requests."],
    ["limits", "limits."],
  ] as const) {
    for (const [name, quantity] of sums(pod, key)) {
      usage.set(`${prefix}${name}`, quantity);
      if (key === "requests") usage.set(name, quantity);
    }
  }
}

/** The containers together, or the largest of the init containers if that is more. */
function sums(pod: ApiObject, key: "requests" | "limits"): Usage {
  const total: Usage = new Map();
  const each = (list: unknown, take: (name: string, quantity: Quantity) => void): void => {
    for (const container of fieldsIn(list)) {
      const resources = at(container, "resources", key);
      if (!isFields(resources)) continue;
      for (const name of Object.keys(resources)) {
        const quantity = parseQuantity(String(resources[name]));
        if (quantity !== undefined) take(name, quantity);
      }
    }
  };
  each(pod.spec?.["containers"], (name, quantity) => total.set(name, addQuantities(total.get(name) ?? zero, quantity)));
  each(pod.spec?.["initContainers"], (name, quantity) => {
    if (compareQuantities(quantity, total.get(name) ?? zero) > 0) total.set(name, quantity);
  });
  return total;
}

const list = (entries: readonly (readonly [string, string])[]): string =>
  [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(",");

const textMap = (value: unknown): Record<string, string> => (isFields(value) ? (value as Record<string, string>) : {});

/** @throws StatusError 403 where a quota would be exceeded or is not known yet. */
export function admitQuota(call: Call, object: ApiObject): void {
  const { store } = call.server;
  if (!call.resource.namespaced) return;
  const quotas = store.collection("resourcequotas", true);
  const found = [...quotas.range({ namespace: call.namespace })];
  if (found.length === 0) return;
  const usage = usageOf(call, object);
  const changed: ApiObject[] = [];
  for (const { object: quota } of found) {
    const after = charged(call, object, quota, usage);
    if (after !== undefined) changed.push(after);
  }
  if (!call.dryRun) for (const quota of changed) store.put(quotas, quota);
}

/** The quota with the object counted; undefined where it limits nothing that the object takes. */
function charged(call: Call, object: ApiObject, quota: ApiObject, usage: Usage): ApiObject | undefined {
  const name = object.metadata.name ?? "";
  const quotaName = quota.metadata.name ?? "";
  const hard = textMap(quota.status?.["hard"]);
  const used = textMap(quota.status?.["used"]);
  // What counts is what the quota's controller has taken note of.
  const inScope = Object.keys(hard).filter((resource) => usage.has(resource));
  const unknown = inScope.filter((resource) => used[resource] === undefined);
  if (call.resource.storage === "pods") mustSpecify(call, object, quotaName, hard, usage);
  if (unknown.length > 0) {
    throw forbidden(
      call.resource.asResource,
      name,
      `status unknown for quota: ${quotaName}, resources: ${unknown.sort().join(",")}`,
    );
  }
  if (inScope.length === 0) return undefined;
  const next: Record<string, string> = { ...used };
  const over: string[] = [];
  for (const resource of inScope) {
    const sum = addQuantities(parseQuantity(used[resource] ?? "0") ?? zero, usage.get(resource) ?? zero);
    next[resource] = formatQuantity(sum);
    if (compareQuantities(sum, parseQuantity(hard[resource] ?? "0") ?? zero) > 0) over.push(resource);
  }
  if (over.length > 0) {
    const requested = list(over.map((resource) => [resource, formatQuantity(usage.get(resource) ?? zero)]));
    const usedList = list(over.map((resource) => [resource, used[resource] ?? "0"]));
    const limited = list(over.map((resource) => [resource, hard[resource] ?? "0"]));
    throw forbidden(
      call.resource.asResource,
      name,
      `exceeded quota: ${quotaName}, requested: ${requested}, used: ${usedList}, limited: ${limited}`,
    );
  }
  const status: Fields = { ...quota.status, used: next };
  const after: ApiObject = { ...quota, metadata: { ...quota.metadata }, status };
  const resource = call.server.catalogue.find("v1", "resourcequotas");
  if (resource !== undefined) manageOwnStatus(call, resource, quota, after);
  return after;
}

const computeNames = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

/** A quota on what pods ask for takes none that do not say what they ask for. */
function mustSpecify(
  call: Call,
  object: ApiObject,
  quotaName: string,
  hard: Record<string, string>,
  usage: Usage,
): void {
  const missing = computeNames.filter((resource) => hard[resource] !== undefined && !usage.has(resource));
  if (missing.length === 0) return;
  const [container] = fieldsIn(object.spec?.["containers"]);
  const which = missing
    .sort()
    .map((resource) => `${resource} for: ${String(container?.["name"])}`)
    .join("; ");
  throw forbidden(
    call.resource.asResource,
    object.metadata.name ?? "",
    `failed quota: ${quotaName}: must specify ${which}`,
  );
}
