/** What all types of patches share: parsing them, and decoding their result as an object. */
import { invalid, invalidObject } from "../meta/field-errors.ts";
import { readJson, type JsonRead, type Literals } from "../meta/json.ts";
import { param } from "../options/list-options.ts";
import { isFields, type ApiObject, type Fields } from "../meta/object.ts";
import type { RequestScope } from "../context/server.ts";
import { inexactNumber } from "./body.ts";
import { readingOf, readObject } from "../context/object-reading.ts";

/** True if the request ignores field errors. */
export const unchecked = (scope: RequestScope): boolean => param(scope.query, "fieldValidation") === "Ignore";

/** A patch as JSON; duplicate keys are appended to `strict`. @throws StatusError 400. */
export function patchJson(scope: RequestScope, wrap: (problem: string) => string, strict: string[]): JsonRead {
  const read = readJson(scope.body, wrap);
  if (read.inexact !== undefined) throw inexactNumber(read.inexact);
  strict.push(...read.repeated);
  return read;
}

/** The error for a patch whose result is not an object of the kind. */
export function refusedPatch(shown: string, why: string): Error {
  return invalidObject({ group: "", name: "" }, "", [invalid("patch", shown, why)]);
}

/** How the result of a patch is decoded, and how its errors read. */
export interface Decoding {
  /** The object in an error. */
  readonly shown: () => string;
  /** Strict decoding errors in the patch itself. */
  readonly applied: readonly string[];
  /** What was patched: Go decodes JSON and objects by different code, whose errors differ in wording and order. */
  readonly patched: "JSON" | "objects";
  /** The literals of the fields, if JSON was patched. */
  readonly literals?: Literals;
}

/** Decodes fields as an object of the request's kind, with defaults. @throws StatusError 422. */
export function decoded(
  scope: RequestScope,
  fields: Fields,
  { shown, applied, patched, literals }: Decoding,
): ApiObject {
  const { kind, apiVersion } = scope.served;
  const read = readObject({ ...readingOf(scope), literals, unstructured: patched === "objects" }, fields);
  if ("problem" in read) {
    const { problem: message, unstructured = message } = read;
    throw refusedPatch(shown(), patched === "JSON" ? message : unstructured);
  }
  // Source: apimachinery v0.36 pkg/runtime/converter.go FromUnstructuredWithValidation.
  const unknown = patched === "JSON" ? read.strict : read.strict.toSorted();
  reportStrict(scope, shown, [...applied, ...unknown]);
  const { value } = read;
  const { metadata } = value;
  return { ...value, kind, apiVersion, metadata: isFields(metadata) ? metadata : {} };
}

/** Rejects (Strict), warns (Warn, the default), or ignores (Ignore). @throws StatusError 422. */
export function reportStrict(scope: RequestScope, shown: () => string, problems: readonly string[]): void {
  if (problems.length === 0 || unchecked(scope)) return;
  if (param(scope.query, "fieldValidation") === "Strict")
    throw refusedPatch(shown(), `strict decoding error: ${problems.join(", ")}`);
  scope.warnings.push(...problems);
}
