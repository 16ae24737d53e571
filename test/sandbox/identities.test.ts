/** Authentication over HTTPS: client certificates, and tokens of service accounts. */
import { createPublicKey, type JsonWebKeyInput, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newAuthority } from "../../src/platform/certificate-authority.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { serveSandbox, type SandboxHttps } from "../../src/sandbox/https.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { jane, joe, mallory, nameless, trusted } from "./support/client-certificates.ts";

let sandbox: Sandbox;
let https: SandboxHttps;
let aheadMs = 0;
beforeAll(async () => {
  const clock = realTimeline();
  const timeline = { ...clock, now: () => clock.now() + aheadMs };
  sandbox = await createSandbox({ timeline, random: seededRandom(1), rbac: true });
  const notBefore = clock.now();
  const { ca } = newAuthority({ name: "another", notBefore, notAfter: notBefore + 86_400_000 });
  // Each of several CAs is accepted.
  https = await serveSandbox(sandbox, { clientCa: [ca, trusted].join("\n") });
});
afterAll(async () => {
  sandbox.stop();
  await https.close();
});

interface RequestParts {
  readonly path: string;
  readonly body?: object;
  readonly method?: string;
  readonly token?: string | undefined;
  readonly certificate?: { readonly cert: string; readonly key: string };
  readonly headers?: Readonly<Record<string, string>>;
}

interface JsonResponse {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads fields that it knows to exist
  readonly body: any;
}

async function send({ path, body, method, token, certificate, headers }: RequestParts): Promise<JsonResponse> {
  const response = await fetch(`${https.url}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    tls: { ca: https.ca, ...certificate },
    keepalive: false,
  });
  return { status: response.status, body: await response.json() };
}

const asAdmin = (parts: Omit<RequestParts, "token">): Promise<JsonResponse> => send({ ...parts, token: https.token });
const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const core = "/api/v1/namespaces/default";

describe("client certificates", () => {
  test("name the user and the groups", async () => {
    const { status, body } = await send({ path: whoAmI, body: {}, certificate: jane });
    expect(status).toBe(201);
    expect(body.status.userInfo).toMatchObject({
      username: "jane",
      groups: ["system:masters", "dev", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
    });
    expect((await send({ path: "/api/v1/secrets", certificate: jane })).status).toBe(200);
  });

  test("without a group have only the rights of their roles", async () => {
    const { status, body } = await send({ path: "/api/v1/secrets", certificate: joe });
    expect([status, body.message]).toEqual([
      403,
      'secrets is forbidden: User "joe" cannot list resource "secrets" in API group "" at the cluster scope',
    ]);
  });

  test("of another authority are refused; a token takes precedence", async () => {
    expect((await send({ path: "/version", certificate: mallory })).status).toBe(401);
    expect((await send({ path: "/api/v1/secrets", certificate: mallory, token: https.token })).status).toBe(200);
  });

  test("without a common name are ignored", async () => {
    const { body } = await send({ path: "/api/v1/secrets", certificate: nameless });
    expect(body.message).toContain('User "system:anonymous" cannot list');
  });

  test("cannot impersonate without permission", async () => {
    const asSomebody = { path: "/api/v1/secrets", certificate: joe, headers: { "impersonate-user": "admin" } };
    const { status, body } = await send(asSomebody);
    expect([status, body.message]).toEqual([
      403,
      'secrets is forbidden: User "joe" cannot impersonate-on:user-info:list resource "secrets" in API group "" at the cluster scope',
    ]);
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const rules = [{ apiGroups: [""], resources: ["users"], resourceNames: ["admin"], verbs: ["impersonate"] }];
    await asAdmin({ path: `${rbac}/clusterroles`, body: { metadata: { name: "as-admin" }, rules } });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "as-admin" };
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "joe" }];
    const bound = { metadata: { name: "as-admin" }, roleRef, subjects };
    await asAdmin({ path: `${rbac}/clusterrolebindings`, body: bound });
    expect((await send(asSomebody)).body.message).toContain('User "admin" cannot list resource "secrets"');
    const grouped = { ...asSomebody, headers: { ...asSomebody.headers, "impersonate-group": "system:masters" } };
    expect((await send(grouped)).status).toBe(403);
  });
});

describe("ServiceAccount tokens", () => {
  async function tokenOf(name: string, spec: object = {}): Promise<string> {
    await asAdmin({ path: `${core}/serviceaccounts`, body: { metadata: { name } } });
    const { status, body } = await asAdmin({ path: `${core}/serviceaccounts/${name}/token`, body: { spec } });
    expect(status).toBe(201);
    return body.status.token as string;
  }

  test("identify the account", async () => {
    const token = await tokenOf("named");
    const { body } = await send({ path: whoAmI, body: {}, token });
    expect(body.status.userInfo).toMatchObject({
      username: "system:serviceaccount:default:named",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
    expect((await send({ path: "/api/v1/secrets", token })).status).toBe(403);
  });

  test("can be verified with the keys that the server publishes", async () => {
    const token = await tokenOf("published");
    const { body: configuration } = await send({ path: "/.well-known/openid-configuration", token });
    expect(configuration).toEqual({
      issuer: "https://kubernetes.default.svc",
      jwks_uri: "https://127.0.0.1:6443/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    });
    const { body } = await send({ path: "/openid/v1/jwks", token });
    const { keys } = body as { keys: JsonWebKeyInput["key"][] };
    const [header = "", payload = "", signature = ""] = token.split(".");
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString()) as { kid: string };
    expect(keys).toEqual([expect.objectContaining({ use: "sig", kty: "EC", kid, crv: "P-256", alg: "ES256" })]);
    const key = createPublicKey({ key: keys[0] ?? {}, format: "jwk" });
    const signed = Buffer.from(`${header}.${payload}`);
    const isOwn = verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"));
    expect(isOwn).toBe(true);
    expect((await send({ path: "/openid/v1/jwks", certificate: joe })).status).toBe(403);
  });

  test("are invalid after the account is deleted", async () => {
    const token = await tokenOf("deleted");
    expect((await send({ path: whoAmI, body: {}, token })).status).toBe(201);
    await asAdmin({ path: `${core}/serviceaccounts/deleted`, method: "DELETE" });
    expect((await send({ path: whoAmI, body: {}, token })).status).toBe(401);
    await asAdmin({ path: `${core}/serviceaccounts`, body: { metadata: { name: "deleted" } } });
    expect((await send({ path: whoAmI, body: {}, token })).status).toBe(401);
  });

  test("are invalid after their expiry", async () => {
    const token = await tokenOf("expired", { expirationSeconds: 600 });
    aheadMs = 650_000;
    const late = (await send({ path: whoAmI, body: {}, token })).status;
    aheadMs = 670_000;
    const tooLate = (await send({ path: whoAmI, body: {}, token })).status;
    aheadMs = 0;
    expect([late, tooLate]).toEqual([201, 401]);
  });

  test("are invalid after the object to which they are bound is deleted", async () => {
    await asAdmin({ path: `${core}/secrets`, body: { metadata: { name: "bound" } } });
    const token = await tokenOf("bound", { boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "bound" } });
    expect((await send({ path: whoAmI, body: {}, token })).status).toBe(201);
    await asAdmin({ path: `${core}/secrets/bound`, method: "DELETE" });
    expect((await send({ path: whoAmI, body: {}, token })).status).toBe(401);
  });

  test("for another audience are refused by this server", async () => {
    const token = await tokenOf("elsewhere", { audiences: ["vault"] });
    expect((await send({ path: whoAmI, body: {}, token })).status).toBe(401);
  });

  test("are accepted only as signed", async () => {
    const token = await tokenOf("signed");
    const [header = "", payload = "", signature = ""] = token.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
    const other = Buffer.from(JSON.stringify({ ...claims, sub: "system:admin" })).toString("base64url");
    const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    for (const forged of [
      `${header}.${other}.${signature}`,
      `${none}.${payload}.`,
      `${header}.${payload}.`,
      `${none}.${payload}.${signature}`,
    ])
      expect((await send({ path: whoAmI, body: {}, token: forged })).status).toBe(401);
  });
});

describe("tokens in Secrets", () => {
  const secretName = "kubernetes.io/serviceaccount/secret.name";

  interface InSecret {
    readonly token: string;
    readonly labels?: () => Promise<unknown>;
  }

  /** Creates a Secret with a token, as the serviceaccount-token controller does. */
  async function tokenIn(name: string, claims: Readonly<Record<string, string>> = {}): Promise<InSecret> {
    const { body } = await asAdmin({ path: `${core}/serviceaccounts`, body: { metadata: { name } } });
    const token = sandbox.server.tokens.signForSecret({
      iss: "kubernetes/serviceaccount",
      "kubernetes.io/serviceaccount/namespace": "default",
      [secretName]: name,
      "kubernetes.io/serviceaccount/service-account.name": name,
      "kubernetes.io/serviceaccount/service-account.uid": body.metadata.uid as string,
      sub: `system:serviceaccount:default:${name}`,
      ...claims,
    });
    const annotations = { "kubernetes.io/service-account.name": name };
    const secret = { metadata: { name, annotations }, type: "kubernetes.io/service-account-token" };
    await asAdmin({ path: `${core}/secrets`, body: { ...secret, data: { token: btoa(token) } } });
    return {
      token,
      labels: async () => (await asAdmin({ path: `${core}/secrets/${name}` })).body.metadata.labels as unknown,
    };
  }

  /** The status of a request with the token, and the result of a TokenReview. */
  async function resultsOf(token: string, spec: object = {}): Promise<readonly unknown[]> {
    const { status } = await send({ path: whoAmI, body: {}, token });
    const { body } = await asAdmin({
      path: "/apis/authentication.k8s.io/v1/tokenreviews",
      body: { spec: { token, ...spec } },
    });
    return [status, body.status.error ?? body.status.user.username];
  }

  const patch = (path: string, body: object): Promise<JsonResponse> =>
    asAdmin({ path, method: "PATCH", headers: { "content-type": "application/merge-patch+json" }, body });

  test("identify only the account, only for this server, and mark the Secret as used", async () => {
    const { token, labels } = await tokenIn("used");
    expect(await labels?.()).toBeUndefined();
    const { body } = await send({ path: whoAmI, body: {}, token });
    expect(Object.keys(body.status.userInfo as object)).toEqual(["username", "uid", "groups"]);
    expect(await resultsOf(token)).toEqual([201, "system:serviceaccount:default:used"]);
    const [, error] = await resultsOf(token, { audiences: ["vault"] });
    expect(error).toContain('is invalid for the target audiences ["vault"]');
    const day = new Date().toISOString().slice(0, 10);
    expect(await labels?.()).toEqual({ "kubernetes.io/legacy-token-last-used": day });
  });

  test("are valid for years", async () => {
    const { token } = await tokenIn("old");
    aheadMs = 5 * 365 * 86_400_000;
    const { status } = await send({ path: whoAmI, body: {}, token });
    aheadMs = 0;
    expect(status).toBe(201);
    expect(sandbox.server.tokens.keysInUse().map(({ until }) => until)).toEqual([253_402_300_799]);
  });

  const label = "kubernetes.io/legacy-token-invalid-since";
  for (const { name, does, says } of [
    {
      name: "gone",
      does: () => asAdmin({ path: `${core}/secrets/gone`, method: "DELETE" }),
      says: "Token has been invalidated",
    },
    {
      name: "changed",
      does: () => patch(`${core}/secrets/changed`, { data: { token: btoa("x") } }),
      says: "Token does not match server's copy",
    },
    {
      name: "marked",
      does: () => patch(`${core}/secrets/marked`, { metadata: { labels: { [label]: "2026-01-01" } } }),
      says: "the token in secret default/marked for service account default/marked has been marked invalid.",
    },
    {
      name: "orphan",
      does: () => asAdmin({ path: `${core}/serviceaccounts/orphan`, method: "DELETE" }),
      says: 'serviceaccounts "orphan" not found',
    },
    {
      name: "another",
      does: async () => {
        await asAdmin({ path: `${core}/serviceaccounts/another`, method: "DELETE" });
        await asAdmin({ path: `${core}/serviceaccounts`, body: { metadata: { name: "another" } } });
      },
      says: "does not match claim",
    },
  ]) {
    test(`are refused with a Secret or an account that is ${name}`, async () => {
      const { token } = await tokenIn(name);
      expect((await resultsOf(token))[0]).toBe(201);
      await does();
      const [status, error] = await resultsOf(token);
      expect([status, String(error).includes(says)]).toEqual([401, true]);
    });
  }

  test("are refused if they claim another identity, or have no Secret", async () => {
    const other = await tokenIn("somebody", { sub: "system:serviceaccount:default:used" });
    expect(await resultsOf(other.token)).toEqual([401, "[invalid bearer token, sub claim is invalid]"]);
    const none = await tokenIn("none", { [secretName]: "" });
    expect((await resultsOf(none.token))[0]).toBe(401);
  });
});
