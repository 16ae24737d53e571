/**
 * Sets of fields that were written under another schema: if a value is atomic now, the owner of a part becomes the owner of the whole.
 * Source: structured-merge-diff v6 typed/reconcile_schema.go.
 */
import type { FieldSet } from "./field-set.ts";
import { typeAt, type Type } from "./types.ts";

/** The set adapted to the type; the same set if nothing differs. */
export function reconciledSet(set: FieldSet, type: Type): FieldSet {
  if (type.is === "scalar" || type.is === "any" || set.children.size === 0) return set;
  if (type.is === "map" ? type.atomic : !type.associative) return { member: true, children: new Map() };
  let children: Map<string, FieldSet> | undefined;
  for (const [element, child] of set.children) {
    const at =
      type.is === "list" ? type.of() : element.startsWith("f:") ? typeAt(type, element.slice(2)) : type.elements;
    if (at === undefined) continue;
    const now = reconciledSet(child, at);
    if (now !== child) (children ??= new Map(set.children)).set(element, now);
  }
  return children === undefined ? set : { member: set.member, children };
}
