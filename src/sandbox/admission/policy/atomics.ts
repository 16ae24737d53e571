/**
 * Parts that an apply configuration may not set, because it would replace more than it names. Source: apiserver v0.36
 * admission/plugin/policy/mutating/patch/smd.go findAtomics.
 */
import { isFields } from "../../meta/object.ts";
import { atomOf, type Type } from "../../managedfields/types.ts";

/** The paths of atomic lists, maps and structs: `.spec.template`, `.spec.items[0]`. */
export function atomicsIn(value: unknown, { type, path }: { readonly type: Type; readonly path: string }): string[] {
  if (value === null || typeof value !== "object") return [];
  const atom = atomOf(type, value);
  if (isFields(value) && atom.is === "map") {
    const inside = Object.entries(value).flatMap(([key, part]) => {
      const field = atom.field(key);
      return field === undefined ? [] : atomicsIn(part, { type: field, path: `${path}.${key}` });
    });
    return atom.atomic ? [path, ...inside] : inside;
  }
  if (!Array.isArray(value) || atom.is !== "list") return [];
  const inside = value.flatMap((item: unknown, n) => atomicsIn(item, { type: atom.of(), path: `${path}[${n}]` }));
  return atom.associative ? inside : [path, ...inside];
}
