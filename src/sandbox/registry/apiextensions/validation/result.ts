/**
 * What validation against a schema finds. Source: kube-openapi pkg/validation/validate/result.go, errors/schema.go;
 * apiextensions-apiserver v0.36 pkg/apiserver/validation/validation.go kubeOpenAPIResultToFieldErrors.
 */
import { invalid, notSupported, required, tooLong, tooMany, type FieldError } from "../../../meta/field-errors.ts";

/** One error, by its message: the same message is said once. `at` is the path in the value; undefined where there is none. */
export interface SchemaError {
  readonly message: string;
  readonly at: string | undefined;
  /** The error as a cause of a refusal, at a path. */
  readonly asField: (field: string) => FieldError;
}

/** The errors of a value, and how many checks it passed: of several alternatives that fail, the one with the most is reported. */
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

/** A value, and where it stands. */
export interface At {
  readonly path: string;
  readonly value: unknown;
}

const inBody = (path: string): string => `${path} in body`;

/** Any check that has no form of its own: the message follows the value. */
export function failed({ path, value }: At, message: string): SchemaError {
  return { message, at: path, asField: (field) => invalid(field, value ?? "", message) };
}

/** A check of a value as it is named in the body. */
export function failedInBody(at: At, what: string): SchemaError {
  return failed(at, `${inBody(at.path)} ${what}`);
}

/** What has no path: it is reported at the top. */
export function atTop(message: string): SchemaError {
  return { message, at: undefined, asField: (field) => invalid(field, "", message) };
}

/** `found` is what the value is, or the text that is not of the format. */
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

/** A property that has to be there. */
export function missing(path: string): SchemaError {
  return { message: `${inBody(path)} is required`, at: path, asField: (field) => required(field) };
}

/** A value that is none of those allowed. */
export function noneOf({ path, value }: At, values: readonly unknown[]): SchemaError {
  const texts = values.map((allowed) => (typeof allowed === "string" ? allowed : JSON.stringify(allowed)));
  const message = `${inBody(path)} should be one of ${JSON.stringify(values)}`;
  return { message, at: path, asField: (field) => notSupported(field, value, texts) };
}

/** A text of more than `most` characters. */
export function tooManyCharacters(path: string, most: number): SchemaError {
  const message = `${inBody(path)} should be at most ${most} chars long`;
  return { message, at: path, asField: (field) => tooLong(field, most) };
}

/** A list or an object of more than `most` parts. */
export function tooManyParts(
  path: string,
  { count, most }: { readonly count: number; readonly most: number },
): SchemaError {
  const message = `${inBody(path)} should have at most ${most} parts`;
  return { message, at: path, asField: (field) => tooMany(field, count, most) };
}

/** All errors as causes of a refusal; paths are below `base`. */
export function fieldErrorsOf({ errors }: Result, base: string): FieldError[] {
  return errors.map(({ at, asField }) => asField(pathBelow(base, at)));
}

/** What Go prints for a path that leads nowhere. */
const nowhere = "<nil>";

function pathBelow(base: string, at: string | undefined): string {
  const own = (at ?? "").replace(/^\./, "");
  if (own === "") return base === "" ? nowhere : base;
  return base === "" ? own : `${base}.${own}`;
}
