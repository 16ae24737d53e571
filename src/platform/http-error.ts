/** Why there is no HTTP response, in one vocabulary for all runtimes. */

/**
 * `refused`, `unknown host`, `unreachable`: nothing was sent. `certificate`: the server's was rejected, or ours is
 * unusable. `broken`: the connection ended before or within the response. `timeout`: the system gave up.
 */
export type HttpFailure = "refused" | "unknown host" | "unreachable" | "certificate" | "broken" | "timeout";

/** A request without a response. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly failure: HttpFailure;

  constructor(failure: HttpFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

const known: Readonly<Record<string, readonly [HttpFailure, string]>> = {
  ECONNREFUSED: ["refused", "connection refused"],
  ENOTFOUND: ["unknown host", "unknown host"],
  EAI_AGAIN: ["unknown host", "the name server does not respond"],
  EHOSTUNREACH: ["unreachable", "no route to the host"],
  ENETUNREACH: ["unreachable", "the network is unreachable"],
  ENETDOWN: ["unreachable", "the network is down"],
  ETIMEDOUT: ["timeout", "timed out"],
  ECONNRESET: ["broken", "the connection was reset"],
  ConnectionClosed: ["broken", "the connection was closed"],
  ECONNABORTED: ["broken", "the connection was aborted"],
  EPIPE: ["broken", "the connection was closed"],
  CERT_HAS_EXPIRED: ["certificate", "the server's certificate has expired"],
  CERT_NOT_YET_VALID: ["certificate", "the server's certificate is not valid yet"],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    "certificate",
    "the server's certificate is self-signed, and is not the given authority",
  ],
  SELF_SIGNED_CERT_IN_CHAIN: ["certificate", "the server's certificate is signed by an unknown authority"],
  UNABLE_TO_GET_ISSUER_CERT: ["certificate", "the server's certificate is signed by an unknown authority"],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ["certificate", "the server's certificate is signed by an unknown authority"],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["certificate", "the server's certificate is signed by an unknown authority"],
  ERR_TLS_CERT_ALTNAME_INVALID: ["certificate", "the server's certificate is for another name"],
};

/** The message for a certificate problem on this side. */
export const unusable = "the certificate authority, certificate or key given cannot be used";

/** An error of the runtime as an HttpError; with its own message if the code is unknown. */
export function httpErrorOf(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown;
  // Node sets the system's code on the error or on its cause.
  const error = thrown as { code?: string; message?: string; cause?: { code?: string } };
  const code = error.code ?? error.cause?.code ?? "";
  const [failure, message] = known[code] ?? [undefined, error.message ?? String(thrown)];
  if (failure !== undefined) return new HttpError(failure, message, { cause: thrown });
  if (/PEM|KEY_VALUES_MISMATCH|key values mismatch|NO_START_LINE/.test(`${code} ${message}`)) {
    return new HttpError("certificate", unusable, { cause: thrown });
  }
  const certificate = /CERT|SSL|TLS|certificate|handshake|PEM/i.test(`${code} ${message}`);
  return new HttpError(certificate ? "certificate" : "broken", message, { cause: thrown });
}
