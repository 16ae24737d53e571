/** Validates numbers against a schema. Source: kube-openapi pkg/validation/validate/validator.go numberValidator, values.go. */
import { goNumber } from "../../../meta/json.ts";
import type { JSONSchemaProps } from "../schema/structural.ts";
import { atTop, failed, failedInBody, type Result } from "./result.ts";

/** A schema's restrictions on numbers. */
export interface NumberChecks {
  readonly props: JSONSchemaProps;
  /** `integer`, `number`, or `""` if both or other types are also allowed. */
  readonly type: string;
  readonly format: string;
}

const int32 = { least: -(2 ** 31), most: 2 ** 31 - 1 };

/** True if a number fits the type and format at all. */
function isInRange(value: number, { type, format }: NumberChecks): boolean {
  if (type === "integer") {
    if (!Number.isInteger(value)) return false;
    return format === "int32" ? value >= int32.least && value <= int32.most : Math.abs(value) < 2 ** 63;
  }
  return type !== "number" || format !== "float" || Math.abs(value) <= 3.4028234663852886e38;
}

/** A number under validation. */
export interface NumberAt {
  readonly value: number;
  readonly path: string;
  readonly into: Result;
}

function outOfRange(
  { type, format }: NumberChecks,
  { what, path }: { readonly what: string; readonly path: string },
): string {
  const of = format === "" ? "(default format)" : `with format ${format}`;
  return `${what} value must be of type ${type} ${of} in ${path}`;
}

/** Checks a number; bounds that do not fit the type are errors too. */
export function checkNumber(number: NumberAt, checks: NumberChecks): void {
  const { value, path, into } = number;
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = checks.props;
  if (!isInRange(value, checks)) into.add(atTop(outOfRange(checks, { what: "Checked", path })));
  const bound = (limit: number, what: string): number => {
    if (isInRange(limit, checks)) return Number.isInteger(value) ? Math.trunc(limit) : limit;
    into.add(atTop(outOfRange(checks, { what, path })));
    return limit;
  };
  if (multipleOf !== undefined) checkMultiple(number, bound(multipleOf, "MultipleOf"));
  if (minimum !== undefined) {
    const least = bound(minimum, "Minimum boundary");
    const relation = exclusiveMinimum ? "greater than" : "greater than or equal to";
    if (value < least || (exclusiveMinimum && value === least))
      into.add(failedInBody(number, `should be ${relation} ${goNumber(least)}`));
  }
  if (maximum !== undefined) {
    const most = bound(maximum, "Maximum boundary");
    const relation = exclusiveMaximum ? "less than" : "less than or equal to";
    if (value > most || (exclusiveMaximum && value === most))
      into.add(failedInBody(number, `should be ${relation} ${goNumber(most)}`));
  }
  into.matches++;
}

function checkMultiple(number: NumberAt, factor: number): void {
  const { value, path, into } = number;
  if (factor <= 0) {
    const why = `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`;
    into.add(failed({ path, value: factor }, why));
    return;
  }
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  if (!isNearlyWhole(times)) into.add(failedInBody(number, `should be a multiple of ${goNumber(factor)}`));
}

/** Source: go-openapi/swag convert.go IsFloat64AJSONInteger. */
function isNearlyWhole(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const difference = Math.abs(value - Math.trunc(value));
  return difference < 1e-9;
}
