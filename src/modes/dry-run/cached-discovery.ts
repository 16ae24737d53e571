/**
 * The simulated cluster serves the same kinds throughout, but some controllers run discovery every 30 seconds of
 * virtual time.
 */
import { readAll, type Transport, wholeBody } from "../../api/transport.ts";

const discovery = /^\/(api(\/[^/]+)?|apis(\/[^/]+){0,2})$/;

/** A transport that requests each discovery document once. */
export function withCachedDiscovery(transport: Transport): Transport {
  const known = new Map<
    string,
    { readonly status: number; readonly type: string | undefined; readonly bytes: Uint8Array }
  >();
  return {
    async send(request) {
      if (request.method !== "GET" || !discovery.test(request.path)) return transport.send(request);
      let cached = known.get(request.path);
      if (cached === undefined) {
        const response = await transport.send(request);
        const bytes = await readAll(response.body);
        cached = { status: response.status, type: response.header("content-type"), bytes };
        known.set(request.path, cached);
      }
      const { status, type, bytes } = cached;
      return { status, header: (name) => (name === "content-type" ? type : undefined), body: wholeBody(bytes) };
    },
  };
}
