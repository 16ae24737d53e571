/** The objects that a list, a watch or a deletion of a collection selects. */
import { matches, matchesEverything, type Selector } from "../../api/labels.ts";
import type { FieldSelector } from "./field-selectors.ts";
import type { ApiObject } from "../meta/object.ts";

/** The objects that a request selects by namespace, labels and fields. */
export interface Selection {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly labels: Selector;
  readonly fields: FieldSelector;
}

/** A selectable entry of the storage. */
export interface Selectable {
  readonly namespace: string;
  readonly object: ApiObject;
}

/** True if no selector is set: only then does a page of a list include the remaining item count. */
export function selectsAll({ labels, fields }: Selection): boolean {
  return matchesEverything(labels) && fields.terms.length === 0;
}

/** True if the object of the entry is selected. */
export function selects(selection: Selection, entry: Selectable): boolean {
  if (selection.namespace !== undefined && selection.namespace !== entry.namespace) return false;
  if (selectsAll(selection)) return true;
  const { object } = entry;
  return matches(selection.labels, object.metadata.labels) && selection.fields.matches(object);
}
