/** ResourceQuotas. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go, pkg/apis/core/helper. */
import { compareQuantities, formatQuantity, parseQuantity } from "../../../api/quantity.ts";
import { deepEqual } from "../../../api/field-changes.ts";
import { invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, textsIn, type ApiObject, type Fields } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  boundedResources,
  computeResources,
  countedResources,
  isCounted,
  isHugePagesOfQuota,
  resourceNameErrors,
} from "../../validation/resource-names.ts";
import { quantities, oneUnit } from "./quantity-maps.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const quotaNames = new Set([...computeResources, ...countedResources, ...boundedResources]);

const wholeNumber = "must be an integer";

function amountsErrors(value: unknown, field: string): FieldError[] {
  return quantities(value).flatMap(([name, quantity]) => {
    const here = `${field}[${name}]`;
    const errors = resourceNameErrors(name, here);
    if (!name.includes("/") && !quotaNames.has(name) && !isHugePagesOfQuota(name))
      errors.push(invalid(here, name, "must be a standard resource for quota"));
    const shown = formatQuantity(quantity);
    if (quantity.nano < 0n) errors.push(invalid(here, shown, "must be greater than or equal to 0"));
    if (isCounted(name) && quantity.nano % oneUnit !== 0n) errors.push(invalid(here, shown, wholeNumber));
    return errors;
  });
}

const podComputes = words("pods cpu memory limits.cpu limits.memory requests.cpu requests.memory");

const claimNames = words("persistentvolumeclaims requests.storage");

/** The resources that each scope allows. */
const scopes: Readonly<Record<string, ReadonlySet<string>>> = {
  Terminating: podComputes,
  NotTerminating: podComputes,
  BestEffort: words("pods"),
  NotBestEffort: podComputes,
  PriorityClass: podComputes,
  CrossNamespacePodAffinity: podComputes,
  VolumeAttributesClass: claimNames,
};

function scopeErrors({ spec = {} }: ApiObject): FieldError[] {
  const list = Array.isArray(spec["scopes"]) ? (spec["scopes"] as string[]) : [];
  const hard = isFields(spec["hard"]) ? Object.keys(spec["hard"]).sort() : [];
  const bad = (why: string): FieldError => invalid("spec.scopes", list, why);
  const errors = list.flatMap((scope) => {
    const about = scopes[scope];
    if (about === undefined) return [bad("unsupported scope")];
    return hard
      .filter((name) => (quotaNames.has(name) || isHugePagesOfQuota(name)) && !about.has(name))
      .map(() => bad("unsupported scope applied to resource"));
  });
  for (const scope of ["BestEffort", "Terminating"]) {
    if (list.includes(scope) && list.includes(`Not${scope}`)) errors.push(bad("conflicting scopes"));
  }
  return errors;
}

const existing = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];

const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function operatorErrors({ operator, values }: Fields, field: string): FieldError[] {
  const list = textsIn(values);
  switch (operator) {
    case "In":
    case "NotIn":
      if (list.length > 0) return [];
      return [
        required(`${field}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"),
      ];
    case "Exists":
    case "DoesNotExist":
      if (list.length === 0) return [];
      return [
        invalid(
          `${field}.values`,
          list,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      ];
    default:
      return [invalid(`${field}.operator`, operator ?? "", "not a valid selector operator")];
  }
}

function selectedScopeErrors({ spec = {} }: ApiObject): FieldError[] {
  const field = "spec.scopeSelector.matchExpressions";
  const chosen = fieldsIn(at(spec, "scopeSelector", "matchExpressions"));
  const hard = isFields(spec["hard"]) ? Object.keys(spec["hard"]).sort() : [];
  const errors = chosen.flatMap((requirement) => {
    const scope = textOf(requirement["scopeName"]);
    const about = scopes[scope];
    const others = hard.filter(
      (name) => (quotaNames.has(name) || isHugePagesOfQuota(name)) && about?.has(name) !== true,
    );
    return [
      ...(about === undefined ? [invalid(`${field}.scopeName`, scope, "unsupported scope")] : []),
      ...others.map(() => invalid(field, spec["scopeSelector"], "unsupported scope applied to resource")),
      ...(existing.includes(scope) && requirement["operator"] !== "Exists"
        ? [invalid(`${field}.operator`, requirement["operator"] ?? "", onlyExists)]
        : []),
      ...operatorErrors(requirement, field),
    ];
  });
  const names = chosen.map(({ scopeName }) => scopeName);
  for (const scope of ["BestEffort", "Terminating"]) {
    if (names.includes(scope) && names.includes(`Not${scope}`))
      errors.push(invalid(field, spec["scopes"] ?? null, "conflicting scopes"));
  }
  return errors;
}

const quotaErrors = (quota: ApiObject): FieldError[] => [
  ...amountsErrors(at(quota, "spec", "hard"), "spec.hard"),
  ...scopeErrors(quota),
  ...selectedScopeErrors(quota),
];

/** Warns about requests above limits. Source: kubernetes v1.36 pkg/registry/core/resourcequota/strategy.go. */
function requestWarnings({ spec }: ApiObject): string[] {
  const hard = spec?.["hard"];
  if (!isFields(hard)) return [];
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((name) => {
    const names = [`requests.${name}`, ...(name === "cpu" || name === "memory" ? [name] : [])];
    const [requested, limited] = [names.find((key) => hard[key] !== undefined), `limits.${name}`];
    if (requested === undefined || hard[limited] === undefined) return [];
    const [request, limit] = [requested, limited].map((key) => parseQuantity(textOf(hard[key])));
    if (request === undefined || limit === undefined || compareQuantities(request, limit) <= 0) return [];
    const [more, less] = [formatQuantity(request), formatQuantity(limit)];
    return [`ResourceQuota ${requested} (${more}) should be less than ${limited} (${less})`];
  });
}

/** ResourceQuotas: their scopes never change. */
export const quotaStrategy: RESTStrategy = restStrategy({
  returnsDeletedObject: true,
  validate: quotaErrors,
  warningsOnCreate: requestWarnings,
  validateUpdate(quota, old) {
    const sorted = ({ spec = {} }: ApiObject): string[] =>
      Array.isArray(spec["scopes"]) ? [...new Set(spec["scopes"] as string[])].sort() : [];
    return deepEqual(sorted(quota), sorted(old))
      ? []
      : [invalid("spec.scopes", quota.spec?.["scopes"] ?? null, "field is immutable")];
  },
  status: {
    validateUpdate: ({ status = {} }) => [
      ...amountsErrors(status["hard"], "status.hard"),
      ...amountsErrors(status["used"], "status.used"),
    ],
  },
});
