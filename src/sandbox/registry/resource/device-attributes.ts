/** Validates attributes, taints and counters of a device. Source: kubernetes v1.36 pkg/apis/resource/validation/validation.go. */
import { invalid, notSupported, required, tooLong, type FieldError } from "../../meta/field-errors.ts";
import { isFields, textOf, type Fields } from "../../meta/object.ts";
import { labelValueProblems } from "../../../api/label-names.ts";
import { labelNameErrors, neededErrors, qualifiedNameErrors } from "../../validation/checks.ts";
import { manyErrors } from "./lists.ts";

const values = ["bool", "int", "string", "version"];

const longestValue = 64;

const semanticVersion =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

const longErrors = (text: string, field: string): FieldError[] =>
  Buffer.byteLength(text) > longestValue ? [tooLong(field, longestValue)] : [];

/** An attribute: exactly one value, of one of the types. */
export function attributeErrors(value: unknown, field: string): FieldError[] {
  const attribute = isFields(value) ? value : {};
  const [string, version] = [attribute["string"], attribute["version"]];
  const set = values.filter((key) => attribute[key] !== undefined);
  const why = "exactly one value must be specified";
  return [
    ...longErrors(textOf(string), `${field}.string`),
    ...(version === undefined || semanticVersion.test(textOf(version))
      ? []
      : [invalid(`${field}.version`, version, "must be a string compatible with semver.org spec 2.0.0")]),
    ...longErrors(textOf(version), `${field}.version`),
    ...(set.length === 0 ? [invalid(field, "", why)] : []),
    ...(set.length > 1 ? [invalid(field, attribute, why)] : []),
  ];
}

const effects = ["NoExecute", "NoSchedule", "None"];

/** A taint, which keeps claims off a device. */
export function taintErrors({ key, value, effect }: Fields, field: string): FieldError[] {
  const [text, effectText] = [textOf(value), textOf(effect)];
  return [
    ...qualifiedNameErrors(key, `${field}.key`),
    ...labelValueProblems(text).map((problem) => invalid(`${field}.value`, text, problem)),
    ...(effectText === "" ? [required(`${field}.effect`)] : []),
    ...(effectText === "" || effects.includes(effectText)
      ? []
      : [notSupported(`${field}.effect`, effectText, effects)]),
  ];
}

const mostCounters = 32;

/** A named set of counters: what is available, or what a device consumes. `key` is the field with the set's name. */
export const counterSetErrors =
  (key: "name" | "counterSet") =>
  (set: Fields, field: string): FieldError[] => {
    const counters = isFields(set["counters"]) ? Object.keys(set["counters"]) : [];
    const here = `${field}.counters`;
    const many = manyErrors(counters, here, mostCounters);
    return [
      ...neededErrors(set[key], `${field}.${key}`, labelNameErrors),
      ...(counters.length === 0 ? [required(here)] : many),
      ...(many.length > 0 ? [] : counters.sort().flatMap((name) => labelNameErrors(name, here))),
    ];
  };
