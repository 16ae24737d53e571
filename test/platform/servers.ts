/** Servers on loopback for HTTP tests: an echo server, a server of fixed bytes, and proxies. */
import * as http from "node:http";
import * as net from "node:net";
import * as tls from "node:tls";
import type { Pair } from "./certificates.ts";

export interface Listening {
  readonly port: number;
  close(): void;
}

/** Starts a server on loopback. */
export async function listening(server: net.Server): Promise<Listening> {
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket: net.Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

export interface Seen {
  readonly method: string;
  readonly url: string;
  /** Header names and values, alternating, in the order received. */
  readonly lines: readonly string[];
  readonly body: string;
  /** Common name of the client certificate; empty without one. */
  readonly client: string;
  /** The server name from SNI. */
  readonly serverName: string;
  /** Number of the connection, counted from 1. */
  readonly connection: number;
}

/** Responds to each request with what it received, as JSON, unless `respond` handles the request. */
export async function echoServer(
  secured: (Pair & { readonly ca: string }) | undefined,
  respond?: (request: http.IncomingMessage, response: http.ServerResponse) => boolean,
): Promise<Listening> {
  const connections = new Map<net.Socket, number>();
  const handle = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    if (respond?.(request, response) === true) return;
    const { socket } = request;
    if (!connections.has(socket)) connections.set(socket, connections.size + 1);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const secure = socket as Partial<tls.TLSSocket>;
      const seen: Seen = {
        method: request.method ?? "",
        url: request.url ?? "",
        lines: request.rawHeaders,
        body: Buffer.concat(chunks).toString(),
        client: String(secure.getPeerCertificate?.().subject?.CN ?? ""),
        serverName: typeof secure.servername === "string" ? secure.servername : "",
        connection: connections.get(socket) ?? 0,
      };
      response.setHeader("content-type", "application/json");
      response.setHeader("x-seen", "yes");
      response.end(JSON.stringify(seen));
    });
  };
  const plain = http.createServer(handle);
  if (secured === undefined) return listening(plain);
  // Bun's node:https server does not expose the client certificate; its node:tls server does.
  const { cert, key, ca } = secured;
  return listening(
    tls.createServer({ cert, key, ca, requestCert: true, rejectUnauthorized: false }, (socket) => {
      socket.on("error", () => undefined);
      plain.emit("connection", socket);
    }),
  );
}

export interface Proxy extends Listening {
  /** The requests: `CONNECT host:port authorization`. */
  readonly requests: string[];
}

/** A proxy that supports only CONNECT. */
export async function connectProxy(): Promise<Proxy> {
  const requests: string[] = [];
  const server = http.createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.statusCode = 405;
    response.end();
  });
  server.on("connect", (request: http.IncomingMessage, client: net.Socket) => {
    requests.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    const [host = "", port = ""] = (request.url ?? "").split(":");
    const upstream = net.connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(client);
      client.pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  return { ...(await listening(server)), requests };
}

/** A TCP server that responds to the first bytes with `bytes`, then ends or breaks the connection, or leaves it open. */
export async function rawServer(bytes: string, then: "end" | "break" | "stay"): Promise<Listening> {
  return listening(
    net.createServer((socket) => {
      socket.once("data", () => {
        socket.write(bytes, () => {
          if (then === "end") socket.end();
          if (then === "break") socket.resetAndDestroy();
        });
      });
    }),
  );
}

export interface SocksProxy extends Listening {
  /** The requests: `host:port user:password`. */
  readonly requests: string[];
}

/** A SOCKS5 proxy. With `login` it accepts no other credentials; with `refuses` it replies to every request with that code. */
export async function socksProxy(login?: string, refuses = 0): Promise<SocksProxy> {
  const requests: string[] = [];
  const server = net.createServer(
    (socket) => void serveSocks(socket, { login, refuses, requests }).catch(() => socket.destroy()),
  );
  return { ...(await listening(server)), requests };
}

interface SocksService {
  readonly login: string | undefined;
  readonly refuses: number;
  readonly requests: string[];
}

async function serveSocks(socket: net.Socket, { login, refuses, requests }: SocksService): Promise<void> {
  const read = async (length: number): Promise<Buffer> => {
    for (;;) {
      const bytes = socket.read(length) as Buffer | null;
      if (bytes !== null) return bytes;
      await new Promise((resolve) => socket.once("readable", resolve));
    }
  };
  const counted = async (): Promise<string> => (await read((await read(1))[0] ?? 0)).toString();
  const [, count = 0] = await read(2);
  const methods = await read(count);
  if (login !== undefined && !methods.includes(2)) return void socket.end(Buffer.from([5, 0xff]));
  socket.write(Buffer.from([5, login === undefined ? 0 : 2]));
  let credentials = "";
  if (login !== undefined) {
    await read(1);
    credentials = `${await counted()}:${await counted()}`;
    socket.write(Buffer.from([1, credentials === login ? 0 : 1]));
    if (credentials !== login) return void socket.end();
  }
  const [, , , kind] = await read(4);
  const host = kind === 3 ? await counted() : (await read(kind === 4 ? 16 : 4)).join(".");
  const port = (await read(2)).readUInt16BE();
  requests.push(`${host}:${port} ${credentials}`.trim());
  if (refuses !== 0) return void socket.end(Buffer.from([5, refuses, 0, 1, 0, 0, 0, 0, 0, 0]));
  const upstream = net.connect(port, "127.0.0.1", () => {
    socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
    upstream.pipe(socket);
    socket.pipe(upstream);
  });
  upstream.on("error", () => socket.destroy());
  socket.on("error", () => upstream.destroy());
}
