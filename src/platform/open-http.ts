/** The HTTP client of the current runtime; the differences are in `http-bun.ts` and `http-node.ts`. */
import type { HttpBody, HttpClient, HttpRequest, HttpResponse, HttpSettings } from "./http.ts";
import { openBunHttp } from "./http-bun.ts";
import { openNodeHttp } from "./http-node.ts";
import { runtime } from "./runtime.ts";

/**
 * Bun's `fetch` runs 256 requests at a time, for all clients of the process together; others wait, silently and for as long as watches
 * last. So streams beyond this number use node:https. Source: Bun's BUN_CONFIG_MAX_HTTP_REQUESTS, read when the process starts.
 */
const mostStreams = 160;
let streams = 0;

/**
 * Opens a client. On Bun its `fetch`, the fastest, except for headers with several values, which `fetch` joins into one, for SOCKS proxies,
 * which it does not support, and for streams that it would delay. On Deno and Node `node:https`, since Deno's own client lacks `serverName`
 * and `insecure`.
 */
export function openHttp(settings: HttpSettings): HttpClient {
  if (runtime !== "bun" || settings.proxy?.startsWith("socks") === true) return openNodeHttp(settings);
  const bun = openBunHttp(settings);
  let node: HttpClient | undefined;
  return {
    send(request) {
      const isFull = request.stream && streams >= mostStreams;
      if (!isFull && !Object.values(request.headers).some((value) => typeof value !== "string" && value.length > 1)) {
        return request.stream ? counted(bun, request) : bun.send(request);
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

/** Sends a request that counts as a stream until its body has ended, or was cancelled or aborted. */
async function counted(client: HttpClient, request: HttpRequest): Promise<HttpResponse> {
  const { signal } = request;
  streams++;
  let isCounted = true;
  const release = (): void => {
    if (isCounted) streams--;
    isCounted = false;
    signal.removeEventListener("abort", release);
  };
  signal.addEventListener("abort", release);
  try {
    const response = await client.send(request);
    return { ...response, body: releasing(response.body, release) };
  } catch (error) {
    release();
    throw error;
  }
}

function releasing(body: HttpBody, release: () => void): HttpBody {
  return {
    async next() {
      try {
        const piece = await body.next();
        if (piece === undefined) release();
        return piece;
      } catch (error) {
        release();
        throw error;
      }
    },
    cancel() {
      release();
      body.cancel();
    },
  };
}
