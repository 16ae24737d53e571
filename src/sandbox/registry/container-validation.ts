/** What a container must be. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateContainers. */
import { compareQuantities, parseQuantity } from "../../api/quantity.ts";
import { duplicate, invalid, missing, notAllowed, notSupported, required, type FieldError } from "../field-errors.ts";
import { textOf, at, fieldsIn, isFields, type Fields } from "../object.ts";
import { labelProblems } from "./names.ts";

const portRange = "must be between 1 and 65535, inclusive";

function portErrors(port: unknown, field: string): FieldError[] {
  return typeof port === "number" && (port < 1 || port > 65535) ? [invalid(field, port, portRange)] : [];
}

/** What is wrong with the name of a port. */
export function portNameProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push("must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(name))
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(name)) problems.push("must contain at least one letter (a-z)");
  if (name.includes("--")) problems.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

function containerPortErrors(ports: readonly Fields[], field: string): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const here = `${field}[${index}]`;
    const errors: FieldError[] = [];
    const name = textOf(port["name"]);
    if (name !== "") {
      const problems = portNameProblems(name);
      if (problems.length > 0) errors.push(...problems.map((problem) => invalid(`${here}.name`, name, problem)));
      else if (seen.has(name)) errors.push(duplicate(`${here}.name`, name));
      seen.add(name);
    }
    const number = port["containerPort"];
    if (number === undefined || number === 0) errors.push(required(`${here}.containerPort`));
    else errors.push(...portErrors(number, `${here}.containerPort`));
    if (port["hostPort"] !== 0) errors.push(...portErrors(port["hostPort"], `${here}.hostPort`));
    const protocol = textOf(port["protocol"]);
    if (!["SCTP", "TCP", "UDP"].includes(protocol)) {
      errors.push(notSupported(`${here}.protocol`, protocol, ["SCTP", "TCP", "UDP"]));
    }
    return errors;
  });
}

function envErrors(env: readonly Fields[], field: string): FieldError[] {
  return env.flatMap((variable, index) => {
    const here = `${field}[${index}]`;
    const name = textOf(variable["name"]);
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${here}.name`));
    // oxlint-disable-next-line no-control-regex -- what Go's check looks for: printable ASCII without an equals sign
    else if (!/^[\x20-\x3c\x3e-\x7e]+$/.test(name)) {
      errors.push(
        invalid(
          `${here}.name`,
          name,
          "a valid environment variable name must consist only of printable ASCII characters other than '='",
        ),
      );
    }
    const from = variable["valueFrom"];
    if (!isFields(from)) return errors;
    const sources = Object.keys(from).length;
    if (textOf(variable["value"]) !== "" && sources > 0) {
      errors.push(invalid(`${here}.valueFrom`, "", "may not be specified when `value` is not empty"));
    } else if (sources === 0) {
      errors.push(
        invalid(
          `${here}.valueFrom`,
          "",
          "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        ),
      );
    } else if (sources > 1) {
      errors.push(invalid(`${here}.valueFrom`, "", "may not have more than one field specified at a time"));
    }
    return errors;
  });
}

function mountErrors(mounts: readonly Fields[], volumes: ReadonlySet<string>, field: string): FieldError[] {
  const paths = new Set<string>();
  return mounts.flatMap((mount, index) => {
    const here = `${field}[${index}]`;
    const errors: FieldError[] = [];
    const [name, path] = [textOf(mount["name"]), textOf(mount["mountPath"])];
    if (name === "") errors.push(required(`${here}.name`));
    if (!volumes.has(name)) errors.push(missing(`${here}.name`, name));
    if (path === "") errors.push(required(`${here}.mountPath`));
    if (paths.has(path)) errors.push(invalid(`${here}.mountPath`, path, "must be unique"));
    paths.add(path);
    return errors;
  });
}

/** Requests within limits, and none of them negative. */
export function resourceErrors(resources: unknown, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const limits = at(resources, "limits");
  const requests = at(resources, "requests");
  for (const [list, name] of [
    [limits, "limits"],
    [requests, "requests"],
  ] as const) {
    if (!isFields(list)) continue;
    for (const key of Object.keys(list).sort()) {
      const quantity = parseQuantity(textOf(list[key]));
      const here = `${field}.${name}[${key}]`;
      if (!key.includes("/") && !standardResource(key)) {
        errors.push(invalid(here, key, "must be a standard resource type or fully qualified"));
        errors.push(invalid(here, key, "must be a standard resource for containers"));
      }
      if (quantity !== undefined && quantity.nano < 0n) {
        errors.push(invalid(here, textOf(list[key]), "must be greater than or equal to 0"));
      }
      if (name !== "requests" || !isFields(limits)) continue;
      const limit = parseQuantity(textOf(limits[key]));
      if (quantity !== undefined && limit !== undefined && compareQuantities(quantity, limit) > 0) {
        errors.push(
          invalid(
            `${field}.requests`,
            textOf(list[key]),
            `must be less than or equal to ${key} limit of ${textOf(limits[key])}`,
          ),
        );
      }
    }
  }
  return errors;
}

function standardResource(name: string): boolean {
  return ["cpu", "memory", "ephemeral-storage"].includes(name) || name.startsWith("hugepages-");
}

const probeNumbers = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];

function probeErrors(probe: unknown, field: string, onceIsEnough: boolean): FieldError[] {
  if (!isFields(probe)) return [];
  const errors: FieldError[] = [];
  const handlers = ["exec", "httpGet", "tcpSocket", "grpc"].filter((key) => probe[key] !== undefined);
  if (handlers.length === 0) errors.push(required(field, "must specify a handler type"));
  for (const handler of handlers.slice(1)) {
    errors.push(notAllowed(`${field}.${handler}`, "may not specify more than 1 handler type"));
  }
  for (const key of probeNumbers) {
    const value = probe[key];
    if (typeof value === "number" && value < 0)
      errors.push(invalid(`${field}.${key}`, value, "must be greater than or equal to 0"));
  }
  if (onceIsEnough && probe["successThreshold"] !== 1) {
    errors.push(invalid(`${field}.successThreshold`, probe["successThreshold"], "must be 1"));
  }
  return errors;
}

const pullPolicies = ["Always", "IfNotPresent", "Never"];
const messagePolicies = ["File", "FallbackToLogsOnError"];

/** What is wrong with a container of any sort. */
export function containerErrors(container: Fields, volumes: ReadonlySet<string>, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const name = textOf(container["name"]);
  if (name === "") errors.push(required(`${field}.name`));
  else errors.push(...labelProblems(name).map((problem) => invalid(`${field}.name`, name, problem)));
  if (textOf(container["image"]) === "") errors.push(required(`${field}.image`));
  const messages = textOf(container["terminationMessagePolicy"]);
  if (!messagePolicies.includes(messages)) {
    errors.push(notSupported(`${field}.terminationMessagePolicy`, messages, messagePolicies));
  }
  errors.push(
    ...containerPortErrors(fieldsIn(container["ports"]), `${field}.ports`),
    ...envErrors(fieldsIn(container["env"]), `${field}.env`),
    ...mountErrors(fieldsIn(container["volumeMounts"]), volumes, `${field}.volumeMounts`),
  );
  const policy = textOf(container["imagePullPolicy"]);
  if (!pullPolicies.includes(policy)) errors.push(notSupported(`${field}.imagePullPolicy`, policy, pullPolicies));
  return [
    ...errors,
    ...resourceErrors(container["resources"], `${field}.resources`),
    ...resizePolicyErrors(fieldsIn(container["resizePolicy"]), `${field}.resizePolicy`),
  ];
}

const resizable = ["cpu", "memory"];
const resizePolicies = ["NotRequired", "RestartContainer"];

function resizePolicyErrors(policies: readonly Fields[], field: string): FieldError[] {
  const seen = new Set<string>();
  return policies.flatMap((policy, index) => {
    const [name, restart] = [textOf(policy["resourceName"]), textOf(policy["restartPolicy"])];
    const errors = seen.has(name) ? [duplicate(`${field}[${index}]`, name)] : [];
    seen.add(name);
    for (const [value, values] of [
      [name, resizable],
      [restart, resizePolicies],
    ] as const) {
      if (value === "") errors.push(required(field));
      else if (!values.includes(value)) errors.push(notSupported(field, value, values));
    }
    return errors;
  });
}

/** A port of the host is taken once. */
function hostPortErrors(containers: readonly Fields[], field: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    fieldsIn(container["ports"]).flatMap(({ hostPort, hostIP, protocol }, at) => {
      if (typeof hostPort !== "number" || hostPort === 0) return [];
      const port = `${textOf(protocol)}/${textOf(hostIP)}/${hostPort}`;
      if (taken.has(port)) return [duplicate(`${field}[${index}].ports[${at}].hostPort`, port)];
      taken.add(port);
      return [];
    }),
  );
}

/** The regular containers of a pod; `volumes` are the names of its volumes. */
export function containersErrors(
  containers: readonly Fields[],
  volumes: ReadonlySet<string>,
  field: string,
): FieldError[] {
  if (containers.length === 0) return [required(field)];
  const seen = new Set<string>();
  const errorsOfEach = containers.flatMap((container, index) => {
    const here = `${field}[${index}]`;
    const errors = containerErrors(container, volumes, here);
    const name = textOf(container["name"]);
    if (seen.has(name)) errors.push(duplicate(`${here}.name`, name));
    seen.add(name);
    return [
      ...errors,
      ...probeErrors(container["livenessProbe"], `${here}.livenessProbe`, true),
      ...probeErrors(container["readinessProbe"], `${here}.readinessProbe`, false),
      ...probeErrors(container["startupProbe"], `${here}.startupProbe`, true),
    ];
  });
  return [...errorsOfEach, ...hostPortErrors(containers, field)];
}

/** The init containers, whose names are none of the regular ones. */
export function initContainerErrors(spec: Fields, volumes: ReadonlySet<string>, field: string): FieldError[] {
  const regular = new Set(fieldsIn(spec["containers"]).map((container) => container["name"]));
  const seen = new Set<unknown>();
  return fieldsIn(spec["initContainers"]).flatMap((container, index) => {
    const here = `${field}[${index}]`;
    const errors = containerErrors(container, volumes, here);
    const { name, restartPolicy } = container as { name?: unknown; restartPolicy?: unknown };
    if (regular.has(name) || seen.has(name)) errors.push(duplicate(`${here}.name`, name));
    seen.add(name);
    // Each is looked at alone, as if it were the first.
    errors.push(...hostPortErrors([container], field));
    if (restartPolicy === "Always") return errors;
    for (const [at, policy] of fieldsIn(container["resizePolicy"]).entries()) {
      if (policy["restartPolicy"] !== "RestartContainer") continue;
      const why = "must not be set to 'RestartContainer' for non-sidecar initContainers";
      errors.push(invalid(`${here}.resizePolicy[${at}].restartPolicy`, "RestartContainer", why));
    }
    for (const key of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]) {
      if (container[key] !== undefined) {
        errors.push(notAllowed(`${here}.${key}`, "may not be set for init containers without restartPolicy=Always"));
      }
    }
    return errors;
  });
}
