/** Checks that many specs need: counts, amounts, selectors. Source: kubernetes v1.36 pkg/apis/{core,apps}/validation. */
import { deepEqual } from "../../api/field-changes.ts";
import { invalid, notAllowed, required, sortedMap, type FieldError } from "../meta/field-errors.ts";
import { isFields, type Fields } from "../meta/object.ts";
import { labelErrors } from "./metadata.ts";
import { labelKeyProblems, labelValueProblems, subdomainProblems } from "../../api/label-names.ts";

const negative = "must be greater than or equal to 0";

/** Rejects negative numbers in these fields. */
export function negativeErrors(fields: Fields, field: string, ...keys: readonly string[]): FieldError[] {
  return keys.flatMap((key) => {
    const value = fields[key];
    return typeof value === "number" && value < 0 ? [invalid(`${field}.${key}`, value, negative)] : [];
  });
}

/** Validates a label selector. */
export function selectorErrors(selector: Fields, field: string): FieldError[] {
  const errors = labelErrors(selector["matchLabels"], `${field}.matchLabels`);
  const expressions = Array.isArray(selector["matchExpressions"]) ? (selector["matchExpressions"] as unknown[]) : [];
  for (const [index, expression] of expressions.entries()) {
    if (!isFields(expression)) continue;
    const here = `${field}.matchExpressions[${index}]`;
    const { key, operator, values } = expression as { key?: unknown; operator?: unknown; values?: unknown };
    const list = Array.isArray(values) ? (values as string[]) : [];
    switch (operator) {
      case "In":
      case "NotIn":
        if (list.length === 0)
          errors.push(required(`${here}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
        break;
      case "Exists":
      case "DoesNotExist":
        if (list.length > 0)
          errors.push(
            notAllowed(`${here}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
          );
        break;
      default:
        errors.push(invalid(`${here}.operator`, operator ?? "", "not a valid selector operator"));
    }
    const name = typeof key === "string" ? key : "";
    errors.push(...labelKeyProblems(name).map((problem) => invalid(`${here}.key`, name, problem)));
    for (const [at, value] of list.entries()) {
      errors.push(...labelValueProblems(value).map((problem) => invalid(`${here}.values[${at}]`, value, problem)));
    }
  }
  return errors;
}

/** Validates an integer or a percentage, neither of them negative. */
export function amountErrors(value: unknown, field: string): FieldError[] {
  if (typeof value === "number") return value < 0 ? [invalid(field, value, negative)] : [];
  if (typeof value === "string" && !/^\d+%$/.test(value)) {
    return [
      invalid(
        field,
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ),
    ];
  }
  return [];
}

/** True if a value is one of `values`. */
export const isOneOf = (value: unknown, values: readonly string[]): boolean =>
  typeof value === "string" && values.includes(value);

/** The number in an integer or a percentage. */
export const amount = (value: unknown): number =>
  typeof value === "string" ? Number.parseInt(value, 10) || 0 : typeof value === "number" ? value : 0;

/** Rejects a percentage above 100. */
export function tooMuchErrors(value: unknown, field: string): FieldError[] {
  const over = typeof value === "string" && /^\d+%$/.test(value) && amount(value) > 100;
  return over ? [invalid(field, value, "must not be greater than 100%")] : [];
}

/** Rejects a change of a field. */
export function fixed(now: unknown, before: unknown, field: string): FieldError[] {
  return deepEqual(now, before) ? [] : [invalid(field, now ?? null, "field is immutable")];
}

/** A label selector as the real server prints it: labels first, sorted. */
export function printedSelector(selector: unknown): unknown {
  if (!isFields(selector)) return selector ?? null;
  const { matchLabels, matchExpressions, ...rest } = selector;
  return {
    ...(matchLabels === undefined ? {} : { matchLabels: sortedMap(matchLabels) }),
    ...(matchExpressions === undefined ? {} : { matchExpressions }),
    ...rest,
  };
}

/** Rejects a change of a workload's label selector. */
export function fixedSelector(now: unknown, before: unknown): FieldError[] {
  return deepEqual(now, before) ? [] : fixed(printedSelector(now), before, "spec.selector");
}

const pathCharacters = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** A path after a domain name: `acme.io/foo`. Source: apimachinery v0.36 util/validation/validation.go IsDomainPrefixedPath. */
export function prefixedPathErrors(value: string, field: string): FieldError[] {
  if (value === "") return [required(field)];
  const slash = value.indexOf("/");
  const [host, path] = [value.slice(0, Math.max(0, slash)), value.slice(slash + 1)];
  if (host === "" || path === "") {
    return [invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = subdomainProblems(host).map((problem) => invalid(field, host, problem));
  if (pathCharacters.test(path)) return errors;
  const why = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
  return [...errors, invalid(field, path, why)];
}
