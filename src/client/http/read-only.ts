import type { ApiRequest, Transport } from "../../api/transport.ts";

/** Something meant to write through a transport that only reads. Nothing was sent. */
export class ReadOnlyError extends Error {
  override readonly name = "ReadOnlyError";
}

export interface ReadOnlyOptions {
  /** Let writes through with dryRun=All, so that the server answers what would have come of them, and stores nothing. */
  readonly serverValidate?: boolean;
}

/** Reviews of oneself: a POST that stores nothing. */
const selfReviews = /^\/apis\/(authorization|authentication)\.k8s\.io\/[^/]+\/self[a-z]*reviews$/;
/** Subresources that a GET acts through: they reach into a node, a pod or a service. */
const acting = /\/(pods|nodes|services)\/[^/]+\/(exec|attach|portforward|proxy)(\/|$)/;

/**
 * A transport that cannot change a cluster: GET and reviews of oneself go through; with `serverValidate` writes do too, as dry
 * runs; for anything else `send` throws before a byte leaves.
 */
export function readOnly(transport: Transport, options: ReadOnlyOptions = {}): Transport {
  return {
    // Async, so that the refusal comes as a rejection like every other one.
    async send(request) {
      if (acting.test(request.path)) throw refusal(request);
      if (request.method === "GET") return transport.send(request);
      if (request.method === "POST" && selfReviews.test(request.path)) return transport.send(request);
      if (options.serverValidate === true) return transport.send(asDryRun(request));
      throw refusal(request);
    },
  };
}

function refusal(request: ApiRequest): ReadOnlyError {
  return new ReadOnlyError(`Cannot send ${request.method} ${request.path}: this connection only reads`);
}

/** The query alone does not do for a DELETE: the server ignores it when the request has options as its body. */
function asDryRun(request: ApiRequest): ApiRequest {
  const query = [...(request.query ?? []).filter(([name]) => name !== "dryRun"), ["dryRun", "All"] as const];
  if (request.body === undefined || request.method !== "DELETE") return { ...request, query };
  const options = JSON.parse(new TextDecoder().decode(request.body)) as Record<string, unknown>;
  return { ...request, query, body: new TextEncoder().encode(JSON.stringify({ ...options, dryRun: ["All"] })) };
}
