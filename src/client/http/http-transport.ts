/** Transport over HTTP and TLS. */
import { type ConnectionLimits, tryConnection } from "../../platform/connection.ts";
import { HttpError, type HttpFailure } from "../../platform/http-error.ts";
import type { HttpClient, HttpResponse, HttpSettings } from "../../platform/http.ts";
import { openHttp } from "../../platform/open-http.ts";
import {
  TransportError,
  type ApiRequest,
  type ApiResponse,
  type Transport,
  type TransportFailure,
} from "../../api/transport.ts";
import { isPagedList, isWatch } from "./request-kind.ts";
import { acceptMetadata } from "./accept-metadata.ts";

export interface HttpTransportOptions extends HttpSettings {
  /** With scheme; a path in front of all paths may follow. */
  readonly server: string;
  /** On every request; a name with several values is sent as several lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Ask the server not to compress. */
  readonly disableCompression?: boolean;
}

export interface HttpTransport extends Transport {
  /**
   * Makes a connection of its own and drops it. Resolves where one comes about, or fails in another way than by the time it takes.
   * @throws TransportError `timeout`
   */
  tryConnection(limits: ConnectionLimits, signal: AbortSignal): Promise<void>;
  /** Closes idle connections. */
  close(): void;
}

/** Opens connections to one server. They are kept, and closed by `close`. */
export function httpTransport(options: HttpTransportOptions): HttpTransport {
  const http: HttpClient = openHttp(options);
  const server = options.server.replace(/\/+$/, "");
  const { host } = new URL(server);
  const common = { ...options.headers, ...(options.disableCompression === true && { "accept-encoding": "identity" }) };
  return {
    async send(request): Promise<ApiResponse> {
      request.signal.throwIfAborted();
      try {
        return answerOf(
          await http.send({
            method: request.method,
            url: server + request.path + search(request),
            headers: { ...common, ...request.headers, ...(request.metadataSuffices === true && acceptMetadata) },
            ...(request.body !== undefined && { body: request.body }),
            signal: request.signal,
            stream: isWatch(request) || isPagedList(request),
          }),
          request,
          host,
        );
      } catch (error) {
        throw failureOf(error, request.signal, host);
      }
    },
    async tryConnection(limits, signal) {
      try {
        await tryConnection(new URL(server), options, limits, signal);
      } catch (error) {
        throw failureOf(error, signal, host);
      }
    },
    close: () => http.close(),
  };
}

function search(request: ApiRequest): string {
  if (request.query === undefined || request.query.length === 0) return "";
  return `?${request.query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
}

function answerOf(response: HttpResponse, request: ApiRequest, host: string): ApiResponse {
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

/** Whatever was thrown after an abort is the abort. */
function failureOf(thrown: unknown, signal: AbortSignal, host: string): unknown {
  if (signal.aborted) return signal.reason;
  if (thrown instanceof TransportError) return thrown;
  const failure = thrown instanceof HttpError ? failures[thrown.failure] : "broken";
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new TransportError(`${host}: ${message}`, { cause: thrown, failure });
}
