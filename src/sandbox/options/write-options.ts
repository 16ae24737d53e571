/** The query options of every write. Source: apimachinery v0.36 meta/v1/validation/validation.go. */
import { invalidObject, notAllowed, required, type FieldError } from "../meta/field-errors.ts";
import { managerErrors } from "../meta/field-managers.ts";
import { param, type Query } from "./list-options.ts";

/** The kind of options: those of an apply are PatchOptions with separate rules. */
type WriteOptions = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "ApplyOptions";

/** @throws StatusError 422. */
export function checkWriteOptions(query: Query, kind: WriteOptions): void {
  const errors: FieldError[] = [];
  const manager = param(query, "fieldManager") ?? "";
  if (kind === "ApplyOptions" && manager === "") errors.push(required("fieldManager", "is required for apply patch"));
  errors.push(...managerErrors(manager, "fieldManager"));
  errors.push(...dryRunErrors(query));
  if (kind === "PatchOptions" && param(query, "force") !== undefined) {
    errors.push(notAllowed("force", "may not be specified for non-apply patch"));
  }
  const validation = param(query, "fieldValidation") ?? "";
  if (!["", "Ignore", "Strict", "Warn"].includes(validation)) {
    errors.push({
      reason: "FieldValueNotSupported",
      field: "fieldValidation",
      message: `Unsupported value: ${JSON.stringify(validation)}: supported values: "", "Ignore", "Strict", "Warn"`,
    });
  }
  const name = kind === "ApplyOptions" ? "PatchOptions" : kind;
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", name }, "", errors);
}

/** Validates dryRun. */
export function dryRunErrors(query: Query): FieldError[] {
  const values = query.filter(([name]) => name === "dryRun").map(([, value]) => value);
  if (values.every((value) => value === "All")) return [];
  const shown = `[${values.map((value) => JSON.stringify(value)).join(",")}]`;
  return [
    {
      reason: "FieldValueNotSupported",
      field: "dryRun",
      message: `Unsupported value: ${shown}: supported values: "All"`,
    },
  ];
}
