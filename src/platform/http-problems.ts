/**
 * Bytes that are not valid requests, and the responses to them: those of Go's server, on which the real one is built.
 */
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Status line and text of a response to bytes that are not a request. Source: Go net/http server.go, request.go readRequest. */
const responses = {
  version: [505, "HTTP Version Not Supported", ": unsupported protocol version"],
  "too large": [431, "Request Header Fields Too Large", ""],
  malformed: [400, "Bad Request", ""],
} as const;

/** Why parsing failed. `raw` is what the parser had read. */
function problemOf(code: string, raw: string): keyof typeof responses | "method" {
  if (code === "HPE_INVALID_METHOD" && /^[!#$%&'*+.^`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/.test(raw)) return "method";
  if (code === "HPE_HEADER_OVERFLOW") return "too large";
  // A bare line feed makes the parser complain about the version, too.
  if (code === "HPE_INVALID_VERSION" && !/ HTTP\/1\.[01]\r?\n/.test(raw)) return "version";
  return "malformed";
}

/** The parser's error for bytes that are not a request. */
export type Unreadable = Error & { readonly code?: string; readonly rawPacket?: unknown };

/** The body of a complete response, with its media type. */
export interface TypedBody {
  readonly type: string;
  readonly body: string;
}

/**
 * Responds on a connection to bytes that are not a request, and closes it; `method` is the body for unknown methods.
 */
export function respondToUnreadable(error: Unreadable, socket: Socket, method: TypedBody): void {
  // The parser complains about each further piece.
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const raw =
    error.rawPacket instanceof Uint8Array ? new TextDecoder("latin1").decode(error.rawPacket.subarray(0, 4096)) : "";
  const problem = problemOf(error.code ?? "", raw);
  if (problem === "method") {
    refuseMethod(socket, method);
    return;
  }
  const [status, text, more] = responses[problem];
  endWithResponse(
    socket,
    rawResponse(status, text, { type: "text/plain; charset=utf-8", body: `${status} ${text}${more}` }),
  );
}

/** How long a client has to read the last response. Source: Go net/http server.go rstAvoidanceDelay. */
const lastReadMs = 500;

/** Ends a connection on which bytes may still arrive: if it were closed before they are read, the client could lose the response. */
function endWithResponse(socket: Duplex, response: string): void {
  socket.end(response);
  const timer = setTimeout(() => socket.destroy(), lastReadMs).unref();
  socket.once("close", () => clearTimeout(timer));
}

/** Refuses a method that the parser does not pass on. */
export function refuseMethod(socket: Duplex, body: TypedBody): void {
  endWithResponse(socket, rawResponse(405, "Method Not Allowed", body));
}

/** A response as bytes, after which the connection closes. */
function rawResponse(status: number, text: string, { type, body }: TypedBody): string {
  const length = new TextEncoder().encode(body).length;
  return `HTTP/1.1 ${status} ${text}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`;
}

/** The characters that a Host header may contain. Source: golang.org/x/net http/httpguts ValidHostHeader. */
const host = /^[\w!$%&'()*+,\-.:;=@[\]~]*$/;

/** What is wrong with the Host headers of a request; undefined if nothing is. */
export function hostProblem(rawHeaders: readonly string[]): string | undefined {
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "host");
  if (hosts.length > 1) return "400 Bad Request: too many Host headers";
  return hosts.every((value) => host.test(value)) ? undefined : "400 Bad Request: malformed Host header";
}
