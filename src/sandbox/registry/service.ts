/** Services and the addresses they are given. Source: kubernetes v1.36 pkg/registry/core/service, pkg/apis/core/validation. */
import { below, type Random } from "../../platform/random.ts";
import { deepEqual } from "../../api/field-changes.ts";
import { duplicate, invalid, notAllowed, notSupported, required, type FieldError } from "../field-errors.ts";
import { at, child, fieldsIn, type ApiObject, type Fields } from "../object.ts";
import type { KindRules, Surroundings } from "./kind-rules.ts";
import { labelErrors } from "./metadata.ts";
import { labelProblems, portNameProblems, subdomainProblems } from "./names.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const firstNodePort = 30_000;
const nodePorts = 2768;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function portErrors(port: Fields, field: string, several: boolean, names: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  const name = text(port["name"]);
  if (several && name === "") errors.push(required(`${field}.name`));
  if (name !== "") {
    errors.push(...labelProblems(name).map((problem) => invalid(`${field}.name`, name, problem)));
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
    names.add(name);
  }
  const number = typeof port["port"] === "number" ? port["port"] : 0;
  if (number < 1 || number > 65535)
    errors.push(invalid(`${field}.port`, number, "must be between 1 and 65535, inclusive"));
  const protocol = text(port["protocol"]);
  if (!["SCTP", "TCP", "UDP"].includes(protocol)) {
    errors.push(notSupported(`${field}.protocol`, protocol, ["SCTP", "TCP", "UDP"]));
  }
  const target = port["targetPort"];
  if (typeof target === "number" && (target < 1 || target > 65535)) {
    errors.push(invalid(`${field}.targetPort`, target, "must be between 1 and 65535, inclusive"));
  }
  if (typeof target === "string")
    errors.push(...portNameProblems(target).map((problem) => invalid(`${field}.targetPort`, target, problem)));
  return errors;
}

/** A name for elsewhere has no addresses here. */
function externalErrors(spec: Fields): FieldError[] {
  const errors = ["clusterIPs", "ipFamilies", "ipFamilyPolicy"]
    .filter((key) => spec[key] !== undefined)
    .map((key) => notAllowed(`spec.${key}`, "may not be set for ExternalName services"));
  const name = text(spec["externalName"]).replace(/\.$/, "");
  if (name === "") return [...errors, required("spec.externalName")];
  return [...errors, ...subdomainProblems(name).map((problem) => invalid("spec.externalName", name, problem))];
}

/** An address that is asked for is one. */
function addressErrors({ spec = {} }: ApiObject): FieldError[] {
  const address = text(spec["clusterIP"]);
  if (spec["type"] === "ExternalName" || address === "" || address === "None" || /^[\d.]+$|:/.test(address)) return [];
  const why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
  return [invalid("spec.clusterIPs[0]", address, why)];
}

function warnings({ spec = {} }: ApiObject): string[] {
  const said: string[] = [];
  const headless = spec["type"] === "ClusterIP" && spec["clusterIP"] === "None";
  if (headless && text(spec["loadBalancerIP"]) !== "")
    said.push("spec.loadBalancerIP is ignored for headless services");
  if (headless && fieldCount(spec["externalIPs"]) > 0) said.push("spec.externalIPs is ignored for headless services");
  if (headless && spec["sessionAffinity"] !== "None")
    said.push("spec.SessionAffinity is ignored for headless services");
  if (fieldCount(spec["externalIPs"]) > 0 && !headless && spec["type"] !== "ExternalName")
    said.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (spec["type"] === "ExternalName" && fieldCount(spec["externalIPs"]) > 0)
    said.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (spec["type"] !== "ExternalName" && text(spec["externalName"]) !== "")
    said.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  return said;
}

const fieldCount = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

function validate(service: ApiObject): FieldError[] {
  const spec = service.spec ?? {};
  const type = text(spec["type"]);
  const ports = fieldsIn(spec["ports"]);
  const headless = spec["clusterIP"] === "None";
  const errors: FieldError[] = [];
  if (ports.length === 0 && !headless && type !== "ExternalName") errors.push(required("spec.ports"));
  if (headless && (type === "LoadBalancer" || type === "NodePort")) {
    errors.push(invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`));
  }
  if (type === "ExternalName") errors.push(...externalErrors(spec));
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    errors.push(...portErrors(port, `spec.ports[${index}]`, ports.length > 1, names));
  }
  errors.push(...labelErrors(spec["selector"], "spec.selector"));
  const affinity = text(spec["sessionAffinity"]);
  if (!["ClientIP", "None"].includes(affinity))
    errors.push(notSupported("spec.sessionAffinity", affinity, ["ClientIP", "None"]));
  if (!types.includes(type)) errors.push(notSupported("spec.type", type, types));
  const seen = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const key = `${text(port["protocol"])} ${String(port["port"])}`;
    if (seen.has(key)) {
      // As Go prints its own type.
      const { protocol, port: number } = port as { protocol?: unknown; port?: unknown };
      errors.push(
        duplicate(`spec.ports[${index}]`, {
          Name: "",
          Protocol: protocol,
          AppProtocol: null,
          Port: number,
          TargetPort: 0,
          NodePort: 0,
        }),
      );
    }
    seen.add(key);
  }
  return errors;
}

function validateUpdate(service: ApiObject, old: ApiObject): FieldError[] {
  const [now, before] = [service.spec ?? {}, old.spec ?? {}];
  if (before["type"] === "ExternalName" || now["type"] === "ExternalName") return [];
  if (deepEqual(now["clusterIPs"], before["clusterIPs"]) || before["clusterIP"] === undefined) return [];
  return [invalid("spec.clusterIPs[0]", now["clusterIPs"] ?? null, "may not change once set")];
}

function freeNodePort(random: Random, taken: ReadonlySet<unknown>): number {
  const start = below(random, nodePorts);
  for (let step = 0; step < nodePorts; step++) {
    const port = firstNodePort + ((start + step) % nodePorts);
    if (!taken.has(port)) return port;
  }
  throw new RangeError("Cannot give a node port: all are taken");
}

/** Gives a Service what it does not have yet: addresses, families, node ports. */
export function allocate(service: ApiObject, { random, takenAddresses, takenNodePorts }: Surroundings): void {
  const spec = child(service, "spec");
  const { type } = spec as { type?: unknown };
  if (type === "ExternalName") return;
  const given = text(spec["clusterIP"]);
  const ip = given === "" ? freeAddress(random, takenAddresses()) : given;
  spec["clusterIP"] = ip;
  spec["clusterIPs"] = [ip];
  const selectorless = ip === "None" && Object.keys((spec["selector"] as object | undefined) ?? {}).length === 0;
  spec["ipFamilies"] ??= selectorless ? ["IPv4", "IPv6"] : ["IPv4"];
  spec["ipFamilyPolicy"] ??= selectorless ? "RequireDualStack" : "SingleStack";
  if (type !== "NodePort" && type !== "LoadBalancer") return;
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

/** What a client leaves out of an update stays as it was given. */
function keepAllocated(service: ApiObject, old: ApiObject): void {
  const [now, before] = [child(service, "spec"), old.spec ?? {}];
  if (now["type"] === "ExternalName") {
    for (const key of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]) delete now[key];
    return;
  }
  for (const key of ["clusterIP", "ipFamilies", "ipFamilyPolicy"])
    if ((now[key] ?? "") === "" && before[key] !== undefined) now[key] = before[key];
  if (now["clusterIP"] !== undefined && (now["clusterIPs"] === undefined || now["clusterIP"] !== before["clusterIP"])) {
    now["clusterIPs"] = [now["clusterIP"]];
  }
  const ports = fieldsIn(before["ports"]);
  for (const port of fieldsIn(now["ports"])) {
    const known = ports.find((other) => other["port"] === port["port"] && other["protocol"] === port["protocol"]);
    if (now["type"] !== "ClusterIP" && (port["nodePort"] ?? 0) === 0 && known !== undefined)
      port["nodePort"] = known["nodePort"];
    if (now["type"] === "ClusterIP" && known?.["nodePort"] === port["nodePort"]) delete port["nodePort"];
  }
}

export const serviceRules: KindRules = {
  updateFirst: true,
  checkFirst: addressErrors,
  warnings,
  validate,
  validateUpdate,
  validateStatus({ spec = {}, status }) {
    const ingress = at(status, "loadBalancer", "ingress");
    if (spec["type"] === "LoadBalancer" || fieldCount(ingress) === 0) return [];
    return [notAllowed("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'")];
  },
  prepareCreate(service) {
    const spec = child(service, "spec");
    if (text(spec["clusterIP"]) !== "") spec["clusterIPs"] ??= [spec["clusterIP"]];
    service.status = { loadBalancer: {} };
  },
  allocate,
  prepareUpdate: keepAllocated,
};
