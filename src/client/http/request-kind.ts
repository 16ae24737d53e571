/** What a request is, read from the request itself: wrappers of a transport have nothing else. */
import type { ApiRequest } from "../../api/transport.ts";

/** A list in pages: the beginning of an answer tells how to go on, and is wanted before its end. */
export function isPagedList(request: ApiRequest): boolean {
  return request.method === "GET" && (request.query?.some(([name]) => name === "limit") ?? false);
}

/** A watch: it stays open, and is neither counted nor limited like other requests. */
export function isWatch(request: ApiRequest): boolean {
  return request.query?.some(([name, value]) => name === "watch" && (value === "true" || value === "1")) ?? false;
}
