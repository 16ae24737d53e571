/** Requests of tests over connections that the server has closed. */
import { afterEach, describe, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { requester } from "./cluster.ts";
import { rejection } from "./rejection.ts";

let server: Server | undefined;

afterEach(() => server?.close());

/** A server that resets each kept connection at its second request, and also the first `resets` requests. */
async function resetting(resets: number): Promise<{ readonly url: string; readonly lines: string[] }> {
  const lines: string[] = [];
  let left = resets;
  const respond = (socket: Socket, count: number, chunk: string): void => {
    if (count > 1 || left-- > 0) return void socket.resetAndDestroy();
    lines.push(chunk.split(" HTTP/1.1")[0] ?? "");
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
  };
  const listening = createServer((socket) => {
    let count = 0;
    socket.on("data", (chunk) => respond(socket, ++count, String(chunk)));
    socket.on("error", () => undefined);
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const address = listening.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, lines };
}

describe("a request of a test", () => {
  test("over a kept connection that the server has closed is sent again, a write only if the server is alive", async () => {
    const { url, lines } = await resetting(0);
    const request = requester(url, "t", "");
    for (const method of ["GET", "POST", "PUT"]) expect((await request(method, "/a")).body).toBe("ok");
    expect(lines.filter((line) => line !== "GET /livez")).toEqual(["GET /a", "POST /a", "PUT /a"]);
  });

  test("that writes fails if the server resets every connection", async () => {
    const { url, lines } = await resetting(100);
    expect(await rejection(requester(url, "t", "")("POST", "/a"))).toHaveProperty("code", "ECONNRESET");
    expect(lines).toEqual([]);
  });
});
