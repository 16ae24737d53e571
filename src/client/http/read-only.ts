import type { ApiRequest, Transport } from "../../api/transport.ts";

/** A write was attempted through a read-only transport. Nothing was sent. */
export class ReadOnlyError extends Error {
  override readonly name = "ReadOnlyError";
}

/** Options of `readOnly`. */
export interface ReadOnlyOptions {
  /** Sends writes with dryRun=All: the server processes them without storing anything. */
  readonly serverValidate?: boolean;
}

/** Reviews of access: their POST stores nothing and returns no credentials. */
const reviews =
  /^\/apis\/(?:(?:authorization|authentication)\.k8s\.io\/[^/]+\/self[a-z]*reviews|authorization\.k8s\.io\/[^/]+\/subjectaccessreviews)$/;
/** Subresources of nodes, pods and services whose GET has effects. */
const withEffects = /\/(pods|nodes|services)\/[^/]+\/(exec|attach|portforward|proxy)(\/|$)/;

/**
 * A transport that cannot change a cluster. It sends GETs and reviews of access, and with `serverValidate` writes as dry runs; for anything
 * else `send` rejects with a `ReadOnlyError` before anything is sent.
 */
export function readOnly(transport: Transport, options: ReadOnlyOptions = {}): Transport {
  return {
    // Async, so that the error is a rejection like every other one.
    async send(request) {
      if (withEffects.test(request.path)) throw refusal(request);
      if (request.method === "GET") return transport.send(request);
      if (request.method === "POST" && reviews.test(request.path)) return transport.send(request);
      if (options.serverValidate === true) return transport.send(asDryRun(request));
      throw refusal(request);
    },
  };
}

function refusal(request: ApiRequest): ReadOnlyError {
  return new ReadOnlyError(`Cannot send ${request.method} ${request.path}: this connection only reads`);
}

/** The query parameter is not enough for a DELETE: the server ignores it when the body contains options. */
function asDryRun(request: ApiRequest): ApiRequest {
  const query = [...(request.query ?? []).filter(([name]) => name !== "dryRun"), ["dryRun", "All"] as const];
  if (request.body === undefined || request.method !== "DELETE") return { ...request, query };
  const options = JSON.parse(new TextDecoder().decode(request.body)) as Record<string, unknown>;
  return { ...request, query, body: new TextEncoder().encode(JSON.stringify({ ...options, dryRun: ["All"] })) };
}
