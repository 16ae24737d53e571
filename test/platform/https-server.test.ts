import { expect, test } from "bun:test";
import { connect, type TLSSocket } from "node:tls";
import { loopbackCertificate } from "../../src/platform/certificate.ts";
import { serveHttps } from "../../src/platform/https-server.ts";

const certificate = loopbackCertificate(Date.now());

/** A client that asks at once and then holds its connection. */
function client(port: number): TLSSocket {
  const socket = connect({ host: "127.0.0.1", port, ca: certificate.ca });
  socket.on("error", () => undefined).resume();
  socket.on("secureConnect", () => socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  return socket;
}

test("close ends every connection: kept ones, and those whose handshake is under way", async () => {
  for (let round = 0; round < 10; round++) {
    const server = await serveHttps({
      port: 0,
      certificate,
      maxBodyBytes: 1024,
      handle: () => ({ status: 200, headers: {}, body: new Uint8Array(2) }),
    });
    const clients = Array.from({ length: 30 }, () => client(server.port));
    const closed = clients.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    // A different moment of the handshakes in each round.
    for (let turn = 0; turn < round * 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    await server.close();
    expect(await Promise.all(closed)).toHaveLength(clients.length);
  }
}, 30_000);
