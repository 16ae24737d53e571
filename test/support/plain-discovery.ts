/** Discovery like that of a server without aggregated discovery, so that a test can replace the response for one group version. */
import type { Transport } from "../../src/api/transport.ts";

/** Requests plain JSON when the client requests an `APIGroupDiscoveryList`. */
export function plainDiscovery(transport: Transport): Transport {
  return {
    send(request) {
      const isAggregated = request.headers?.["accept"]?.includes("apidiscovery.k8s.io") === true;
      if (!isAggregated) return transport.send(request);
      return transport.send({ ...request, headers: { ...request.headers, accept: "application/json" } });
    },
  };
}
