/**
 * Requests that leave HTTP: `Upgrade` to a WebSocket, or to SPDY as used by kubectl's `exec` and `port-forward`. Source: RFC 9110 section
 * 7.8.
 */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { connectionTo, shakeHands } from "./connection.ts";
import { HttpError, httpErrorOf } from "./http-error.ts";
import type { HttpRequest, HttpSettings } from "./http.ts";
import { type RawConnection, rawConnection } from "./raw-connection.ts";

/** The server's response to an upgrade: 101, or why not. */
export interface UpgradeResponse {
  readonly status: number;
  /** As sent by the server. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Carries what follows the head: the new protocol after 101, otherwise a body. The connection is used for nothing else. */
  readonly connection: RawConnection;
}

const headEnd = Buffer.from("\r\n\r\n");
/** The limit of Go's client. */
const maxHeadBytes = 1024 * 1024;

/** Sends an upgrade request on its own connection. @throws HttpError; the signal's reason. */
export async function requestUpgrade(
  { method, url, headers, body, signal }: Omit<HttpRequest, "stream">,
  settings: HttpSettings,
): Promise<UpgradeResponse> {
  const to = new URL(url);
  try {
    const plain = await connectionTo(to, settings.proxy, signal);
    const socket = to.protocol === "https:" ? await shakeHands(plain, { url: to, tls: settings.tls, signal }) : plain;
    const onAbort = (): void => void socket.destroy();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const length = body === undefined ? {} : { "content-length": String(body.length) };
      const lines = Object.entries({ host: to.host, ...headers, ...length }).flatMap(([name, value]) =>
        [value].flat().map((one) => `${name}: ${one}\r\n`),
      );
      socket.write(`${method} ${to.pathname}${to.search} HTTP/1.1\r\n${lines.join("")}\r\n`);
      if (body !== undefined) socket.write(body);
      const { head, rest } = await readHead(socket);
      return { ...parseHead(head), connection: rawConnection(socket, rest) };
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw httpErrorOf(error);
  }
}

function readHead(socket: Socket): Promise<{ readonly head: string; readonly rest: Uint8Array }> {
  return new Promise((resolve, reject) => {
    let read: Buffer = Buffer.alloc(0);
    const onData = (piece: Buffer): void => {
      read = Buffer.concat([read, piece]);
      const end = read.indexOf(headEnd);
      if (end < 0 && read.length <= maxHeadBytes) return;
      socket.pause();
      off();
      if (end < 0) reject(new HttpError("broken", "its response has no end of its headers"));
      else resolve({ head: read.toString("latin1", 0, end), rest: read.subarray(end + headEnd.length) });
    };
    const onClose = (): void => {
      off();
      reject(new HttpError("broken", "the connection was closed before the response"));
    };
    const onError = (error: Error): void => {
      off();
      reject(error);
    };
    const off = (): void => {
      socket.off("data", onData).off("end", onClose).off("close", onClose).off("error", onError);
    };
    socket.on("data", onData).on("end", onClose).on("close", onClose).on("error", onError);
  });
}

/** @throws HttpError for anything but an HTTP response. */
function parseHead(head: string): Pick<UpgradeResponse, "status" | "headers"> {
  const [first = "", ...lines] = head.split("\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw new HttpError("broken", "its response is not HTTP/1.1");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  return { status: Number(status), headers };
}

/** The head of a response, as bytes of HTTP/1.1. */
export function responseHead({ status, headers }: Pick<UpgradeResponse, "status" | "headers">): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines}\r\n`;
}
