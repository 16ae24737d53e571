/**
 * The addresses and node ports of Services: what an update keeps, and what they are given.
 * Source: kubernetes v1.36 pkg/registry/core/service/storage/alloc.go, storage.go and strategy.go.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { below, type Random } from "../../platform/random.ts";
import { invalid, type FieldError } from "../field-errors.ts";
import { child, fieldsIn, type ApiObject, type Fields } from "../object.ts";
import type { Surroundings } from "./kind-rules.ts";

const firstNodePort = 30_000;
const nodePorts = 2768;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
/** The items of what may be a list. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** A name for elsewhere has no address here. */
export const hasAddress = (spec: Fields): boolean => spec["type"] !== "ExternalName";
const hasNodePorts = (spec: Fields): boolean => spec["type"] === "NodePort" || spec["type"] === "LoadBalancer";
const isHeadless = (spec: Fields): boolean => deepEqual(spec["clusterIPs"], ["None"]);

const sameAddresses = (now: Fields, before: Fields): boolean =>
  text(now["clusterIP"]) === text(before["clusterIP"]) &&
  deepEqual(listOf(now["clusterIPs"]), listOf(before["clusterIPs"]));

/** Brings a new Service's address and its list of addresses together. */
export function listAddress(service: ApiObject): void {
  const spec = child(service, "spec");
  if (text(spec["clusterIP"]) !== "" && listOf(spec["clusterIPs"]).length === 0)
    spec["clusterIPs"] = [spec["clusterIP"]];
}

/** What a client leaves out of an update stays as it was given, where the new type has it; where not, it goes. */
export function keepGiven(service: ApiObject, old: ApiObject): void {
  const [now, before] = [child(service, "spec"), old.spec ?? {}];
  const both = hasAddress(now) && hasAddress(before);
  if (both && text(now["clusterIP"]) === "" && before["clusterIP"] !== undefined)
    now["clusterIP"] = before["clusterIP"];
  const same = text(now["clusterIP"]) === text(before["clusterIP"]);
  const had = listOf(before["clusterIPs"]);
  if ((both || same) && listOf(now["clusterIPs"]).length === 0 && had.length > 0) now["clusterIPs"] = had;
  // Who knows the single address only changes the list with it.
  if (!same && text(now["clusterIP"]) !== "" && deepEqual(listOf(now["clusterIPs"]), had))
    now["clusterIPs"] = [now["clusterIP"]];
  if (hasAddress(before) && !hasAddress(now)) dropAddresses(now, before);
  if (hasNodePorts(before)) keepNodePorts(now, before);
}

function dropAddresses(now: Fields, before: Fields): void {
  if (sameAddresses(now, before)) {
    delete now["clusterIP"];
    delete now["clusterIPs"];
  }
  for (const key of ["ipFamilies", "ipFamilyPolicy"]) if (deepEqual(now[key], before[key])) delete now[key];
}

const portsOf = (spec: Fields): ReadonlySet<unknown> =>
  new Set(fieldsIn(spec["ports"]).flatMap(({ nodePort }) => ((nodePort ?? 0) === 0 ? [] : [nodePort])));

/** Ports keep their node ports by their names; a type without them lets go of those that nobody changed. */
function keepNodePorts(now: Fields, before: Fields): void {
  const [used, had] = [portsOf(now), portsOf(before)];
  if (!hasNodePorts(now)) {
    const same = used.size === had.size && used.isSubsetOf(had);
    if (same) for (const port of fieldsIn(now["ports"])) delete port["nodePort"];
    return;
  }
  const byName = new Map(fieldsIn(before["ports"]).map((port) => [port["name"], port["nodePort"]]));
  for (const port of fieldsIn(now["ports"])) {
    const known = byName.get(port["name"]);
    if ((port["nodePort"] ?? 0) === 0 && known !== undefined && !used.has(known)) port["nodePort"] = known;
  }
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

/** Gives a Service what it does not have yet: an address, node ports. */
export function allocate(service: ApiObject, { random, takenAddresses, takenNodePorts }: Surroundings): void {
  const spec = child(service, "spec");
  if (!hasAddress(spec)) return;
  if (text(spec["clusterIP"]) === "") spec["clusterIP"] = freeAddress(random, takenAddresses());
  if (listOf(spec["clusterIPs"]).length === 0) spec["clusterIPs"] = [spec["clusterIP"]];
  if (!hasNodePorts(spec) || spec["allocateLoadBalancerNodePorts"] === false) return;
  if (fieldsIn(spec["ports"]).every(({ nodePort }) => (nodePort ?? 0) !== 0)) return;
  const taken = takenNodePorts();
  for (const port of fieldsIn(spec["ports"])) {
    if ((port["nodePort"] ?? 0) === 0) port["nodePort"] = freeNodePort(random, taken);
    taken.add(port["nodePort"]);
  }
}

/** An address of 10.0.0.0/16, as kube-apiserver chooses: at random in the upper part. */
function freeAddress(random: Random, taken: ReadonlySet<unknown>): string {
  for (let attempt = 0; attempt < 65_536; attempt++) {
    const ip = `10.0.${1 + below(random, 254)}.${1 + below(random, 254)}`;
    if (!taken.has(ip)) return ip;
  }
  throw new RangeError("Cannot give an address: all are taken");
}

function freeNodePort(random: Random, taken: ReadonlySet<unknown>): number {
  const start = below(random, nodePorts);
  for (let step = 0; step < nodePorts; step++) {
    const port = firstNodePort + ((start + step) % nodePorts);
    if (!taken.has(port)) return port;
  }
  throw new RangeError("Cannot give a node port: all are taken");
}
