/** Ingresses and their classes. Source: kubernetes v1.36 pkg/apis/networking/validation/validation.go, pkg/registry/networking/ingress. */
import { invalid, notAllowed, notSupported, required, tooLong, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { isAddress } from "../../validation/cidr.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObject, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { subdomainProblems } from "../../../api/label-names.ts";
import { labelProblems, nameRules, portNameProblems } from "../../validation/names.ts";
import { fixed, prefixedPathErrors } from "../../validation/spec-checks.ts";

const because = (problems: readonly string[], field: string, value: string): FieldError[] =>
  problems.map((problem) => invalid(field, value, problem));

const subdomain = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const wildcard = new RegExp(`^\\*\\.${subdomain}$`);
const wildcardProblem = `a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.${subdomain}')`;

function hostProblems(host: string): string[] {
  if (!host.includes("*")) return subdomainProblems(host);
  return wildcard.test(host) ? [] : [wildcardProblem];
}

/** A group, a kind and a name that say what else an object is about. */
function referenceErrors(reference: Fields, field: string): FieldError[] {
  const group = reference["apiGroup"];
  const part = (key: string): FieldError[] => {
    const value = textOf(reference[key]);
    return value === "" ? [required(`${field}.${key}`)] : because(nameRules.segment(value), `${field}.${key}`, value);
  };
  const errors =
    typeof group !== "string" ? [] : because(subdomainProblems(textOf(group)), `${field}.apiGroup`, textOf(group));
  return [...errors, ...part("kind"), ...part("name")];
}

function serviceErrors(service: Fields, field: string): FieldError[] {
  const name = textOf(service["name"]);
  const errors =
    name === "" ? [required(`${field}.service.name`)] : because(labelProblems(name), `${field}.service.name`, name);
  const port = isFields(service["port"]) ? service["port"] : {};
  const [portName, number] = [textOf(port["name"]), Number(port["number"] ?? 0)];
  if (portName !== "" && number !== 0)
    return [...errors, invalid(field, "", "cannot set both port name & port number")];
  if (portName !== "")
    return [...errors, ...because(portNameProblems(portName), `${field}.service.port.name`, portName)];
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
  if (host !== "") errors.push(...because(hostProblems(host), `${field}.host`, host));
  if (!isFields(rule["http"])) return errors;
  const ways = fieldsIn(rule["http"]["paths"]);
  if (ways.length === 0) errors.push(required(`${field}.http.paths`));
  return [...errors, ...ways.flatMap((way, index) => pathErrors(way, `${field}.http.paths[${index}]`))];
}

function tlsErrors(tls: Fields, field: string): FieldError[] {
  const hosts = Array.isArray(tls["hosts"]) ? tls["hosts"].map(textOf) : [];
  const secret = textOf(tls["secretName"]);
  return [
    ...hosts.flatMap((host, index) => because(hostProblems(host), `${field}.hosts[${index}]`, host)),
    ...(secret === "" ? [] : because(subdomainProblems(secret), `${field}.secretName`, secret)),
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
    ...(typeof className === "string" ? because(subdomainProblems(className), "spec.ingressClassName", className) : []),
  ];
}

const classAnnotation = "kubernetes.io/ingress.class";

/** Ingresses. */
export const ingressStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  updateSteps: [validateObjectMetaUpdate, validateChange],
  validate(ingress) {
    // Only new ones are asked whether their two classes are one: the others may have come before there was a field.
    const said = ingress.metadata.annotations?.[classAnnotation];
    const className = ingress.spec?.["ingressClassName"];
    const differs =
      ingress.metadata.generation === 1 && said !== undefined && className !== undefined && said !== className;
    const why = "must match `ingressClassName` when both are specified";
    return [...specErrors(ingress), ...(differs ? [invalid(`annotations.${classAnnotation}`, said, why)] : [])];
  },
  validateUpdate: specErrors,
  warningsOnCreate: (ingress) =>
    ingress.metadata.annotations?.[classAnnotation] !== undefined && ingress.spec?.["ingressClassName"] === undefined
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
});

const longestController = 250;

function controllerErrors(controller: string): FieldError[] {
  const field = "spec.controller";
  const errors = controller.length > longestController ? [tooLong(field, longestController)] : [];
  return [...errors, ...prefixedPathErrors(controller, field)];
}

const scopes = ["Cluster", "Namespace"];

function parameterErrors(parameters: Fields): FieldError[] {
  const field = "spec.parameters";
  const errors = referenceErrors(parameters, field);
  const { scope, namespace } = parameters;
  if (!scopes.includes(textOf(scope))) return [...errors, notSupported(`${field}.scope`, scope, scopes)];
  const there = `${field}.namespace`;
  if (scope === "Cluster") {
    return namespace === undefined ? errors : [...errors, notAllowed(there, "`parameters.scope` is set to 'Cluster'")];
  }
  if (namespace === undefined) return [...errors, required(there, "`parameters.scope` is set to 'Namespace'")];
  return [...errors, ...because(labelProblems(textOf(namespace)), there, textOf(namespace))];
}

/** IngressClasses: their controller never changes. */
export const ingressClassStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  updateSteps: [validateObjectMetaUpdate, validateChange, validateObject],
  validate: ({ spec = {} }) => [
    ...controllerErrors(textOf(spec["controller"])),
    ...(isFields(spec["parameters"]) ? parameterErrors(spec["parameters"]) : []),
  ],
  validateUpdate: (ingressClass, old) =>
    fixed(textOf(ingressClass.spec?.["controller"]), textOf(old.spec?.["controller"]), "spec.controller"),
});
