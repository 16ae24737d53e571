/** Lists that are sets or maps: no two items may be the same. Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/listtype. */
import { duplicate, invalid, type FieldError } from "../../../meta/field-errors.ts";
import { isFields, type Fields } from "../../../meta/object.ts";
import type { Structural } from "./structural.ts";

/** The path of a value and its structure. */
interface Place {
  readonly structural: Structural | undefined;
  readonly path: string;
}

/** A place with a known structure. */
interface Described extends Place {
  readonly structural: Structural;
}

/** Reports duplicate items anywhere in a value. */
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

/** The index of the first repetition of each repeated value. */
function repeated(list: readonly unknown[]): number[] {
  const times = new Map<string, number>();
  return list.flatMap((item, index) => {
    const text = JSON.stringify(sorted(item));
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [index] : [];
  });
}

/** The value with the keys of all objects sorted. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
