/** Selects the headers that are forwarded. */

/**
 * Request headers that are not forwarded: hop-by-hop headers, the credentials for the proxy, and accept-encoding, because the transport
 * negotiates compression itself and returns plain bodies. Source: RFC 9110 section 7.6.1.
 */
const notForwarded: ReadonlySet<string> = new Set([
  "accept-encoding",
  "authorization",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The request headers to send to the API server. */
export function requestHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !notForwarded.has(name)));
}

/** The additional headers of an upgrade request. */
export function upgradeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { upgrade = "" } = headers;
  return { connection: "Upgrade", upgrade };
}

/**
 * The response headers that are forwarded: those that API servers send, without hop-by-hop and compression headers.
 * Source: apiserver v0.36 endpoints/handlers/responsewriters, server/filters, endpoints/filters.
 */
const ofResponses: readonly string[] = [
  "content-type",
  "audit-id",
  "warning",
  "cache-control",
  "retry-after",
  "location",
  "etag",
  "last-modified",
  "expires",
  "vary",
  "allow",
  "date",
  "server",
  "www-authenticate",
  "content-disposition",
  "x-content-type-options",
  "x-content-type",
  "x-from-cache",
  "x-kubernetes-pf-flowschema-uid",
  "x-kubernetes-pf-prioritylevel-uid",
];

/** The response headers to send to the process. */
export function responseHeaders(header: (name: string) => string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ofResponses) {
    const value = header(name);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}
