/** HTTPS by Bun.serve. */
import type { HttpsServer, HttpsServerOptions, ServedBody, ServedRequest } from "./https-server.ts";

async function requestOf(request: Request, maxBodyBytes: number): Promise<ServedRequest> {
  const url = new URL(request.url);
  // URL decodes nothing of the path but normalizes it; the raw one is what the server's rules are about.
  const path = request.url.slice(request.url.indexOf("/", "https://".length)).split(/[?#]/)[0] ?? "/";
  const headers: Record<string, string> = {};
  for (const [name, value] of request.headers) headers[name] = value;
  return {
    method: request.method,
    path,
    query: [...url.searchParams.entries()],
    headers,
    body: await bodyOf(request, maxBodyBytes),
  };
}

async function bodyOf(request: Request, most: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array(0);
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  while (length <= most) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    length += value.length;
  }
  if (length > most) await reader.cancel();
  const whole = new Uint8Array(Math.min(length, most + 1));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece.subarray(0, whole.length - offset), offset);
    offset += piece.length;
    if (offset >= whole.length) break;
  }
  return whole;
}

function streamOf(body: ServedBody): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller): Promise<void> {
      try {
        const piece = await body.next();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      } catch (error) {
        controller.error(error);
      }
    },
    cancel: (reason) => body.cancel(reason),
  });
}

export function serveOnBun({ port, certificate, maxBodyBytes, handle }: HttpsServerOptions): Promise<HttpsServer> {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    tls: { cert: certificate.cert, key: certificate.key },
    // A watch may be silent for a minute.
    idleTimeout: 0,
    maxRequestBodySize: 64 * 1024 * 1024,
    async fetch(request): Promise<Response> {
      const { status, headers, body } = await handle(await requestOf(request, maxBodyBytes));
      if (body instanceof Uint8Array) return new Response(body as Uint8Array<ArrayBuffer>, { status, headers });
      // The head goes out before the first event.
      return new Response(streamOf(body), { status, headers });
    },
  });
  return Promise.resolve({
    port: server.port ?? port,
    async close() {
      await server.stop(true);
    },
  });
}
