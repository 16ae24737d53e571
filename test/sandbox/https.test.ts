import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlPlaneBinary } from "../../scripts/control-plane.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { serveSandbox, type SandboxHttps } from "../../src/sandbox/https.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";

let sandbox: Sandbox;
let https: SandboxHttps;
beforeAll(async () => {
  sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
  https = await serveSandbox(sandbox);
});
afterAll(async () => {
  sandbox.stop();
  await https.close();
});

const maps = "/api/v1/namespaces/default/configmaps";

/** Sends a request that trusts the sandbox's CA; the token can be replaced. */
function send(path: string, init: RequestInit = {}, token = https.token): Promise<Response> {
  return fetch(`${https.url}${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(init.headers as object | undefined),
    },
    tls: { ca: https.ca },
  });
}

describe("the sandbox over HTTPS", () => {
  test("serves holders of the token, with a certificate signed by its authority", async () => {
    const response = await send("/version");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ gitVersion: "v1.36.3" });
  });

  test("refuses every other token of the same length, wherever it differs", async () => {
    for (const at of [0, Math.floor(https.token.length / 2), https.token.length - 1]) {
      const other = https.token[at] === "a" ? "b" : "a";
      const token = https.token.slice(0, at) + other + https.token.slice(at + 1);
      expect(token.length).toBe(https.token.length);
      expect((await send("/api/v1/secrets", {}, token)).status).toBe(401);
    }
  });

  test("treats a request without a token as an anonymous user, with access only to public paths", async () => {
    const plain = (path: string): Promise<Response> => fetch(`${https.url}${path}`, { tls: { ca: https.ca } });
    expect((await plain("/version")).status).toBe(200);
    expect((await plain("/readyz")).status).toBe(200);
    const refused = await plain("/api/v1/secrets");
    expect([refused.status, ((await refused.json()) as { message: string }).message]).toEqual([
      403,
      'secrets is forbidden: User "system:anonymous" cannot list resource "secrets" in API group "" at the cluster scope',
    ]);
  });

  test.each(["x", "admintoken", "a.b.c", "e30.e30.e30"])("lets nobody in by the token %p", async (token) => {
    const response = await send("/api/v1/secrets", {}, token);
    expect([response.status, ((await response.json()) as { reason: string }).reason]).toEqual([401, "Unauthorized"]);
  });

  test("identifies the holder of a token by a TokenReview, for its audiences", async () => {
    const review = async (token: string, ...audiences: readonly string[]): Promise<unknown> => {
      const body = JSON.stringify({ spec: { token, audiences } });
      const response = await send("/apis/authentication.k8s.io/v1/tokenreviews", { method: "POST", body });
      return ((await response.json()) as { status: unknown }).status;
    };
    const audiences = ["https://kubernetes.default.svc"];
    const user = { username: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"] };
    expect(await review(https.token)).toEqual({ authenticated: true, user, audiences });
    expect(await review(https.token, "a", ...audiences)).toEqual({ authenticated: true, user, audiences });
    const nobody = { user: {}, error: "invalid bearer token" };
    expect(await review(https.token, "a")).toEqual(nobody);
    expect(await review(`${https.token}x`)).toEqual(nobody);
  });

  test("says in reviews if roles are not evaluated", async () => {
    const role = { name: "r", apiGroup: "rbac.authorization.k8s.io" };
    await send("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {
      method: "POST",
      body: JSON.stringify({
        metadata: { name: "b" },
        subjects: [{ kind: "User", name: "bound", apiGroup: role.apiGroup }],
        roleRef: { kind: "Role", ...role },
      }),
    });
    const review = async (user: string, kind: string, spec: object): Promise<unknown> => {
      const path = `/apis/authorization.k8s.io/v1/${kind}`;
      const body = JSON.stringify({ spec });
      const response = await send(path, { method: "POST", body, headers: { "impersonate-user": user } });
      return ((await response.json()) as { status: unknown }).status;
    };
    const evaluationError = "roles are bound to it, but this sandbox evaluates none: add --rbac to `sandbox`";
    const pods = { resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } };
    expect(await review("bound", "selfsubjectaccessreviews", pods)).toEqual({ allowed: false, evaluationError });
    expect(await review("other", "selfsubjectaccessreviews", pods)).toEqual({ allowed: false });
    const rules = await review("bound", "selfsubjectrulesreviews", { namespace: "default" });
    expect(rules).toMatchObject({ incomplete: true, evaluationError });
  });

  test("trusts no other authority", async () => {
    const other = await serveSandbox(sandbox);
    const refused = await fetch(`${https.url}/version`, { tls: { ca: other.ca } }).then(
      () => "let in",
      () => "refused",
    );
    await other.close();
    expect(refused).toBe("refused");
  });

  test("sends events to a watch as they happen", async () => {
    const abort = new AbortController();
    const response = await send(`${maps}?watch=1&resourceVersion=${sandbox.revision}`, { signal: abort.signal });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await send(maps, { method: "POST", body: JSON.stringify({ metadata: { name: "watched" } }) });
    const { value } = await reader.read();
    expect(JSON.parse(new TextDecoder().decode(value))).toMatchObject({
      type: "ADDED",
      object: { metadata: { name: "watched" } },
    });
    abort.abort();
  });

  const hostile: readonly { name: string; path?: string; init: RequestInit; status: number }[] = [
    { name: "a body over 3 MiB", init: { method: "POST", body: "a".repeat(3 * 1024 * 1024 + 1) }, status: 413 },
    {
      name: "a deeply nested body",
      init: { method: "POST", body: `{"data":${"[".repeat(20_000)}${"]".repeat(20_000)}}` },
      status: 400,
    },
    { name: "truncated JSON", init: { method: "POST", body: '{"metadata":' }, status: 400 },
    { name: "bytes that are not text", init: { method: "POST", body: new Uint8Array([255, 254, 0, 1]) }, status: 400 },
    {
      name: "not protobuf, despite its type",
      init: { method: "POST", body: "x", headers: { "content-type": "application/vnd.kubernetes.protobuf" } },
      status: 400,
    },
    { name: "CBOR", init: { method: "POST", body: "x", headers: { "content-type": "application/cbor" } }, status: 415 },
    {
      name: "keys that would change prototypes",
      init: { method: "POST", body: '{"metadata":{"name":"a","labels":{"__proto__":"x"}}}' },
      status: 422,
    },
    {
      name: "a prototype as metadata",
      init: { method: "POST", body: '{"__proto__":{"metadata":{"name":"a"}}}' },
      status: 422,
    },
    { name: "a name with an escape", path: "/api/v1/namespaces/default/pods/a%252fb", init: {}, status: 400 },
    { name: "a verb that the path does not have", init: { method: "PUT", body: "{}" }, status: 405 },
  ];
  test.each(hostile)("responds to $name with a Status, and continues", async ({ path = maps, init, status }) => {
    const response = await send(path, init);
    expect([response.status, ((await response.json()) as { kind: string }).kind]).toEqual([status, "Status"]);
    expect((await send("/readyz")).status).toBe(200);
    expect(({} as Record<string, unknown>)["metadata"]).toBeUndefined();
  });
});

const kubectlBinary = controlPlaneBinary("kubectl");

describe.skipIf(kubectlBinary === undefined)("unchanged kubectl on the sandbox", () => {
  const file = join(tmpdir(), `sandbox-${process.pid}.kubeconfig`);
  beforeAll(() => writeFileSync(file, https.kubeconfig(), { mode: 0o600 }));
  afterAll(() => rmSync(file, { force: true }));

  async function kubectl(args: string, stdin = ""): Promise<string> {
    const run = Bun.spawn([kubectlBinary ?? "kubectl", "--kubeconfig", file, ...args.split(" ")], {
      stdin: new TextEncoder().encode(stdin),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, error] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
    return (out + error).trim();
  }
  const replicaSet = (replicas: number): string =>
    JSON.stringify({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "web" },
      spec: {
        replicas,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });

  test("applies, reads, describes, scales, labels, patches, waits and deletes with each cascade", async () => {
    expect(await kubectl("apply -f -", replicaSet(1))).toBe("replicaset.apps/web created");
    expect(await kubectl("apply -f -", replicaSet(1))).toBe("replicaset.apps/web unchanged");
    expect(await kubectl("apply -f -", replicaSet(2))).toBe("replicaset.apps/web configured");
    expect(await kubectl("get rs web -o jsonpath={.spec.replicas}")).toBe("2");
    expect((await kubectl("get rs")).split(/\s+/).slice(0, 8)).toEqual([
      "NAME",
      "DESIRED",
      "CURRENT",
      "READY",
      "AGE",
      "web",
      "2",
      "0",
    ]);
    expect(await kubectl("describe rs web")).toContain("Replicas:     0 current / 2 desired");
    expect(await kubectl("scale rs web --replicas=5")).toBe("replicaset.apps/web scaled");
    expect(await kubectl("label rs web x=y")).toBe("replicaset.apps/web labeled");
    expect(await kubectl(`patch rs web -p {"spec":{"replicas":3}}`)).toBe("replicaset.apps/web patched");
    expect(await kubectl("wait rs/web --for=jsonpath={.spec.replicas}=3 --timeout=5s")).toBe(
      "replicaset.apps/web condition met",
    );
    expect(await kubectl("delete rs web --cascade=background")).toContain("deleted");
    for (const [cascade, finalizer] of [
      ["foreground", "foregroundDeletion"],
      ["orphan", "orphan"],
    ]) {
      await kubectl("create -f -", replicaSet(1));
      await kubectl(`delete rs web --cascade=${cascade} --wait=false`);
      expect(await kubectl("get rs web -o jsonpath={.metadata.finalizers}")).toBe(`["${finalizer}"]`);
      await kubectl(`patch rs web --type=merge -p {"metadata":{"finalizers":null}}`);
      expect(await kubectl("get rs")).toBe("No resources found in default namespace.");
    }
  });

  test("refuses an unknown field by default, as on a real server", async () => {
    const wrong = replicaSet(1).replace('"replicas":1', '"replica":1');
    expect(await kubectl("create -f -", wrong)).toContain('strict decoding error: unknown field "spec.replica"');
  });
});
