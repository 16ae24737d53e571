/** Transport over HTTP and TLS. */
import { type ConnectionLimits, tryConnection } from "../../platform/connection.ts";
import { HttpError, type HttpFailure } from "../../platform/http-error.ts";
import type { HttpResponse, HttpSettings, TlsSettings } from "../../platform/http.ts";
import { openHttp } from "../../platform/open-http.ts";
import { requestUpgrade } from "../../platform/upgrade.ts";
import {
  TransportError,
  type ApiRequest,
  type ApiResponse,
  type Transport,
  type TransportFailure,
} from "../../api/transport.ts";
import { isPagedList, isWatch, searchOf } from "./request-kind.ts";
import { acceptMetadata } from "./accept-metadata.ts";

/** Where and how to connect. */
export interface HttpTransportOptions extends HttpSettings {
  /** With scheme; may include a path that prefixes all paths. */
  readonly server: string;
  /** Sent with every request; a name with several values is sent as several headers. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Called before each request: the settings that replace `tls`. When they change, new connections are opened. */
  readonly currentTls?: () => Promise<TlsSettings>;
  /** Requests uncompressed responses. */
  readonly disableCompression?: boolean;
}

/** A transport that owns connections. */
export interface HttpTransport extends Transport {
  /**
   * Opens a connection and closes it. Resolves once it is established, or fails for another reason than time.
   * @throws TransportError `timeout`
   */
  tryConnection(limits: ConnectionLimits, signal: AbortSignal): Promise<void>;
  /** Closes idle connections. */
  close(): void;
}

/** A transport to one server. Connections are kept alive until `close`, or until the settings for TLS have changed. */
export function httpTransport(options: HttpTransportOptions): HttpTransport {
  const { currentTls } = options;
  let opened: HttpSettings = options;
  let http = openHttp(opened);
  /** The settings of a new connection. Requests in flight keep the connections that they have. */
  const settings = async (): Promise<HttpSettings> => {
    const tls = await currentTls?.();
    if (tls === undefined || isSame(tls, opened.tls)) return opened;
    http.close();
    opened = { ...opened, tls };
    http = openHttp(opened);
    return opened;
  };
  const server = options.server.replace(/\/+$/, "");
  const { host } = new URL(server);
  const common = { ...options.headers, ...(options.disableCompression === true && { "accept-encoding": "identity" }) };
  return {
    async send(request): Promise<ApiResponse> {
      request.signal.throwIfAborted();
      try {
        if (currentTls !== undefined) await settings();
        return apiResponse(
          await http.send({
            method: request.method,
            url: server + request.path + searchOf(request),
            headers: { ...common, ...request.headers, ...(request.metadataSuffices === true && acceptMetadata) },
            ...(request.body !== undefined && { body: request.body }),
            signal: request.signal,
            stream: request.streamed === true || isWatch(request) || isPagedList(request),
          }),
          request,
          host,
        );
      } catch (error) {
        throw failureOf(error, request.signal, host);
      }
    },
    async upgrade(request) {
      request.signal.throwIfAborted();
      try {
        const { method, signal, body } = request;
        return await requestUpgrade(
          {
            method,
            url: server + request.path + searchOf(request),
            headers: { ...options.headers, ...request.headers },
            ...(body !== undefined && { body }),
            signal,
          },
          await settings(),
        );
      } catch (error) {
        throw failureOf(error, request.signal, host);
      }
    },
    async tryConnection(limits, signal) {
      try {
        await tryConnection(new URL(server), await settings(), limits, signal);
      } catch (error) {
        throw failureOf(error, signal, host);
      }
    },
    close: () => http.close(),
  };
}

/** Compares what files contain; the rest never changes. */
function isSame(one: TlsSettings, other: TlsSettings): boolean {
  return one.ca === other.ca && one.certificate === other.certificate && one.key === other.key;
}

function apiResponse(response: HttpResponse, request: ApiRequest, host: string): ApiResponse {
  return {
    status: response.status,
    header: (name) => response.header(name),
    body: {
      async next() {
        try {
          return await response.body.next();
        } catch (error) {
          throw failureOf(error, request.signal, host);
        }
      },
      cancel: () => response.body.cancel(),
    },
  };
}

const failures: Readonly<Record<HttpFailure, TransportFailure>> = {
  refused: "unreachable",
  "unknown host": "unreachable",
  unreachable: "unreachable",
  certificate: "certificate",
  broken: "broken",
  timeout: "timeout",
};

/** Maps an error to a `TransportError`. After an abort, the result is the abort's reason. */
function failureOf(thrown: unknown, signal: AbortSignal, host: string): unknown {
  if (signal.aborted) return signal.reason;
  if (thrown instanceof TransportError) return thrown;
  const failure = thrown instanceof HttpError ? failures[thrown.failure] : "broken";
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new TransportError(`${host}: ${message}`, { cause: thrown, failure });
}
