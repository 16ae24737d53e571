/**
 * Connections to the process behind a Service, a pod or a node. Everything before the connection is as in the real server; no processes run
 * here, so the connection itself fails with the real server's error.
 * Source: kubernetes v1.36 pkg/registry/core/{service/storage/storage.go,pod/strategy.go,node/strategy.go} ResourceLocation; apimachinery
 * v0.36 util/proxy.
 */
import { addressOf } from "../../api/ip-address.ts";
import { at, fieldsIn, textOf, type ApiObject } from "../meta/object.ts";
import { badRequest, methodNotAllowed, notFound, refusal, serviceUnavailable } from "../meta/refusal.ts";
import { isGlobalUnicast } from "../validation/cidr.ts";
import { intProblem } from "../meta/numbers.ts";
import type { Steps } from "../meta/steps.ts";
import { collectionOf, type RequestScope } from "../context/server.ts";
import { admitConnection } from "./connect.ts";

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);

/** A path that ends in `proxy` is redirected to the same path with a slash; all other connections fail. */
export interface Moved {
  /** The redirect target: the path, without its query. */
  readonly location: string;
}

/** The parts of `[SCHEME:]NAME[:PORT]`. */
interface Target {
  readonly name: string;
  /** A number, a port name, or empty. */
  readonly port: string;
}

/** @throws StatusError for every path that is not redirected. */
export function* proxied(scope: RequestScope, method: string, path: string): Steps<Moved> {
  if (!methods.has(method)) throw methodNotAllowed();
  yield* admitConnection(scope, path);
  const host = hostOf(scope, targetOf(scope));
  const isRoot = path.endsWith("/proxy");
  if (isRoot && (method === "GET" || method === "HEAD")) return { location: `${path}/` };
  throw serviceUnavailable(`error trying to reach service: dial tcp ${host}: no process runs in this sandbox`);
}

const schemes: ReadonlySet<string> = new Set(["", "http", "https"]);
const singular: Readonly<Record<string, string>> = { services: "service", pods: "pod", nodes: "node" };

/** Source: apimachinery v0.36 util/net/port_split.go SplitSchemeNamePort. @throws StatusError 400. */
function targetOf({ resource, name: id }: RequestScope): Target {
  const parts = id.split(":");
  const [scheme, name, port] = parts.length === 3 ? parts : ["", ...parts];
  if (parts.length <= 3 && name !== undefined && name !== "" && schemes.has(scheme ?? ""))
    return { name, port: port ?? "" };
  throw badRequest(`invalid ${singular[resource.plural] ?? ""} request ${JSON.stringify(id)}`);
}

/** The host that the real server would connect to. @throws StatusError */
function hostOf(scope: RequestScope, target: Target): string {
  switch (scope.resource.plural) {
    case "services":
      return hostOfService(scope, target);
    case "pods":
      return hostOfPod(stored(scope, "pods", target.name), target);
    default:
      return hostOfNode(stored(scope, "nodes", target.name), target);
  }
}

function joined(address: string, port: string): string {
  const host = address.includes(":") ? `[${address}]` : address;
  return port === "" ? host : `${host}:${port}`;
}

function find(scope: RequestScope, plural: string, name: string): ApiObject | undefined {
  const resource = scope.server.registry.find("v1", plural);
  return resource === undefined ? undefined : collectionOf(scope.server, resource).get(scope.namespace, name)?.object;
}

/** @throws StatusError 404, which names the resource of the request, whichever object is missing. */
function stored(scope: RequestScope, plural: string, name: string): ApiObject {
  const object = find(scope, plural, name);
  if (object === undefined) throw notFound(scope.resource.asResource, name);
  return object;
}

function hostOfService(scope: RequestScope, { name, port }: Target): string {
  let portName = port;
  if (intProblem(port) === undefined) {
    const number = BigInt(port.replace("+", ""));
    const ports = fieldsIn(stored(scope, "services", name).spec?.["ports"]);
    const found = ports.find((own) => BigInt(Number(own["port"])) === number);
    if (found === undefined)
      throw serviceUnavailable(`no service port ${number} found for service ${JSON.stringify(name)}`);
    portName = textOf(found["name"]);
  }
  const subsets = fieldsIn(stored(scope, "endpoints", name)["subsets"]);
  const none = subsets.length === 0 ? name : scope.name;
  for (const subset of subsets) {
    const own = fieldsIn(subset["ports"]).find((one) => textOf(one["name"]) === portName);
    const address = fieldsIn(subset["addresses"]).find((one) => isOfPod(scope, one));
    if (own !== undefined && address !== undefined) return joined(textOf(address["ip"]), String(own["port"]));
  }
  throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(none)}`);
}

/** Traffic is forwarded only to pods of the namespace. */
function isOfPod(scope: RequestScope, { ip, targetRef }: Readonly<Record<string, unknown>>): boolean {
  if (textOf(at(targetRef, "namespace")) !== scope.namespace) return false;
  const pod = find(scope, "pods", textOf(at(targetRef, "name")));
  return fieldsIn(pod?.status?.["podIPs"]).some((own) => own["ip"] === ip);
}

function hostOfPod({ spec, status }: ApiObject, { port }: Target): string {
  const declared = fieldsIn(spec?.["containers"]).flatMap(({ ports }) => fieldsIn(ports).slice(0, 1))[0];
  const address = textOf(status?.["podIP"]) || textOf(fieldsIn(status?.["podIPs"])[0]?.["ip"]);
  if (!isGlobalUnicast(address)) throw badRequest("address not allowed");
  return joined(address, port === "" && declared !== undefined ? String(declared["containerPort"]) : port);
}

/** kube-apiserver's default order of preference. */
const addressTypes = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];
const kubeletPort = "10250";

function hostOfNode({ status }: ApiObject, { port }: Target): string {
  const addresses = fieldsIn(status?.["addresses"]);
  const preferred = addressTypes.flatMap((wanted) => addresses.filter(({ type }) => type === wanted));
  const [first] = preferred;
  if (first === undefined) {
    const known = addresses.map(({ type, address }) => `{${textOf(type)} ${textOf(address)}}`).join(" ");
    throw refusal(500, "", `no preferred addresses found; known addresses: [${known}]`);
  }
  const host = textOf(first["address"]);
  // The real server resolves a name; names resolve to nothing here.
  if (addressOf(host) !== undefined && !isGlobalUnicast(host)) throw badRequest("address not allowed");
  const own = at(status, "daemonEndpoints", "kubeletEndpoint", "Port");
  return joined(host, port || (typeof own === "number" && own > 0 ? String(own) : kubeletPort));
}
