/**
 * Fields that an applied configuration changes although others manage them.
 * Source: structured-merge-diff v6 merge/conflict.go, apimachinery v0.36 util/managedfields/internal/conflict.go.
 */
import { shown } from "../meta/field-errors.ts";
import { applyConflict } from "../meta/refusal.ts";
import { pathsOf, type FieldSet } from "./field-set.ts";
import type { Manager } from "./managers.ts";
import { pathText } from "./path-element.ts";

/** A manager and the conflicting fields that it manages. */
export interface Conflict {
  readonly identity: string;
  readonly manager: Manager;
  readonly set: FieldSet;
}

/** Thrown if an apply without force conflicts with other managers. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super("other managers manage what is applied");
    this.conflicts = conflicts;
  }
}

function nameOf({ manager, operation, apiVersion, subresource }: Manager): string {
  const name = `${shown(manager)}${subresource === "" ? "" : ` with subresource ${shown(subresource)}`}`;
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}

/** The error for such an apply: 409, with a cause per field. */
export function conflictRefusal({ conflicts }: ConflictError): Error {
  const sorted = [...conflicts].sort((a, b) => (a.identity < b.identity ? -1 : 1));
  const all = sorted.map(({ manager, set }) => ({ name: nameOf(manager), paths: pathsOf(set).map(pathText) }));
  const causes = all.flatMap(({ name, paths }) =>
    paths.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${name}`, field })),
  );
  const [only] = causes;
  if (only !== undefined && causes.length === 1)
    return applyConflict(`Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes);
  const lines = all.flatMap(({ name, paths }) => [`conflicts with ${name}:`, ...paths.map((path) => `- ${path}`)]);
  return applyConflict(`Apply failed with ${causes.length} conflicts: ${lines.join("\n")}`, causes);
}
