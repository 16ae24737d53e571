/** Lists that are sets, and lists that are maps: no two items may be the same. Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/listtype. */
import { duplicate, invalid, type FieldError } from "../../../meta/field-errors.ts";
import { isFields, type Fields } from "../../../meta/object.ts";
import type { Structural } from "./structural.ts";

/** Where a value stands, and what it looks like. */
interface Place {
  readonly structural: Structural | undefined;
  readonly path: string;
}

/** A place that is described. */
interface Described extends Place {
  readonly structural: Structural;
}

/** The items that are there twice, anywhere in a value. */
export function listErrors(value: unknown, { structural, path }: Place): FieldError[] {
  if (structural === undefined || !structural.hasListTypes) return [];
  if (Array.isArray(value)) return itemsErrors(value, { structural, path });
  return isFields(value) ? fieldsErrors(value, { structural, path }) : [];
}

function fieldsErrors(value: Fields, { structural, path }: Described): FieldError[] {
  const { properties, additionalProperties } = structural;
  const errors: FieldError[] = [];
  for (const key of Object.keys(value)) {
    if (typeof additionalProperties === "object")
      errors.push(...listErrors(value[key], { structural: additionalProperties, path: `${path}[${key}]` }));
    errors.push(
      ...listErrors(value[key], { structural: properties.get(key), path: path === "" ? key : `${path}.${key}` }),
    );
  }
  return errors;
}

function itemsErrors(list: readonly unknown[], { structural, path }: Described): FieldError[] {
  const { listType, items, listMapKeys } = structural;
  const errors: FieldError[] = [];
  if (listType === "set") errors.push(...repeated(list).map((index) => duplicate(`${path}[${index}]`, list[index])));
  if (listType === "map") errors.push(...mapErrors(list, { keys: listMapKeys, path }));
  return [
    ...errors,
    ...list.flatMap((item, index) => listErrors(item, { structural: items, path: `${path}[${index}]` })),
  ];
}

function mapErrors(
  list: readonly unknown[],
  { keys, path }: { readonly keys: readonly string[]; readonly path: string },
): FieldError[] {
  const wrong = list.findIndex((item) => item !== null && !isFields(item));
  if (wrong >= 0) return [invalid(`${path}[${wrong}]`, list[wrong], "must be an object for an array of list-type map")];
  const identities = list.map((item) => {
    const own = [...keys].sort().flatMap((key): [string, unknown][] => {
      return isFields(item) && Object.hasOwn(item, key) ? [[key, item[key]]] : [];
    });
    return Object.fromEntries(own);
  });
  return repeated(identities).map((index) => duplicate(`${path}[${index}]`, identities[index]));
}

/** Where the first repetition of each value is that is there more than once. */
function repeated(list: readonly unknown[]): number[] {
  const times = new Map<string, number>();
  return list.flatMap((item, index) => {
    const text = JSON.stringify(sorted(item));
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [index] : [];
  });
}

/** With the keys of all objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
