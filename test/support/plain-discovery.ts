/** Discovery as of a server that does not put it together, so that a test can exchange the answer of one group version. */
import type { Transport } from "../../src/api/transport.ts";

/** Asks for plain JSON where a client asks for an `APIGroupDiscoveryList`. */
export function plainDiscovery(transport: Transport): Transport {
  return {
    send(request) {
      const asksTogether = request.headers?.["accept"]?.includes("apidiscovery.k8s.io") === true;
      if (!asksTogether) return transport.send(request);
      return transport.send({ ...request, headers: { ...request.headers, accept: "application/json" } });
    },
  };
}
