/**
 * The addresses of Services: which an update keeps, and which are allocated.
 * Source: kubernetes v1.36 pkg/registry/core/service/storage/alloc.go, storage.go and strategy.go.
 */
import { deepEqual } from "../../../../api/field-changes.ts";
import { invalid, invalidObject, type FieldError } from "../../../meta/field-errors.ts";
import { canonicalAddress } from "../../../meta/go-addresses.ts";
import { textOf, textsIn, child, type ApiObject, type Fields } from "../../../meta/object.ts";
import { internal } from "../../../meta/refusal.ts";
import type { AllocatedObject, StrategyContext } from "../../strategy/rest-strategy.ts";
import { nextAddress, requestedProblem } from "./address-ranges.ts";
import {
  allocateNodePorts,
  dropNodePorts,
  hasNodePorts,
  hasTakenPort,
  keepNodePorts,
  needsHealthCheck,
} from "./service-ports.ts";

/** The items of a value that may be a list. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** An ExternalName Service has no addresses. */
export const hasAddress = (spec: Fields): boolean => spec["type"] !== "ExternalName";
const isHeadless = (spec: Fields): boolean => deepEqual(spec["clusterIPs"], ["None"]);

const sameAddresses = (now: Fields, before: Fields): boolean =>
  textOf(now["clusterIP"]) === textOf(before["clusterIP"]) &&
  deepEqual(listOf(now["clusterIPs"]), listOf(before["clusterIPs"]));

/** Fills a new Service's `clusterIPs` from its `clusterIP`. */
export function listAddress(service: ApiObject): void {
  const spec = child(service, "spec");
  if (textOf(spec["clusterIP"]) !== "" && listOf(spec["clusterIPs"]).length === 0)
    spec["clusterIPs"] = [spec["clusterIP"]];
}

/** Fields that a client omits from an update keep their values if the new type has them; otherwise they are dropped. */
export function keepGiven(service: ApiObject, old: ApiObject): void {
  const [now, before] = [child(service, "spec"), old.spec ?? {}];
  const both = hasAddress(now) && hasAddress(before);
  if (both && textOf(now["clusterIP"]) === "" && before["clusterIP"] !== undefined)
    now["clusterIP"] = before["clusterIP"];
  const same = textOf(now["clusterIP"]) === textOf(before["clusterIP"]);
  const had = listOf(before["clusterIPs"]);
  if ((both || same) && listOf(now["clusterIPs"]).length === 0 && had.length > 0) now["clusterIPs"] = had;
  // A client that changes only `clusterIP` changes the list too.
  if (!same && textOf(now["clusterIP"]) !== "" && deepEqual(listOf(now["clusterIPs"]), had))
    now["clusterIPs"] = [now["clusterIP"]];
  if (hasAddress(before) && !hasAddress(now)) dropAddresses(now, before);
  keepNodePorts(now, before);
  dropNodePorts(now, before);
  dropUnchanged(now, before);
}

const isBalanced = (spec: Fields): boolean => spec["type"] === "LoadBalancer";
/** True if the Service is reachable from outside the cluster. */
export const isReached = (spec: Fields): boolean =>
  hasNodePorts(spec) || (spec["type"] === "ClusterIP" && listOf(spec["externalIPs"]).length > 0);

/** Fields that only some Services have. */
const belonging: readonly { readonly field: string; readonly to: (spec: Fields) => boolean }[] = [
  { field: "healthCheckNodePort", to: needsHealthCheck },
  { field: "allocateLoadBalancerNodePorts", to: isBalanced },
  { field: "loadBalancerClass", to: isBalanced },
  { field: "externalTrafficPolicy", to: isReached },
];

/** A field is dropped with what it belonged to, unless the client has changed it too. */
function dropUnchanged(now: Fields, before: Fields): void {
  const gone = belonging.filter(({ field, to }) => to(before) && !to(now) && deepEqual(now[field], before[field]));
  for (const { field } of gone) delete now[field];
}

function dropAddresses(now: Fields, before: Fields): void {
  if (sameAddresses(now, before)) {
    delete now["clusterIP"];
    delete now["clusterIPs"];
  }
  for (const key of ["ipFamilies", "ipFamilyPolicy"]) if (deepEqual(now[key], before[key])) delete now[key];
}

/** Addresses of a Service cannot change, except to or from ExternalName; a second one may be added or removed. */
export function addressChangeErrors(now: Fields, before: Fields): FieldError[] {
  if (!hasAddress(before) || !hasAddress(now) || (isHeadless(now) && isHeadless(before))) return [];
  return [...addressErrors(now, before), ...familyErrors(now, before)];
}

const onceSet = "may not change once set";

function addressErrors(now: Fields, before: Fields): FieldError[] {
  const [ips, had] = [listOf(now["clusterIPs"]), listOf(before["clusterIPs"])];
  const changed = (index: number): FieldError[] =>
    had[index] === ips[index] ? [] : [invalid(`spec.clusterIPs[${index}]`, ips, onceSet)];
  if (ips.length === had.length) return had.flatMap((_, index) => changed(index));
  if (ips.length > had.length) return had.length === 0 ? [] : changed(0);
  if (ips.length === 0) return [invalid("spec.clusterIPs[0]", ips, "primary clusterIP can not be unset")];
  return [...changed(0), ...releasedErrors(now, "clusterIP")];
}

function familyErrors(now: Fields, before: Fields): FieldError[] {
  if (isHeadless(now) || isHeadless(before)) return [];
  const [families, had] = [listOf(now["ipFamilies"]), listOf(before["ipFamilies"])];
  const field = "spec.ipFamilies[0]";
  if (families.length === had.length)
    return had.flatMap((family, index) => (family === families[index] ? [] : [invalid(field, families, onceSet)]));
  // The real server shows the addresses as the value here.
  const ips = listOf(now["clusterIPs"]);
  const errors = had.length > 0 && families.length > 0 && families[0] !== had[0] ? [invalid(field, ips, onceSet)] : [];
  if (families.length > had.length) return errors;
  const unset = ips.length === 0 ? [invalid(field, families, "primary ipFamily can not be unset")] : [];
  return [...unset, ...errors, ...(families.length === 1 ? releasedErrors(now, "ipFamily") : [])];
}

function releasedErrors({ ipFamilyPolicy }: Fields, what: string): FieldError[] {
  if (ipFamilyPolicy === "SingleStack") return [];
  const why = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  return [invalid("spec.ipFamilyPolicy", ipFamilyPolicy, why)];
}

/** Rejects a requested address that is taken or outside the server's ranges. Also allocates node ports. */
export function takenErrors(service: ApiObject, old: ApiObject | undefined, context: StrategyContext): FieldError[] {
  const spec = child(service, "spec");
  const first = firstRequested(spec, old?.spec);
  const families = textsIn(spec["ipFamilies"]);
  for (const ip of textsIn(spec["clusterIPs"]).slice(first)) {
    const why = requestedProblem(ip, context);
    if (why === undefined) continue;
    // As the real server shows the list: with one entry per family.
    const shown = families.map((_, index) => listOf(spec["clusterIPs"])[index] ?? "");
    return [invalid("spec.clusterIPs", shown, `failed to allocate IP ${ip}: ${why}`)];
  }
  return allocateNodePorts(service, old, context);
}

/** The index of the first address that a Service newly requests. */
function firstRequested(spec: Fields, before: Fields | undefined): number {
  if (!hasAddress(spec) || isHeadless(spec)) return Infinity;
  if (before === undefined || !hasAddress(before)) return 0;
  const isUpgraded = listOf(before["ipFamilies"]).length === 1 && listOf(spec["ipFamilies"]).length === 2;
  return isUpgraded && !isHeadless(before) ? 1 : Infinity;
}

/**
 * Allocates the missing addresses of a Service, one per family.
 * @throws StatusError 500 if no address is free; 422 in a dry run if no range is ready.
 */
export function allocate(service: ApiObject, context: StrategyContext): void {
  const spec = child(service, "spec");
  if (!hasAddress(spec)) {
    // As the real server returns it on every read.
    delete spec["internalTrafficPolicy"];
    listAddress(service);
    return;
  }
  const families = textsIn(spec["ipFamilies"]);
  if (isHeadless(spec) || families.length === 0) return;
  const ips = [...listOf(spec["clusterIPs"])];
  for (const [index, family] of families.entries())
    if (textOf(ips[index]) === "") ips[index] = givenTo(service, { family, context });
  spec["clusterIP"] = ips[0];
  spec["clusterIPs"] = ips;
}

/** True if another Service has taken an address or a node port that is new in this write. */
export function isOutrun(allocated: AllocatedObject): boolean {
  const { object, old, context } = allocated;
  const had = textsIn(old?.spec?.["clusterIPs"]);
  const requested = textsIn(object.spec?.["clusterIPs"]).filter((ip) => ip !== "None" && !had.includes(ip));
  return requested.some((ip) => context.addresses.isTaken(canonicalAddress(ip))) || hasTakenPort(allocated);
}

interface Giving {
  readonly family: string;
  readonly context: StrategyContext;
}

function givenTo({ metadata: { name = "" }, spec }: ApiObject, { family, context }: Giving): string {
  const given = nextAddress(family === "IPv6" ? "IPv6" : "IPv4", context);
  switch (given.is) {
    case "address":
      return given.ip;
    case "full":
      throw internal(`failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`);
    case "not ready": {
      const why = "failed to allocate IP: allocator not ready";
      const error = invalid("spec.clusterIPs", listOf(spec?.["clusterIPs"]), why);
      throw invalidObject({ group: "", name: "Service" }, name, [error]);
    }
  }
}
