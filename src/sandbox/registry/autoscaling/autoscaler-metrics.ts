/** Validates the metrics of an autoscaler. Source: kubernetes v1.36 pkg/apis/autoscaling/validation/validation.go. */
import { parseQuantity } from "../../../api/quantity.ts";
import { invalid, notAllowed, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { textOf, isFields, type Fields } from "../../meta/object.ts";
import { labelProblems, nameRules } from "../../validation/names.ts";

const part = (value: unknown): Fields => (isFields(value) ? value : {});

/** A reference to an object by kind, name and version; `anyGroup`: the core group is allowed too. */
export function referenceErrors(reference: unknown, field: string, anyGroup: boolean): FieldError[] {
  const { kind, name, apiVersion } = part(reference);
  const errors: FieldError[] = [];
  for (const [key, value] of [
    ["kind", textOf(kind)],
    ["name", textOf(name)],
  ] as const) {
    if (value === "") errors.push(required(`${field}.${key}`));
    else errors.push(...nameRules.segment(value).map((problem) => invalid(`${field}.${key}`, value, problem)));
  }
  const version = textOf(apiVersion);
  const slashes = version.split("/").length - 1;
  if (slashes > 1) errors.push(invalid(`${field}.apiVersion`, version, `unexpected GroupVersion string: ${version}`));
  else if (!anyGroup && (slashes === 0 || version.startsWith("/")))
    errors.push(invalid(`${field}.apiVersion`, version, "apiVersion must specify API group"));
  return errors;
}

function targetErrors(target: Fields, field: string): FieldError[] {
  const { averageUtilization } = target;
  const type = textOf(target["type"]);
  const errors: FieldError[] = [];
  if (type === "") errors.push(required(`${field}.type`, "must specify a metric target type"));
  if (!["Utilization", "Value", "AverageValue"].includes(type))
    errors.push(invalid(`${field}.type`, type, "must be either Utilization, Value, or AverageValue"));
  for (const key of ["value", "averageValue"]) {
    const value = target[key];
    const quantity = typeof value === "string" ? parseQuantity(value) : undefined;
    if (quantity !== undefined && quantity.nano <= 0n)
      errors.push(invalid(`${field}.${key}`, value, "must be positive"));
  }
  if (typeof averageUtilization === "number" && averageUtilization < 1)
    errors.push(invalid(`${field}.averageUtilization`, averageUtilization, "must be greater than 0"));
  return errors;
}

function identifierErrors(metric: unknown, field: string): FieldError[] {
  const name = textOf(part(metric)["name"]);
  if (name === "") return [required(`${field}.name`, "must specify a metric name")];
  return nameRules.segment(name).map((problem) => invalid(`${field}.name`, name, problem));
}

/** Either a value or a utilization, not both. */
function rawOrUtilization(target: Fields, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined)
    errors.push(required(`${field}.averageUtilization`, "must set either a target raw value or a target utilization"));
  if (averageUtilization !== undefined && averageValue !== undefined)
    errors.push(notAllowed(`${field}.averageValue`, "may not set both a target raw value and a target utilization"));
  return errors;
}

function sourceErrors(key: string, source: Fields, field: string): FieldError[] {
  const target = part(source["target"]);
  const here = `${field}.target`;
  const { value, averageValue } = target;
  const checked = targetErrors(target, here);
  const neither = value === undefined && averageValue === undefined;
  switch (key) {
    case "object":
      return [
        ...referenceErrors(source["describedObject"], `${field}.describedObject`, true),
        ...identifierErrors(source["metric"], `${field}.metric`),
        ...checked,
        ...(neither ? [required(`${here}.averageValue`, "must set either a target value or averageValue")] : []),
      ];
    case "external":
      return [
        ...identifierErrors(source["metric"], `${field}.metric`),
        ...checked,
        ...(neither
          ? [required(`${here}.averageValue`, "must set either a target value for metric or a per-pod target")]
          : []),
        ...(value !== undefined && averageValue !== undefined
          ? [notAllowed(`${here}.value`, "may not set both a target value for metric and a per-pod target")]
          : []),
      ];
    case "pods":
      return [
        ...identifierErrors(source["metric"], `${field}.metric`),
        ...checked,
        ...(averageValue === undefined
          ? [required(`${here}.averageValue`, "must specify a positive target averageValue")]
          : []),
      ];
    default: {
      const errors = textOf(source["name"]) === "" ? [required(`${field}.name`, "must specify a resource name")] : [];
      if (key === "containerResource") {
        const container = textOf(source["container"]);
        if (container === "") errors.push(required(`${field}.container`, "must specify a container"));
        else
          errors.push(...labelProblems(container).map((problem) => invalid(`${field}.container`, container, problem)));
      }
      return [...errors, ...checked, ...rawOrUtilization(target, here)];
    }
  }
}

/** The field of each metric type, in the order in which the real server checks them. */
const sources: readonly (readonly [type: string, key: string])[] = [
  ["Object", "object"],
  ["External", "external"],
  ["Pods", "pods"],
  ["Resource", "resource"],
  ["ContainerResource", "containerResource"],
];

const types = sources.map(([type]) => type).sort();

/** Validates the metrics of a HorizontalPodAutoscaler. */
export function metricErrors(metric: Fields, field: string): FieldError[] {
  const type = textOf(metric["type"]);
  const errors: FieldError[] = [];
  if (type === "") errors.push(required(`${field}.type`, "must specify a metric source type"));
  if (!types.includes(type)) errors.push(notSupported(`${field}.type`, type, types));
  const present = sources.map(([, key]) => key).filter((key) => metric[key] !== undefined);
  const [first] = present;
  if (first !== undefined) errors.push(...sourceErrors(first, part(metric[first]), `${field}.${first}`));
  const expected = sources.find(([known]) => known === type)?.[1];
  if (expected === undefined) errors.push(notSupported(`${field}.type`, type, types));
  else if (metric[expected] === undefined)
    errors.push(required(`${field}.${expected}`, "must populate information for the given metric source"));
  if (present.length === 1) return errors;
  const others = present.filter((key) => key !== expected);
  return [
    ...errors,
    ...others.map((key) => notAllowed(`${field}.${key}`, "must populate the given metric source only")),
  ];
}
