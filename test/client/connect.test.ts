/** Real kubeconfig files, programs and sockets: from the file to the response. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StatusError } from "../../src/api/status-error.ts";
import { TransportError } from "../../src/api/transport.ts";
import type { ConfigFlags } from "../../src/client/config/rest-config.ts";
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { connect, type Connection, type ConnectOptions } from "../../src/client/connect.ts";
import { realHost } from "../../src/platform/host.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { makeCertificates, opensslMissing, type Certificates } from "../platform/certificates.ts";
import { connectProxy, echoServer, type Listening, type Seen } from "../platform/servers.ts";

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (e: unknown) => e,
  );

describe.skipIf(opensslMissing !== undefined)("connect", () => {
  const dir = mkdtempSync(join(tmpdir(), "connect-"));
  const opened: { close(): void }[] = [];
  let certificates: Certificates;
  let server: Listening;
  /** Tokens whose requests get a 401. */
  const refusedTokens = new Set<string>();
  /** The connection of each request for /closing. */
  const connections: Socket[] = [];
  /** Called with the response to the request for /held. */
  let hold: (response: ServerResponse) => void = () => undefined;
  /** Requests waiting for a response, the maximum that waited at once, and the total. */
  const waiting: ServerResponse[] = [];
  let [most, total] = [0, 0];
  const slowRequests = 300;

  beforeAll(async () => {
    certificates = makeCertificates();
    writeFileSync(join(dir, "ca.crt"), certificates.ca);
    server = await echoServer({ ...certificates.server, ca: certificates.ca }, (request, response) => {
      if (request.url?.endsWith("/slow") === true) {
        total++;
        waiting.push(response);
        most = Math.max(most, waiting.length);
        // No response is sent before all permitted requests have arrived; a request beyond the limit would arrive meanwhile.
        if (waiting.length === 64 || total === slowRequests) {
          setTimeout(() => waiting.splice(0).forEach((one) => one.end("{}")), 20);
        }
        return true;
      }
      if (request.url === "/never") return true;
      if (request.url?.endsWith("/closing") === true) connections.push(request.socket);
      if (request.url?.endsWith("/held") === true) {
        response.write('{"held":');
        hold(response);
        return true;
      }
      if (!refusedTokens.has(request.headers.authorization ?? "")) return false;
      response.statusCode = 401;
      response.end('{"kind":"Status","reason":"Unauthorized","message":"Unauthorized","code":401}');
      return true;
    });
    opened.push(server);
  });
  afterAll(() => {
    for (const one of opened) one.close();
    rmSync(dir, { recursive: true, force: true });
  });

  async function connectTo(
    user: object,
    cluster: object = {},
    { limits, ...flags }: ConfigFlags & { readonly limits?: Partial<ConnectOptions> } = {},
  ): Promise<Connection> {
    const kubeconfig = join(dir, "config");
    const entry = { server: `https://127.0.0.1:${server.port}/prefix/`, "certificate-authority": "ca.crt", ...cluster };
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        "current-context": "c",
        clusters: [{ name: "c", cluster: entry }],
        users: [{ name: "u", user }],
        contexts: [{ name: "c", context: { cluster: "c", user: "u", namespace: "shop" } }],
      }),
    );
    const host = { ...realHost(), env: { PATH: process.env["PATH"] } };
    const timeline = realTimeline();
    const access = await loadRestConfig(host, { kubeconfig, ...flags });
    const bus = new TraceBus({ now: () => timeline.now() });
    const connection = connect(access, { host, timeline, bus, qps: 0, userAgent: "tester/1", ...limits });
    opened.push(connection);
    return connection;
  }

  async function seen(
    connection: Connection,
    path = "/x",
  ): Promise<Seen & { readonly header: Record<string, string> }> {
    const one = (await connection.client.raw(path)) as Seen;
    const names = one.lines.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
    return { ...one, header: Object.fromEntries(names.map((name, i) => [name, one.lines[2 * i + 1] ?? ""])) };
  }

  /** A plugin that records each run and prints the script's output. */
  function plugin(name: string, script: string): { exec: object; runs: () => number; info: () => unknown } {
    const path = join(dir, name);
    writeFileSync(
      path,
      `#!/bin/sh\necho run >> "$0.runs"\necho "$KUBERNETES_EXEC_INFO" > "$0.info"\nN=$(wc -l < "$0.runs" | tr -d ' ')\n${script}\n`,
    );
    chmodSync(path, 0o755);
    const read = (suffix: string): string => readFileSync(path + suffix, "utf8");
    return {
      exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        command: `./${name}`,
        interactiveMode: "Never",
        provideClusterInfo: true,
        env: [{ name: "WHO", value: "me" }],
      },
      runs: () => read(".runs").trim().split("\n").length,
      info: () => JSON.parse(read(".info")) as unknown,
    };
  }
  const credential = (status: string): string =>
    `printf '%s' '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":${status}}'`;

  test("sends the server's path, the user agent and the token with every request", async () => {
    const one = await seen(await connectTo({ token: "t" }));
    expect(one.url).toBe("/prefix/x");
    expect(one.header).toMatchObject({ authorization: "Bearer t", "user-agent": "tester/1" });
  });

  test("names the controller in the user agent of its client", async () => {
    const { clientFor } = await connectTo({ token: "t" });
    const headerOf = async (fieldManager: string): Promise<string | undefined> => {
      const { lines } = (await clientFor(fieldManager).raw("/x")) as Seen;
      return lines[lines.findIndex((line) => line.toLowerCase() === "user-agent") + 1];
    };
    expect(await headerOf("kubectl-reconcile-replicaset")).toBe("tester/1 replicaset");
    expect(await headerOf("kubectl-reconcile")).toBe("tester/1");
  });

  test("shares the rate limit between clients, except those with their own", async () => {
    const clock = virtualTimeline(0, seededRandom(1));
    const { clientFor } = await connectTo({ token: "t" }, {}, { limits: { timeline: clock, qps: 1, burst: 1 } });
    await clientFor("one").raw("/x");
    let second = false;
    const waiting = clientFor("another")
      .raw("/x")
      .then(() => (second = true));
    const own = clientFor("chatty", { qpsTimes: 20, burstTimes: 40 });
    await Promise.all(Array.from({ length: 40 }, () => own.raw("/x")));
    expect(second).toBe(false);
    await clock.runUntil({ ms: 1000 });
    await waiting;
  });

  test("accepts a client certificate as data, and one from flags", async () => {
    const { client, client2 } = certificates;
    const data = { "client-certificate-data": btoa(client.cert), "client-key-data": btoa(client.key) };
    expect((await seen(await connectTo(data))).client).toBe("dev");
    writeFileSync(join(dir, "ops.crt"), client2.cert);
    writeFileSync(join(dir, "ops.key"), client2.key);
    const flags = { clientCertificate: join(dir, "ops.crt"), clientKey: join(dir, "ops.key") };
    expect((await seen(await connectTo(data, {}, flags))).client).toBe("ops");
  });

  describe("with certificates in files that are replaced", () => {
    /** A connection whose clock the test moves. */
    async function rotating(files: Readonly<Record<"ca" | "cert" | "key", string>>): Promise<{
      readonly connection: Connection;
      readonly write: (files: Partial<Record<"ca" | "cert" | "key", string>>) => void;
      readonly pass: (ms: number) => Promise<unknown>;
    }> {
      const folder = mkdtempSync(join(dir, "rotating-"));
      const write = (some: Partial<Record<"ca" | "cert" | "key", string>>): void => {
        for (const [name, text] of Object.entries(some)) writeFileSync(join(folder, name), text);
      };
      write(files);
      const clock = virtualTimeline(0, seededRandom(1));
      const connection = await connectTo(
        { "client-certificate": join(folder, "cert"), "client-key": join(folder, "key") },
        { "certificate-authority": join(folder, "ca") },
        { limits: { timeline: clock, silentMs: 3_600_000 } },
      );
      const pass = (ms: number): Promise<unknown> => {
        clock.after(ms, "test", () => undefined);
        return clock.runUntil({ ms });
      };
      return { connection, write, pass };
    }

    test("uses a new client certificate after 5 minutes at the latest, on new connections", async () => {
      const { ca, client, client2 } = certificates;
      const { connection, write, pass } = await rotating({ ca, ...client });
      const before = await seen(connection, "/closing");
      write(client2);
      await pass(299_999);
      const stillBefore = await seen(connection);
      await pass(1);
      const after = await seen(connection);
      await pass(300_000);
      const unchanged = await seen(connection);
      expect([before, stillBefore, after, unchanged].map((one) => one.client)).toEqual(["dev", "dev", "ops", "ops"]);
      expect(stillBefore.connection).toBe(before.connection);
      expect(after.connection).not.toBe(before.connection);
      expect(unchanged.connection).toBe(after.connection);
      const [old] = connections;
      if (old?.destroyed === false) await once(old, "close");
    });

    test("ends requests in flight on the connections that they have", async () => {
      const { ca, client, client2 } = certificates;
      const { connection, write, pass } = await rotating({ ca, ...client });
      const { promise: holding, resolve } = Promise.withResolvers<ServerResponse>();
      hold = resolve;
      const held = connection.client.raw("/held");
      const response = await holding;
      write(client2);
      await pass(300_000);
      expect((await seen(connection)).client).toBe("ops");
      response.end("true}");
      expect(await held).toBe('{"held":true}');
    });

    test("keeps the old pair until certificate and key belong together", async () => {
      const { ca, client, client2 } = certificates;
      const { connection, write, pass } = await rotating({ ca, ...client });
      await seen(connection);
      write({ cert: client2.cert });
      await pass(300_000);
      const half = await seen(connection);
      write({ key: client2.key });
      await pass(1000);
      expect([half.client, (await seen(connection)).client]).toEqual(["dev", "ops"]);
    });

    test("trusts a new authority after 5 minutes at the latest, and keeps the old one while the file is empty", async () => {
      const { ca, strangerCa, client } = certificates;
      const { connection, write, pass } = await rotating({ ca: strangerCa, ...client });
      expect(await caught(seen(connection))).toMatchObject({ failure: "certificate" });
      write({ ca });
      await pass(300_000);
      expect((await seen(connection)).client).toBe("dev");
      write({ ca: "" });
      await pass(300_000);
      connection.close();
      expect((await seen(connection)).client).toBe("dev");
    });

    test("the transport of a process behind the proxy has the new certificate, too", async () => {
      const { ca, client, client2 } = certificates;
      const { connection, write, pass } = await rotating({ ca, ...client });
      const transport = connection.passThrough();
      const clientOf = async (): Promise<string> => {
        const { body } = await transport.send({ method: "GET", path: "/x", signal: new AbortController().signal });
        return (JSON.parse(new TextDecoder().decode(await body.next())) as Seen).client;
      };
      const before = await clientOf();
      write(client2);
      await pass(300_000);
      expect([before, await clientOf()]).toEqual(["dev", "ops"]);
    });
  });

  test("runs an exec plugin once for many requests, with the cluster, and again after a 401", async () => {
    const login = plugin(
      "login",
      `printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"%s%s"}}' "$WHO" "$N"`,
    );
    const connection = await connectTo({ exec: login.exec });
    const all = await Promise.all(Array.from({ length: 20 }, () => seen(connection)));
    expect(new Set(all.map(({ header }) => header["authorization"]))).toEqual(new Set(["Bearer me1"]));
    expect(login.runs()).toBe(1);
    expect(login.info()).toMatchObject({
      spec: {
        interactive: false,
        cluster: {
          server: `https://127.0.0.1:${server.port}/prefix`,
          "certificate-authority-data": btoa(certificates.ca),
        },
      },
    });
    refusedTokens.add("Bearer me1");
    const again = await Promise.all(Array.from({ length: 20 }, () => seen(connection)));
    expect(new Set(again.map(({ header }) => header["authorization"]))).toEqual(new Set(["Bearer me2"]));
    expect(login.runs()).toBe(2);
  });

  test("runs a plugin whose credentials are refused twice only once more, and reports the refusal", async () => {
    refusedTokens.add("Bearer bad");
    const login = plugin("refused", credential('{"token":"bad"}'));
    const connection = await connectTo({ exec: login.exec });
    const error = await caught(connection.client.raw("/x"));
    expect(error).toBeInstanceOf(StatusError);
    expect((error as StatusError).code).toBe(401);
    expect(login.runs()).toBe(2);
  });

  test("accepts a client certificate from a plugin", async () => {
    const { cert, key } = certificates.client;
    const pem = JSON.stringify({ clientCertificateData: cert, clientKeyData: key });
    const login = plugin(
      "certificate",
      credential(pem).replaceAll("\\n", "\\\\n").replace("printf '%s'", "printf '%b'"),
    );
    expect((await seen(await connectTo({ exec: login.exec }))).client).toBe("dev");
  });

  test("reports a plugin that fails in one line", async () => {
    const login = plugin("broken", "exit 7");
    const connection = await connectTo({ exec: { ...login.exec, installHint: "try harder" } });
    expect(await caught(connection.client.raw("/x"))).toMatchObject({
      name: "KubeconfigError",
      message: "Cannot log in as user u: the exec plugin ./broken ended with exit code 7",
      next: "try harder",
    });
  });

  test("sends everything through the proxy of proxy-url", async () => {
    const proxy = await connectProxy();
    opened.push(proxy);
    const connection = await connectTo({ token: "t" }, { "proxy-url": `http://127.0.0.1:${proxy.port}` });
    expect((await seen(connection)).header["authorization"]).toBe("Bearer t");
    expect(proxy.requests).toEqual([`CONNECT 127.0.0.1:${server.port}`]);
  });

  test("names a proxy that is unreachable in the error", async () => {
    const proxy = await connectProxy();
    proxy.close();
    const connection = await connectTo({ token: "t" }, { "proxy-url": `http://127.0.0.1:${proxy.port}` });
    expect(await caught(connection.client.raw("/x"))).toBeInstanceOf(TransportError);
  });

  test("sends at most 64 requests at once", async () => {
    const connection = await connectTo({ token: "t" });
    await Promise.all(Array.from({ length: slowRequests }, () => connection.client.raw("/slow")));
    expect(most).toBe(64);
  });

  test("ends a request without a response after --request-timeout", async () => {
    const connection = await connectTo(
      { token: "t" },
      {},
      { requestTimeout: 100, server: `https://127.0.0.1:${server.port}` },
    );
    expect(await caught(connection.client.raw("/never"))).toMatchObject({ failure: "timeout" });
  });

  test("reports an unreachable server in one line", async () => {
    const gone = await connectTo({ token: "t" }, {}, { server: "https://127.0.0.1:1" });
    expect(await caught(gone.client.raw("/x"))).toMatchObject({
      name: "TransportError",
      failure: "unreachable",
      message: "127.0.0.1:1: connection refused",
    });
  });
});
