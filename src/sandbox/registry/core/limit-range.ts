/** LimitRanges. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import { randomUuid } from "../../../platform/random.ts";
import { compareQuantities, formatQuantity, type Quantity } from "../../../api/quantity.ts";
import { duplicate, invalid, notAllowed, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, type Fields } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObject, validateObjectMeta } from "../strategy/validation-steps.ts";
import { labelKeyProblems } from "../../../api/label-names.ts";
import { containerResourceNameErrors, resourceNameErrors } from "../../validation/resource-names.ts";
import { quantities, oneUnit } from "./quantity-maps.ts";

type Bounds = Record<"min" | "max" | "default" | "defaultRequest", ReadonlyMap<string, Quantity>>;

/** Pairs of bounds that must be in order: the field and the value in the error, and the names in its message. */
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

/** The maximum ratio of limit to request. */
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
  prepareForCreate({ metadata }, { random }) {
    if ((metadata.name ?? "") === "") metadata.name = randomUuid(random);
  },
  updateSteps: [validateObjectMeta, validateObject, validateChange],
  validate({ spec = {} }) {
    const seen = new Set<string>();
    return fieldsIn(spec["limits"]).flatMap((item, index) => itemErrors(item, `spec.limits[${index}]`, seen));
  },
});
