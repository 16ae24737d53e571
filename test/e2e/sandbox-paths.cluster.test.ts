/** Odd request targets and odd credentials, byte by byte over HTTPS, beside a real kube-apiserver: none leads where it should not. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { serveSandbox, type SandboxHttps } from "../../src/sandbox/https.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { rawRequest } from "./support/raw-request.ts";

const ns = "/api/v1/namespaces";
const maps = `${ns}/default/configmaps`;

/** Request lines that both answer alike. */
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
];

/** Request lines that the sandbox answers in another way; never with what nobody asked for. */
const otherwise: readonly { readonly line: string; readonly because: string; readonly status: number }[] = [
  { line: "GET *", because: "the runtime's own server refuses it", status: 400 },
  { line: `GET ftp://x${ns}`, because: "the same", status: 400 },
  { line: "OPTIONS *", because: "the same", status: 400 },
  { line: "CONNECT 127.0.0.1:443", because: "it is refused for its method, before its path is looked at", status: 405 },
  { line: "GET /metrics", because: "it counts nothing", status: 404 },
  { line: "GET /openapi/v2", because: "version 3 alone is served", status: 404 },
  { line: "GET /openid/v1/jwks", because: "it signs no tokens", status: 404 },
  { line: `GET /api/v1/watch/namespaces`, because: "the old paths of watches are not served", status: 404 },
];

type Server = Pick<SandboxHttps, "port" | "token">;

async function ask(server: Server, line: string, credentials: readonly string[] = []): Promise<unknown> {
  const own = credentials.length > 0 ? credentials : [`authorization: Bearer ${server.token}`];
  const { status, headers, body } = await rawRequest(server.port, [`${line} HTTP/1.1`, "host: 127.0.0.1", ...own]);
  if (headers["content-type"]?.startsWith("application/json") !== true) return { status, body };
  const { kind, reason, code, message } = JSON.parse(body) as Record<string, unknown>;
  return { status, kind, reason, code, message };
}

describe.skipIf(clusterMissing !== undefined)("a sandbox asked in odd ways", () => {
  let cluster: Cluster;
  let sandbox: Sandbox;
  let mine: SandboxHttps;
  beforeAll(async () => {
    cluster = await startCluster();
    sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
    mine = await serveSandbox(sandbox);
  }, 120_000);
  afterAll(async () => {
    await mine.close();
    sandbox.stop();
    await cluster.stop();
  });

  test.each([...alike])("answers as the real server: %p", async (line) => {
    expect(await ask(mine, line)).toEqual(await ask(cluster, line));
  });

  test.each([...otherwise])("answers $status to $line ($because)", async ({ line, status }) => {
    expect(await ask(mine, line)).toMatchObject({ status });
  });

  const wrong: readonly {
    readonly name: string;
    readonly credentials: (token: string) => readonly string[];
    readonly path?: string;
  }[] = [
    { name: "an empty token", credentials: () => ["authorization: Bearer "] },
    { name: "no more than the word", credentials: () => ["authorization: Bearer"] },
    { name: "the beginning of the token", credentials: (token) => [`authorization: Bearer ${token.slice(0, -1)}`] },
    { name: "the token and more", credentials: (token) => [`authorization: Bearer ${token}x`] },
    { name: "the token twice", credentials: (token) => [`authorization: Bearer ${token}${token}`] },
    { name: "the token with a comma", credentials: (token) => [`authorization: Bearer ${token}, Bearer x`] },
    { name: "the token without its word", credentials: (token) => [`authorization: ${token}`] },
    { name: "the token as a password", credentials: (token) => [`authorization: Basic ${btoa(`admin:${token}`)}`] },
    { name: "the token as a cookie", credentials: (token) => [`cookie: token=${token}`] },
    { name: "the token in the query", credentials: () => ["x: y"], path: `${ns}?access_token=TOKEN` },
    { name: "the word of a proxy", credentials: () => ["x-remote-user: admin", "x-remote-group: system:masters"] },
    { name: "the user to be", credentials: () => ["impersonate-user: admin", "impersonate-group: system:masters"] },
  ];
  test.each([...wrong])("lets nobody in by $name, on any path", async ({ credentials, path = ns }) => {
    for (const target of [path, "/api", "/version", "/readyz", "/%2e%2e", `https://127.0.0.1${ns}`]) {
      const own = credentials(mine.token);
      const line = `GET ${target.replace("TOKEN", mine.token)}`;
      expect(await ask(mine, line, own)).toMatchObject({ status: 401 });
    }
  });

  test("takes the word for a token in any case, as the real server does", async () => {
    for (const server of [mine, cluster]) {
      expect(await ask(server, `GET ${ns}`, [`Authorization: bEARER ${server.token}`])).toMatchObject({ status: 200 });
    }
  });
});
