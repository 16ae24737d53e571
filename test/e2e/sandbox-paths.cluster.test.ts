/**
 * Unusual request targets and credentials, byte by byte over HTTPS, compared with a real kube-apiserver: none gives access that it should
 * not.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlPlaneBinary } from "../../scripts/control-plane.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { serveSandbox, type SandboxHttps } from "../../src/sandbox/https.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { runProgram } from "../support/program.ts";
import { clientFrame, converse } from "./support/raw-websocket.ts";
import { webSocketWatches } from "./support/websocket-watches.ts";
import { rawRequest } from "./support/raw-request.ts";

const ns = "/api/v1/namespaces";
const maps = `${ns}/default/configmaps`;

/** Request lines with the same response from both. */
const alike: readonly string[] = [
  `GET ${ns}/default/../kube-system/configmaps`,
  `GET ${ns}/x/../..`,
  "GET /api/v1/../../etc/passwd",
  "GET //api/v1/namespaces",
  "GET /api//v1/namespaces",
  "GET /api/v1//namespaces",
  `GET ${maps}//a`,
  `GET ${ns}//configmaps`,
  `GET ${ns}/%2e%2e/configmaps`,
  `GET ${ns}/%2e/configmaps`,
  `GET ${maps}/%2e%2e`,
  `GET ${maps}/..`,
  `GET ${maps}/.`,
  `GET ${ns}/default%2fconfigmaps`,
  `GET ${ns}%2fdefault`,
  "GET /api%2fv1/namespaces",
  `GET ${maps}/a%2fb`,
  `GET ${maps}/a%252fb`,
  `GET ${maps}/%2e%2e%2f%2e%2e%2fsecrets`,
  `GET ${maps}/`,
  "GET /api/v1/",
  "GET /apis/apps/",
  "GET /api/v1/./namespaces",
  "GET /API/v1/namespaces",
  "GET /api/v1/Namespaces",
  "GET /api/v1/%6eamespaces",
  `GET ${ns}%00`,
  `GET ${ns}%20`,
  `GET ${ns}%0a`,
  `GET ${maps}/%zz`,
  `GET ${maps}/%`,
  `GET ${ns}?limit=1&&&`,
  `GET ${ns}?limit=1&limit=x`,
  `GET ${ns}?=x`,
  `GET ${ns}?%zz`,
  `GET ${ns}?limit=%zz`,
  `GET ${ns}?limit=1;x=2`,
  `GET ${ns}?limit=1?x`,
  `GET ${ns}??`,
  `GET ${ns}#x`,
  `GET ${ns}\\x`,
  `GET ${ns}/default/status/x`,
  `GET https://127.0.0.1${ns}`,
  `GET http://example.com${ns}`,
  `GET https://user:pass@127.0.0.1${ns}`,
  "GET /readyz/",
  "GET /readyz/ping",
  "GET /version/",
  "GET /logs",
  "GET /swagger.json",
  `GET ${maps}/${"a".repeat(3000)}`,
  "GET /api/v1/proxy/namespaces/default",
  "GET /apis/apps/v1/namespaces/default/",
  `GET ${ns}/default/nothings/x/y/z`,
  "GET /apis/apps/v9",
  "GET /apis/nope",
  "GET /apis/apps/v1/nope/x",
  `GET ${ns}/default/services/kubernetes/proxy/`,
  `GET ${ns}/default/services/kubernetes:443/proxy/x`,
  `GET ${ns}/default/services/a%3ab%3ac%3ad/proxy/`,
  `TRACE ${ns}/default/services/kubernetes/proxy/`,
  `OPTIONS ${ns}`,
  `TRACE ${ns}`,
  `POST ${ns}/default`,
  `DELETE ${ns}`,
  `get ${ns}`,
  "GET *",
  `GET ftp://x${ns}`,
  "OPTIONS *",
];

/** Request lines with another response from the sandbox, which never includes other content than requested. */
const otherwise: readonly { readonly line: string; readonly because: string; readonly status: number }[] = [
  { line: "CONNECT 127.0.0.1:443", because: "it is refused for its method, before its path is looked at", status: 405 },
  { line: "GET /metrics", because: "it counts nothing", status: 404 },
  { line: "GET /openid/v1/jwks", because: "its keys are its own", status: 200 },
  { line: `GET /api/v1/watch/namespaces`, because: "the old paths of watches are not served", status: 404 },
];

type Server = Pick<SandboxHttps, "port" | "token">;

async function send(server: Server, line: string, credentials: readonly string[] = []): Promise<unknown> {
  const own = credentials.length > 0 ? credentials : [`authorization: Bearer ${server.token}`];
  const { status, headers, body } = await rawRequest(server.port, [`${line} HTTP/1.1`, "host: 127.0.0.1", ...own]);
  if (headers["content-type"]?.startsWith("application/json") !== true) return { status, body };
  const { kind, reason, code, message } = JSON.parse(body) as Record<string, unknown>;
  return { status, kind, reason, code, message };
}

/** An event without the parts that differ between servers. */
function eventOf(payload: string): unknown {
  const { type, object } = JSON.parse(payload) as {
    type: string;
    object: { kind: string; metadata: { name: string } };
  };
  return { type, kind: object.kind, name: object.metadata.name, endsLine: payload.endsWith("\n") };
}

describe.skipIf(clusterMissing !== undefined)("unusual requests to a sandbox", () => {
  let cluster: Cluster;
  let sandbox: Sandbox;
  let mine: SandboxHttps;
  const dir = mkdtempSync(join(tmpdir(), "sandbox-paths-"));
  beforeAll(async () => {
    cluster = await startCluster();
    sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
    mine = await serveSandbox(sandbox);
    const watched = JSON.stringify({ metadata: { name: "watched", namespace: "default" } });
    for (const { port, token } of [mine, cluster]) {
      const response = await fetch(`https://127.0.0.1:${port}${maps}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: watched,
        tls: { rejectUnauthorized: false },
      });
      expect(response.status).toBe(201);
    }
  });
  afterAll(async () => {
    await mine.close();
    sandbox.stop();
    await cluster.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test.each([...alike])("get the real server's response: %p", async (line) => {
    expect(await send(mine, line)).toEqual(await send(cluster, line));
  });

  test.each([...otherwise])("get $status for $line ($because)", async ({ line, status }) => {
    expect(await send(mine, line)).toMatchObject({ status });
  });

  const wrong: readonly {
    readonly name: string;
    readonly credentials: (token: string) => readonly string[];
    readonly path?: string;
  }[] = [
    { name: "an empty token", credentials: () => ["authorization: Bearer "] },
    { name: "only the scheme", credentials: () => ["authorization: Bearer"] },
    { name: "the start of the token", credentials: (token) => [`authorization: Bearer ${token.slice(0, -1)}`] },
    { name: "the token with a suffix", credentials: (token) => [`authorization: Bearer ${token}x`] },
    { name: "the token twice", credentials: (token) => [`authorization: Bearer ${token}${token}`] },
    { name: "the token with a comma", credentials: (token) => [`authorization: Bearer ${token}, Bearer x`] },
    { name: "the token without its scheme", credentials: (token) => [`authorization: ${token}`] },
    { name: "the token as a password", credentials: (token) => [`authorization: Basic ${btoa(`admin:${token}`)}`] },
    { name: "the token as a cookie", credentials: (token) => [`cookie: token=${token}`] },
    { name: "the token in the query", credentials: () => ["x: y"], path: `${ns}?access_token=TOKEN` },
    { name: "the scheme of a proxy", credentials: () => ["x-remote-user: admin", "x-remote-group: system:masters"] },
    {
      name: "an impersonated user",
      credentials: () => ["impersonate-user: admin", "impersonate-group: system:masters"],
    },
  ];
  test.each([...wrong])("are refused by $name, on any path", async ({ credentials, path = ns }) => {
    for (const target of [path, "/api", "/version", "/readyz", "/%2e%2e", `https://127.0.0.1${ns}`]) {
      const own = credentials(mine.token);
      const response = await send(mine, `GET ${target.replace("TOKEN", mine.token)}`, own);
      const theirs = await send(cluster, `GET ${target.replace("TOKEN", cluster.token)}`, credentials(cluster.token));
      expect(response).toEqual(theirs);
      // Responses to unauthenticated requests.
      if (target !== "/version" && target !== "/readyz") expect(response).not.toMatchObject({ status: 200 });
    }
  });

  test("include OpenAPI with caching, as on the real server", async () => {
    const shown = ["cache-control", "content-type", "etag", "expires", "location", "vary"];
    const seen = async (server: Server): Promise<unknown> => {
      const send = (line: string, ...more: readonly string[]): ReturnType<typeof rawRequest> =>
        rawRequest(server.port, [
          `${line} HTTP/1.1`,
          "host: 127.0.0.1",
          `authorization: Bearer ${server.token}`,
          ...more,
        ]);
      const index = await send("GET /openapi/v3");
      const { paths } = JSON.parse(index.body) as { paths: Record<string, { serverRelativeURL: string }> };
      const path = paths["apis/apps/v1"]?.serverRelativeURL ?? "";
      const [plain = "", hash = ""] = path.split("?hash=");
      const responses = [
        index,
        await send("POST /openapi/v3"),
        await send(`GET ${path}`),
        await send(`GET ${plain}`),
        await send(`GET ${plain}?hash=`),
        await send(`GET ${plain}?hash=other`),
        ...(await Promise.all(
          [`"${hash}"`, `W/"${hash}"`, `"x", "${hash}"`, hash, "*", '"x"'].map((tag) =>
            send(`GET ${path}`, `if-none-match: ${tag}`),
          ),
        )),
        await send(`GET ${plain}`, `if-none-match: "${hash}"`),
        await send("GET /openapi/v3/apis/nope/v1"),
        await send("GET /openapi/v3/"),
      ];
      return responses.map(({ status, headers }) => [
        status,
        ...shown.map((name) => headers[name]?.replaceAll(hash, "HASH").replace(/^\w{3}, .* UTC$/, "TIME")),
      ]);
    };
    expect(await seen(mine)).toEqual(await seen(cluster));
  });

  test.each([...webSocketWatches])(
    "get the real server's events of a watch over a WebSocket, which $name",
    async ({ query, headers, anonymous, send }) => {
      const seen = async (server: Server): Promise<unknown> => {
        const token64 = Buffer.from(server.token).toString("base64url");
        const { head, frames, text } = await converse({
          port: server.port,
          head: [
            `GET ${ns}/default/configmaps?fieldSelector=metadata.name%3Dwatched&${query} HTTP/1.1`,
            "host: 127.0.0.1",
            ...(anonymous === true ? [] : [`authorization: Bearer ${server.token}`]),
            ...headers.map((header) => header.replace("TOKEN64", token64)),
          ],
          ...(send === undefined ? {} : { after: { frames: 1, act: (write) => write(send) } }),
        });
        const isRefused = head[0]?.startsWith("HTTP/1.1 5") === true;
        return {
          // Other responses have other headers.
          head: isRefused ? head[0] : head,
          text: text.trim(),
          frames: frames.map(([opcode, payload]) => [opcode, opcode === 0x81 ? eventOf(payload) : payload]),
        };
      };
      expect(await seen(mine)).toEqual(await seen(cluster));
    },
  );

  test("over a WebSocket end when a client violates the protocol, and when the server stops", async () => {
    const other = await serveSandbox(sandbox);
    const watch = (act: (send: (bytes: Uint8Array) => void) => void): ReturnType<typeof converse> =>
      converse({
        port: other.port,
        head: [
          `GET ${ns}/default/configmaps?watch=1&resourceVersion=0 HTTP/1.1`,
          "host: 127.0.0.1",
          `authorization: Bearer ${other.token}`,
          ...(webSocketWatches[0]?.headers ?? []),
        ],
        after: { frames: 1, act },
      });
    const unmasked = await watch((send) => send(Uint8Array.of(0x81, 2, 0x68, 0x69)));
    expect(unmasked.frames.slice(-2).map(([opcode]) => opcode)).toEqual([0x88, 0x88]);
    const tooLong = await watch((send) => send(clientFrame(9, new Uint8Array(126))));
    expect(tooLong.frames.at(-2)).toEqual([0x88, "\u0003\u00EA"]);
    let closed: Promise<void> | undefined;
    const left = await watch(() => {
      closed = other.close();
    });
    await closed;
    expect(left.frames.at(0)?.[0]).toBe(0x81);
  });

  test("for all resources of kubectl take two responses, as on the real server", async () => {
    const discoveryRequests = async (kubeconfig: string): Promise<readonly string[]> => {
      // A separate cache, so that kubectl requests everything.
      const args = [
        "--kubeconfig",
        kubeconfig,
        "--cache-dir",
        mkdtempSync(join(dir, "cache-")),
        "-v=6",
        "api-resources",
      ];
      const { stderr, code } = await runProgram([controlPlaneBinary("kubectl") ?? "kubectl", ...args], {
        timeoutMs: 300_000,
      });
      expect(code).toBe(0);
      return [...stderr.matchAll(/"Response" verb="GET" url="https:\/\/[^/]*(\S*)\?timeout=\S*" status="(.*?)"/g)].map(
        ([, path = "", status = ""]) => `${path} ${status}`,
      );
    };
    writeFileSync(join(dir, "mine"), mine.kubeconfig(), { mode: 0o600 });
    expect((await discoveryRequests(join(dir, "mine"))).toSorted()).toEqual(["/api 200 OK", "/apis 200 OK"]);
    expect((await discoveryRequests(cluster.kubeconfig)).toSorted()).toEqual(["/api 200 OK", "/apis 200 OK"]);
  });

  test("can have the token's scheme in any case, as on the real server", async () => {
    for (const server of [mine, cluster]) {
      expect(await send(server, `GET ${ns}`, [`Authorization: bEARER ${server.token}`])).toMatchObject({ status: 200 });
    }
  });
});
