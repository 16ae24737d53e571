/** Lists of these kinds: how long they may be, and that no two items have one name. */
import { duplicate, tooMany, type FieldError } from "../../meta/field-errors.ts";
import { textOf, type Fields } from "../../meta/object.ts";
import { eachErrors, seenBefore } from "../../validation/checks.ts";

/** A list of more than `most` items. */
export function manyErrors(list: readonly unknown[], field: string, most: number): FieldError[] {
  return list.length > most ? [tooMany(field, list.length, most)] : [];
}

/** How the items of a list are checked. */
export interface LimitedItems {
  readonly field: string;
  /** How many items the list may have. */
  readonly most: number;
  /** What is wrong with one item. */
  readonly errors: (item: Fields, field: string) => FieldError[];
}

/** A list of at most so many items: what is wrong with each, unless they are too many to look at. */
export function limitedErrors(list: readonly Fields[], { field, most, errors }: LimitedItems): FieldError[] {
  return list.length > most ? manyErrors(list, field, most) : eachErrors(list, field, errors);
}

/** How the items of a named list are checked. */
export interface NamedItems extends LimitedItems {
  /** What has the name. Default `name`. */
  readonly key?: string;
}

/** A list whose items have names of their own: what is wrong with each, and names that occur before. */
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
