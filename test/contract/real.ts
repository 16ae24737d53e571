/** A Transport to the real kube-apiserver, which does not use our client. */
import type { ApiRequest, ApiResponse, Transport } from "../../src/api/transport.ts";
import { type Pauses, untilNextSecond } from "./run.ts";

const usualSettleMs = 200;

/**
 * kube-apiserver uses the clock of this machine, and the state of its caches cannot be queried: all one can do is wait. `settleMs`: the
 * time for these caches to receive all writes; on a busy machine the default is too short for some of them.
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
 * If the server closes a kept-alive connection just as it is reused, it has not read the request, so the request is sent again. If it does
 * so every time, the request made it panic, which counts as a 500.
 */
async function sent(url: string, init: BunFetchRequestInit): Promise<Response> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    try {
      return await fetch(url, init);
    } catch (error) {
      // Errors thrown by fetch have a code.
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
