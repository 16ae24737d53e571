/** Which headers pass the door. */

/**
 * Headers about one connection, not about the request; the process's own credentials, which are the door's alone; and the encodings that it
 * accepts: the connection to the server has its own, and what comes from it is plain. Source: RFC 9110 section 7.6.1.
 */
const ofConnection: ReadonlySet<string> = new Set([
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

/** The headers of a request as they are sent on. */
export function sentOn(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)));
}

/** What asks for another protocol, beside the headers that are sent on. */
export function upgradeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { upgrade = "" } = headers;
  return { connection: "Upgrade", upgrade };
}

/**
 * The headers that API servers send with responses, aside from those of the connection and of its compression.
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

/** The headers of a response as they are handed to the process. */
export function handedOn(header: (name: string) => string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ofResponses) {
    const value = header(name);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}
