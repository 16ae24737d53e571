/**
 * `pods/status`: what a kubelet may write.
 * Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidatePodStatusUpdate, pkg/registry/core/pod/strategy.go.
 */
import { addressOf } from "../../../../api/ip-address.ts";
import {
  duplicate,
  internalError,
  invalid,
  notAllowed,
  required,
  type FieldError,
} from "../../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../../../meta/object.ts";
import {
  eachErrors,
  isNumber,
  labelNameErrors,
  qualifiedNameErrors,
  subdomainErrors,
} from "../../../validation/checks.ts";
import { listedWarnings } from "../../../validation/address-warnings.ts";
import { addressErrors as writtenErrors } from "../../../validation/cidr.ts";
import { fixed } from "../../../validation/spec-checks.ts";
import type { UpdateStrategy } from "../../strategy/rest-strategy.ts";
import { validateChange, validateObjectMetaUpdate } from "../../strategy/validation-steps.ts";
import { resourceHealthErrors } from "./resource-health.ts";

const systemConditions: ReadonlySet<unknown> = new Set(["PodScheduled", "Ready", "Initialized"]);
const whole = "must be a non-negative integer";

const countErrors = (value: unknown, field: string): FieldError[] =>
  isNumber(value) && value < 0 ? [invalid(field, value, whole)] : [];

const conditionErrors = (status: Fields): FieldError[] =>
  eachErrors(fieldsIn(status["conditions"]), "status.conditions", ({ type, observedGeneration }, field) => [
    ...countErrors(observedGeneration, `${field}.observedGeneration`),
    ...(systemConditions.has(type) ? [] : qualifiedNameErrors(type, `${field}.Type`)),
  ]);

function nominationErrors({ spec, status = {} }: ApiObject, old: ApiObject): FieldError[] {
  const field = "status.nominatedNodeName";
  const [now, before] = [textOf(status["nominatedNodeName"]), textOf(old.status?.["nominatedNodeName"])];
  if (now === "" || now === before) return [];
  const errors = subdomainErrors(now, field);
  if (textOf(spec?.["nodeName"]) === "") return errors;
  return [...errors, notAllowed(field, "may not be set on pods that are already bound to a node")];
}

const mayRestart: Readonly<Record<string, (exitCode: number) => boolean>> = {
  Always: () => true,
  OnFailure: (exitCode) => exitCode !== 0,
  Never: () => false,
};

interface Placed {
  readonly container: Fields;
  /** The spec of its pod. */
  readonly spec: Fields;
}

function matchesRule({ exitCodes }: Fields, exitCode: number): boolean {
  const values = at(exitCodes, "values");
  const isListed = Array.isArray(values) && values.includes(exitCode);
  return at(exitCodes, "operator") === "In" ? isListed : at(exitCodes, "operator") === "NotIn" && !isListed;
}

function restarts({ container, spec }: Placed, exitCode: number): boolean {
  const own = mayRestart[textOf(container["restartPolicy"])];
  if (own !== undefined) {
    const rule = fieldsIn(container["restartPolicyRules"]).find((each) => matchesRule(each, exitCode));
    return rule !== undefined || own(exitCode);
  }
  return (mayRestart[textOf(spec["restartPolicy"])] ?? mayRestart["Always"])?.(exitCode) ?? true;
}

const restartsAll = (container: Fields): boolean =>
  fieldsIn(container["restartPolicyRules"]).some(({ action }) => action === "RestartAllContainers");

/** A terminated container may run again only if its restart policy allows it. */
function transitionErrors({ spec = {}, status = {} }: ApiObject, old: ApiObject): FieldError[] {
  const lists = [
    ["containerStatuses", "containers"],
    ["initContainerStatuses", "initContainers"],
    ["ephemeralContainerStatuses", undefined],
  ] as const;
  const hasEnded = (container: Fields): boolean => isFields(at(container, "state", "terminated"));
  if (!lists.some(([statuses]) => fieldsIn(old.status?.[statuses]).some(hasEnded))) return [];
  const anyRestarts = ["containers", "initContainers"].some((list) => fieldsIn(spec[list]).some(restartsAll));
  return lists.flatMap(([statuses, list]) => {
    if (list !== undefined && anyRestarts) return [];
    const containers = list === undefined ? [] : fieldsIn(spec[list]);
    return fieldsIn(old.status?.[statuses]).flatMap((before, index) => {
      const ended = at(before, "state", "terminated");
      const now = fieldsIn(status[statuses]).find(({ name }) => name === before["name"]);
      if (!isFields(ended) || now === undefined || hasEnded(now)) return [];
      const container = containers.find(({ name }) => name === before["name"]);
      const exitCode = isNumber(ended["exitCode"]) ? ended["exitCode"] : 0;
      if (container !== undefined && restarts({ container, spec }, exitCode)) return [];
      return [notAllowed(`status.${statuses}[${index}].state`, "may not be transitioned to non-terminated state")];
    });
  });
}

function claimErrors({ spec = {}, status = {} }: ApiObject): FieldError[] {
  if (status["resourceClaimStatuses"] === undefined) return [];
  const claims = new Set(fieldsIn(spec["resourceClaims"]).map(({ name }) => name));
  const seen = new Set<unknown>();
  return eachErrors(fieldsIn(status["resourceClaimStatuses"]), "status.resourceClaimStatuses", (claim, field) => {
    const [name, own] = [textOf(claim["name"]), claim["resourceClaimName"]];
    const errors = claims.has(name)
      ? []
      : [invalid(`${field}.name`, name, "must match the name of an entry in `spec.resourceClaims`")];
    if (seen.has(name)) errors.push(duplicate(`${field}.name`, name));
    seen.add(name);
    return own === undefined ? errors : [...errors, ...subdomainErrors(own, `${field}.resourceClaimName`)];
  });
}

const noContainer = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
const noResource =
  "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";

function extendedClaimErrors({ spec = {}, status = {} }: ApiObject): FieldError[] {
  const claim = status["extendedResourceClaimStatus"];
  const field = "status.extendedResourceClaimStatus";
  if (!isFields(claim)) return [];
  const containers = [...fieldsIn(spec["initContainers"]), ...fieldsIn(spec["containers"])];
  const mappings = fieldsIn(claim["requestMappings"]);
  const seen = new Set<string>();
  const errors =
    mappings.length === 0 ? [required(`${field}.requestMappings`, "at least one request mapping is required")] : [];
  for (const [index, mapping] of mappings.entries()) {
    const here = `${field}.requestMappings[${index}]`;
    const names = ["containerName", "resourceName", "requestName"].map((key) => textOf(mapping[key]));
    const [containerName = "", resourceName = "", requestName = ""] = names;
    const container = containers.findLast(({ name }) => name === containerName);
    if (container === undefined) errors.push(invalid(`${here}.containerName`, containerName, noContainer));
    else if (at(container, "resources", "requests", resourceName) === undefined)
      errors.push(invalid(`${here}.resourceName`, resourceName, noResource));
    errors.push(...labelNameErrors(requestName, `${field}.requestName`));
    if (seen.has(names.join("/")))
      for (const [place, key] of ["containerName", "resourceName", "requestName"].entries())
        errors.push(duplicate(`${here}.${key}`, names[place]));
    seen.add(names.join("/"));
  }
  const name = textOf(claim["resourceClaimName"]);
  const nameField = `${field}.resourceClaimName`;
  return [...errors, ...(name === "" ? [required(nameField)] : subdomainErrors(name, nameField))];
}

/** The new status and the old one. */
interface Statuses {
  readonly status: Fields;
  readonly old: Fields;
}

/** Validates addresses, except for unchanged ones. */
function addressErrors({ status, old }: Statuses, key: "podIPs" | "hostIPs"): FieldError[] {
  const field = `status.${key}`;
  const addresses = fieldsIn(status[key]);
  const ips = addresses.map(({ ip }) => textOf(ip));
  const had = fieldsIn(old[key]).map(({ ip }) => textOf(ip));
  const errors = ips.flatMap((ip, index) => (had.includes(ip) ? [] : writtenErrors(ip, `${field}[${index}]`)));
  if (ips.length < 2) return errors;
  const families = ips.map((ip) => addressOf(ip)?.bits);
  const wrong = families.indexOf(undefined);
  if (wrong >= 0) {
    const why = `failed to check for dual stack with error:invalid IP[${wrong}]: ${ips[wrong] ?? ""}`;
    errors.push(internalError(field, why));
  }
  if (wrong < 0 && new Set(families).size === 2 && ips.length === 2) return errors;
  const shown = addresses.map(({ ip }) => ({ IP: textOf(ip) }));
  return [...errors, invalid(field, shown, "may specify no more than one IP for each IP family")];
}

function hostErrors({ status, old }: Statuses): FieldError[] {
  const [first] = fieldsIn(status["hostIPs"]);
  if (first === undefined) return [];
  const isSame = textOf(status["hostIP"]) === textOf(first["ip"]);
  return [
    ...(isSame ? [] : [invalid("status.hostIPs[0].ip", textOf(first["ip"]), "must be equal to `hostIP`")]),
    ...addressErrors({ status, old }, "hostIPs"),
  ];
}

const mostId = 2_147_483_647;

function userErrors({ spec = {}, status = {} }: ApiObject): FieldError[] {
  const os = textOf(at(spec, "os", "name")) || "linux";
  return ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"].flatMap((list) =>
    eachErrors(fieldsIn(status[list]), `status.${list}`, (container, field) => {
      const linux = at(container, "user", "linux");
      if (!isFields(linux)) return [];
      const here = `${field}.user.linux`;
      if (os === "windows") return [notAllowed(here, "cannot be set for a windows pod")];
      const idErrors = (value: unknown, place: string): FieldError[] =>
        isNumber(value) && (value < 0 || value > mostId)
          ? [invalid(place, value, `must be between 0 and ${mostId}, inclusive`)]
          : [];
      const groups: readonly unknown[] = Array.isArray(linux["supplementalGroups"]) ? linux["supplementalGroups"] : [];
      return [
        ...idErrors(linux["uid"], `${here}.uid`),
        ...idErrors(linux["gid"], `${here}.gid`),
        ...groups.flatMap((group, index) => idErrors(group, `${here}.supplementalGroups[${index}]`)),
      ];
    }),
  );
}

function statusErrors(pod: ApiObject, old: ApiObject): FieldError[] {
  const [status, before] = [pod.status ?? {}, old.status ?? {}];
  return [
    ...conditionErrors(status),
    ...nominationErrors(pod, old),
    ...countErrors(status["observedGeneration"], "status.observedGeneration"),
    ...fixed(textOf(status["qosClass"]), textOf(before["qosClass"]), "status.qosClass"),
    ...transitionErrors(pod, old),
    ...claimErrors(pod),
    ...extendedClaimErrors(pod),
    ...addressErrors({ status, old: before }, "podIPs"),
    ...hostErrors({ status, old: before }),
    ...userErrors(pod),
    ...resourceHealthErrors(pod),
  ];
}

/** Keeps fields that a client omits from a status: the QoS class and observed generations. */
function keepObserved(pod: ApiObject, old: ApiObject): void {
  const [status, before] = [{ ...pod.status }, old.status ?? {}];
  for (const key of ["qosClass", "observedGeneration"])
    if ((status[key] ?? "") === "" && before[key] !== undefined) status[key] = before[key];
  pod.status = status;
  const had = [...fieldsIn(before["conditions"])];
  const conditions = fieldsIn(status["conditions"]);
  if (conditions.length === 0 || !had.some(({ observedGeneration }) => isNumber(observedGeneration))) return;
  status["conditions"] = conditions.map((condition) => {
    const same = had.findIndex(({ type }) => type === condition["type"]);
    // Pairs each condition once: there may be several of one type.
    const [earlier] = same < 0 ? [] : had.splice(same, 1);
    const generation = earlier?.["observedGeneration"];
    return generation === undefined || isNumber(condition["observedGeneration"])
      ? condition
      : { ...condition, observedGeneration: generation };
  });
}

/** `pods/status`: owners do not change; the spec is ignored. */
export const podStatusStrategy: Partial<UpdateStrategy> = {
  resetFields: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]],
  updateSteps: [validateObjectMetaUpdate, validateChange],
  prepareForUpdate: keepObserved,
  validateUpdate: statusErrors,
  warningsOnUpdate: ({ status }) =>
    ["podIPs", "hostIPs"].flatMap((key) => listedWarnings(status?.[key], (index) => `status.${key}[${index}].ip`)),
};
