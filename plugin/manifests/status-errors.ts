/** An API server's errors about an object, field by field. */
import type { StatusError } from "../../src/api/status-error.ts";

/** The server's text before the reason why a body cannot be decoded. */
const decodingPrefix = /^\w+ in version "\w+" cannot be handled as a \w+: (strict decoding error: )?/;

/** A field that the server rejects, and why. */
export interface FieldError {
  /** Empty if the server names none. */
  readonly field: string;
  /** Includes the field. */
  readonly text: string;
}

/** One for each invalid field, or the server's message if it names none. */
export function fieldErrors({ status, message }: StatusError): readonly FieldError[] {
  const causes = (status.details?.causes ?? []).filter(({ field }) => field !== undefined && field !== "");
  if (causes.length > 0) {
    return causes.map(({ field = "", message, reason }) => ({
      field,
      text: `${field}: ${message ?? reason ?? "refused"}`,
    }));
  }
  const text = message.replace(decodingPrefix, "");
  return [{ field: fieldNamedIn(text), text }];
}

/** `unknown field "spec.replicsa"`, `cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`. */
function fieldNamedIn(text: string): string {
  return (
    /(?:unknown|duplicate) field "([^"]+)"/.exec(text)?.[1] ?? /Go struct field \w+\.(\S+) of/.exec(text)?.[1] ?? ""
  );
}

/** A line for each invalid field, each starting with `place`. */
export function statusErrorLines(place: string, error: StatusError): string[] {
  return fieldErrors(error).map(({ text }) => `${place}: ${text}`);
}
