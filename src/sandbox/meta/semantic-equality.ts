/** Semantic equality of objects, for the generation: `1Gi` equals `1024Mi`. */
import { deepEqual } from "../../api/field-changes.ts";
import { compareQuantities, parseQuantity } from "../../api/quantity.ts";
import { type Fields, isFields } from "./object.ts";
import type { Schema, Shape } from "../../api/wire/schema.ts";

/** Both must be in canonical form. Source: apimachinery v0.36 api/equality/semantic.go. */
export function semanticDeepEqual(one: unknown, other: unknown, shape: Shape, schema: Schema): boolean {
  if (deepEqual(one, other)) return true;
  switch (shape.is) {
    case "struct":
      return isSameFields(one, other, (key) => schema.struct(shape.name).fields.get(key)?.shape, schema);
    case "map":
      return isSameFields(one, other, () => shape.of, schema);
    case "list": {
      // A missing list equals an empty one.
      const [left, right] = [one ?? [], other ?? []];
      return (
        Array.isArray(left) &&
        Array.isArray(right) &&
        left.length === right.length &&
        left.every((item, n) => semanticDeepEqual(item, right[n], shape.of, schema))
      );
    }
    case "scalar":
      return shape.scalar === "quantity" && isSameAmount(one, other);
    case "open":
      return false;
  }
}

function isSameFields(
  one: unknown,
  other: unknown,
  shapeOf: (key: string) => Shape | undefined,
  schema: Schema,
): boolean {
  if (!isFields(one) || !isFields(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && isSameField(one, other, key, shapeOf(key), schema));
}

function isSameField(one: Fields, other: Fields, key: string, shape: Shape | undefined, schema: Schema): boolean {
  return shape === undefined ? deepEqual(one[key], other[key]) : semanticDeepEqual(one[key], other[key], shape, schema);
}

function isSameAmount(one: unknown, other: unknown): boolean {
  if (typeof one !== "string" || typeof other !== "string") return false;
  const [left, right] = [parseQuantity(one), parseQuantity(other)];
  return left !== undefined && right !== undefined && compareQuantities(left, right) === 0;
}
