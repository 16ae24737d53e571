/** The options that every write has in its query. Source: apimachinery v0.36 meta/v1/validation/validation.go. */
import { invalid, invalidObject, notAllowed, tooLong, unprintableIn, type FieldError } from "../meta/field-errors.ts";
import { param, type Query } from "./list-options.ts";

const longestManager = 128;

/** @throws StatusError 422. */
export function checkWriteOptions(query: Query, kind: "CreateOptions" | "UpdateOptions" | "PatchOptions"): void {
  const errors: FieldError[] = [];
  const manager = param(query, "fieldManager") ?? "";
  errors.push(...managerErrors(manager));
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
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", name: kind }, "", errors);
}

/** A manager's name is short, and every character of it prints. */
function managerErrors(manager: string): FieldError[] {
  const long =
    new TextEncoder().encode(manager).length > longestManager ? [tooLong("fieldManager", longestManager)] : [];
  const bad = unprintableIn(manager).map(({ code, at }) => {
    const character = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    return invalid("fieldManager", manager, `invalid character ${character} (at position ${at})`);
  });
  return [...long, ...bad];
}

/** What is wrong with dryRun. */
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
