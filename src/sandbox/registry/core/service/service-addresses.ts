/**
 * The addresses of Services: what an update keeps, and what they are given.
 * Source: kubernetes v1.36 pkg/registry/core/service/storage/alloc.go, storage.go and strategy.go.
 */
import { deepEqual } from "../../../../api/field-changes.ts";
import { below, type Random } from "../../../../platform/random.ts";
import { invalid, type FieldError } from "../../../meta/field-errors.ts";
import { textOf, child, type ApiObject, type Fields } from "../../../meta/object.ts";
import type { StrategyContext } from "../../strategy/rest-strategy.ts";
import { allocateNodePorts, dropNodePorts, hasNodePorts, keepNodePorts, needsHealthCheck } from "./service-ports.ts";

/** The items of what may be a list. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** A name for elsewhere has no address here. */
export const hasAddress = (spec: Fields): boolean => spec["type"] !== "ExternalName";
const isHeadless = (spec: Fields): boolean => deepEqual(spec["clusterIPs"], ["None"]);

const sameAddresses = (now: Fields, before: Fields): boolean =>
  textOf(now["clusterIP"]) === textOf(before["clusterIP"]) &&
  deepEqual(listOf(now["clusterIPs"]), listOf(before["clusterIPs"]));

/** Brings a new Service's address and its list of addresses together. */
export function listAddress(service: ApiObject): void {
  const spec = child(service, "spec");
  if (textOf(spec["clusterIP"]) !== "" && listOf(spec["clusterIPs"]).length === 0)
    spec["clusterIPs"] = [spec["clusterIP"]];
}

/** What a client leaves out of an update stays as it was given, where the new type has it; where not, it goes. */
export function keepGiven(service: ApiObject, old: ApiObject): void {
  const [now, before] = [child(service, "spec"), old.spec ?? {}];
  const both = hasAddress(now) && hasAddress(before);
  if (both && textOf(now["clusterIP"]) === "" && before["clusterIP"] !== undefined)
    now["clusterIP"] = before["clusterIP"];
  const same = textOf(now["clusterIP"]) === textOf(before["clusterIP"]);
  const had = listOf(before["clusterIPs"]);
  if ((both || same) && listOf(now["clusterIPs"]).length === 0 && had.length > 0) now["clusterIPs"] = had;
  // Who knows the single address only changes the list with it.
  if (!same && textOf(now["clusterIP"]) !== "" && deepEqual(listOf(now["clusterIPs"]), had))
    now["clusterIPs"] = [now["clusterIP"]];
  if (hasAddress(before) && !hasAddress(now)) dropAddresses(now, before);
  keepNodePorts(now, before);
  dropNodePorts(now, before);
  dropUnchanged(now, before);
}

const isBalanced = (spec: Fields): boolean => spec["type"] === "LoadBalancer";
/** True if anything outside of the cluster reaches it. */
export const isReached = (spec: Fields): boolean =>
  hasNodePorts(spec) || (spec["type"] === "ClusterIP" && listOf(spec["externalIPs"]).length > 0);

/** Fields that only some Services have. */
const belonging: readonly { readonly field: string; readonly to: (spec: Fields) => boolean }[] = [
  { field: "healthCheckNodePort", to: needsHealthCheck },
  { field: "allocateLoadBalancerNodePorts", to: isBalanced },
  { field: "loadBalancerClass", to: isBalanced },
  { field: "externalTrafficPolicy", to: isReached },
];

/** A field goes with what it belonged to, unless the client has changed it too. */
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

/** The address of a Service stays, but for one that comes from elsewhere or goes there. */
export function addressChangeErrors(now: Fields, before: Fields): FieldError[] {
  if (!hasAddress(before) || !hasAddress(now) || (isHeadless(now) && isHeadless(before))) return [];
  const [ips, had] = [listOf(now["clusterIPs"]), listOf(before["clusterIPs"])];
  if (ips.length === 0 && had.length > 0)
    return [invalid("spec.clusterIPs[0]", ips, "primary clusterIP can not be unset")];
  if (had.length === 0 || ips[0] === had[0]) return [];
  return [invalid("spec.clusterIPs[0]", ips, "may not change once set")];
}

const ofServer = /^10\.0\.\d+\.\d+$/;

/** A requested address that another Service has, or that is outside the server's range. Also allocates node ports. */
export function takenErrors(service: ApiObject, old: ApiObject | undefined, context: StrategyContext): FieldError[] {
  const [spec, before] = [child(service, "spec"), old?.spec ?? {}];
  const ip = textOf(spec["clusterIP"]);
  const isNew = old === undefined || !hasAddress(before);
  if (hasAddress(spec) && isNew && ip !== "" && ip !== "None") {
    const isTaken = (): boolean => context.takenAddresses().has(ip);
    const why = !ofServer.test(ip) ? outside : isTaken() ? "provided IP is already allocated" : "";
    if (why !== "") return [invalid("spec.clusterIPs", spec["clusterIPs"], `failed to allocate IP ${ip}: ${why}`)];
  }
  return allocateNodePorts(service, old, context);
}

const outside = "the provided network does not match the current range";

/** Gives a Service the address that it does not have yet. */
export function allocate(service: ApiObject, { dryRun, random, takenAddresses }: StrategyContext): void {
  const spec = child(service, "spec");
  if (!hasAddress(spec)) {
    // As the real server shows it whenever it is read.
    delete spec["internalTrafficPolicy"];
    listAddress(service);
    return;
  }
  if (textOf(spec["clusterIP"]) === "") spec["clusterIP"] = dryRun ? dryAddress : freeAddress(random, takenAddresses());
  if (listOf(spec["clusterIPs"]).length === 0) spec["clusterIPs"] = [spec["clusterIP"]];
}

/** What the real server's dry runs give: the first of the range, as nothing is kept. */
const dryAddress = "10.0.0.0";

/** An address of 10.0.0.0/16, as kube-apiserver chooses: at random in the upper part. */
function freeAddress(random: Random, taken: ReadonlySet<unknown>): string {
  for (let attempt = 0; attempt < 65_536; attempt++) {
    const ip = `10.0.${1 + below(random, 254)}.${1 + below(random, 254)}`;
    if (!taken.has(ip)) return ip;
  }
  throw new RangeError("Cannot give an address: all are taken");
}
