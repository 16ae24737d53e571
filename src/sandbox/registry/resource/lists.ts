/** Checks of lists in these kinds: a maximum length, and unique item names. */
import { duplicate, tooMany, type FieldError } from "../../meta/field-errors.ts";
import { textOf, type Fields } from "../../meta/object.ts";
import { eachErrors, seenBefore } from "../../validation/checks.ts";

/** Rejects a list of more than `most` items. */
export function manyErrors(list: readonly unknown[], field: string, most: number): FieldError[] {
  return list.length > most ? [tooMany(field, list.length, most)] : [];
}

/** How the items of a list are validated. */
export interface LimitedItems {
  readonly field: string;
  /** The maximum number of items. */
  readonly most: number;
  /** Validates one item. */
  readonly errors: (item: Fields, field: string) => FieldError[];
}

/** Validates each item of a list, unless there are too many. */
export function limitedErrors(list: readonly Fields[], { field, most, errors }: LimitedItems): FieldError[] {
  return list.length > most ? manyErrors(list, field, most) : eachErrors(list, field, errors);
}

/** How the items of a named list are validated. */
export interface NamedItems extends LimitedItems {
  /** The field with the name. Default `name`. */
  readonly key?: string;
}

/** Validates each item of a list, and rejects duplicate names. */
export function namedErrors(list: readonly Fields[], { key = "name", ...items }: NamedItems): FieldError[] {
  const { field, most } = items;
  if (list.length > most) return manyErrors(list, field, most);
  const isRepeated = seenBefore();
  return [
    ...limitedErrors(list, items),
    ...eachErrors(list, field, (item, here) =>
      isRepeated(textOf(item[key])) ? [duplicate(here, textOf(item[key]))] : [],
    ),
  ];
}
