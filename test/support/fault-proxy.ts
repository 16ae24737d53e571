/**
 * A TCP proxy on loopback with faults on command. It does not know TLS or HTTP: it does to bytes what a bad network does. For faults of
 * single requests (a 429, the lost response of one write) see `http-fault-proxy.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";

/** A fault of all connections, open and new. */
export type TcpFault =
  | { readonly is: "none" }
  /** Nothing listens: new connections are refused, open ones are reset. */
  | { readonly is: "refuse" }
  /** A connection is reset after this many more bytes from the server; 0: at the next byte. TLS adds about 30 bytes per write. */
  | { readonly is: "cut"; readonly afterBytes: number }
  /** Half-open: bytes in both directions are dropped and nothing is closed. Such a connection stays dead after the fault ends. */
  | { readonly is: "stall" }
  /** Bytes from the server are throttled. */
  | { readonly is: "slow"; readonly bytesPerSecond: number }
  /**
   * The client's bytes arrive, and the connection is reset at the first byte of the response: the request was carried out, but the client
   * does not know. A new connection does not survive its TLS handshake.
   */
  | { readonly is: "lose-responses" };

export interface FaultProxy {
  readonly port: number;
  /** `https://127.0.0.1:PORT`; the server's certificate is valid for it. */
  readonly url: string;
  /** Number of open connections. */
  readonly open: number;
  /** Number of connections accepted so far. */
  readonly taken: number;
  /** Replaces the fault; byte counts restart. */
  set(fault: TcpFault): Promise<void>;
  /** Resets all open connections once; new ones are accepted. */
  breakConnections(): void;
  stop(): Promise<void>;
}

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  /** Bytes from the server that were forwarded since the fault was set. */
  forwarded: number;
  dead: boolean;
}

/** Starts a proxy for `port` on loopback. */
export async function startFaultProxy(port: number): Promise<FaultProxy> {
  const connections = new Set<Connection>();
  let fault: TcpFault = { is: "none" };
  let taken = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    taken++;
    const connection: Connection = { client, server: connect(port, "127.0.0.1"), forwarded: 0, dead: false };
    connections.add(connection);
    wire(connection, () => fault);
    client.on("close", () => connections.delete(connection));
  });
  const own = await listen(server, 0);
  const breakConnections = (): void => connections.forEach(reset);
  return {
    port: own,
    url: `https://127.0.0.1:${own}`,
    get open() {
      return connections.size;
    },
    get taken() {
      return taken;
    },
    async set(next) {
      if (fault.is === "refuse" && next.is !== "refuse") await listen(server, own);
      if (next.is === "refuse" && fault.is !== "refuse") {
        const closed = close(server);
        breakConnections();
        await closed;
      }
      fault = next;
      for (const connection of connections) connection.forwarded = 0;
    },
    breakConnections,
    async stop() {
      const closed = fault.is === "refuse" ? Promise.resolve() : close(server);
      breakConnections();
      await closed;
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function reset(connection: Connection): void {
  connection.dead = true;
  connection.client.resetAndDestroy();
  connection.server.destroy();
}

function wire(connection: Connection, present: () => TcpFault): void {
  const { client, server } = connection;
  client.on("data", (bytes: Buffer) => {
    if (present().is === "stall") connection.dead = true;
    if (!connection.dead) handOn(bytes, client, server);
  });
  server.on("data", (bytes: Buffer) => respond(connection, bytes, present()));
  client.on("end", () => server.end());
  server.on("end", () => {
    if (present().is === "stall") connection.dead = true;
    if (!connection.dead) client.end();
  });
  // An abnormal end closes the other side too, unless the fault is silence.
  client.on("error", () => server.destroy());
  client.on("close", () => server.destroy());
  server.on("error", () => {
    if (!connection.dead && present().is !== "stall") reset(connection);
  });
}

function respond(connection: Connection, bytes: Buffer, fault: TcpFault): void {
  if (connection.dead) return;
  switch (fault.is) {
    case "none":
    case "refuse":
      handOn(bytes, connection.server, connection.client);
      break;
    case "cut": {
      const left = fault.afterBytes - connection.forwarded;
      if (bytes.length <= left) handOn(bytes, connection.server, connection.client);
      else cutAfter(connection, bytes.subarray(0, Math.max(0, left)));
      break;
    }
    case "stall":
      connection.dead = true;
      break;
    case "slow":
      void trickle(connection, bytes, fault.bytesPerSecond);
      break;
    case "lose-responses":
      reset(connection);
      break;
  }
  connection.forwarded += bytes.length;
}

/** Forwards bytes, and stops reading while the other side's buffer is full. */
function handOn(bytes: Buffer, from: Socket, to: Socket): void {
  if (to.write(bytes)) return;
  from.pause();
  to.once("drain", () => from.resume());
}

/** The last bytes must still arrive: a reset would overtake them, so the connection is closed after they are written. */
function cutAfter(connection: Connection, last: Buffer): void {
  connection.dead = true;
  connection.server.destroy();
  if (last.length === 0) connection.client.resetAndDestroy();
  else connection.client.write(last, () => connection.client.destroy());
}

/** Writes the bytes in steps of 50 ms and reads nothing meanwhile. */
async function trickle(connection: Connection, bytes: Buffer, bytesPerSecond: number): Promise<void> {
  connection.server.pause();
  const step = Math.max(1, Math.floor(bytesPerSecond / 20));
  for (let at = 0; at < bytes.length && !connection.dead && !connection.client.destroyed; at += step) {
    connection.client.write(bytes.subarray(at, at + step));
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  connection.server.resume();
}

/** Writes a copy of the cluster's admin kubeconfig with another server URL and returns its path. */
export function kubeconfigThrough(cluster: Cluster, url: string): string {
  const path = join(cluster.dir, `kubeconfig-${new URL(url).port}`);
  writeFileSync(path, readFileSync(cluster.kubeconfig, "utf8").replace(cluster.url, url));
  return path;
}
