/** Shortens the values of a looping field so that they fit on a line and still differ. */
import { masked } from "../../src/trace/mask.ts";
import { shortValue } from "./changes.ts";
import { isObject } from "../../src/api/json.ts";

/** A common prefix of at least this length is cut off. */
const minCommonPrefix = 12;
/** How much of the end of the common prefix is still shown, for context. */
const shownPrefix = 6;

/** A short text for each value, without duplicates. For values that look the same, the part that differs; for masked ones, their number. */
export function valueTexts(values: readonly unknown[]): readonly string[] {
  const texts = values.map(shortValue);
  if (new Set(texts).size === texts.length) return texts;
  if (values.every((value) => value === masked)) return values.map((_, index) => `${masked} ${index + 1}`);
  const apart = values.every(isObject) ? partsApart(values) : values.every(isText) ? endsApart(values) : texts;
  return [...new Set(apart)];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** `reason A`, `reason B`: only the fields that differ. */
function partsApart(values: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const keys = [...new Set(values.flatMap((value) => Object.keys(value)))];
  const differ = keys.filter((key) => new Set(values.map((value) => JSON.stringify(value[key]))).size > 1);
  const telling = differ.filter((key) => !key.endsWith("Time"));
  const shown = (telling.length > 0 ? telling : differ).slice(0, 2);
  return values.map((value) => shown.map((key) => `${key} ${shortValue(value[key])}`).join(", "));
}

/** `…ffix-a`, `…ffix-b`: from shortly before the first difference. */
function endsApart(values: readonly string[]): readonly string[] {
  const [first = "", ...others] = values;
  let alike = 0;
  while (alike < first.length && others.every((other) => other[alike] === first[alike])) alike++;
  if (alike < minCommonPrefix) return values.map(shortValue);
  return values.map((value) => shortValue(`…${value.slice(alike - shownPrefix)}`));
}
