/** The real kube-apiserver as a Transport, without our client. */
import type { ApiRequest, ApiResponse, Transport } from "../../src/api/transport.ts";
import { type Pauses, untilNextSecond } from "./run.ts";

const usualSettleMs = 200;

/**
 * kube-apiserver uses this machine's clock, and its caches cannot be queried, so all waits are of fixed length. `settleMs`: time until the
 * caches have everything that was written; on a busy machine some need more than the default.
 */
export function realPauses(settleMs: number = usualSettleMs): Pauses {
  return {
    now: () => Date.now(),
    settle: () => Bun.sleep(settleMs),
    pass: () => Bun.sleep(untilNextSecond(Date.now())),
  };
}

const tries = 5;

/**
 * Sends a request again if the server closes the connection, because it has not read anything from a connection that it closes while idle.
 * If it closes every connection, it panics, and the result is a 500.
 */
async function sent(url: string, init: BunFetchRequestInit): Promise<Response> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    try {
      return await fetch(url, init);
    } catch (error) {
      // Errors of fetch have a code.
      if ((error as { readonly code?: string }).code !== "ECONNRESET") throw error;
    }
  }
  return Response.json({ message: "the server closed the connection" }, { status: 500 });
}

/** A Transport to `url` with a bearer token. */
export function realTransport(url: string, token: string): Transport {
  return {
    async send({ method, path, query, headers, body, signal }: ApiRequest): Promise<ApiResponse> {
      const search = new URLSearchParams(
        (query ?? []).map(([name, value]): [string, string] => [name, value]),
      ).toString();
      const response = await sent(`${url}${path}${search === "" ? "" : `?${search}`}`, {
        method,
        headers: { ...headers, authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
        signal,
        redirect: "manual",
        tls: { rejectUnauthorized: false },
      });
      const reader = response.body?.getReader();
      return {
        status: response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        body: {
          async next() {
            const piece = await reader?.read();
            return piece?.value;
          },
          cancel: () => void reader?.cancel().catch(() => undefined),
        },
      };
    },
  };
}
