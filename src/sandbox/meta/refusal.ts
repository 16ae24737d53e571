/** The API server's errors, with its messages. Source: apimachinery v0.36 api/errors/errors.go. */
import { StatusError, type Status, type StatusCause, type StatusDetails } from "../../api/status-error.ts";

/** A kind or a resource, and its group, as in messages. */
export interface Qualified {
  readonly group: string;
  readonly name: string;
}

/** `replicasets.apps`, `pods`. */
export function qualified({ group, name }: Qualified): string {
  return group === "" ? name : `${name}.${group}`;
}

function details(name: string, what: Qualified, more?: Partial<StatusDetails>): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(what.group === "" ? {} : { group: what.group }),
    kind: what.name,
    ...more,
  };
}

/** A `Status` error; the functions below create the usual ones. Source: apimachinery v0.36 api/errors/errors.go. */
export function refusal(
  code: number,
  reason: string,
  message: string,
  detail?: StatusDetails,
  metadata: object = {},
): StatusError {
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata,
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(detail === undefined ? {} : { details: detail }),
    code,
  } as Status;
  return new StatusError(code, status);
}

/** 404: no object with this name. */
export function notFound(resource: Qualified, name: string): StatusError {
  return refusal(404, "NotFound", `${qualified(resource)} "${name}" not found`, details(name, resource));
}

/** 404: no such resource. */
export function noSuchPath(): StatusError {
  return refusal(404, "NotFound", "the server could not find the requested resource", {});
}

/** 405 */
export function methodNotAllowed(): StatusError {
  return refusal(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

/** 409; `isDeleted`: the existing object is being deleted. */
export function alreadyExists(resource: Qualified, name: string, isDeleted: boolean): StatusError {
  const message = `${isDeleted ? "object is being deleted: " : ""}${qualified(resource)} "${name}" already exists`;
  return refusal(409, "AlreadyExists", message, details(name, resource));
}

/** A generated name already exists: the client may retry. */
export function generatedNameTaken(resource: Qualified, name: string): StatusError {
  const message = `${qualified(resource)} "${name}" already exists, the server was not able to generate a unique name for the object`;
  return refusal(409, "AlreadyExists", message, details(name, resource, { retryAfterSeconds: 1 }));
}

/** 409: a precondition failed; `why` says which. */
export function conflict(resource: Qualified, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`;
  return refusal(409, "Conflict", message, details(name, resource));
}

/** 409: an apply without force conflicts with other managers. */
export function applyConflict(message: string, causes: readonly StatusCause[]): StatusError {
  return refusal(409, "Conflict", message, { causes });
}

/** The message of a resourceVersion conflict. */
export const optimisticLock =
  "the object has been modified; please apply your changes to the latest version and try again";

/** 400 */
export function badRequest(message: string): StatusError {
  return refusal(400, "BadRequest", message);
}

/** 403, from admission or authorization. */
export function forbidden(
  resource: Qualified,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): StatusError {
  const what = name === "" ? `${qualified(resource)} is forbidden` : `${qualified(resource)} "${name}" is forbidden`;
  return refusal(403, "Forbidden", `${what}: ${why}`, details(name, resource, causes === undefined ? {} : { causes }));
}

/** 410: the client must relist. */
export function expired(message: string): StatusError {
  return refusal(410, "Expired", message);
}

/** 429; without `retry-after` if it is 0 seconds. */
export function tooManyRequests(
  message: string,
  retryAfterSeconds: number,
  causes?: readonly StatusCause[],
): StatusError {
  const more = { retryAfterSeconds, ...(causes === undefined ? {} : { causes }) };
  return refusal(
    429,
    "TooManyRequests",
    message,
    retryAfterSeconds === 0 ? (causes === undefined ? {} : { causes }) : more,
  );
}

/** 503 */
export function serviceUnavailable(message: string): StatusError {
  return refusal(503, "ServiceUnavailable", message);
}

/** 504: the request has timed out. */
export function gatewayTimeout(): StatusError {
  return refusal(504, "Timeout", "Timeout: request did not complete within requested timeout", {});
}

/** 415: the body is in none of the `supported` media types. */
export function unsupportedMediaType(supported: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${supported.join(", ")}`;
  return refusal(415, "UnsupportedMediaType", message);
}

/** 406: the client accepts none of the `supported` media types. */
export function notAcceptable(supported: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${supported.join(", ")}`;
  return refusal(406, "NotAcceptable", message);
}

/** 413: the body is larger than `limit` bytes. */
export function entityTooLarge(limit: number): StatusError {
  return refusal(413, "RequestEntityTooLarge", `Request entity too large: limit is ${limit}`);
}

/** 500 */
export function internal(message: string): StatusError {
  return refusal(500, "InternalError", `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });
}
