/** The API server's refusals. */

/** A `Status` as the API server answers it. */
export interface Status {
  readonly kind?: "Status";
  readonly apiVersion?: "v1";
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: StatusDetails;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

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
  /** `NotFound`, `AlreadyExists`, `Conflict`, `Expired`, …; empty where the server gave none. */
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

export const isNotFound = (error: unknown): boolean => is(error, 404, "NotFound");
/** The server has the path, but does not take the verb there. */
export const isMethodNotSupported = (error: unknown): boolean => is(error, 405, "MethodNotAllowed");
export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof StatusError && error.reason === "AlreadyExists";
export const isConflict = (error: unknown): boolean => is(error, 409, "Conflict");
export const isForbidden = (error: unknown): boolean => is(error, 403, "Forbidden");
export const isInvalid = (error: unknown): boolean => is(error, 422, "Invalid");
/** The asked resourceVersion or continue token is older than what the server keeps. */
export const isExpired = (error: unknown): boolean => is(error, 410, "Expired", "Gone");
export const isTooManyRequests = (error: unknown): boolean => is(error, 429, "TooManyRequests");

/** Whether the refusal is because the namespace is being deleted: nothing can be created there any more. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError &&
    isForbidden(error) &&
    (error.status.details?.causes ?? []).some((cause) => cause.reason === "NamespaceTerminating")
  );
}
