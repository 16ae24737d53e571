/**
 * ResourceQuotas: what an object consumes is added to the quota's status, in a separate write, before the object is written.
 * Source: apiserver v0.36 admission/plugin/resourcequota/controller.go CheckRequest.
 */
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../../api/quantity.ts";
import type { Amounts } from "../../../api/quota/amounts.ts";
import { isInScopes } from "../../../api/quota/scopes.ts";
import { namesFor, usageOf } from "../../../api/quota/usage.ts";
import type { ResourceQuota } from "../../../api/types.ts";
import { isFields, type ApiObject, type Fields } from "../../meta/object.ts";
import { manageOwnStatus } from "../../managedfields/managed-fields.ts";
import { forbidden } from "../../meta/refusal.ts";
import type { RequestScope } from "../../context/server.ts";
import type { Attributes } from "../../context/attributes.ts";
import { chargesUpdate, unspecified } from "./charging.ts";

const zero: Quantity = { nano: 0n, format: "decimal" };

const list = (entries: readonly (readonly [string, string])[]): string =>
  [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(",");

const textMap = (value: unknown): Record<string, string> => (isFields(value) ? (value as Record<string, string>) : {});

const nothing = (): void => undefined;

/**
 * Checks that the quotas have room for an object. Returns a function that charges them: call it once nothing else can reject the write.
 * @throws StatusError 403 if a quota would be exceeded or has not been calculated yet.
 */
export function admitQuota({ scope, object, old }: Attributes): () => void {
  if (!scope.resource.namespaced || !scope.server.admission.has("ResourceQuota")) return nothing;
  const quotas = scope.server.store.collection("resourcequotas", true);
  const found = [...quotas.range({ namespace: scope.namespace })];
  if (found.length === 0) return nothing;
  const { resource, subresource } = scope;
  if (old !== undefined && !chargesUpdate(resource, { subresource, object, old })) return nothing;
  const request: QuotaRequest = { scope, object, old, name: object.metadata.name ?? "" };
  const interesting = found.map(({ object: quota }) => quota).filter((quota) => isAbout(request, quota, object));
  for (const quota of interesting) checkKnown(request, quota);
  const changed = interesting.flatMap((quota) => charged(request, quota) ?? []);
  if (scope.dryRun) return nothing;
  return () => changed.forEach((quota) => scope.server.store.put(quotas, quota));
}

interface QuotaRequest {
  readonly scope: RequestScope;
  readonly object: ApiObject;
  readonly old: ApiObject | undefined;
  readonly name: string;
}

/** The resources that a quota limits for objects of this kind, as its controller has recorded them. */
const namesIn = ({ scope }: QuotaRequest, quota: ApiObject): readonly string[] =>
  namesFor(scope.resource, Object.keys(textMap(quota.status?.["hard"])));

function isAbout(request: QuotaRequest, quota: ApiObject, object: ApiObject): boolean {
  if (namesIn(request, quota).length === 0) return false;
  return isInScopes((quota as ResourceQuota).spec, request.scope.resource, object);
}

function refused({ scope, name }: QuotaRequest, why: string): Error {
  return forbidden(scope.resource.asResource, name, why);
}

/** Rejects pods that do not specify a resource under quota, and any object until the quota's controller has counted. */
function checkKnown(request: QuotaRequest, quota: ApiObject): void {
  const names = namesIn(request, quota);
  const { name = "" } = quota.metadata;
  const { group, plural } = request.scope.resource;
  const isPod = group === "" && plural === "pods";
  const missing = isPod ? unspecified(request.object, names) : new Map<string, readonly string[]>();
  if (missing.size > 0) {
    const which = [...missing]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([resource, containers]) => `${resource} for: ${[...new Set(containers)].sort().join(",")}`);
    throw refused(request, `failed quota: ${name}: must specify ${which.join("; ")}`);
  }
  const used = textMap(quota.status?.["used"]);
  if (names.some((resource) => used[resource] === undefined)) {
    throw refused(request, `status unknown for quota: ${name}, resources: ${names.toSorted().join(",")}`);
  }
}

/** How much more the object consumes than before; decreases are left to the quota controller. */
function takenOf(request: QuotaRequest, quota: ApiObject): Amounts {
  const { scope, object, old } = request;
  const usageNow = (each: ApiObject): Amounts => usageOf(scope.resource, each, scope.server.timeline.now());
  const usage = usageNow(object);
  const before = old !== undefined && isAbout(request, quota, old) ? usageNow(old) : new Map<string, Quantity>();
  const taken: Amounts = new Map();
  for (const [name, quantity] of usage) {
    const more = quantity.nano - (before.get(name)?.nano ?? 0n);
    if (more > 0n) taken.set(name, { ...quantity, nano: more });
  }
  return taken;
}

/** The quota with the object counted; undefined if the object consumes nothing of it. */
function charged(request: QuotaRequest, quota: ApiObject): ApiObject | undefined {
  const taken = takenOf(request, quota);
  const [hard, used] = [textMap(quota.status?.["hard"]), textMap(quota.status?.["used"])];
  const names = Object.keys(hard).filter((name) => taken.has(name));
  if (taken.size === 0 || names.length === 0) return undefined;
  const next: Record<string, string> = { ...used };
  const over: string[] = [];
  for (const name of names) {
    const sum = addQuantities(parseQuantity(used[name] ?? "0") ?? zero, taken.get(name) ?? zero);
    next[name] = formatQuantity(sum);
    if (compareQuantities(sum, parseQuantity(hard[name] ?? "0") ?? zero) > 0) over.push(name);
  }
  if (over.length > 0) {
    const requested = list(over.map((name) => [name, formatQuantity(taken.get(name) ?? zero)]));
    const usedList = list(over.map((name) => [name, used[name] ?? "0"]));
    const limited = list(over.map((name) => [name, hard[name] ?? "0"]));
    const which = quota.metadata.name ?? "";
    throw refused(request, `exceeded quota: ${which}, requested: ${requested}, used: ${usedList}, limited: ${limited}`);
  }
  const status: Fields = { ...quota.status, used: next };
  const after: ApiObject = { ...quota, metadata: { ...quota.metadata }, status };
  const resource = request.scope.server.registry.find("v1", "resourcequotas");
  if (resource !== undefined) manageOwnStatus(request.scope, resource, { live: quota, object: after });
  return after;
}
