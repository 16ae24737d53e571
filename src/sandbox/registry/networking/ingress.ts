/** Ingresses. Source: kubernetes v1.36 pkg/apis/networking/validation/validation.go, pkg/registry/networking/ingress. */
import { invalid, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { balancerErrors, balancerWarnings } from "../../validation/balancer.ts";
import { isAddress } from "../../validation/cidr.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMeta, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { subdomainProblems } from "../../../api/label-names.ts";
import { labelProblems, portNameProblems } from "../../validation/names.ts";
import { problemErrors, referenceErrors } from "./references.ts";

const subdomain = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

const wildcard = new RegExp(`^\\*\\.${subdomain}$`);

const wildcardProblem = `a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.${subdomain}')`;

function hostProblems(host: string): string[] {
  if (!host.includes("*")) return subdomainProblems(host);
  return wildcard.test(host) ? [] : [wildcardProblem];
}

function serviceErrors(service: Fields, field: string): FieldError[] {
  const name = textOf(service["name"]);
  const errors =
    name === ""
      ? [required(`${field}.service.name`)]
      : problemErrors(labelProblems(name), `${field}.service.name`, name);
  const port = isFields(service["port"]) ? service["port"] : {};
  const [portName, number] = [textOf(port["name"]), Number(port["number"] ?? 0)];
  if (portName !== "" && number !== 0)
    return [...errors, invalid(field, "", "cannot set both port name & port number")];
  if (portName !== "")
    return [...errors, ...problemErrors(portNameProblems(portName), `${field}.service.port.name`, portName)];
  if (number === 0) return [...errors, required(field, "port name or number is required")];
  if (number >= 1 && number <= 65535) return errors;
  return [...errors, invalid(`${field}.service.port.number`, number, "must be between 1 and 65535, inclusive")];
}

function backendErrors(backend: unknown, field: string): FieldError[] {
  const { resource, service } = isFields(backend) ? backend : ({} as Fields);
  if (isFields(resource) && isFields(service))
    return [invalid(field, "", "cannot set both resource and service backends")];
  if (isFields(resource)) return referenceErrors(resource, `${field}.resource`);
  return isFields(service)
    ? serviceErrors(service, field)
    : [invalid(field, "", "resource or service backend is required")];
}

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

function pathErrors(way: Fields, field: string): FieldError[] {
  const type = way["pathType"];
  if (typeof type !== "string") return [required(`${field}.pathType`, "pathType must be specified")];
  const path = textOf(way["path"]);
  const errors: FieldError[] = [];
  const wrong = (why: string): void => void errors.push(invalid(`${field}.path`, path, why));
  if (!pathTypes.includes(textOf(type))) errors.push(notSupported(`${field}.pathType`, type, pathTypes));
  else if (type === "ImplementationSpecific") {
    if (path !== "" && !path.startsWith("/")) wrong("must be an absolute path");
  } else {
    if (!path.startsWith("/")) wrong("must be an absolute path");
    for (const part of ["//", "/./", "/../", "%2f", "%2F"])
      if (path.includes(part)) wrong(`must not contain '${part}'`);
    for (const end of ["/..", "/."]) if (path.endsWith(end)) wrong(`cannot end with '${end}'`);
  }
  return [...errors, ...backendErrors(way["backend"], `${field}.backend`)];
}

function ruleErrors(rule: Fields, field: string): FieldError[] {
  const host = textOf(rule["host"]);
  const errors = isAddress(host) ? [invalid(`${field}.host`, host, "must be a DNS name, not an IP address")] : [];
  if (host !== "") errors.push(...problemErrors(hostProblems(host), `${field}.host`, host));
  if (!isFields(rule["http"])) return errors;
  const ways = fieldsIn(rule["http"]["paths"]);
  if (ways.length === 0) errors.push(required(`${field}.http.paths`));
  return [...errors, ...ways.flatMap((way, index) => pathErrors(way, `${field}.http.paths[${index}]`))];
}

function tlsErrors(tls: Fields, field: string): FieldError[] {
  const hosts = Array.isArray(tls["hosts"]) ? tls["hosts"].map(textOf) : [];
  const secret = textOf(tls["secretName"]);
  return [
    ...hosts.flatMap((host, index) => problemErrors(hostProblems(host), `${field}.hosts[${index}]`, host)),
    ...(secret === "" ? [] : problemErrors(subdomainProblems(secret), `${field}.secretName`, secret)),
  ];
}

function specErrors({ spec = {} }: ApiObject): FieldError[] {
  const rules = fieldsIn(spec["rules"]);
  const [backend, className] = [spec["defaultBackend"], spec["ingressClassName"]];
  const errors: FieldError[] = [];
  if (rules.length === 0 && backend === undefined) {
    errors.push(invalid("spec", null, "either `defaultBackend` or `rules` must be specified"));
  }
  if (backend !== undefined) errors.push(...backendErrors(backend, "spec.defaultBackend"));
  return [
    ...errors,
    ...rules.flatMap((rule, index) => ruleErrors(rule, `spec.rules[${index}]`)),
    ...fieldsIn(spec["tls"]).flatMap((tls, index) => tlsErrors(tls, `spec.tls[${index}]`)),
    ...(typeof className === "string"
      ? problemErrors(subdomainProblems(className), "spec.ingressClassName", className)
      : []),
  ];
}

const classAnnotation = "kubernetes.io/ingress.class";

/** Ingresses. */
export const ingressStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  updateSteps: [validateObjectMetaUpdate, validateObjectMeta, validateChange],
  validate(ingress) {
    // Only new objects must not set both annotation and field: older ones may predate the field.
    const annotatedClass = ingress.metadata.annotations?.[classAnnotation];
    const className = ingress.spec?.["ingressClassName"];
    const differs =
      ingress.metadata.generation === 1 &&
      annotatedClass !== undefined &&
      className !== undefined &&
      annotatedClass !== className;
    const why = "must match `ingressClassName` when both are specified";
    return [
      ...specErrors(ingress),
      ...(differs ? [invalid(`annotations.${classAnnotation}`, annotatedClass, why)] : []),
    ];
  },
  validateUpdate: specErrors,
  status: {
    validateUpdate: ({ status }, { status: old }) => balancerErrors({ status, old }),
    warningsOnUpdate: balancerWarnings,
  },
  warningsOnCreate: (ingress) =>
    ingress.metadata.annotations?.[classAnnotation] !== undefined && ingress.spec?.["ingressClassName"] === undefined
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
});
