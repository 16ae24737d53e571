/** HTTP requests and responses, in process or over TLS. */
import { uriOf } from "../../api/route.ts";
import type { ApiBody } from "../../api/transport.ts";
import type { StatusError } from "../../api/status-error.ts";
import { type Content, contentOf } from "../serialization/content.ts";
import { bytesOf } from "../serialization/encoding.ts";
import type { Query } from "../options/list-options.ts";
import type { User } from "../context/authorizer.ts";

/** A request with its whole body. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Query;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly user: User;
  /** Path and query as sent, over HTTPS. */
  readonly uri?: string;
  /** The client's address, over HTTPS. */
  readonly remoteAddress?: string | undefined;
  /** The client: names the hops of a watch. */
  readonly actor: string;
}

/** The response to a client. */
export interface HttpResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** An `ApiBody` for a watch. */
  readonly body: Uint8Array | ApiBody;
}

/** A response whose content may still need encoding. */
export interface Result {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes are documents with only one form, which are not encoded again. */
  readonly body: Uint8Array | ApiBody | Content;
}

/** Responses must not be cached on the way. */
export const uncached: Readonly<Record<string, string>> = { "cache-control": "no-cache, private" };
/** For responses encoded here; another media type replaces this one. */
export const jsonHeaders: Readonly<Record<string, string>> = { ...uncached, "content-type": "application/json" };
/** The media type of plain messages. */
export const plainText = "text/plain; charset=utf-8";
const textHeaders = { ...uncached, "content-type": plainText, "x-content-type-options": "nosniff" };

/** The body of redirects and of 304. */
export const noBody: Uint8Array = new Uint8Array(0);

/** A response with one object. */
export function jsonResponse(status: number, value: unknown): Result {
  return contentResponse(status, contentOf(value));
}

/** A response with content, to be encoded in the accepted media type. */
export function contentResponse(status: number, content: Content): Result {
  return { status, headers: jsonHeaders, body: content };
}

/** A message in plain text. */
export function textResponse(status: number, text: string): Result {
  return { status, headers: textHeaders, body: bytesOf(text) };
}

/** The 404 page for unknown paths. */
export function notFoundPage(): Result {
  return textResponse(404, "404 page not found\n");
}

/** A `Status` error. */
export function statusResponse({ status, code, retryAfterMs }: StatusError): Result {
  const headers =
    retryAfterMs === undefined ? jsonHeaders : { ...jsonHeaders, "retry-after": String(retryAfterMs / 1000) };
  return { status: code, headers, body: contentOf(status, "") };
}

/** A redirect to `location`, with `query` appended. */
export function redirect(location: string, query: Query = [], headers: Readonly<Record<string, string>> = {}): Result {
  return {
    status: 301,
    headers: { ...uncached, ...headers, location: uriOf({ path: location, query }) },
    body: noBody,
  };
}
