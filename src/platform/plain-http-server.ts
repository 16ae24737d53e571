/** A plain HTTP server that returns text for paths: health checks, metrics. */
import { createServer } from "node:http";

/** The response to a path. */
export interface TextResponse {
  readonly status: number;
  /** Its media type. */
  readonly type: string;
  readonly text: string;
}

/** Where to listen, and how to respond. */
export interface PlainHttpOptions {
  /** An address or a name of this machine. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Must not throw or reject. `path` is without the query. */
  readonly respond: (path: string) => TextResponse | Promise<TextResponse>;
}

/** A listening server. */
export interface PlainHttpServer {
  /** `http://HOST:PORT`. */
  readonly url: string;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Listens. @throws Error if the address is not this machine's or the port is in use. */
export async function servePlainHttp({ host, port, respond }: PlainHttpOptions): Promise<PlainHttpServer> {
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    void Promise.resolve(respond(path)).then(({ status, type, text }) =>
      response.writeHead(status, { "content-type": type }).end(text),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const own = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${own}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
