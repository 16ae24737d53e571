/** The values of a field in a loop, shortened so that they fit beside each other and still differ. */
import { masked } from "../../src/trace/mask.ts";
import { shortValue } from "./changes.ts";
import { isObject } from "../../src/api/json.ts";

/** Values that are alike so far are shown from here on. */
const leastAlike = 12;
/** Of what is alike so much is shown, to see where in the value one is. */
const shownAlike = 6;

/** Each value in a few words; of those that look the same the part that differs, of masked ones their number; equal texts once. */
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

/** `reason A`, `reason B`: the fields in which they differ. */
function partsApart(values: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const keys = [...new Set(values.flatMap((value) => Object.keys(value)))];
  const differ = keys.filter((key) => new Set(values.map((value) => JSON.stringify(value[key]))).size > 1);
  const telling = differ.filter((key) => !key.endsWith("Time"));
  const shown = (telling.length > 0 ? telling : differ).slice(0, 2);
  return values.map((value) => shown.map((key) => `${key} ${shortValue(value[key])}`).join(", "));
}

/** `…ffix-a`, `…ffix-b`: from shortly before the place where they differ. */
function endsApart(values: readonly string[]): readonly string[] {
  const [first = "", ...others] = values;
  let alike = 0;
  while (alike < first.length && others.every((other) => other[alike] === first[alike])) alike++;
  if (alike < leastAlike) return values.map(shortValue);
  return values.map((value) => shortValue(`…${value.slice(alike - shownAlike)}`));
}
