/** The real kube-apiserver as a Transport, without any of our client in between. */
import type { ApiRequest, ApiResponse, Transport } from "../../src/api/transport.ts";
import { type Pauses, untilNextSecond } from "./run.ts";

const usualSettleMs = 200;

/**
 * kube-apiserver has this machine's clock, and caches that nobody can ask: waiting is all that one can do. `settleMs`: how long
 * those get to know what was written; on a busy machine the usual time is too short for some.
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
 * A connection that the server closes as it is used again has not been read from: the request is sent again. One that it closes each
 * time has made it panic, which is as good as a 500.
 */
async function sent(url: string, init: BunFetchRequestInit): Promise<Response> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    try {
      return await fetch(url, init);
    } catch (error) {
      // What fetch throws has a code.
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
