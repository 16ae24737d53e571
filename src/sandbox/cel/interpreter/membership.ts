/** Evaluates `value in [constants]` with a set. Source: cel-go v0.26 interpreter/decorators.go maybeOptimizeSetMembership. */
import { CelError, CelList, Uint, type Value } from "../values/value.ts";
import type { Evaluate } from "./frame.ts";

/** A key that is unique across types; undefined for values that cannot be in a set. */
function keyOf(value: Value): string | undefined {
  if (typeof value === "string") return `s${value}`;
  if (typeof value === "bigint") return `i${value}`;
  if (typeof value === "number") return `d${value}`;
  if (typeof value === "boolean") return `b${value}`;
  return value instanceof Uint ? `u${value.value}` : undefined;
}

/** The equal numbers of other numeric types. */
function siblings(value: Value): readonly string[] {
  if (typeof value === "bigint") return [`d${Number(value)}`, ...(value >= 0n ? [`u${value}`] : [])];
  if (value instanceof Uint)
    return [`d${Number(value.value)}`, ...(value.value < 2n ** 63n ? [`i${value.value}`] : [])];
  if (typeof value !== "number" || !Number.isInteger(value)) return [];
  const whole = BigInt(value);
  const fits = Math.abs(value) < 2 ** 63;
  return [...(fits ? [`i${whole}`] : []), ...(value >= 0 && value < 2 ** 64 ? [`u${whole}`] : [])];
}

/**
 * A test for membership in constants, which costs nothing; false if the list is empty; undefined if the list is not constant, or contains
 * values that cannot be in a set.
 */
export function membershipOf(
  operands: readonly { readonly evaluate: Evaluate; readonly constant?: { readonly value: Value } }[],
): Evaluate | false | undefined {
  const [value, list] = operands;
  const constants = list?.constant?.value;
  if (value === undefined || !(constants instanceof CelList)) return undefined;
  if (constants.size === 0) return false;
  const keys = new Set<string>();
  for (let n = 0; n < constants.size; n++) {
    const item = constants.get(n);
    const key = keyOf(item);
    if (key === undefined) return undefined;
    for (const one of [key, ...siblings(item)]) keys.add(one);
  }
  keys.delete("dNaN");
  return (frame) => {
    const found = value.evaluate(frame);
    if (found instanceof CelError) return found;
    const key = keyOf(found);
    return key !== undefined && keys.has(key);
  };
}
