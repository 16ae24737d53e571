/** Refusals of the API server. Source: apimachinery v0.36 api/errors/errors.go. */

/** A `Status`, as the API server returns it. */
export interface Status {
  readonly kind?: "Status";
  readonly apiVersion?: "v1";
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: StatusDetails;
}

/** What the refusal is about, and its causes. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** One cause of a refusal: which field, and what is wrong with it. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/**
 * An error response of the API server. `message` is the server's own.
 *
 * @example
 * ```ts
 * import { kinds, startSandbox, StatusError } from "kubectl-reconcile";
 *
 * const sandbox = await startSandbox();
 * try {
 *   await sandbox.client.get(kinds.Services, { namespace: "default", name: "missing" });
 * } catch (error) {
 *   if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error;
 * }
 * await sandbox.stop();
 * ```
 */
export class StatusError extends Error {
  override readonly name = "StatusError";
  /** The HTTP status, or the code of an ERROR event in a watch. */
  readonly code: number;
  /** `NotFound`, `AlreadyExists`, `Conflict`, `Expired`, …; empty if the server gave none. */
  readonly reason: string;
  /** The body of the response. */
  readonly status: Status;
  /** From the Retry-After header or the details, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(code: number, status: Status, options?: ErrorOptions & { readonly retryAfterMs?: number }) {
    super(status.message ?? `the server answered ${code}`, options);
    this.code = code;
    this.status = status;
    this.reason = status.reason ?? "";
    const seconds = status.details?.retryAfterSeconds;
    this.retryAfterMs = options?.retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000);
  }
}

function is(error: unknown, code: number, ...reasons: string[]): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.reason === "" ? error.code === code : reasons.includes(error.reason);
}

/** 404: the object, or the resource, does not exist. */
export const isNotFound = (error: unknown): boolean => is(error, 404, "NotFound");
/** 405: the server has the path, but does not support the verb there. */
export const isMethodNotSupported = (error: unknown): boolean => is(error, 405, "MethodNotAllowed");
/** 409 AlreadyExists: an object of this name exists. */
export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof StatusError && error.reason === "AlreadyExists";
/** 409 Conflict: the object has changed since it was read, or a precondition failed. */
export const isConflict = (error: unknown): boolean => is(error, 409, "Conflict");
/** 403: RBAC, admission or a quota refused the request. */
export const isForbidden = (error: unknown): boolean => is(error, 403, "Forbidden");
/** 422: validation refused the object. */
export const isInvalid = (error: unknown): boolean => is(error, 422, "Invalid");
/** 410: the requested resourceVersion or continue token is older than what the server keeps. */
export const isExpired = (error: unknown): boolean => is(error, 410, "Expired", "Gone");
/** 429: retry later, or eviction would violate a disruption budget. */
export const isTooManyRequests = (error: unknown): boolean => is(error, 429, "TooManyRequests");

/** Whether the refusal is because the namespace is being deleted: nothing can be created in it any more. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    isForbidden(error) &&
    (error.status.details?.causes ?? []).some((cause) => cause.reason === "NamespaceTerminating")
  );
}
