import { afterEach, describe, expect, test } from "bun:test";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";

/** A server that replies to each message with ten digits. */
function startDigits(): Promise<{ server: Server; port: number; received: string[] }> {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on("data", (bytes) => {
      received.push(bytes.toString());
      socket.write("0123456789");
    });
    socket.on("error", () => undefined);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({ server, port: (server.address() as AddressInfo).port, received }));
  });
}

/** A client that keeps the received text. */
function dial(port: number): { socket: Socket; got: () => string; ended: Promise<"closed" | "reset"> } {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  let failed = false;
  socket.on("data", (bytes) => void (text += bytes.toString()));
  socket.on("error", () => void (failed = true));
  const ended = new Promise<"closed" | "reset">((resolve) => {
    socket.on("close", () => resolve(failed ? "reset" : "closed"));
  });
  return { socket, got: () => text, ended };
}

/** Waits until `holds` returns true, for 2 s at most. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 200; tries++) await Bun.sleep(10);
  expect(holds()).toBe(true);
}

describe("a TCP fault proxy", () => {
  const opened: { stop(): Promise<void> | void }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.stop();
  });

  async function setUp(): Promise<{ proxy: FaultProxy; received: string[] }> {
    const { server, port, received } = await startDigits();
    const proxy = await startFaultProxy(port);
    opened.push(proxy, { stop: () => void server.close() });
    return { proxy, received };
  }

  test("forwards bytes in both directions while there is no fault", async () => {
    const { proxy, received } = await setUp();
    const { socket, got } = dial(proxy.port);
    socket.write("a");
    await until(() => got() === "0123456789");
    expect({ received, open: proxy.open, taken: proxy.taken }).toEqual({ received: ["a"], open: 1, taken: 1 });
  });

  test("refuses connections, resets the open ones, and listens on the same port again", async () => {
    const { proxy } = await setUp();
    const open = dial(proxy.port);
    open.socket.write("a");
    await until(() => open.got() !== "");
    await proxy.set({ is: "refuse" });
    expect(await open.ended).toBeOneOf(["reset", "closed"]);
    expect(await dial(proxy.port).ended).toBe("reset");
    await proxy.set({ is: "none" });
    const again = dial(proxy.port);
    again.socket.write("a");
    await until(() => again.got() === "0123456789");
  });

  for (const afterBytes of [0, 1, 4, 10, 13]) {
    test(`cuts a connection after exactly ${afterBytes} bytes of the response`, async () => {
      const { proxy } = await setUp();
      await proxy.set({ is: "cut", afterBytes });
      const { socket, got, ended } = dial(proxy.port);
      socket.write("a");
      if (afterBytes >= 10) await until(() => got().length === 10);
      if (afterBytes >= 10) socket.write("b");
      await ended;
      expect(got()).toBe("01234567890123456789".slice(0, afterBytes));
    });
  }

  test("drops both directions of a stalled connection and closes nothing, even after the fault", async () => {
    const { proxy, received } = await setUp();
    const { socket, got } = dial(proxy.port);
    socket.write("a");
    await until(() => got() !== "");
    await proxy.set({ is: "stall" });
    socket.write("b");
    await Bun.sleep(50);
    await proxy.set({ is: "none" });
    socket.write("c");
    await Bun.sleep(50);
    expect({ received, got: got(), closed: socket.destroyed }).toEqual({
      received: ["a"],
      got: "0123456789",
      closed: false,
    });
    const fresh = dial(proxy.port);
    fresh.socket.write("d");
    await until(() => fresh.got() === "0123456789");
  });

  test("throttles the response", async () => {
    const { proxy } = await setUp();
    await proxy.set({ is: "slow", bytesPerSecond: 40 });
    const { socket, got } = dial(proxy.port);
    socket.write("a");
    await until(() => got() !== "");
    expect(got().length).toBeLessThan(10);
    await until(() => got() === "0123456789");
  });

  test("loses the response to a request that has arrived", async () => {
    const { proxy, received } = await setUp();
    await proxy.set({ is: "lose-responses" });
    const { socket, got, ended } = dial(proxy.port);
    socket.write("a");
    await ended;
    expect({ received, got: got() }).toEqual({ received: ["a"], got: "" });
  });
});
