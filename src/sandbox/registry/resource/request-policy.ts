/**
 * How much of a device's capacity a request consumes if several share the device.
 * Source: kubernetes v1.36 pkg/apis/resource/validation/validation.go validateRequestPolicy.
 */
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  addQuantities,
  type Quantity,
} from "../../../api/quantity.ts";
import { duplicate, invalid, notAllowed, required, type FieldError } from "../../meta/field-errors.ts";
import { isFields, textOf, textsIn, type Fields } from "../../meta/object.ts";
import { eachErrors, seenBefore } from "../../validation/checks.ts";
import { manyErrors } from "./lists.ts";

const mostOptions = 10;
const billion = 1_000_000_000n;
const nothing: Quantity = { nano: 0n, format: "decimal" };

const quantityOf = (value: unknown): Quantity | undefined =>
  value === undefined || value === null ? undefined : (parseQuantity(textOf(value)) ?? nothing);

/** Go's `Value()`: rounded up. */
function wholeOf({ nano }: Quantity): bigint {
  const down = nano / billion;
  return nano % billion > 0n ? down + 1n : down;
}

const isMore = (a: Quantity, b: Quantity): boolean => compareQuantities(a, b) > 0;

/** Validates the capacity of a device: only a shared one may have a request policy. */
export const capacityErrorsOf =
  (isShared: boolean) =>
  (capacity: Fields, place: string): FieldError[] => {
    const [policy, value] = [capacity["requestPolicy"], capacity["value"]];
    const field = `${place}.requestPolicy`;
    if (!isFields(policy)) return [];
    if (!isShared) return [notAllowed(field, "allowMultipleAllocations must be true")];
    const [range, usual] = [policy["validRange"], policy["default"]];
    const options = textsIn(policy["validValues"]);
    const which = options.length > 0 ? "validValues" : "validRange";
    if (options.length > 0 && isFields(range)) {
      const why = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
      return [notAllowed(field, why)];
    }
    if (options.length === 0 && !isFields(range)) return [];
    const taken = quantityOf(usual);
    if (taken === undefined) return [required(`${field}.default`, `required when ${which} is defined`)];
    const bounds = { field: `${field}.${which}`, most: quantityOf(value) ?? nothing, usual: taken };
    if (isFields(range)) return rangeErrors(range, bounds);
    return optionErrors(
      options.map((text) => quantityOf(text) ?? nothing),
      bounds,
    );
  };

interface Bounds {
  /** The path of the options or of the range. */
  readonly field: string;
  /** The whole capacity. */
  readonly most: Quantity;
  /** The default for requests without an amount. */
  readonly usual: Quantity;
}

function optionErrors(options: readonly Quantity[], { field, most, usual }: Bounds): FieldError[] {
  const unsorted = options.flatMap((option, index) => {
    const next = options[index + 1];
    return next !== undefined && isMore(option, next)
      ? [invalid(`${field}[${index + 1}]`, formatQuantity(next), "values must be sorted in ascending order")]
      : [];
  });
  const isUsual = options.some((option) => compareQuantities(option, usual) === 0);
  const notOne = invalid(field, formatQuantity(usual), "default value is not valid according to the requestPolicy");
  if (options.length > mostOptions) return [...unsorted, ...manyErrors(options, field, mostOptions), notOne];
  const isRepeated = seenBefore();
  const large = `option is larger than capacity value: ${formatQuantity(most)}`;
  return [
    ...unsorted,
    ...eachErrors(options, field, (option, here) =>
      isMore(option, most) ? [invalid(here, formatQuantity(option), large)] : [],
    ),
    ...eachErrors(options, field, (option, here) => {
      const key = String(wholeOf(option));
      return isRepeated(key) ? [duplicate(here, key)] : [];
    }),
    ...(isUsual ? [] : [notOne]),
  ];
}

function rangeErrors(range: Fields, { field, most, usual }: Bounds): FieldError[] {
  const [min, max, step] = ["min", "max", "step"].map((key) => quantityOf(range[key]));
  if (min === undefined) return [required(`${field}.min`, "required when validRange is defined")];
  const errors: FieldError[] = [];
  const check = (isWrong: boolean, wrong: () => FieldError): unknown => isWrong && errors.push(wrong());
  const error =
    (key: string, value: Quantity) =>
    (why: string): FieldError =>
      invalid(`${field}.${key}`, formatQuantity(value), why);
  const large = `is larger than capacity value: ${formatQuantity(most)}`;
  check(isMore(min, most), () => error("min", min)(`min ${large}`));
  check(isMore(min, usual), () => error("min", usual)(`default is less than min: ${formatQuantity(min)}`));
  if (max !== undefined) {
    check(isMore(min, max), () => error("max", min)(`min is larger than max: ${formatQuantity(max)}`));
    check(isMore(max, most), () => error("max", max)(`max ${large}`));
    check(isMore(usual, max), () => error("max", usual)(`default is more than max: ${formatQuantity(max)}`));
  }
  if (step === undefined) return errors;
  const sum = addQuantities(min, step);
  check(isMore(sum, most), () => error("step", step)(`one step ${formatQuantity(sum)} ${large}`));
  const from = `a given step (${formatQuantity(step)}) from (${formatQuantity(min)})`;
  for (const value of max === undefined ? [usual] : [usual, max])
    check(!isReached(value, { min, step }), () => error("step", value)(`value is not a multiple of ${from}`));
  return errors;
}

/** differs: with a step of 0 nothing is reachable, where Go divides by zero and panics. */
function isReached(value: Quantity, { min, step }: { readonly min: Quantity; readonly step: Quantity }): boolean {
  const by = wholeOf(step);
  return by !== 0n && (wholeOf(value) - wholeOf(min)) % by === 0n;
}
