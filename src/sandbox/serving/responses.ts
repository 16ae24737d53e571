/** Requests as they come in and answers as they go out, whichever way. */
import type { ApiBody } from "../../api/transport.ts";
import type { StatusError } from "../../api/status-error.ts";
import { bytesOf } from "../serialization/encoding.ts";
import type { Query } from "../options/list-options.ts";
import type { User } from "../context/server.ts";

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Query;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly user: User;
  /** Who asks: names the hops of a watch. */
  readonly actor: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | ApiBody;
}

/** Nothing that is answered may be kept by anybody on the way. */
export const uncached: Readonly<Record<string, string>> = { "cache-control": "no-cache, private" };
export const jsonHeaders: Readonly<Record<string, string>> = { ...uncached, "content-type": "application/json" };
export const plainText = "text/plain; charset=utf-8";
const textHeaders = { ...uncached, "content-type": plainText, "x-content-type-options": "nosniff" };

export const noBody: Uint8Array = new Uint8Array(0);

export function jsonResponse(status: number, value: unknown): HttpResponse {
  return { status, headers: jsonHeaders, body: bytesOf(`${JSON.stringify(value)}\n`) };
}

export function textResponse(status: number, body: string): HttpResponse {
  return { status, headers: textHeaders, body: bytesOf(body) };
}

/** A path that nothing behind the server is responsible for. */
export function notFoundPage(): HttpResponse {
  return textResponse(404, "404 page not found\n");
}

/** An answer that is a refusal. */
export function statusResponse(error: StatusError): HttpResponse {
  const { status, code, retryAfterMs } = error;
  const headers =
    retryAfterMs === undefined ? jsonHeaders : { ...jsonHeaders, "retry-after": String(retryAfterMs / 1000) };
  return { status: code, headers, body: bytesOf(JSON.stringify(status)) };
}

/** That something is elsewhere. `query` is said again behind the location. */
export function redirect(
  location: string,
  query: Query = [],
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
  const target = search === "" ? location : `${location}?${search}`;
  return { status: 301, headers: { ...uncached, ...headers, location: target }, body: noBody };
}
