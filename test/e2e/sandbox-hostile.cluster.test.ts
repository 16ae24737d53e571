/** The compiled sandbox with wrong and hostile requests: it responds as a real kube-apiserver, and continues. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect as connectPlain, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { parse } from "yaml";
import { linesOf } from "../../scripts/bench/lines.ts";
import { binaryFolder } from "../support/binary.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";

interface Server {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}

interface Hostile {
  readonly name: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Why the real server responds differently, and the sandbox's status. */
  readonly differs?: { readonly because: string; readonly status: number };
}

const maps = "/api/v1/namespaces/default/configmaps";
const deep = (open: string, close: string, times: number): string => open.repeat(times) + close.repeat(times);

/** A server-side apply to a ConfigMap. */
const applied = (
  name: string,
  by: string,
  fields: Record<string, unknown> | string,
): Pick<Hostile, "method" | "path" | "headers" | "body"> => ({
  method: "PATCH",
  path: `${maps}/${name}?fieldManager=${by}`,
  headers: { "content-type": "application/apply-patch+yaml" },
  body:
    typeof fields === "string"
      ? fields
      : JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, ...fields }),
});

const wide = (count: number, value: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value]));

/** Only the sandbox gets this request. */
const slow = (status: number): NonNullable<Hostile["differs"]> => ({
  because: "beside other work, a real server takes longer than the minute that it gives a request",
  status,
});

const owner = (n: number): object => ({ apiVersion: "v1", kind: "Node", name: `n${n}`, uid: `u${n}` });

const requests: readonly Hostile[] = [
  { name: "no token", headers: { authorization: "" } },
  { name: "another token", headers: { authorization: "Bearer guessed" } },
  { name: "another authentication scheme", headers: { authorization: "Basic YWRtaW46YWRtaW4=" } },
  { name: "truncated JSON", method: "POST", body: '{"metadata":' },
  { name: "an empty body", method: "POST", body: "" },
  { name: "a list", method: "POST", body: "[]" },
  { name: "a number", method: "POST", body: "7" },
  { name: "two objects", method: "POST", body: '{"metadata":{"name":"a"}}{"metadata":{"name":"b"}}' },
  { name: "bytes that are not text", method: "POST", body: new Uint8Array([255, 254, 0, 1]) },
  { name: "lists 20,000 deep", method: "POST", body: `{"metadata":{"name":"a"},"x":${deep("[", "]", 20_000)}}` },
  { name: "objects 20,000 deep", method: "POST", body: deep('{"a":', "}", 20_000).replace(":}", ":1}") },
  { name: "a body over 3 MiB", method: "POST", body: `{"data":{"a":"${"x".repeat(3 * 1024 * 1024)}"}}` },
  {
    name: "the prototype as a label",
    method: "POST",
    body: '{"metadata":{"name":"a","labels":{"__proto__":"x"}}}',
  },
  { name: "the prototype as metadata", method: "POST", body: '{"__proto__":{"metadata":{"name":"a"}}}' },
  {
    name: "a constructor as a key of data",
    method: "POST",
    body: '{"metadata":{"name":"c1"},"data":{"constructor":"x"}}',
  },
  { name: "a name with path traversal", method: "POST", body: '{"metadata":{"name":"../../etc"}}' },
  { name: "a name of 300 characters", method: "POST", body: `{"metadata":{"name":"${"n".repeat(300)}"}}` },
  { name: "a zero byte in a name", method: "POST", body: '{"metadata":{"name":"a\\u0000b"}}' },
  { name: "huge numbers", method: "POST", body: '{"metadata":{"name":"a","generation":1e400}}' },
  { name: "XML", method: "POST", body: "<a/>", headers: { "content-type": "text/xml" } },
  { name: "CBOR", method: "POST", body: "x", headers: { "content-type": "application/cbor" } },
  {
    name: "a body that is not protobuf, despite its type",
    method: "POST",
    body: "x",
    headers: { "content-type": "application/vnd.kubernetes.protobuf" },
  },
  {
    name: "protobuf that claims to be 4 GiB long",
    method: "POST",
    body: new Uint8Array([0x6b, 0x38, 0x73, 0, 0x12, 0xff, 0xff, 0xff, 0xff, 0x0f, 1]),
    headers: { "content-type": "application/vnd.kubernetes.protobuf" },
  },
  {
    name: "a JSON patch that copies itself",
    method: "PATCH",
    path: "/api/v1/namespaces/default",
    headers: { "content-type": "application/json-patch+json" },
    body: JSON.stringify([
      { op: "add", path: "/metadata/annotations", value: { a: "a" } },
      ...Array.from({ length: 40 }, (_, n) => ({ op: "copy", from: "/metadata", path: `/metadata/copy${n}` })),
    ]),
  },
  {
    name: "a patch of 10,001 operations",
    method: "PATCH",
    path: "/api/v1/namespaces/default",
    headers: { "content-type": "application/json-patch+json" },
    body: JSON.stringify(Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "Namespace" }))),
  },
  { name: "an apply of 50,000 fields", ...applied("wide", "one", { data: wide(50_000, "x") }), differs: slow(201) },
  { name: "the same apply again", ...applied("wide", "one", { data: wide(50_000, "x") }), differs: slow(200) },
  { name: "50,000 conflicts", ...applied("wide", "two", { data: wide(50_000, "y") }), differs: slow(409) },
  { name: "50,000 forced", ...applied("wide", "two&force=true", { data: wide(50_000, "y") }), differs: slow(200) },
  { name: "50,000 released", ...applied("wide", "two", {}), differs: slow(200) },
  {
    name: "an apply of 10,000 owners",
    ...applied("owned", "one", {
      metadata: { name: "owned", ownerReferences: Array.from({ length: 10_000 }, (_, n) => owner(n)) },
    }),
  },
  {
    name: "an apply of one owner 20,000 times",
    ...applied("owned-twice", "one", {
      metadata: { name: "owned-twice", ownerReferences: Array.from({ length: 20_000 }, () => owner(1)) },
    }),
  },
  {
    name: "an apply of maps 5,000 deep",
    ...applied("deep", "one", `apiVersion: v1\nkind: ConfigMap\ndata: ${deep("{a: ", "}", 5000)}`),
  },
  {
    name: "an apply of aliases of aliases",
    ...applied(
      "bomb",
      "one",
      Array.from(
        { length: 12 },
        (_, n) =>
          `a${n}: &a${n} [${Array(10)
            .fill(n === 0 ? "x" : `*a${n - 1}`)
            .join(",")}]`,
      ).join("\n"),
    ),
  },
  { name: "a patch without a type", method: "PATCH", path: "/api/v1/namespaces/default", body: "{}" },
  { name: "PUT on a collection", method: "PUT", body: "{}" },
  { name: "an unknown verb", method: "FROBNICATE" },
  { name: "a path with traversal", path: "/api/v1/namespaces/default/configmaps/..%2f..%2fsecrets" },
  { name: "an unknown version", path: "/api/v7/pods" },
  { name: "an unknown group", path: "/apis/nope.example.com/v1/things" },
  { name: "an unknown subresource", path: "/api/v1/namespaces/default/configmaps/a/nope" },
  { name: "the prototype as a resource", path: "/api/v1/__proto__" },
  { name: "a constructor as a resource", path: "/api/v1/namespaces/default/constructor" },
  { name: "a limit that is not a number", path: `${maps}?limit=many` },
  { name: "a negative limit", path: `${maps}?limit=-1` },
  { name: "an invalid continue token", path: `${maps}?limit=1&continue=AAAA` },
  { name: "a version that is not a number", path: `${maps}?resourceVersion=abc` },
  { name: "a version from the future", path: `${maps}?resourceVersion=99999999&resourceVersionMatch=Exact` },
  { name: "an endless label selector", path: `${maps}?labelSelector=${encodeURIComponent("a in (")}` },
  { name: "a field selector of another kind", path: `${maps}?fieldSelector=spec.nodeName%3Da` },
  { name: "an unsupported response format", headers: { accept: "text/html" } },
];

/** The comparable parts of a response. */
async function send(server: Server, { method = "GET", path = maps, headers, body }: Hostile): Promise<unknown> {
  const response = await fetch(server.url + path, {
    method,
    tls: { ca: server.ca },
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: body as string }),
    signal: AbortSignal.timeout(120_000),
  });
  const text = await response.text();
  if (response.headers.get("content-type")?.startsWith("application/json") !== true) return { status: response.status };
  const { kind, reason, code } = JSON.parse(text) as Record<string, unknown>;
  return { status: response.status, kind, reason, code };
}

describe.skipIf(clusterMissing !== undefined)("a sandbox with hostile clients", () => {
  const folder = mkdtempSync(join(tmpdir(), "hostile-"));
  let cluster: Cluster;
  let mine: Server;
  let child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    const file = join(folder, "kubeconfig");
    const program = join(await binaryFolder(), "kubectl-reconcile");
    child = Bun.spawn([program, "sandbox", "--nodes", "1", "--run", "none", "--write-kubeconfig", file], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    for await (const line of linesOf(child.stdout)) if (line.startsWith("ready after")) break;
    const config = parse(readFileSync(file, "utf8")) as {
      clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
      users: { user: { token: string } }[];
    };
    const [at, user] = [config.clusters[0]?.cluster, config.users[0]?.user];
    mine = { url: at?.server ?? "", token: user?.token ?? "", ca: atob(at?.["certificate-authority-data"] ?? "") };
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    child?.kill("SIGKILL");
    await cluster?.stop();
    rmSync(folder, { recursive: true });
  });

  const port = (): number => Number(new URL(mine.url).port);

  /** Checks that it responds and stores objects, whatever happened before. */
  async function stillServes(): Promise<void> {
    const name = `alive-${Math.random().toString(36).slice(2, 10)}`;
    const made = await send(mine, { name: "", method: "POST", body: JSON.stringify({ metadata: { name } }) });
    expect(made).toMatchObject({ status: 201, kind: "ConfigMap" });
    expect(await send(mine, { name: "", path: `${maps}/${name}` })).toMatchObject({ status: 200 });
    expect(await send(mine, { name: "", path: "/readyz" })).toEqual({ status: 200 });
  }

  for (const hostile of requests) {
    test(`gets ${hostile.name}, and responds as the real server`, async () => {
      const response = await send(mine, hostile);
      if (hostile.differs === undefined) expect(response).toEqual(await send(cluster, hostile));
      else expect(response).toMatchObject({ status: hostile.differs.status });
      await stillServes();
    });
  }

  test("refuses unauthorized clients, on every path and with any header", async () => {
    for (const path of ["/api/v1/secrets", "/apis/apps/v1/deployments", "/openapi/v3", "/version", "/api/v1?watch=1"]) {
      for (const authorization of ["Bearer undefined", "bearer null", `Bearer ${mine.token}x`]) {
        expect(await send(mine, { name: "", path, headers: { authorization } })).toMatchObject({ status: 401 });
      }
      for (const authorization of ["", "Bearer "]) {
        const response = await send(mine, { name: "", path, headers: { authorization } });
        expect(response).toEqual(await send(cluster, { name: "", path, headers: { authorization } }));
        // Responses to unauthenticated requests.
        expect(response).toMatchObject({ status: path === "/version" ? 200 : 403 });
      }
    }
  });

  const raw: readonly { readonly name: string; readonly tls: boolean; readonly sends: string | Uint8Array }[] = [
    { name: "plain HTTP", tls: false, sends: "GET / HTTP/1.1\r\nHost: x\r\n\r\n" },
    { name: "noise instead of TLS", tls: false, sends: new Uint8Array(4096).map((_, i) => (i * 37) % 256) },
    { name: "noise inside TLS", tls: true, sends: new Uint8Array(4096).map((_, i) => (i * 91) % 256) },
    { name: "half a request", tls: true, sends: "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Le" },
    {
      name: "a body shorter than promised",
      tls: true,
      sends: "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
    },
    {
      name: "a chunk with an invalid size",
      tls: true,
      sends: "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    },
    { name: "a header of 1 MB", tls: true, sends: `GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(1_000_000)}\r\n\r\n` },
  ];
  for (const { name, tls, sends } of raw) {
    test(`gets ${name} on 50 connections that stay open, and continues`, async () => {
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          const socket: Socket = tls
            ? connectTls({ host: "127.0.0.1", port: port(), ca: mine.ca, servername: "localhost" })
            : connectPlain({ host: "127.0.0.1", port: port() });
          sockets.push(socket);
          socket.on("error", () => undefined);
          await new Promise((resolve) =>
            socket.once(tls ? "secureConnect" : "connect", resolve).once("close", resolve),
          );
          socket.write(sends);
        }),
      );
      await stillServes();
    });
  }

  test("has a thousand open watches with readers that do not read, and continues", async () => {
    const watch = `GET ${maps}?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${mine.token}\r\n\r\n`;
    for (let at = 0; at < 1000; at += 100) {
      await Promise.all(
        Array.from({ length: 100 }, async () => {
          const socket = connectTls({ host: "127.0.0.1", port: port(), ca: mine.ca, servername: "localhost" });
          sockets.push(socket);
          socket.on("error", () => undefined);
          await new Promise((resolve) => socket.once("secureConnect", resolve).once("close", resolve));
          // Never read, so that the buffers of both sides fill up.
          socket.pause();
          socket.write(watch);
        }),
      );
    }
    const large = "x".repeat(100_000);
    for (let i = 0; i < 20; i++) {
      const body = JSON.stringify({ metadata: { name: `large-${i}` }, data: { large } });
      expect(await send(mine, { name: "", method: "POST", body })).toMatchObject({ status: 201 });
    }
    await stillServes();
  });

  test("has 10,000 open watches, and sends events to each of them", async () => {
    const path = `${maps}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Dtold`;
    const watch = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${mine.token}\r\n\r\n`;
    const seen = { opened: 0, notified: 0 };
    const open = async (): Promise<void> => {
      const socket = connectTls({ host: "127.0.0.1", port: port(), ca: mine.ca, servername: "localhost" });
      sockets.push(socket);
      let received = "";
      socket.on("data", (bytes: Buffer) => {
        if (received === "") seen.opened++;
        if (!received.includes('"told"') && (received += bytes.toString()).includes('"told"')) seen.notified++;
      });
      await new Promise((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
      socket.write(watch);
    };
    // A few at a time: the server closes a connection after 12 s of silence, and this process shares its processor.
    for (let at = 0; at < 10_000; at += 50) await Promise.all(Array.from({ length: 50 }, open));
    const until = performance.now() + 120_000;
    while (seen.opened < 10_000 && performance.now() < until) await Bun.sleep(20);
    expect(seen.opened).toBe(10_000);
    expect(await send(mine, { name: "", method: "POST", body: '{"metadata":{"name":"told"}}' })).toMatchObject({
      status: 201,
    });
    while (seen.notified < 10_000 && performance.now() < until) await Bun.sleep(20);
    expect(seen.notified).toBe(10_000);
    await stillServes();
  });

  test("still ends at a signal, with exit code 0 and nothing on standard error", async () => {
    child.kill("SIGINT");
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
  });
});
