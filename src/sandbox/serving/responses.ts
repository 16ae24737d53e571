/** HTTP requests and responses, in process or over TLS. */
import type { ApiBody } from "../../api/transport.ts";
import type { StatusError } from "../../api/status-error.ts";
import { type Content, contentOf } from "../serialization/content.ts";
import { bytesOf } from "../serialization/encoding.ts";
import type { Query } from "../options/list-options.ts";
import type { User } from "../context/authorizer.ts";

/** A request that has been read whole. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Query;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly user: User;
  /** Path and query as they were sent, over HTTPS. */
  readonly uri?: string;
  /** The client's address, over HTTPS. */
  readonly remoteAddress?: string | undefined;
  /** Who asks: names the hops of a watch. */
  readonly actor: string;
}

/** What a client gets. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** An `ApiBody` is that of a watch. */
  readonly body: Uint8Array | ApiBody;
}

/** A response whose content may still have to be encoded. */
export interface Result {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes are documents with one form only, which is never encoded again. */
  readonly body: Uint8Array | ApiBody | Content;
}

/** No response may be cached on the way. */
export const uncached: Readonly<Record<string, string>> = { "cache-control": "no-cache, private" };
/** Of responses that are encoded here; another media type replaces this one. */
export const jsonHeaders: Readonly<Record<string, string>> = { ...uncached, "content-type": "application/json" };
/** The media type of messages. */
export const plainText = "text/plain; charset=utf-8";
const textHeaders = { ...uncached, "content-type": plainText, "x-content-type-options": "nosniff" };

/** The body of redirects and of 304. */
export const noBody: Uint8Array = new Uint8Array(0);

/** A response that is one object. */
export function jsonResponse(status: number, value: unknown): Result {
  return contentResponse(status, contentOf(value));
}

/** A response with content, in the media type that the client accepts. */
export function contentResponse(status: number, content: Content): Result {
  return { status, headers: jsonHeaders, body: content };
}

/** A message in plain text. */
export function textResponse(status: number, text: string): Result {
  return { status, headers: textHeaders, body: bytesOf(text) };
}

/** The page of paths that nothing serves. */
export function notFoundPage(): Result {
  return textResponse(404, "404 page not found\n");
}

/** A `Status` error. */
export function statusResponse({ status, code, retryAfterMs }: StatusError): Result {
  const headers =
    retryAfterMs === undefined ? jsonHeaders : { ...jsonHeaders, "retry-after": String(retryAfterMs / 1000) };
  return { status: code, headers, body: contentOf(status, "") };
}

/** A redirect to `location`, with `query` behind it. */
export function redirect(location: string, query: Query = [], headers: Readonly<Record<string, string>> = {}): Result {
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
  const target = search === "" ? location : `${location}?${search}`;
  return { status: 301, headers: { ...uncached, ...headers, location: target }, body: noBody };
}
