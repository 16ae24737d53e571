/** The HTTP client of the current runtime; the differences are in `http-bun.ts` and `http-node.ts`. */
import type { HttpClient, HttpSettings } from "./http.ts";
import { openBunHttp } from "./http-bun.ts";
import { openNodeHttp } from "./http-node.ts";
import { runtime } from "./runtime.ts";

/**
 * Opens a client. On Bun its `fetch`, the fastest, except for headers with several values, which `fetch` joins into
 * one, and for SOCKS proxies, which it does not support. On Deno and Node `node:https`, since Deno's own client lacks
 * `serverName` and `insecure`.
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
