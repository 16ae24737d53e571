import { messageOf } from "../../api/error-message.ts";
import type { ApiRequest, Transport } from "../../api/transport.ts";
import type { Timeline } from "../../platform/timeline.ts";
import { searchOf } from "./request-kind.ts";

/** A request whose response has begun, or that has failed. */
export interface CompletedRequest {
  readonly request: ApiRequest;
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined;
  /** The error, if there was no response. */
  readonly error?: unknown;
  /** Time until the response began. */
  readonly ms: number;
}

/** Reports each request when its response begins, or when it fails. `onCompleted` must not throw. */
export function withCompleted(
  transport: Transport,
  {
    timeline,
    onCompleted,
  }: { readonly timeline: Timeline; readonly onCompleted: (completed: CompletedRequest) => void },
): Transport {
  return {
    async send(request) {
      const startedAt = timeline.now();
      try {
        const response = await transport.send(request);
        onCompleted({ request, status: response.status, ms: timeline.now() - startedAt });
        return response;
      } catch (error) {
        onCompleted({ request, status: undefined, error, ms: timeline.now() - startedAt });
        throw error;
      }
    },
  };
}

/**
 * `GET https://127.0.0.1:6443/version 200 in 12 ms`, without headers and bodies, and thus without credentials.
 * Source: what `kubectl -v=6` prints, client-go v0.36 transport/round_trippers.go.
 */
export function requestLine(server: string, { request, status, error, ms }: CompletedRequest): string {
  const url = `${server}${request.path}${searchOf(request)}`;
  const outcome = status === undefined ? `failed (${messageOf(error)})` : String(status);
  return `${request.method} ${url} ${outcome} in ${Math.round(ms)} ms`;
}
