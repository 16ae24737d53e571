/** Names the controller in each request, for readers of the server's audit log. */
import type { Transport } from "../../api/transport.ts";

/**
 * Sends requests with this User-Agent, such as `kubectl-reconcile/0.1.0 replicaset`: like kube-controller-manager, it names the controller.
 * The part before the first slash must stay the same, because API servers use it as the field manager of writes that name none.
 */
export function withUserAgent(inner: Transport, userAgent: string): Transport {
  return {
    send: (request) => inner.send({ ...request, headers: { ...request.headers, "user-agent": userAgent } }),
  };
}
