/** LimitRanges and ResourceQuotas. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go, pkg/apis/core/helper. */
import { compareQuantities, formatQuantity, parseQuantity, type Quantity } from "../../../api/quantity.ts";
import { deepEqual } from "../../../api/field-changes.ts";
import { duplicate, invalid, notAllowed, required, type FieldError } from "../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { textsIn } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObject, validateObjectMeta } from "../strategy/validation-steps.ts";
import { labelKeyProblems } from "../../../api/label-names.ts";
import {
  boundedResources,
  computeResources,
  containerResourceNameErrors,
  countedResources,
  isCounted,
  isHugePagesOfQuota,
  resourceNameErrors,
} from "../../validation/resource-names.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const quotaNames = new Set([...computeResources, ...countedResources, ...boundedResources]);

const quantities = (value: unknown): [string, Quantity][] =>
  isFields(value)
    ? Object.entries(value).flatMap(([name, text]): [string, Quantity][] => {
        const quantity = parseQuantity(String(text));
        return quantity === undefined ? [] : [[name, quantity]];
      })
    : [];

type Bounds = Record<"min" | "max" | "default" | "defaultRequest", ReadonlyMap<string, Quantity>>;

/** One bound above another: which field is blamed, and what the message calls the two. */
const orders: readonly (readonly [
  low: keyof Bounds,
  high: keyof Bounds,
  field: string,
  blamed: keyof Bounds,
  lowName: string,
  highName: string,
])[] = [
  ["min", "max", "min", "min", "min", "max"],
  ["min", "defaultRequest", "defaultRequest", "defaultRequest", "min", "default request"],
  ["defaultRequest", "max", "defaultRequest", "defaultRequest", "default request", "max"],
  ["defaultRequest", "default", "defaultRequest", "defaultRequest", "default request", "default limit"],
  ["min", "default", "default", "min", "min", "default"],
  ["default", "max", "default", "max", "default", "max"],
];

function orderErrors(name: string, amounts: Bounds, field: string): FieldError[] {
  return orders.flatMap(([low, high, where, blamed, lowName, highName]) => {
    const [small, large] = [amounts[low].get(name), amounts[high].get(name)];
    if (small === undefined || large === undefined || compareQuantities(small, large) <= 0) return [];
    const [smallText, largeText] = [formatQuantity(small), formatQuantity(large)];
    const shown = formatQuantity((blamed === low ? small : large) ?? small);
    const why = `${lowName} value ${smallText} is greater than ${highName} value ${largeText}`;
    return [invalid(`${field}.${where}[${name}]`, shown, why)];
  });
}

/** How much more than it asks for something may take. */
function ratioErrors(
  name: string,
  { amounts, ratio }: { readonly amounts: Bounds; readonly ratio: Quantity | undefined },
  field: string,
): FieldError[] {
  if (ratio === undefined) return [];
  const here = `${field}.maxLimitRequestRatio[${name}]`;
  const shown = formatQuantity(ratio);
  const errors = ratio.nano < oneUnit ? [invalid(here, shown, `ratio ${shown} is less than 1`)] : [];
  const [min, max] = [amounts.min.get(name), amounts.max.get(name)];
  if (min === undefined || max === undefined || min.nano <= 0n) return errors;
  const most = Number(max.nano) / Number(min.nano);
  if (Number(ratio.nano) / Number(oneUnit) <= most) return errors;
  return [...errors, invalid(here, shown, `ratio ${shown} is greater than max/min = ${most.toFixed(6)}`)];
}

const oneUnit = 1_000_000_000n;
const rangeTypes = ["Pod", "Container", "PersistentVolumeClaim"];

function typeErrors(type: string, field: string): FieldError[] {
  const problems = labelKeyProblems(type).map((problem) => invalid(field, type, problem));
  if (problems.length > 0 || type.includes("/") || rangeTypes.includes(type)) return problems;
  return [invalid(field, type, "must be a standard limit type or fully qualified")];
}

function itemErrors(item: Fields, field: string, seen: Set<string>): FieldError[] {
  const type = typeof item["type"] === "string" ? item["type"] : "";
  const errors = typeErrors(type, `${field}.type`);
  if (seen.has(type)) errors.push(duplicate(`${field}.type`, type));
  seen.add(type);
  const named = type === "Pod" || type === "Container" ? containerResourceNameErrors : resourceNameErrors;
  const isPod = type === "Pod";
  const read = (key: keyof Bounds | "maxLimitRequestRatio"): ReadonlyMap<string, Quantity> => {
    if (isPod && key.startsWith("default")) {
      if (quantities(item[key]).length > 0)
        errors.push(notAllowed(`${field}.${key}`, "may not be specified when `type` is 'Pod'"));
      return new Map();
    }
    for (const [name] of quantities(item[key])) errors.push(...named(name, `${field}.${key}[${name}]`));
    return new Map(quantities(item[key]));
  };
  const [max, min, limit, request] = [read("max"), read("min"), read("default"), read("defaultRequest")];
  if (type === "PersistentVolumeClaim" && !min.has("storage") && !max.has("storage")) {
    const why = "either minimum or maximum storage value is required, but neither was provided";
    errors.push(required(`${field}.limits`, why));
  }
  const ratios = read("maxLimitRequestRatio");
  const amounts: Bounds = { min, max, default: limit, defaultRequest: request };
  const names = new Set([...max.keys(), ...min.keys(), ...limit.keys(), ...request.keys(), ...ratios.keys()]);
  return [
    ...errors,
    ...[...names].flatMap((name) => [
      ...orderErrors(name, amounts, field),
      ...ratioErrors(name, { amounts, ratio: ratios.get(name) }, field),
    ]),
  ];
}

/** LimitRanges. */
export const limitRangeStrategy: RESTStrategy = restStrategy({
  allowCreateOnUpdate: true,
  updateSteps: [validateObjectMeta, validateObject, validateChange],
  validate({ spec = {} }) {
    const seen = new Set<string>();
    return fieldsIn(spec["limits"]).flatMap((item, index) => itemErrors(item, `spec.limits[${index}]`, seen));
  },
});

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

/** The resources that each scope can be about. */
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

/** ResourceQuotas: their scopes never change. */
export const quotaStrategy: RESTStrategy = restStrategy({
  returnsDeletedObject: true,
  validate: quotaErrors,
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
