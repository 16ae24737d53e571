/**
 * The address of a webhook, and how its server is verified. Source: apiserver v0.36 pkg/util/webhook/client.go ClientConfig,
 * hookClientConfig.
 */
import { isFields, textOf, type Fields } from "../meta/object.ts";

/** A reference to a Service. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly path: string;
}

/** A webhook's address: either a URL or a Service. */
export interface ClientConfig {
  readonly url: string;
  readonly service: ServiceReference | undefined;
  /** PEM; `""`: the system's CAs. */
  readonly caBundle: string;
}

/** Parses a validated `clientConfig`. */
export function clientConfigOf(fields: Fields): ClientConfig {
  const service = fields["service"];
  return {
    url: textOf(fields["url"]),
    service: isFields(service) ? serviceOf(service) : undefined,
    caBundle: atob(textOf(fields["caBundle"])),
  };
}

function serviceOf(fields: Fields): ServiceReference {
  const port = fields["port"];
  return {
    namespace: textOf(fields["namespace"]),
    name: textOf(fields["name"]),
    port: typeof port === "number" && port !== 0 ? port : 443,
    path: textOf(fields["path"]),
  };
}

/** The URL in messages, without a query. */
export function shownUrl({ url, service }: ClientConfig): string {
  if (service === undefined) return withPath(url);
  const { namespace, name, port, path } = service;
  return `https://${name}.${namespace}.svc:${port}${path.startsWith("/") ? path : `/${path}`}`;
}

/** A URL with the path `/` if it has none. */
function withPath(url: string): string {
  return /^[a-z]+:\/\/[^/]+$/i.test(url) ? `${url}/` : url;
}
