/**
 * Node ports of Services: requested and allocated ones.
 * Source: kubernetes v1.36 pkg/registry/core/service/storage/alloc.go, pkg/registry/core/service/portallocator/operation.go.
 */
import { below, type Random } from "../../../../platform/random.ts";
import { invalid, type FieldError } from "../../../meta/field-errors.ts";
import { child, fieldsIn, textOf, type ApiObject, type Fields } from "../../../meta/object.ts";
import { refusal } from "../../../meta/refusal.ts";
import { isNumber } from "../../../validation/checks.ts";
import type { AllocatedObject, StrategyContext } from "../../strategy/rest-strategy.ts";

const firstNodePort = 30_000;
const nodePorts = 2768;
/** Where the real server's dry runs start counting: no port is taken, and any number is valid. */
const beforeDryPorts = 32_768;

/** True for types of Services that may have node ports. */
export const hasNodePorts = ({ type }: Fields): boolean => type === "NodePort" || type === "LoadBalancer";

/** Load balancers may opt out of node ports. */
const needsNodePorts = (spec: Fields): boolean =>
  hasNodePorts(spec) && (spec["type"] === "NodePort" || spec["allocateLoadBalancerNodePorts"] !== false);

/** True for Services that need a health check port. */
export const needsHealthCheck = (spec: Fields): boolean =>
  spec["type"] === "LoadBalancer" && spec["externalTrafficPolicy"] === "Local";

/** The node port of a port; 0 for none. */
export const nodePortOf = ({ nodePort }: Fields): number => (isNumber(nodePort) ? nodePort : 0);
const healthPortOf = ({ healthCheckNodePort: port }: Fields): number => (isNumber(port) ? port : 0);

/** The node ports that a Service has. */
const nodePortsOf = (spec: Fields): Set<number> =>
  new Set(
    fieldsIn(spec["ports"])
      .map(nodePortOf)
      .filter((port) => port !== 0),
  );

/** The ports of one write. */
interface Operation {
  /** Why a port cannot be allocated; undefined if it can. */
  allocate(port: number): string | undefined;
  next(): number;
}

function operation({ dryRun, random, takenNodePorts }: StrategyContext): Operation {
  const given: number[] = [];
  let taken: ReadonlySet<unknown> | undefined;
  const isTaken = (port: number): boolean => (taken ??= takenNodePorts()).has(port) || given.includes(port);
  return {
    allocate(port) {
      if (!dryRun && (port < firstNodePort || port >= firstNodePort + nodePorts))
        return "provided port is not in the valid range. The range of valid ports is 30000-32767";
      if (isTaken(port)) return "provided port is already allocated";
      given.push(port);
      return undefined;
    },
    next() {
      const port = dryRun ? Math.max(beforeDryPorts, ...(given.length > 0 ? [Math.max(...given)] : [])) : 0;
      given.push(dryRun ? port + 1 : freePort(random, isTaken));
      return given.at(-1) ?? 0;
    },
  };
}

/** @throws RangeError if there is none. */
function freePort(random: Random, isTaken: (port: number) => boolean): number {
  const start = below(random, nodePorts);
  for (let step = 0; step < nodePorts; step++) {
    const port = firstNodePort + ((start + step) % nodePorts);
    if (!isTaken(port)) return port;
  }
  throw new RangeError("Cannot give a node port: all are taken");
}

const cannot = (index: number, port: number, why: string): FieldError =>
  invalid(`spec.ports[${index}].nodePort`, port, why);

/** For a new Service: two ports with the same number but different protocols share their node port. */
function firstPorts(spec: Fields, ports: Operation): FieldError[] {
  const ofNumber = new Map<unknown, number>();
  const list = fieldsIn(spec["ports"]);
  for (const [index, port] of list.entries()) {
    if (nodePortOf(port) === 0 && !needsNodePorts(spec)) continue;
    const shared = ofNumber.get(port["port"]);
    if (shared === undefined) {
      const requested = nodePortOf(
        list.find((other) => other["port"] === port["port"] && nodePortOf(other) !== 0) ?? {},
      );
      const why = requested === 0 ? undefined : ports.allocate(requested);
      if (why !== undefined) return [cannot(index, requested, why)];
      port["nodePort"] = requested === 0 ? ports.next() : requested;
      ofNumber.set(port["port"], nodePortOf(port));
    } else if (nodePortOf(port) === 0) port["nodePort"] = shared;
    else if (nodePortOf(port) !== shared) {
      const why = ports.allocate(nodePortOf(port));
      if (why !== undefined) return [cannot(index, nodePortOf(port), why)];
    }
  }
  return [];
}

/** @throws StatusError 500 for a node port that is used twice. */
function laterPorts(spec: Fields, before: Fields, ports: Operation): FieldError[] {
  const had = nodePortsOf(before);
  const seen = new Set<string>();
  const given = new Set<number>();
  for (const [index, port] of fieldsIn(spec["ports"]).entries()) {
    const requested = nodePortOf(port);
    if (requested === 0 && !needsNodePorts(spec)) continue;
    const why = requested === 0 || had.has(requested) || given.has(requested) ? undefined : ports.allocate(requested);
    if (why !== undefined) return [cannot(index, requested, why)];
    port["nodePort"] = requested === 0 ? ports.next() : requested;
    given.add(nodePortOf(port));
    const shown = `{${textOf(port["protocol"])} ${nodePortOf(port)}}`;
    if (seen.has(shown)) throw refusal(500, "", `duplicate nodePort: ${shown}`);
    seen.add(shown);
  }
  return [];
}

/** @throws StatusError 500 for a port that cannot be allocated. */
function healthPort(spec: Fields, ports: Operation): void {
  const requested = healthPortOf(spec);
  if (requested === 0) {
    spec["healthCheckNodePort"] = ports.next();
    return;
  }
  const why = ports.allocate(requested);
  if (why === undefined) return;
  const message = `failed to allocate requested HealthCheck NodePort ${requested}: ${why}`;
  throw refusal(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/**
 * Allocates the node ports that a Service needs, before it is validated. Returns errors for the requested ones.
 * @throws StatusError 500.
 */
export function allocateNodePorts(
  service: ApiObject,
  old: ApiObject | undefined,
  context: StrategyContext,
): FieldError[] {
  const [spec, before] = [child(service, "spec"), old?.spec ?? {}];
  const ports = operation(context);
  const errors = !hasNodePorts(spec)
    ? []
    : old === undefined
      ? firstPorts(spec, ports)
      : laterPorts(spec, before, ports);
  if (errors.length > 0) return errors;
  if (needsHealthCheck(spec) && (old === undefined || !needsHealthCheck(before))) healthPort(spec, ports);
  return [];
}

/** True if another Service has taken a node port that is new in this write. */
export function hasTakenPort({ object, old, context }: AllocatedObject): boolean {
  const [spec, before] = [object.spec ?? {}, old?.spec ?? {}];
  const had = nodePortsOf(before).add(healthPortOf(before));
  const requested = [...nodePortsOf(spec).add(healthPortOf(spec))].filter((port) => port !== 0 && !had.has(port));
  if (requested.length === 0) return false;
  const taken = context.takenNodePorts();
  return requested.some((port) => taken.has(port));
}

/** An update that omits node ports keeps those of ports with the same name. */
export function keepNodePorts(now: Fields, before: Fields): void {
  if (needsNodePorts(now) && needsNodePorts(before)) {
    const used = nodePortsOf(now);
    const byName = new Map(fieldsIn(before["ports"]).map((port) => [textOf(port["name"]), nodePortOf(port)]));
    for (const port of fieldsIn(now["ports"])) {
      const known = byName.get(textOf(port["name"])) ?? 0;
      if (nodePortOf(port) === 0 && known !== 0 && !used.has(known)) port["nodePort"] = known;
    }
  }
  if (needsHealthCheck(now) && needsHealthCheck(before) && healthPortOf(now) === 0)
    now["healthCheckNodePort"] = before["healthCheckNodePort"];
}

/** Drops unchanged node ports if the new type has none. */
export function dropNodePorts(now: Fields, before: Fields): void {
  if (!hasNodePorts(before) || hasNodePorts(now)) return;
  const known = nodePortsOf(before);
  if (![...nodePortsOf(now)].every((port) => known.has(port))) return;
  for (const port of fieldsIn(now["ports"])) delete port["nodePort"];
}
