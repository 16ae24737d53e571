import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type TLSSocket } from "node:tls";
import { loopbackCertificate } from "../../src/platform/certificate.ts";
import { serveHttps, type HttpsServer } from "../../src/platform/https-server.ts";

const certificate = loopbackCertificate(Date.now());

const unknownMethod = { type: "text/plain", body: "no such method" };

/** A client that sends a request at once and then keeps its connection open. */
function client(port: number): TLSSocket {
  const socket = connect({ host: "127.0.0.1", port, ca: certificate.ca });
  socket.on("error", () => undefined).resume();
  socket.on("secureConnect", () => socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  return socket;
}

test("close ends every connection: kept ones, and those during their handshake", async () => {
  for (let round = 0; round < 10; round++) {
    const server = await serveHttps({
      port: 0,
      certificate,
      maxBodyBytes: 1024,
      unknownMethod,
      handle: () => ({ status: 200, headers: {}, body: new Uint8Array(2) }),
    });
    const clients = Array.from({ length: 30 }, () => client(server.port));
    const closed = clients.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    // Close at a different moment of the handshakes in each round.
    for (let turn = 0; turn < round * 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    await server.close();
    expect(await Promise.all(closed)).toHaveLength(clients.length);
  }
});

describe("a connection", () => {
  const head = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const chunk = new TextEncoder().encode("x");

  /** A server whose responses never end, and connections to it that have sent these texts. */
  async function scene(idleMs: number | undefined, sent: readonly string[]) {
    const server = await serveHttps({
      port: 0,
      certificate,
      maxBodyBytes: 1024,
      unknownMethod,
      ...(idleMs !== undefined && { idleMs }),
      handle: ({ path }) => {
        if (path !== "/watch") return { status: 200, headers: {}, body: chunk };
        const pieces = [chunk];
        const body = {
          next: () => Promise.resolve(pieces.pop()).then((piece) => piece ?? new Promise<undefined>(() => undefined)),
          cancel: () => undefined,
        };
        return { status: 200, headers: {}, body };
      },
    });
    const sockets = await Promise.all(
      sent.map(async (text) => {
        const socket = connect({ host: "127.0.0.1", port: server.port, ca: certificate.ca });
        socket.on("error", () => undefined).resume();
        await new Promise((resolve) => socket.once("secureConnect", resolve));
        if (text !== "") socket.write(text);
        return socket;
      }),
    );
    return { server, sockets };
  }

  test("is closed when it has carried no request for long", async () => {
    const watch = head.replace("/", "/watch");
    const { server, sockets } = await scene(200, ["", head, head.slice(0, 10), watch, head + watch]);
    const [unused, used, begun, watching, watchingLater] = sockets;
    await Promise.all([unused, used, begun].map((socket) => new Promise((resolve) => socket?.once("close", resolve))));
    // Ten times as long again.
    await Bun.sleep(2000);
    expect([watching, watchingLater].map((socket) => socket?.destroyed)).toEqual([false, false]);
    await server.close();
  });

  test("is kept for a first request for more than 12 s, after which Bun would close it", async () => {
    const { server, sockets } = await scene(undefined, ["", head.slice(0, 10)]);
    await Bun.sleep(13_000);
    const statusLines = sockets.map(
      (socket) =>
        new Promise((resolve) => socket.once("data", (bytes: Buffer) => resolve(bytes.toString().slice(0, 15)))),
    );
    sockets[0]?.write(head);
    sockets[1]?.write(head.slice(10));
    expect(await Promise.all(statusLines)).toEqual(["HTTP/1.1 200 OK", "HTTP/1.1 200 OK"]);
    await server.close();
  }, 60_000);
});

describe("an invalid or borderline request", () => {
  let server: HttpsServer;
  beforeAll(async () => {
    server = await serveHttps({
      port: 0,
      certificate,
      maxBodyBytes: 1024,
      unknownMethod,
      handle: ({ path, headers }) => ({
        status: 200,
        headers: {},
        body: new TextEncoder().encode(`${path.length} ${(headers["x"] ?? "").length}`),
      }),
    });
  });
  afterAll(() => server.close());

  /** Everything that the server sends until it closes the connection. */
  function responseTo(sent: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let text = "";
      const socket = connect({ host: "127.0.0.1", port: server.port, ca: certificate.ca });
      socket.on("secureConnect", () => socket.write(sent)).on("error", reject);
      socket.on("data", (bytes: Buffer) => {
        text += bytes.toString();
        if (/^HTTP\/1.1 200[^]*\r\n\r\n./.test(text)) socket.destroy();
      });
      socket.on("close", () => resolve(text));
    });
  }
  const get = (headers: string, line = "GET / HTTP/1.1"): string => `${line}\r\n${headers}\r\n\r\n`;

  const cases = [
    { name: "a header of 500 KB", sent: get(`Host: a\r\nX: ${"x".repeat(500_000)}`), status: 200, text: "1 500000" },
    {
      name: "a path of 100 KB",
      sent: get("Host: a", `GET /${"p".repeat(100_000)} HTTP/1.1`),
      status: 200,
      text: "100001 0",
    },
    { name: "a header of 2 MB", sent: get(`Host: a\r\nX: ${"x".repeat(2_000_000)}`), status: 431, text: "" },
    {
      name: "two Host headers",
      sent: get("Host: a\r\nHost: b"),
      status: 400,
      text: "400 Bad Request: too many Host headers",
    },
    {
      name: "a Host that is a script",
      sent: get("Host: <a>"),
      status: 400,
      text: "400 Bad Request: malformed Host header",
    },
    {
      name: "another version",
      sent: get("Host: a", "GET / HTTP/9.9"),
      status: 505,
      text: "unsupported protocol version",
    },
    { name: "a folded header", sent: get("Host: a\r\nX: a\r\n b"), status: 400, text: "400 Bad Request" },
    { name: "an unknown method", sent: get("Host: a", "FROBNICATE / HTTP/1.1"), status: 405, text: "no such method" },
    { name: "CONNECT", sent: get("Host: a", "CONNECT / HTTP/1.1"), status: 405, text: "no such method" },
    {
      name: "20,000 headers",
      sent: get(`Host: a\r\n${"X: a\r\n".repeat(20_000)}Y: b`),
      status: 431,
      text: "431 Request Header Fields Too Large",
    },
    { name: "100 headers", sent: get(`Host: a\r\n${"Z: a\r\n".repeat(100)}X: b`), status: 200, text: "1 1" },
    { name: "the preface of HTTP/2", sent: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", status: 400, text: "400 Bad Request" },
    { name: "not HTTP", sent: "\0\x01\x02 nonsense\r\n\r\n", status: 400, text: "400 Bad Request" },
    { name: "only line feeds", sent: "GET / HTTP/1.1\nHost: a\n\n", status: 400, text: "400 Bad Request" },
  ];
  test.each(cases)("gets a response with $status, and the server continues: $name", async ({ sent, status, text }) => {
    const response = await responseTo(sent);
    expect(response.split(" ", 2)[1]).toBe(String(status));
    expect(response).toContain(text);
    // The server still works.
    expect(await responseTo(get("Host: a"))).toContain("200 OK");
  });
});
