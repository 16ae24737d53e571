/** What a request is, read from the request itself: wrappers of a transport have nothing else. */
import type { ApiRequest } from "../api/transport.ts";

/** A watch: it stays open, and is neither counted nor limited like other requests. */
export function isWatch(request: ApiRequest): boolean {
  return request.query?.some(([name, value]) => name === "watch" && (value === "true" || value === "1")) ?? false;
}
