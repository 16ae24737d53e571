/**
 * Path elements as in `fieldsV1`: `f:spec`, `k:{"name":"c"}` for an item by its keys, `v:"x"` for an item by its value, `i:0` for one by
 * its index. Source: structured-merge-diff v6 fieldpath/element.go, serialize-pe.go.
 */
import { shown } from "../meta/field-errors.ts";
import { goJson } from "../../api/go-json.ts";
import { isFields, type Fields } from "../meta/object.ts";

/** The element of an item with these keys. */
export function keyElement(keys: Fields): string {
  const names = Object.keys(keys);
  if (names.length > 1) names.sort();
  return `k:{${names.map((name) => `${JSON.stringify(name)}:${goJson(keys[name])}`).join(",")}}`;
}

/** The element of an item of a set. */
export function valueElement(value: unknown): string {
  return `v:${goJson(value)}`;
}

/**
 * Normalizes an element that a client wrote; undefined for an unknown type of element.
 * @throws SyntaxError if it is invalid.
 */
export function readElement(text: string): string | undefined {
  if (text.charAt(1) !== ":") throw new SyntaxError(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text.charAt(0)) {
    case "f":
      return text;
    case "v":
      return valueElement(JSON.parse(rest));
    case "k": {
      const keys: unknown = JSON.parse(rest);
      if (!isFields(keys)) throw new SyntaxError(`no keys: ${text}`);
      return keyElement(keys);
    }
    case "i":
      if (!/^[+-]?\d+$/.test(rest)) throw new SyntaxError(`no number: ${text}`);
      return `i:${Number(rest)}`;
    default:
      return undefined;
  }
}

function keysOf(json: string): Fields {
  const keys: unknown = JSON.parse(json);
  return isFields(keys) ? keys : {};
}

const kinds = "fkvi";

/** The order of path elements: fields, keys, values, indexes. */
export function compareElements(a: string, b: string): number {
  const byKind = kinds.indexOf(a.charAt(0)) - kinds.indexOf(b.charAt(0));
  if (byKind !== 0 || a === b) return byKind;
  const [left, right] = [a.slice(2), b.slice(2)];
  switch (a.charAt(0)) {
    case "f":
      return left < right ? -1 : 1;
    case "k":
      return compareKeys(keysOf(left), keysOf(right));
    default:
      return compareValues(JSON.parse(left), JSON.parse(right));
  }
}

function compareKeys(left: Fields, right: Fields): number {
  const [ours, theirs] = [Object.entries(left), Object.entries(right)];
  for (const [index, [name, value]] of ours.entries()) {
    const other = theirs[index];
    if (other === undefined) return 1;
    if (name !== other[0]) return name < other[0] ? -1 : 1;
    const byValue = compareValues(value, other[1]);
    if (byValue !== 0) return byValue;
  }
  return ours.length - theirs.length;
}

const types = ["number", "string", "boolean"];

/** Numbers before strings before booleans. */
function compareValues(left: unknown, right: unknown): number {
  const byType = types.indexOf(typeof left) - types.indexOf(typeof right);
  if (byType !== 0 || left === right) return byType;
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : 1;
  if (typeof left === "number" && typeof right === "number") return left - right;
  return left === false ? -1 : 1;
}

/** A path as in messages: `.spec.containers[name="c"].image`. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join("");
}

/** An element as in messages. */
export function elementText(element: string): string {
  const rest = element.slice(2);
  switch (element.charAt(0)) {
    case "f":
      return `.${rest}`;
    case "k":
      return `[${Object.entries(keysOf(rest))
        .map(([name, value]) => `${name}=${shown(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${shown(JSON.parse(rest))}]`;
    default:
      return `[${rest}]`;
  }
}
