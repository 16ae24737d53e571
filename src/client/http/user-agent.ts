/** Which controller sends a request, for those who read a server's audit log. */
import type { Transport } from "../../api/transport.ts";

/**
 * Adds the controller to the User-Agent, as kube-controller-manager does: `kubectl-reconcile/0.1.0 replicaset`. What stands before the
 * first slash stays: API servers take it as the field manager of a write that names none.
 */
export function withUserAgent(inner: Transport, userAgent: string): Transport {
  return {
    send: (request) => inner.send({ ...request, headers: { ...request.headers, "user-agent": userAgent } }),
  };
}
