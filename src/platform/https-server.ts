/** An HTTPS server on loopback: bytes in, bytes or a stream of them out. Which runtime serves it is decided here. */
import type { ServerCertificate } from "./certificate.ts";
import { serveOnBun } from "./https-server-bun.ts";
import { serveOnNode } from "./https-server-node.ts";
import { runtime } from "./runtime.ts";

export interface ServedRequest {
  readonly method: string;
  /** Escaped, without the query. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Cut off behind `maxBodyBytes`: one byte more tells that it was longer. */
  readonly body: Uint8Array;
}

/** A body that comes in pieces; cancelled when the client goes away. */
export interface ServedBody {
  next(): Promise<Uint8Array | undefined>;
  cancel(reason?: unknown): void;
}

export interface ServedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | ServedBody;
}

export interface HttpsServerOptions {
  /** 0 for any that is free. */
  readonly port: number;
  readonly certificate: ServerCertificate;
  readonly maxBodyBytes: number;
  /** Must not throw. */
  readonly handle: (request: ServedRequest) => ServedResponse | Promise<ServedResponse>;
}

export interface HttpsServer {
  readonly port: number;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1 alone. @throws Error where the port is taken. */
export function serveHttps(options: HttpsServerOptions): Promise<HttpsServer> {
  return runtime === "bun" ? serveOnBun(options) : serveOnNode(options);
}
