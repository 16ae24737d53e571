/** Services, but for their addresses. Source: kubernetes v1.36 pkg/registry/core/service, pkg/apis/core/validation. */
import { duplicate, invalid, notAllowed, notSupported, required, type FieldError } from "../field-errors.ts";
import { textOf, at, fieldsIn, type ApiObject, type Fields } from "../object.ts";
import { eachErrors, textsIn } from "./checks.ts";
import { addressErrors, cidrErrors, endpointAddressErrors } from "./cidr.ts";
import type { KindRules } from "./kind-rules.ts";
import { labelErrors } from "./metadata.ts";
import { labelProblems, portNameProblems, subdomainProblems } from "./names.ts";
import { addressChangeErrors, allocate, keepGiven, listAddress, takenErrors } from "./service-addresses.ts";
import { beginAddresses } from "./service-families.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

function portErrors(port: Fields, field: string, several: boolean, names: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  const name = textOf(port["name"]);
  if (several && name === "") errors.push(required(`${field}.name`));
  if (name !== "") {
    errors.push(...labelProblems(name).map((problem) => invalid(`${field}.name`, name, problem)));
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
    names.add(name);
  }
  const number = typeof port["port"] === "number" ? port["port"] : 0;
  if (number < 1 || number > 65535)
    errors.push(invalid(`${field}.port`, number, "must be between 1 and 65535, inclusive"));
  const protocol = textOf(port["protocol"]);
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
  const name = textOf(spec["externalName"]).replace(/\.$/, "");
  if (name === "") return [...errors, required("spec.externalName")];
  return [...errors, ...subdomainProblems(name).map((problem) => invalid("spec.externalName", name, problem))];
}

function warnings({ spec = {} }: ApiObject): string[] {
  const said: string[] = [];
  const headless = spec["type"] === "ClusterIP" && spec["clusterIP"] === "None";
  if (headless && textOf(spec["loadBalancerIP"]) !== "")
    said.push("spec.loadBalancerIP is ignored for headless services");
  if (headless && fieldCount(spec["externalIPs"]) > 0) said.push("spec.externalIPs is ignored for headless services");
  if (headless && spec["sessionAffinity"] !== "None")
    said.push("spec.SessionAffinity is ignored for headless services");
  if (fieldCount(spec["externalIPs"]) > 0 && !headless && spec["type"] !== "ExternalName")
    said.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (spec["type"] === "ExternalName" && fieldCount(spec["externalIPs"]) > 0)
    said.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (spec["type"] !== "ExternalName" && textOf(spec["externalName"]) !== "")
    said.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  return said;
}

const fieldCount = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

function validate(service: ApiObject): FieldError[] {
  const spec = service.spec ?? {};
  const type = textOf(spec["type"]);
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
  const affinity = textOf(spec["sessionAffinity"]);
  if (!["ClientIP", "None"].includes(affinity))
    errors.push(notSupported("spec.sessionAffinity", affinity, ["ClientIP", "None"]));
  errors.push(
    ...eachErrors(textsIn(spec["externalIPs"]), "spec.externalIPs", (address, field) => {
      const problems = addressErrors(address, field);
      return problems.length > 0 ? problems : endpointAddressErrors(address, field);
    }),
  );
  if (!types.includes(type)) errors.push(notSupported("spec.type", type, types));
  const seen = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const key = `${textOf(port["protocol"])} ${String(port["port"])}`;
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
  return [...errors, ...sourceRangeErrors(service)];
}

const rangesKey = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** Who may reach a load balancer: in a field, or in the annotation that was there before it. */
function sourceRangeErrors({ metadata, spec = {} }: ApiObject): FieldError[] {
  const ranges = textsIn(spec["loadBalancerSourceRanges"]).map((range) => range.trim());
  const annotated = metadata.annotations?.[rangesKey];
  const [field, inField] = ["spec.LoadBalancerSourceRanges", ranges.length > 0];
  if (!inField && annotated === undefined) return [];
  const where = inField ? field : `metadata.annotations[${rangesKey}]`;
  const wrong =
    spec["type"] === "LoadBalancer" ? [] : [notAllowed(where, "may only be used when `type` is 'LoadBalancer'")];
  if (inField) return [...wrong, ...eachErrors(ranges, field, cidrErrors)];
  const listed = (annotated ?? "").trim();
  return [...wrong, ...(listed === "" ? [] : listed.split(",").flatMap((range) => cidrErrors(range.trim(), where)))];
}

export const serviceRules: KindRules = {
  updateFirst: true,
  begin(service, old, surroundings) {
    const errors = beginAddresses(service, old);
    return errors.length > 0 ? errors : takenErrors(service, old, surroundings);
  },
  warnings,
  validate,
  validateUpdate: (service, old) => addressChangeErrors(service.spec ?? {}, old.spec ?? {}),
  validateStatus({ spec = {}, status }) {
    const ingress = at(status, "loadBalancer", "ingress");
    if (spec["type"] === "LoadBalancer" || fieldCount(ingress) === 0) return [];
    return [notAllowed("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'")];
  },
  prepareCreate(service) {
    listAddress(service);
    service.status = { loadBalancer: {} };
  },
  allocate,
  prepareUpdate: keepGiven,
};
