/**
 * Sets of fields that were written under another schema: what is owned in one piece now is owned as a whole by who owned a part.
 * Source: structured-merge-diff v6 typed/reconcile_schema.go.
 */
import type { FieldSet } from "./field-set.ts";
import { typeAt, type Type } from "./types.ts";

/** The set as the type has it; the same one where nothing differs. */
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
