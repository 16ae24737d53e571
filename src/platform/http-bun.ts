/** HTTP on Bun: its `fetch`, with a pool of connections for each client. */
import { HttpError, httpErrorOf, unusable } from "./http-error.ts";
import type { HttpBody, HttpClient, HttpRequest, HttpResponse, HttpSettings, TlsSettings } from "./http.ts";

function tlsOptions(tls: TlsSettings): Bun.TLSOptions {
  return {
    // As in Go, each given certificate is trusted, whether a CA's or the server's own.
    ...(tls.ca !== undefined && { ca: tls.ca, allowPartialTrustChain: true }),
    ...(tls.certificate !== undefined && { cert: tls.certificate }),
    ...(tls.key !== undefined && { key: tls.key }),
    ...(tls.serverName !== undefined && { serverName: tls.serverName }),
    // Always explicit: otherwise NODE_TLS_REJECT_UNAUTHORIZED in the environment decides.
    rejectUnauthorized: tls.insecure !== true,
  };
}

/** Bun's `fetch` fails with a message about a socket if a certificate or key cannot be parsed. */
function mended(error: unknown, tls: TlsSettings): HttpError {
  const { code } = error as { code?: string };
  if (code === "FailedToOpenSocket" && (tls.ca ?? tls.certificate ?? tls.key) !== undefined) {
    return new HttpError("certificate", unusable, { cause: error });
  }
  return httpErrorOf(error);
}

function streamed(response: Response): HttpBody {
  const reader = response.body?.getReader();
  if (reader === undefined) return { next: () => Promise.resolve(undefined), cancel: () => undefined };
  return {
    async next() {
      try {
        return (await reader.read()).value;
      } catch (error) {
        throw httpErrorOf(error);
      }
    },
    cancel: () => void reader.cancel().catch(() => undefined),
  };
}

/** Read in one piece: several times cheaper than a reader for the small bodies of most requests. */
function whole(response: Response): HttpBody {
  let taken = false;
  return {
    async next() {
      if (taken) return undefined;
      taken = true;
      try {
        const bytes = await response.bytes();
        return bytes.length === 0 ? undefined : bytes;
      } catch (error) {
        throw httpErrorOf(error);
      }
    },
    cancel() {
      if (!taken) void response.body?.cancel().catch(() => undefined);
      taken = true;
    },
  };
}

/** A client over Bun's `fetch`. */
export function openBunHttp(settings: HttpSettings): HttpClient {
  const session = new Bun.FetchSession({ tls: tlsOptions(settings.tls) });
  // By default Bun takes a proxy from the environment, by rules other than client-go's.
  const proxy = settings.proxy === undefined ? false : { url: settings.proxy, respectNoProxy: false };
  return {
    async send(request: HttpRequest): Promise<HttpResponse> {
      try {
        const response = await session.fetch(request.url, {
          method: request.method,
          headers: request.headers as Record<string, string>,
          signal: request.signal,
          redirect: "manual",
          // A watch may be silent for longer than Bun's default of 5 minutes; the watchdog handles it.
          timeout: false,
          proxy,
          // lib.dom's BodyInit requires a non-shared ArrayBuffer, which these always have.
          ...(request.body !== undefined && { body: request.body as Uint8Array<ArrayBuffer> }),
        });
        return {
          status: response.status,
          header: (name) => response.headers.get(name) ?? undefined,
          body: request.stream ? streamed(response) : whole(response),
        };
      } catch (error) {
        throw mended(error, settings.tls);
      }
    },
    close: () => session.close(),
  };
}
