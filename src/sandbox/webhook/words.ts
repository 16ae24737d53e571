/**
 * Error messages of Go's HTTP client and client-go for failed calls. Source: Go net, crypto/x509; apimachinery v0.36 api/errors/errors.go.
 */
import { genericServerMessage } from "../../api/generic-server-message.ts";
import { at, textOf } from "../meta/object.ts";
import type { HttpError } from "../../platform/http-error.ts";

/** The error for a call that exceeded its deadline. */
export const deadlineExceeded = "context deadline exceeded";

const certificateWords: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "x509: certificate has expired or is not yet valid",
  CERT_NOT_YET_VALID: "x509: certificate has expired or is not yet valid",
  ERR_TLS_CERT_ALTNAME_INVALID: "x509: certificate is not valid for any names, but wanted to match",
};

/** Why the server at a URL did not respond. */
export function connectionProblem(error: HttpError, url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const number = port === "" ? (protocol === "https:" ? 443 : 80) : port;
  const address = `${host.includes(":") ? `[${host}]` : host}:${number}`;
  switch (error.failure) {
    case "refused":
      return `dial tcp ${address}: connect: connection refused`;
    case "unknown host":
      return `dial tcp: lookup ${host}: no such host`;
    case "unreachable":
      return `dial tcp ${address}: connect: no route to host`;
    case "timeout":
      return `dial tcp ${address}: i/o timeout`;
    case "certificate": {
      const code = textOf(at(error.cause, "code"));
      const known = certificateWords[code];
      const why = known === undefined ? "x509: certificate signed by unknown authority" : known;
      return `tls: failed to verify certificate: ${code === "ERR_TLS_CERT_ALTNAME_INVALID" ? `${why} ${host}` : why}`;
    }
    case "broken":
      // Go distinguishes a reset from an end; JavaScript runtimes do not do so reliably.
      return "EOF";
  }
}

/** A response without a success status. */
export interface FailedResponse {
  readonly status: number;
  readonly body: Uint8Array;
  /** Its content type. */
  readonly type: string;
}

const mostShown = 2048;

/** The error for such a response: the message of the Status in its body, or else one based on its status code. */
export function statusProblem({ status, body, type }: FailedResponse): string {
  const text = new TextDecoder().decode(body.subarray(0, mostShown));
  const own = statusMessage(body);
  if (own !== undefined) return own;
  const isText = type === "" || type.startsWith("text/");
  const message = isText ? text.trim() : "unknown";
  if (status === 403 || status === 415) return message;
  if (status === 406)
    return message === "" || message === "unknown"
      ? "the server was unable to respond with a content type that the client supports"
      : message;
  const known = genericServerMessage(status);
  if (known !== undefined) return known;
  return status >= 500
    ? `an error on the server (${JSON.stringify(message)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}

function statusMessage(body: Uint8Array): string | undefined {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(body));
    return at(json, "kind") === "Status" && at(json, "status") === "Failure" ? textOf(at(json, "message")) : undefined;
  } catch {
    return undefined;
  }
}
