import { afterAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import * as net from "node:net";
import { connectionTo, shakeHands, tryConnection } from "../../src/platform/connection.ts";
import { openNodeHttp } from "../../src/platform/http-node.ts";
import { requestUpgrade } from "../../src/platform/upgrade.ts";
import { rejection } from "../support/rejection.ts";
import { connectProxy, echoServer, listening, rawServer, socksProxy, type Listening } from "./servers.ts";

const opened: Listening[] = [];
const keep = async <L extends Listening>(server: Promise<L>): Promise<L> => {
  const one = await server;
  opened.push(one);
  return one;
};
afterAll(() => {
  for (const server of opened) server.close();
});

const quick = { connectMs: 10_000, handshakeMs: 100 };
const never = new AbortController().signal;

describe("a connection attempt", () => {
  test("to a silent server ends with the handshake timeout, directly and through a proxy", async () => {
    const { port } = await keep(rawServer("", "stay"));
    const url = new URL(`https://127.0.0.1:${port}/`);
    const http = await keep(connectProxy());
    const socks = await keep(socksProxy());
    for (const proxy of [undefined, `http://127.0.0.1:${http.port}`, `socks5://127.0.0.1:${socks.port}`]) {
      const error = await rejection(
        tryConnection(url, { tls: {}, ...(proxy !== undefined && { proxy }) }, quick, never),
      );
      expect(error).toMatchObject({
        failure: "timeout",
        message: "it accepts connections but does not respond to the TLS handshake",
      });
    }
    expect([http.requests.length, socks.requests.length]).toEqual([1, 1]);
  });

  test("through a silent proxy ends with the connection timeout", async () => {
    const { port } = await keep(rawServer("", "stay"));
    for (const scheme of ["http", "socks5"]) {
      const settings = { tls: {}, proxy: `${scheme}://127.0.0.1:${port}` };
      const limits = { connectMs: 100, handshakeMs: 10_000 };
      const error = await rejection(tryConnection(new URL("https://a/"), settings, limits, never));
      expect(error).toMatchObject({ failure: "timeout", message: "it does not answer" });
    }
  });

  test("does not report what the request itself will report", async () => {
    const plain = await keep(echoServer(undefined));
    const gone = await echoServer(undefined);
    gone.close();
    const patient = { connectMs: 10_000, handshakeMs: 10_000 };
    await tryConnection(new URL(`http://127.0.0.1:${plain.port}/`), { tls: {} }, patient, never);
    await tryConnection(new URL(`https://127.0.0.1:${plain.port}/`), { tls: {} }, patient, never);
    await tryConnection(new URL(`https://127.0.0.1:${gone.port}/`), { tls: {} }, patient, never);
    await tryConnection(new URL("https://nowhere.invalid/"), { tls: {} }, patient, never);
  });

  test("ends quietly when it is no longer needed", async () => {
    const { port } = await keep(rawServer("", "stay"));
    const stop = new AbortController();
    const limits = { connectMs: 10_000, handshakeMs: 10_000 };
    const tried = tryConnection(new URL(`https://127.0.0.1:${port}/`), { tls: {} }, limits, stop.signal);
    stop.abort();
    await tried;
  });
});

describe("a TLS handshake that the server does not respond to", () => {
  /** A server that only reads. `greeted` resolves with a connection once a handshake has begun on it. */
  async function silentServer(): Promise<{ readonly port: number; readonly greeted: Promise<net.Socket> }> {
    const { promise, resolve } = Promise.withResolvers<net.Socket>();
    const server = net.createServer((socket) => {
      socket.once("data", () => resolve(socket));
    });
    const { port } = await keep(listening(server));
    return { port, greeted: promise };
  }

  const request = { method: "GET", headers: {}, stream: false };
  for (const through of ["an HTTP proxy", "a SOCKS proxy"] as const) {
    test(`ends when the request through ${through} is aborted, and so does its connection`, async () => {
      const { port, greeted } = await silentServer();
      const http = through === "an HTTP proxy";
      const proxy = await keep(http ? connectProxy() : socksProxy());
      const client = openNodeHttp({ tls: {}, proxy: `${http ? "http" : "socks5"}://127.0.0.1:${proxy.port}` });
      const stop = new AbortController();
      const sent = rejection(client.send({ ...request, url: `https://127.0.0.1:${port}/`, signal: stop.signal }));
      const socket = await greeted;
      const closed = once(socket, "close");
      stop.abort(new Error("enough"));
      expect(await sent).toMatchObject({ message: "enough" });
      await closed;
    });
  }

  test("ends when an upgrade is aborted", async () => {
    const { port, greeted } = await silentServer();
    const stop = new AbortController();
    const url = `https://127.0.0.1:${port}/`;
    const sent = rejection(requestUpgrade({ ...request, url, signal: stop.signal }, { tls: {} }));
    await greeted;
    stop.abort(new Error("enough"));
    expect(await sent).toMatchObject({ message: "enough" });
  });

  test("ends after its limit, and is not begun after an abort or with an unusable certificate", async () => {
    const { port } = await silentServer();
    const url = new URL(`https://127.0.0.1:${port}/`);
    const socket = await connectionTo(url, undefined, never);
    const late = await rejection(shakeHands(socket, { url, tls: {}, signal: never, limitMs: 20 }));
    expect(late).toMatchObject({ failure: "timeout" });
    expect(socket.destroyed).toBe(true);
    const aborted = AbortSignal.abort(new Error("enough"));
    for (const { tls, signal } of [
      { tls: {}, signal: aborted },
      { tls: { certificate: "none", key: "none" }, signal: never },
    ]) {
      const other = await connectionTo(url, undefined, never);
      expect(await rejection(shakeHands(other, { url, tls, signal }))).toBeInstanceOf(Error);
      expect(other.destroyed).toBe(true);
    }
    expect(await rejection(connectionTo(url, undefined, aborted))).toMatchObject({ message: "enough" });
  });
});
