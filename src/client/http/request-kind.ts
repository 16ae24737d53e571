/** Properties of a request, derived from the request itself: wrappers of a transport know nothing else. */
import type { ApiRequest } from "../../api/transport.ts";

/** The query of its URL with the question mark, in the order in which it is sent; empty for none. */
export function searchOf({ query = [] }: Pick<ApiRequest, "query">): string {
  if (query.length === 0) return "";
  return `?${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
}

/** A paged list: the start of its response contains the continue token, which is needed before the end. */
export function isPagedList(request: ApiRequest): boolean {
  return request.method === "GET" && (request.query?.some(([name]) => name === "limit") ?? false);
}

/** A watch: it stays open, and is not counted or rate-limited like other requests. */
export function isWatch(request: ApiRequest): boolean {
  return request.query?.some(([name, value]) => name === "watch" && (value === "true" || value === "1")) ?? false;
}
