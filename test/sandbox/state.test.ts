/** Saving and loading the state of a sandbox: what is preserved, what has expired, and which files are rejected. */
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "bun:test";
import type { Transport } from "../../src/api/transport.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { readState, StateProblem, type SandboxState } from "../../src/sandbox/state/document.ts";
import { sendRequest, type Json, watch } from "./support/requests.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const configmaps = "/api/v1/namespaces/default/configmaps";
const widgets = "/apis/example.com/v1/namespaces/default/widgets";

let seed = 1;

async function started(options: Partial<SandboxOptions> = {}): Promise<{ sandbox: Sandbox; transport: Transport }> {
  // Different seeds, so that no two servers generate the same UIDs.
  const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(seed++), ...options });
  return { sandbox, transport: sandbox.transport({ actor: "test" }) };
}

const textOf = (sandbox: Sandbox): string => [...sandbox.save().text].join("");
const stateOf = (sandbox: Sandbox): SandboxState => readState(textOf(sandbox));

const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const definition = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [{ name: "v1", served: true, storage: true, schema }],
  },
};

/** Defines widgets, and creates one. */
async function makeWidget(transport: Transport, metadata: Json): Promise<void> {
  await sendRequest(transport, "POST", definitions, { body: definition });
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata, spec: { size: 1.5, text: "a\nb\u2028" } };
  // A controller establishes the definition in later turns of the event loop.
  for (let turn = 0; turn < 1000; turn++) {
    if ((await sendRequest(transport, "POST", widgets, { body: widget })).status === 201) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("the definition was not established");
}

/** Creates an example of everything that a state must preserve. */
async function fill(transport: Transport): Promise<void> {
  await makeWidget(transport, { name: "first", finalizers: ["example.com/wait"] });
  await sendRequest(transport, "POST", configmaps, {
    body: { metadata: { name: "a", generateName: "a" }, data: { b: "c" } },
  });
  await sendRequest(transport, "PATCH", `${configmaps}/a`, {
    query: "fieldManager=one&force=true",
    type: "application/apply-patch+yaml",
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { b: "d" } },
  });
  const ports = [{ port: 80 }];
  await sendRequest(transport, "POST", "/api/v1/namespaces/default/services", {
    body: { metadata: { name: "web" }, spec: { ports } },
  });
  await sendRequest(transport, "POST", "/api/v1/namespaces", { body: { metadata: { name: "going" } } });
  await sendRequest(transport, "DELETE", "/api/v1/namespaces/going");
  await sendRequest(transport, "DELETE", `${widgets}/first`);
  // Created on the first request.
  await sendRequest(transport, "GET", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas");
  await sendRequest(transport, "GET", "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations");
  await sendRequest(transport, "GET", "/apis/apiregistration.k8s.io/v1/apiservices");
}

/** The response to every list that the server serves. */
async function lists({ server }: Sandbox, transport: Transport): Promise<ReadonlyMap<string, Json>> {
  const all = new Map<string, Json>();
  for (const { apiVersion, plural, verbs } of server.registry.resources) {
    if (!verbs.has("list")) continue;
    const path = `/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}/${plural}`;
    all.set(path, (await sendRequest(transport, "GET", path)).body);
  }
  return all;
}

describe("a saved state", () => {
  test("is restored to the same server: every list, and the text that it is saved to", async () => {
    const first = await started();
    await fill(first.transport);
    const before = await lists(first.sandbox, first.transport);
    const text = textOf(first.sandbox);
    const second = await started({ state: readState(text) });
    expect(textOf(second.sandbox)).toBe(text);
    const after = await lists(second.sandbox, second.transport);
    expect([...after.keys()]).toEqual([...before.keys()]);
    for (const [path, list] of before) expect([path, after.get(path)]).toEqual([path, list]);
    expect(before.get("/apis/example.com/v1/widgets")?.["items"]).toHaveLength(1);
  });

  test("continues: later writes have later versions, and no address is assigned twice", async () => {
    const { sandbox, transport } = await started();
    await fill(transport);
    const next = await started({ state: stateOf(sandbox) });
    const made = await sendRequest(next.transport, "POST", configmaps, { body: { metadata: { name: "b" } } });
    expect((made.body["metadata"] as Json)["resourceVersion"]).toBe(String(sandbox.revision + 1));
    const taken = (await sendRequest(transport, "GET", "/api/v1/namespaces/default/services/web")).body["spec"] as Json;
    const again = await sendRequest(next.transport, "POST", "/api/v1/namespaces/default/services", {
      body: { metadata: { name: "other" }, spec: { clusterIP: taken["clusterIP"], ports: [{ port: 1 }] } },
    });
    expect(again.body["message"]).toContain("provided IP is already allocated");
  });

  test("has the moment of the save, whatever is written before its text is read", async () => {
    const { sandbox, transport } = await started();
    const saved = sandbox.save();
    await sendRequest(transport, "POST", configmaps, { body: { metadata: { name: "late" } } });
    const { items, revision } = readState([...saved.text].join(""));
    expect(items).toHaveLength(saved.objects);
    expect({ revision, late: items.some(({ metadata }) => metadata.name === "late") }).toEqual({
      revision: saved.revision,
      late: false,
    });
  });

  test("expires watches from before it, even for kinds without objects; those from its version continue", async () => {
    const { sandbox, transport } = await started();
    await sendRequest(transport, "POST", configmaps, { body: { metadata: { name: "a" } } });
    await sendRequest(transport, "DELETE", `${configmaps}/a`);
    const { revision } = sandbox;
    const next = await started({ state: stateOf(sandbox) });
    for (const path of [configmaps, "/api/v1/namespaces", "/apis/batch/v1/jobs"]) {
      const frames = await watch(next.transport, path, `resourceVersion=${revision - 1}`);
      expect([path, await frames.next()]).toMatchObject([path, { type: "ERROR", object: { code: 410 } }]);
      frames.cancel();
    }
    const frames = await watch(next.transport, configmaps, `resourceVersion=${revision}`);
    await sendRequest(next.transport, "POST", configmaps, { body: { metadata: { name: "b" } } });
    expect(await frames.next()).toMatchObject({ type: "ADDED", object: { metadata: { name: "b" } } });
    frames.cancel();
  });

  test("gets the objects that every server creates if they are missing, with --rbac the roles too", async () => {
    const { sandbox } = await started();
    const { revision, items } = stateOf(sandbox);
    const state = { revision, items: items.filter(({ metadata }) => metadata.name !== "kube-public") };
    const { transport } = await started({ state, rbac: true });
    expect((await sendRequest(transport, "GET", "/api/v1/namespaces/kube-public")).status).toBe(200);
    expect((await sendRequest(transport, "GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/view")).status).toBe(
      200,
    );
  });

  test("deletes a definition that was being deleted after its last object", async () => {
    const { sandbox, transport } = await started();
    await makeWidget(transport, { name: "last", finalizers: ["example.com/wait"] });
    await sendRequest(transport, "DELETE", `${definitions}/widgets.example.com`);
    const { revision, items } = stateOf(sandbox);
    const state = { revision, items: items.filter(({ metadata }) => metadata.name !== "last") };
    const next = await started({ state });
    for (let turn = 0; turn < 1000; turn++) {
      if ((await sendRequest(next.transport, "GET", `${definitions}/widgets.example.com`)).status === 404) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error("the definition is still there");
  });

  test("is not affected by a policy that denies everything, neither for the server's objects nor for effects of a write", async () => {
    const { sandbox, transport } = await started();
    const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
    const every = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };
    const not = { operations: ["*"], apiGroups: [""], apiVersions: ["*"], resources: ["services"] };
    const matchConstraints = { resourceRules: [every], excludeResourceRules: [not] };
    const body = { metadata: { name: "p" }, spec: { matchConstraints, validations: [{ expression: "false" }] } };
    expect((await sendRequest(transport, "POST", policies, { body })).status).toBe(201);
    const binding = { metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"] } };
    expect((await sendRequest(transport, "POST", `${policies.slice(0, -3)}ybindings`, { body: binding })).status).toBe(
      201,
    );
    const { revision, items } = stateOf(sandbox);
    const state = { revision, items: items.filter(({ metadata }) => metadata.name !== "kube-public") };
    const next = await started({ state });
    expect((await sendRequest(next.transport, "GET", "/api/v1/namespaces/kube-public")).status).toBe(200);
    expect((await sendRequest(next.transport, "POST", configmaps, { body: { metadata: { name: "x" } } })).status).toBe(
      422,
    );
    // Its ClusterIP requires an IPAddress, which the server itself creates in spite of the policy.
    const service = { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } };
    const made = await sendRequest(next.transport, "POST", "/api/v1/namespaces/default/services", { body: service });
    expect(made.status).toBe(201);
  });
});

describe("ServiceAccount tokens", () => {
  const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";

  /** A token of the account `default` that is valid for an hour. */
  async function tokenOf(transport: Transport): Promise<string> {
    const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
    const { status, body } = await sendRequest(transport, "POST", path, {
      body: { spec: { expirationSeconds: 3600 } },
    });
    expect(status).toBe(201);
    return String((body["status"] as Json)["token"]);
  }

  async function isValid(transport: Transport, token: string): Promise<boolean> {
    const { body } = await sendRequest(transport, "POST", reviews, { body: { spec: { token } } });
    return (body["status"] as Json)["authenticated"] === true;
  }

  test("are accepted by a server that loads the state, and by the one after it", async () => {
    const first = await started();
    const early = await tokenOf(first.transport);
    const second = await started({ state: stateOf(first.sandbox) });
    expect(await isValid(second.transport, early)).toBe(true);
    const late = await tokenOf(second.transport);
    const third = await started({ state: stateOf(second.sandbox) });
    expect([await isValid(third.transport, early), await isValid(third.transport, late)]).toEqual([true, true]);
    expect(await isValid(first.transport, late)).toBe(false);
    const { body } = await sendRequest(third.transport, "GET", "/openid/v1/jwks");
    const published = (body["keys"] as Json[]).map(({ kid }) => kid);
    const signedBy = [early, late, await tokenOf(third.transport)].map((token) => {
      const header = Buffer.from(token.split(".")[0] ?? "", "base64url").toString();
      return (JSON.parse(header) as Json)["kid"];
    });
    expect(new Set(published)).toEqual(new Set(signedBy));
    expect(published).toHaveLength(3);
  });

  test("are invalid in another cluster, and if their account was deleted", async () => {
    const { sandbox, transport } = await started();
    const token = await tokenOf(transport);
    expect(await isValid((await started()).transport, token)).toBe(false);
    const state = stateOf(sandbox);
    const items = state.items.filter(({ kind }) => kind !== "ServiceAccount");
    expect(await isValid((await started({ state: { ...state, items } })).transport, token)).toBe(false);
  });

  test("leave public keys in a state, each until its tokens have expired", async () => {
    const clock = realTimeline();
    let aheadMs = 0;
    const timeline = { ...clock, now: () => clock.now() + aheadMs };
    const { sandbox, transport } = await started({ timeline });
    // An invalid token does not add a key to the state.
    expect(await isValid(transport, "a.b.c")).toBe(false);
    expect(textOf(sandbox)).not.toContain("serviceAccountKeys");
    await tokenOf(transport);
    const text = textOf(sandbox);
    const { serviceAccountKeys: [key, ...others] = [] } = JSON.parse(text) as { serviceAccountKeys?: Json[] };
    expect([String(key?.["publicKey"]).split("\n")[0], others]).toEqual(["-----BEGIN PUBLIC KEY-----", []]);
    expect(text).not.toContain("PRIVATE");
    const next = await started({ timeline, state: readState(text) });
    expect(textOf(next.sandbox)).toBe(text);
    aheadMs = 3_660_000 + 2000;
    expect(textOf(next.sandbox)).not.toContain("serviceAccountKeys");
  });
});

const head = { apiVersion: "sandbox.kubectl-reconcile.io/v1", kind: "State", revision: 10 };
const item = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } };
const until = "2027-01-31T08:00:00Z";
const pem = {
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
} as const;
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256", ...pem });
const { publicKey: otherKey } = generateKeyPairSync("ed25519", pem);
const withItems = (...items: Json[]): string => JSON.stringify({ ...head, items });

describe("no state", () => {
  const texts = [
    { name: "empty", text: " \n", says: "is empty" },
    { name: "YAML", text: "kind: State\n", says: "is no saved state: it is not JSON" },
    { name: "truncated JSON", text: withItems(item).slice(0, -9), says: "is damaged or was cut off: " },
    { name: "a list", text: "[]", says: "is no saved state: it holds no JSON object" },
    { name: "other JSON", text: '{"kind":"List","apiVersion":"v1"}', says: "is no saved state: it is List of v1" },
    {
      name: "another format",
      text: JSON.stringify({ ...head, apiVersion: "sandbox.kubectl-reconcile.io/v2", items: [] }),
      says: "has the format sandbox.kubectl-reconcile.io/v2, and this program reads sandbox.kubectl-reconcile.io/v1 alone",
    },
    { name: "no revision", text: JSON.stringify({ ...head, revision: 0, items: [] }), says: "has no revision" },
    { name: "no items", text: JSON.stringify(head), says: "has no list of items" },
    {
      name: "no list of keys",
      text: JSON.stringify({ ...head, items: [], serviceAccountKeys: {} }),
      says: "has serviceAccountKeys that are no list",
    },
    {
      name: "a private key",
      text: JSON.stringify({ ...head, items: [], serviceAccountKeys: [{ publicKey: privateKey, until }] }),
      says: "serviceAccountKeys[0] has no publicKey: PEM of a key of P-256 or RSA",
    },
    {
      name: "a key of another type",
      text: JSON.stringify({ ...head, items: [], serviceAccountKeys: [{ publicKey: otherKey, until }] }),
      says: "serviceAccountKeys[0] has no publicKey",
    },
    {
      name: "a key without a time",
      text: JSON.stringify({ ...head, items: [], serviceAccountKeys: [{ publicKey, until: "soon" }] }),
      says: "serviceAccountKeys[0] has no time until: as 2027-01-31T08:00:00Z",
    },
    {
      name: "an item without a name",
      text: withItems({ ...item, metadata: {} }),
      says: "items[0] has no metadata.name",
    },
    { name: "an item without metadata", text: withItems({ kind: "Pod" }), says: "items[0] is no object with metadata" },
    {
      name: "an item with a later version",
      text: withItems({ ...item, metadata: { name: "a", resourceVersion: "11" } }),
      says: 'items[0] has the resourceVersion "11", and 10 is the newest',
    },
  ];
  test.each(texts)("$name", ({ text, says }) => {
    expect(() => readState(text)).toThrow(StateProblem);
    expect(() => readState(text)).toThrow(says);
  });

  const states = [
    { name: "a duplicate object", items: [item, item], says: "items[1], ConfigMap default/a, is there twice" },
    {
      name: "an unknown kind",
      items: [{ ...item, apiVersion: "example.com/v1", kind: "Widget" }],
      says: "items[0], Widget default/a, cannot be loaded: example.com/v1 is not served, and no CustomResourceDefinition here defines it",
    },
    {
      name: "a namespaced object without a namespace",
      items: [{ ...item, metadata: { name: "a" } }],
      says: "items[0], ConfigMap a, has no namespace",
    },
    {
      name: "a cluster-scoped object with a namespace",
      items: [{ ...item, kind: "Node" }],
      says: "items[0], Node default/a, has a namespace, which its kind has not",
    },
  ];
  test.each(states)("that can be loaded: $name", async ({ items, says }) => {
    const refused = started({ state: readState(withItems(...items)) });
    expect(await refused.catch((error: unknown) => error)).toMatchObject({ name: "StateProblem", message: says });
  });

  test("except what was added by hand, which gets the state's version, a uid and a time", async () => {
    const { transport } = await started({ state: readState(withItems(item)) });
    const { body } = await sendRequest(transport, "GET", `${configmaps}/a`);
    const { resourceVersion, uid } = body["metadata"] as Json;
    expect([resourceVersion, typeof uid]).toEqual(["10", "string"]);
  });
});
