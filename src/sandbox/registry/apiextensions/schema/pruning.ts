/** Removes what a structural schema does not describe. Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/pruning/algorithm.go. */
import { isFields, type Fields } from "../../../meta/object.ts";
import type { Structural } from "./structural.ts";

const metaFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Removes unknown fields of an object, in place; its top-level `kind`, `apiVersion` and `metadata` stay. Returns their paths, sorted. */
export function prune(object: Fields, structural: Structural | undefined): readonly string[] {
  const unknown: string[] = [];
  pruneFields(object, { structural, path: "", unknown, isRoot: true, keeps: false });
  return unknown.length > 1 ? unknown.sort() : unknown;
}

/** Removes the unknown fields of any value, not only of whole objects. */
export function pruneValue(value: unknown, structural: Structural | undefined): readonly string[] {
  const unknown: string[] = [];
  pruneAny(value, { structural, path: "", unknown, isRoot: false, keeps: false });
  return unknown;
}

interface Place {
  readonly structural: Structural | undefined;
  readonly path: string;
  readonly unknown: string[];
  /** The top level of an object. */
  readonly isRoot: boolean;
  /** An item of a list that preserves unknown fields preserves its own too. */
  readonly keeps: boolean;
}

function pruneAny(value: unknown, place: Place): void {
  const { structural } = place;
  if (isFields(value)) pruneFields(value, place);
  if (!Array.isArray(value)) return;
  const keeps = place.keeps || structural?.preservesUnknownFields === true;
  if (keeps && structural?.items === undefined) return;
  for (const [index, item] of value.entries()) {
    if (typeof item !== "object" || item === null) continue;
    const path = `${place.path}[${index}]`;
    pruneAny(item, { structural: structural?.items, path, unknown: place.unknown, isRoot: false, keeps });
  }
}

function pruneFields(object: Fields, { structural, path, unknown, isRoot, keeps: inherited }: Place): void {
  const keeps = inherited || structural?.preservesUnknownFields === true;
  const isResource = isRoot || structural?.isEmbeddedResource === true;
  const pathOf = (key: string): string => (path === "" ? key : `${path}.${key}`);
  for (const key of Object.keys(object)) {
    if (isResource && metaFields.has(key)) continue;
    const property = structural?.properties.get(key);
    const additional = structural?.additionalProperties;
    const value = object[key];
    if (property !== undefined || additional !== undefined) {
      // Strings and numbers have nothing to prune: their path is not needed.
      if (typeof value !== "object" || value === null) continue;
      const inside = property ?? (typeof additional === "object" ? additional : undefined);
      pruneAny(value, { structural: inside, path: pathOf(key), unknown, isRoot: false, keeps: false });
    } else if (!keeps) {
      unknown.push(pathOf(key));
      delete object[key];
    }
  }
}
