import { afterAll, describe, expect, test } from "bun:test";
import { tryConnection } from "../../src/platform/connection.ts";
import { rejection } from "../support/rejection.ts";
import { connectProxy, echoServer, rawServer, socksProxy, type Listening } from "./servers.ts";

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
