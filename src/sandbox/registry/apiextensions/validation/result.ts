/**
 * The result of validation against a schema. Source: kube-openapi pkg/validation/validate/result.go, errors/schema.go;
 * apiextensions-apiserver v0.36 pkg/apiserver/validation/validation.go kubeOpenAPIResultToFieldErrors.
 */
import { invalid, notSupported, required, tooLong, tooMany, type FieldError } from "../../../meta/field-errors.ts";

/** One error, identified by its message: duplicates are reported once. `at` is the path in the value; undefined if there is none. */
export interface SchemaError {
  readonly message: string;
  readonly at: string | undefined;
  /** The error as a cause in a Status, at a path. */
  readonly asField: (field: string) => FieldError;
}

/** The errors of a value, and how many checks it passed: if several alternatives fail, the one with the most is reported. */
export class Result {
  errors: readonly SchemaError[] = noErrors;
  matches = 0;

  get isValid(): boolean {
    return this.errors.length === 0;
  }

  add(error: SchemaError): void {
    if (!this.errors.some(({ message }) => message === error.message)) this.errors = [...this.errors, error];
  }

  merge(other: Result): void {
    for (const error of other.errors) this.add(error);
    this.matches += other.matches;
  }
}

const noErrors: readonly SchemaError[] = [];

/** A value and its path. */
export interface At {
  readonly path: string;
  readonly value: unknown;
}

const inBody = (path: string): string => `${path} in body`;

/** Any check without a more specific function: the message follows the value. */
export function failed({ path, value }: At, message: string): SchemaError {
  return { message, at: path, asField: (field) => invalid(field, value ?? "", message) };
}

/** A check of a value; the message names it as `PATH in body`. */
export function failedInBody(at: At, what: string): SchemaError {
  return failed(at, `${inBody(at.path)} ${what}`);
}

/** An error without a path, reported at the root. */
export function atTop(message: string): SchemaError {
  return { message, at: undefined, asField: (field) => invalid(field, "", message) };
}

/** `found` is the type of the value, or the string that does not match the format. */
export function wrongType(
  path: string,
  { type, found }: { readonly type: string; readonly found: string },
): SchemaError {
  const message = `${inBody(path)} must be of type ${type}: ${JSON.stringify(found)}`;
  return {
    message,
    at: path,
    asField: (field) => ({ ...invalid(field, found, message), reason: "FieldValueTypeInvalid" }),
  };
}

/** A missing required property. */
export function missing(path: string): SchemaError {
  return { message: `${inBody(path)} is required`, at: path, asField: (field) => required(field) };
}

/** A value that is not among the allowed ones. */
export function noneOf({ path, value }: At, values: readonly unknown[]): SchemaError {
  const texts = values.map((allowed) => (typeof allowed === "string" ? allowed : JSON.stringify(allowed)));
  const message = `${inBody(path)} should be one of ${JSON.stringify(values)}`;
  return { message, at: path, asField: (field) => notSupported(field, value, texts) };
}

/** A string of more than `most` characters. */
export function tooManyCharacters(path: string, most: number): SchemaError {
  const message = `${inBody(path)} should be at most ${most} chars long`;
  return { message, at: path, asField: (field) => tooLong(field, most) };
}

/** A list or an object of more than `most` items. */
export function tooManyParts(
  path: string,
  { count, most }: { readonly count: number; readonly most: number },
): SchemaError {
  const message = `${inBody(path)} should have at most ${most} parts`;
  return { message, at: path, asField: (field) => tooMany(field, count, most) };
}

/** All errors as causes in a Status, with paths below `base`. */
export function fieldErrorsOf({ errors }: Result, base: string): FieldError[] {
  return errors.map(({ at, asField }) => asField(pathBelow(base, at)));
}

/** What Go prints for an empty path. */
const nowhere = "<nil>";

function pathBelow(base: string, at: string | undefined): string {
  const own = (at ?? "").replace(/^\./, "");
  if (own === "") return base === "" ? nowhere : base;
  return base === "" ? own : `${base}.${own}`;
}
