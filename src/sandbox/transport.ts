/** The sandbox without a socket: a `Transport` whose requests and responses are hops on the Timeline. */
import {
  type ApiBody,
  type ApiRequest,
  type ApiResponse,
  type Transport,
  TransportError,
  wholeBody,
} from "../api/transport.ts";
import { handle } from "./serving/handler.ts";
import type { User } from "./context/authorizer.ts";
import type { Server } from "./context/server.ts";

/** Who connects, and as which user. */
export interface SandboxTransportOptions {
  /** Names the hops of the connection; stable from run to run. */
  readonly actor: string;
  readonly user?: User;
}

/** The default user of in-process connections. */
export const clusterAdmin: User = { name: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"] };

/**
 * A connection to an embedded server. The server's part is atomic: it happens between the hop `request <actor>` and the hop
 * `answer <actor>`; each chunk of a watch is a hop `chunk <actor>`.
 */
export function transportTo(
  server: Server,
  isStopped: () => boolean,
  { actor, user = clusterAdmin }: SandboxTransportOptions,
): Transport {
  const { timeline } = server;
  const [requestHop, responseHop, chunkHop] = [`request ${actor}`, `answer ${actor}`, `chunk ${actor}`];
  return {
    async send(request: ApiRequest): Promise<ApiResponse> {
      const { signal } = request;
      signal.throwIfAborted();
      await timeline.hop(requestHop);
      signal.throwIfAborted();
      if (isStopped()) throw new TransportError("the sandbox has been stopped", { failure: "unreachable" });
      const response = handle(server, {
        method: request.method,
        path: request.path,
        query: request.query ?? [],
        headers: request.headers ?? {},
        body: request.body ?? new Uint8Array(0),
        user,
        actor: chunkHop,
      });
      // A response that did not wait for anything is not awaited.
      const { status, headers, body } = response instanceof Promise ? await response : response;
      await timeline.hop(responseHop);
      const header = (name: string): string | undefined => headers[name];
      if (body instanceof Uint8Array) {
        signal.throwIfAborted();
        return { status, header, body: wholeBody(body) };
      }
      if (signal.aborted) body.cancel(signal.reason);
      signal.throwIfAborted();
      return { status, header, body: abortable(body, signal) };
    },
  };
}

/** A body that fails with the signal's reason when it aborts. */
function abortable(body: ApiBody, signal: AbortSignal): ApiBody {
  const onAbort = (): void => body.cancel(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    async next() {
      signal.throwIfAborted();
      const piece = await body.next();
      if (piece === undefined) signal.removeEventListener("abort", onAbort);
      signal.throwIfAborted();
      return piece;
    },
    cancel(reason) {
      signal.removeEventListener("abort", onAbort);
      body.cancel(reason);
    },
  };
}
