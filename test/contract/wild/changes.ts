/** Values that may or may not suit a field, and objects in which one thing is changed to such a value. */
import type { Field, Schema, Scalar, Shape, Struct } from "../../../src/api/wire/schema.ts";
import type { Dice } from "../random/dice.ts";
import type { Json } from "./example.ts";

/** Names, addresses, paths and numbers, each of which is valid for some field. */
export const texts: readonly string[] = [
  "",
  "a",
  "b",
  "A_b",
  "x.io/y",
  "not good",
  "Always",
  "Never",
  "TCP",
  "-1",
  "10",
  "50%",
  "10.0.0.300",
  "192.0.2.7",
  "::1",
  "2001:db8::/64",
  "192.0.2.1/24",
  "a.example.com",
  "a.b",
  "*",
  "/",
  "/a",
  "1",
  "v1",
  "v1beta1",
  "Pod",
  "Services",
  "true",
  "https://example.com",
  "a-",
  "x".repeat(64),
  "y".repeat(254),
];
const numbers: readonly number[] = [0, 1, -1, 2, 5, 30, 31, 65_535, 65_536, 1000, 10_001, 100_000, 2 ** 31 - 1];
const quantities: readonly string[] = ["0", "1", "-1", "500m", "1Gi", "1.5", "3", "1m"];
const times: readonly string[] = ["2026-01-02T03:04:05Z", "2020-01-01T00:00:00Z"];
const microTimes: readonly string[] = ["2026-01-02T03:04:05.000006Z"];
const bytes: readonly string[] = ["", "YQ==", "LS0tLS0="];

/** One of the allowed values if the API defines them; otherwise a value that may or may not be valid. */
function scalarOf(dice: Dice, scalar: Scalar, field: Field | undefined): unknown {
  if (field?.values !== undefined && dice.chance(0.5)) return dice.one(field.values);
  switch (scalar) {
    case "string":
      return dice.one(texts);
    case "int32":
    case "int64":
    case "number":
      return dice.one(numbers);
    case "boolean":
      return dice.chance(0.5);
    case "quantity":
      return dice.one(quantities);
    case "int-or-string":
      return dice.chance(0.5) ? dice.one(texts) : dice.one(numbers);
    case "time":
      return dice.one(times);
    case "micro-time":
      return dice.one(microTimes);
    case "bytes":
      return dice.one(bytes);
  }
}

/** Fields with CEL expressions that the sandbox does not compile: they get a valid value. */
const expressions: Readonly<Record<string, string>> = {
  expression: "true",
  valueExpression: "'a'",
  messageExpression: "'m'",
};
const patches: Readonly<Record<string, string>> = {
  "admissionregistration.v1.ApplyConfiguration": "Object{}",
  "admissionregistration.v1.JSONPatch": "[]",
};
export const isUncompiled = (key: string, { name }: Struct): boolean =>
  key in expressions && /^(admission|resource)/.test(name);

/** A random value of a shape; structs get a few of their fields, and fewer at deeper levels. */
export function somethingOf(dice: Dice, shape: Shape, schema: Schema, depth: number, field?: Field): unknown {
  switch (shape.is) {
    case "scalar":
      return scalarOf(dice, shape.scalar, field);
    case "open":
      return dice.one<unknown>([{}, { a: 1 }, { kind: "K", apiVersion: "v1" }]);
    case "list":
      return Array.from({ length: dice.below(3) }, () => somethingOf(dice, shape.of, schema, depth + 1, field));
    case "map":
      return Object.fromEntries(
        Array.from({ length: dice.below(3) }, () => [
          dice.one(texts),
          somethingOf(dice, shape.of, schema, depth + 1, field),
        ]),
      );
    case "struct": {
      const made: Json = {};
      const struct = schema.struct(shape.name);
      for (const [key, inner] of struct.fields) {
        if (!dice.chance(inner.required ? 0.8 : 0.4 / (depth + 1))) continue;
        if (isUncompiled(key, struct)) made[key] = patches[struct.name] ?? expressions[key];
        else made[key] = depth > 3 ? undefined : somethingOf(dice, inner.shape, schema, depth + 1, inner);
      }
      return made;
    }
  }
}

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Changes one thing somewhere in a value of a shape; returns the new value. */
function changed(dice: Dice, value: unknown, shape: Shape, schema: Schema, field?: Field): unknown {
  if (dice.chance(0.12)) return somethingOf(dice, shape, schema, 0, field);
  if (shape.is === "struct" && isJson(value)) return changedStruct(dice, value, schema.struct(shape.name), schema);
  if (shape.is === "list" && Array.isArray(value)) {
    const list = [...(value as unknown[])];
    if (list.length === 0 || dice.chance(0.2)) return [...list, somethingOf(dice, shape.of, schema, 1, field)];
    const index = dice.below(list.length);
    if (dice.chance(0.1)) return [...list, list[index]];
    if (dice.chance(0.1)) return list.toSpliced(index, 1);
    return list.with(index, changed(dice, list[index], shape.of, schema, field));
  }
  if (shape.is === "map" && isJson(value)) {
    return { ...value, [dice.one([...Object.keys(value), ...texts])]: somethingOf(dice, shape.of, schema, 1, field) };
  }
  return somethingOf(dice, shape, schema, 0, field);
}

/** The fields of a struct with one thing changed somewhere in them. */
export function changedStruct(dice: Dice, value: Json, struct: Struct, schema: Schema): Json {
  const there = Object.keys(value).filter((key) => struct.fields.has(key));
  const all = [...struct.fields.keys()].filter((key) => key !== "metadata" && key !== "kind" && key !== "apiVersion");
  const choices = dice.chance(0.75) && there.length > 0 ? there : all;
  if (choices.length === 0) return value;
  const key = dice.one(choices);
  const field = struct.fields.get(key);
  if (field === undefined || key === "metadata" || isUncompiled(key, struct)) return value;
  if (key in value && dice.chance(0.1)) {
    const { [key]: _gone, ...rest } = value;
    return rest;
  }
  return { ...value, [key]: changed(dice, value[key], field.shape, schema, field) };
}
