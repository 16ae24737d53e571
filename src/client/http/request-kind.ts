/** Properties of a request, derived from the request alone, for wrappers of a transport. */
import type { ApiRequest } from "../../api/transport.ts";

/** The query of its URL with the question mark, in the order in which it is sent; empty for none. */
export function searchOf({ query = [] }: Pick<ApiRequest, "query">): string {
  if (query.length === 0) return "";
  return `?${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
}

/** Whether a request is a paged list. Its response is streamed, because the continue token at its start is needed before the end. */
export function isPagedList(request: ApiRequest): boolean {
  return request.method === "GET" && (request.query?.some(([name]) => name === "limit") ?? false);
}

/** Whether a request is a watch, which stays open and is neither counted nor rate-limited. */
export function isWatch(request: ApiRequest): boolean {
  return request.query?.some(([name, value]) => name === "watch" && (value === "true" || value === "1")) ?? false;
}
