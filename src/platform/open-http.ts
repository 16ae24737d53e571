/** The HTTP client of the runtime at hand; what differs stands in `http-bun.ts` and `http-node.ts`. */
import type { HttpClient, HttpSettings } from "./http.ts";
import { openBunHttp } from "./http-bun.ts";
import { openNodeHttp } from "./http-node.ts";
import { runtime } from "./runtime.ts";

/**
 * Opens a client. On Bun it is its `fetch`, the fastest there, except for requests with a header of several values: `fetch`
 * sends these as one, and through a SOCKS proxy, which it does not know. Deno and Node use `node:https`, since Deno's own client has no word for `serverName` and `insecure`.
 */
export function openHttp(settings: HttpSettings): HttpClient {
  if (runtime !== "bun" || settings.proxy?.startsWith("socks") === true) return openNodeHttp(settings);
  const bun = openBunHttp(settings);
  let node: HttpClient | undefined;
  return {
    send(request) {
      if (!Object.values(request.headers).some((value) => typeof value !== "string" && value.length > 1)) {
        return bun.send(request);
      }
      node ??= openNodeHttp(settings);
      return node.send(request);
    },
    close() {
      bun.close();
      node?.close();
    },
  };
}
