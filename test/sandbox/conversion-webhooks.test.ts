/** Operations at several versions of a kind that a webhook converts: field managers, patches, other webhooks. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { readAll } from "../../src/api/transport.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";

type Json = Record<string, unknown>;

interface Widget extends Json {
  readonly metadata: { readonly managedFields?: readonly Json[] };
  readonly spec: Json;
  readonly message?: string;
}

/** `{ host, port }` in v1 corresponds to `{ address }` in v2. */
function converted(object: Json, apiVersion: unknown): Json {
  const { host = "", port = 0, address = "" } = object["spec"] as { host?: string; port?: number; address?: string };
  if (apiVersion === "example.com/v2") return { ...object, apiVersion, spec: { address: `${host}:${port}` } };
  const [name, number] = address.split(":");
  return { ...object, apiVersion, spec: { host: name, port: Number(number) } };
}

/** Called before the webhook responds; does nothing by default. */
let before: (request: Json) => void;
/** A version for which the conversion fails. */
let refused: string | undefined;
beforeEach(() => {
  before = () => undefined;
  refused = undefined;
});

const server = http.createServer((request, response) => {
  void (async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const review = JSON.parse(Buffer.concat(chunks).toString()) as { request: Json };
    const { uid, objects, desiredAPIVersion } = review.request;
    response.setHeader("content-type", "application/json");
    if (request.url?.startsWith("/mutate") === true) {
      const patch = Buffer.from(JSON.stringify([{ op: "add", path: "/spec/port", value: 8080 }])).toString("base64");
      const allowed = { uid, allowed: true, patchType: "JSONPatch", patch };
      response.end(JSON.stringify({ ...review, request: undefined, response: allowed }));
      return;
    }
    before(review.request);
    const convertedObjects = (objects as Json[]).map((object) => converted(object, desiredAPIVersion));
    const result = { status: desiredAPIVersion === refused ? "Failed" : "Success" };
    response.end(JSON.stringify({ ...review, request: undefined, response: { uid, result, convertedObjects } }));
  })();
});
await new Promise<void>((resolve) => {
  server.listen(0, "127.0.0.1", resolve);
});
const { port } = server.address() as AddressInfo;

const sandbox = await createSandbox({
  timeline: realTimeline(),
  random: seededRandom(1),
  webhooks: { services: new Map([["hooks/convert", `http://127.0.0.1:${port}`]]) },
});
const transport = sandbox.transport({ actor: "test" });
afterAll(() => {
  sandbox.stop();
  server.closeAllConnections();
  server.close();
});

const types = {
  POST: "application/json",
  GET: "application/json",
  DELETE: "application/json",
  PATCH: "application/merge-patch+json",
};

interface Sent {
  readonly method: keyof typeof types;
  readonly path: string;
  readonly body?: Json;
  readonly type?: string;
}

async function send({ method, path, body, type = types[method] }: Sent): Promise<Widget & { status: number }> {
  const [resource = "", query] = path.split("?");
  const response = await transport.send({
    method,
    path: resource,
    query: [...new URLSearchParams(query)],
    headers: { "content-type": type },
    ...(body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) }),
    signal: new AbortController().signal,
  });
  const responseText = new TextDecoder().decode(await readAll(response.body));
  // A kind that is not served yet gets a plain text response.
  const read = (responseText.startsWith("{") ? JSON.parse(responseText) : { message: responseText }) as Widget;
  return { ...read, status: response.status };
}

const properties = (spec: Json): Json => ({
  openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: spec } } },
});
const text = { type: "string" };
const defined = await send({
  method: "POST",
  path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  body: {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        { name: "v1", served: true, storage: true, schema: properties({ host: text, port: { type: "integer" } }) },
        { name: "v2", served: true, storage: false, schema: properties({ address: text }) },
      ],
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "hooks", name: "convert" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
  },
});

const widgets = (version: string): string => `/apis/example.com/${version}/namespaces/default/widgets`;

beforeAll(async () => {
  expect(defined).toMatchObject({ status: 201 });
  // A controller establishes the definition in later turns of the event loop.
  for (let turn = 0; turn < 1000; turn++) {
    if ((await send({ method: "GET", path: widgets("v2") })).status === 200) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("the definition was not established");
});

/** Creates a widget with `web:80` as manager `one` of v1. */
async function made(name: string): Promise<void> {
  const body = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name }, spec: { host: "web", port: 80 } };
  expect((await send({ method: "POST", path: `${widgets("v1")}?fieldManager=one`, body })).status).toBe(201);
}

function patched(name: string, version: string, spec: Json): Promise<Widget & { status: number }> {
  return send({ method: "PATCH", path: `${widgets(version)}/${name}?fieldManager=two`, body: { spec } });
}

/** The managers of fields of the spec, such as `one v1: host port`. */
function managers({ metadata }: Widget): string[] {
  return (metadata.managedFields ?? []).map(({ manager, apiVersion, fieldsV1 }) => {
    const fields = Object.keys(((fieldsV1 as Json)["f:spec"] ?? {}) as Json).filter((key) => key !== ".");
    return `${String(manager)} ${String(apiVersion).split("/")[1]}: ${fields.map((key) => key.slice(2)).join(" ")}`;
  });
}

describe("managed fields at several versions", () => {
  test("are lost to an update at another version if the conversion shows that they changed", async () => {
    await made("a");
    const moved = await patched("a", "v2", { address: "web:81" });
    expect(managers(moved)).toEqual(["one v1: host", "two v2: address"]);
    const back = await patched("a", "v1", { port: 82 });
    expect(managers(back)).toEqual(["one v1: host", "two v1: port"]);
  });

  test("conflict with an apply at another version", async () => {
    await made("b");
    await patched("b", "v2", { address: "db:80" });
    const body = { apiVersion: "example.com/v1", kind: "Widget", spec: { host: "cache" } };
    const path = `${widgets("v1")}/b?fieldManager=three`;
    const conflict = await send({ method: "PATCH", path, body, type: "application/apply-patch+yaml" });
    expect([conflict.status, conflict.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "two" using example.com/v2: .spec.address',
    ]);
    const forced = await send({
      method: "PATCH",
      path: `${path}&force=true`,
      body,
      type: "application/apply-patch+yaml",
    });
    expect(managers(forced)).toEqual(["three v1: host", "one v1: port"]);
  });

  test("are not sent to the webhook", async () => {
    await made("c");
    const seen: Json[] = [];
    before = ({ objects, desiredAPIVersion }) => {
      if (desiredAPIVersion === "example.com/v2") seen.push(...(objects as Json[]));
    };
    await patched("c", "v2", { address: "db:80" });
    seen.length = 0;
    await patched("c", "v1", { port: 81 });
    expect(seen.map(({ spec }) => spec)).toEqual([
      { host: "db", port: 80 },
      { host: "db", port: 81 },
    ]);
    expect(seen.some(({ metadata }) => "managedFields" in (metadata as Json))).toBe(false);
  });

  test("are lost after an update that cannot be converted to their version", async () => {
    await made("d");
    await patched("d", "v2", { address: "db:80" });
    refused = "example.com/v2";
    const updated = await patched("d", "v1", { port: 81 });
    expect([updated.status, updated.spec, updated.metadata.managedFields]).toEqual([
      200,
      { host: "db", port: 81 },
      undefined,
    ]);
  });
});

test("a patch of an object that was written during its conversion is repeated", async () => {
  await made("e");
  const collection = sandbox.server.store.collection("widgets.example.com", true);
  let writes = 0;
  before = () => {
    const stored = collection.get("default", "e")?.object;
    if (stored === undefined || writes++ > 0) return;
    const metadata = { ...stored.metadata, labels: { written: "meanwhile" } };
    sandbox.server.store.put(collection, { ...stored, metadata });
  };
  const result = await patched("e", "v2", { address: "db:80" });
  expect([result.status, result.spec]).toEqual([200, { address: "db:80" }]);
  expect(result.metadata).toMatchObject({ labels: { written: "meanwhile" } });
});

test("a webhook for another version gets the object at that version, and its patch is converted back", async () => {
  const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  const rules = [{ apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["widgets"] }];
  const clientConfig = { service: { namespace: "hooks", name: "convert", path: "/mutate" } };
  const webhook = {
    name: "ports.example.com",
    clientConfig,
    rules,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
  };
  const made = await send({ method: "POST", path, body: { metadata: { name: "ports" }, webhooks: [webhook] } });
  expect(made.status).toBe(201);
  const body = { apiVersion: "example.com/v2", kind: "Widget", metadata: { name: "f" }, spec: { address: "web:80" } };
  const created = await send({ method: "POST", path: widgets("v2"), body });
  expect([created.status, created.spec]).toEqual([201, { address: "web:8080" }]);
  expect(await send({ method: "DELETE", path: `${path}/ports` })).toMatchObject({ status: 200 });
});

const admissionGroup = "/apis/admissionregistration.k8s.io/v1";

interface Policy {
  readonly name: string;
  readonly type: "validating" | "mutating";
  readonly spec: Json;
  /** The operations of the policy's only rule. */
  readonly operations?: readonly string[];
  readonly binding?: Json;
}

/** Creates a policy for v2 of widgets that have a label with the policy's name, for requests of any version, and its binding. */
async function bound({ name, type, spec, operations = ["CREATE", "UPDATE"], binding = {} }: Policy): Promise<void> {
  const matchConstraints = {
    objectSelector: { matchLabels: { policy: name } },
    resourceRules: [{ operations, apiGroups: ["example.com"], apiVersions: ["v2"], resources: ["widgets"] }],
  };
  const policy = { metadata: { name }, spec: { matchConstraints, ...spec } };
  const all = `${admissionGroup}/${type}admissionpolicies`;
  expect(await send({ method: "POST", path: all, body: policy })).toMatchObject({ status: 201 });
  const action = type === "validating" ? { validationActions: ["Deny"] } : {};
  const bindings = `${admissionGroup}/${type}admissionpolicybindings`;
  const body = { metadata: { name }, spec: { policyName: name, ...action, ...binding } };
  expect(await send({ method: "POST", path: bindings, body })).toMatchObject({ status: 201 });
}

/** Creates a widget in v1 that the policy matches. */
function sent(policy: string, name: string, host: string): Promise<Widget & { status: number }> {
  const metadata = { name, labels: { policy } };
  const body = { apiVersion: "example.com/v1", kind: "Widget", metadata, spec: { host, port: 80 } };
  return send({ method: "POST", path: widgets("v1"), body });
}

const mutation = (address: string): Json => ({
  reinvocationPolicy: "Never",
  mutations: [
    {
      patchType: "ApplyConfiguration",
      applyConfiguration: { expression: `Object{spec: Object.spec{address: ${address}}}` },
    },
  ],
});

describe("a policy for another version", () => {
  test("validates the objects of a write at that version", async () => {
    const expression = "object.spec.address != 'bad:80' && (oldObject == null || oldObject.spec.address == 'good:80')";
    await bound({ name: "judging", type: "validating", spec: { validations: [{ expression }] } });
    const refused = await sent("judging", "g", "bad");
    expect([refused.status, refused.message]).toEqual([
      422,
      `widgets.example.com "g" is forbidden: ValidatingAdmissionPolicy 'judging' with binding 'judging' denied request: failed expression: ${expression}`,
    ]);
    expect(await sent("judging", "g", "good")).toMatchObject({ status: 201, spec: { host: "good", port: 80 } });
    expect(await patched("g", "v1", { host: "other" })).toMatchObject({ status: 200 });
    expect(await patched("g", "v1", { host: "third" })).toMatchObject({ status: 422 });
  });

  test("validates deleted objects at that version", async () => {
    const spec = { validations: [{ expression: "oldObject.spec.address == 'gone:80'" }] };
    await bound({ name: "keeping", type: "validating", spec, operations: ["DELETE"] });
    await sent("keeping", "h", "kept");
    expect(await send({ method: "DELETE", path: `${widgets("v1")}/h` })).toMatchObject({ status: 422 });
    await patched("h", "v1", { host: "gone" });
    expect(await send({ method: "DELETE", path: `${widgets("v1")}/h` })).toMatchObject({ status: 200 });
  });

  test("denies an object that cannot be converted to it", async () => {
    await bound({ name: "strict", type: "validating", spec: { validations: [{ expression: "true" }] } });
    refused = "example.com/v2";
    const denied = await sent("strict", "i", "web");
    expect([denied.status, denied.message]).toEqual([
      422,
      `widgets.example.com "i" is forbidden: ValidatingAdmissionPolicy 'strict' with binding 'strict' denied request: failed to configure binding: failed to convert object version: conversion webhook for example.com/v1, Kind=Widget failed: response.result.status was 'Failed', not 'Success'`,
    ]);
  });

  test("mutates the object at that version, and the result is converted back", async () => {
    await bound({ name: "changing", type: "mutating", spec: mutation("object.spec.address + '81'") });
    expect(await sent("changing", "j", "web")).toMatchObject({ status: 201, spec: { host: "web", port: 8081 } });
  });

  test("denies an object that it cannot mutate, and fails if the result cannot be converted back", async () => {
    await bound({ name: "failing", type: "mutating", spec: mutation("'db:1'") });
    refused = "example.com/v2";
    const why =
      "conversion webhook for example.com/v1, Kind=Widget failed: response.result.status was 'Failed', not 'Success'";
    expect(await sent("failing", "k", "web")).toMatchObject({
      status: 403,
      message: `policy "failing" denied request: failed to configure policy: ${why}`,
    });
    refused = "example.com/v1";
    expect(await sent("failing", "k", "web")).toMatchObject({
      status: 500,
      message: `Internal error occurred: failed to convert object: ${why.replace("v1", "v2")}`,
    });
  });

  test("sees the latest object if it was written during the conversion", async () => {
    const spec = { validations: [{ expression: "oldObject.metadata.labels['policy'] == 'late'" }] };
    await bound({ name: "late", type: "validating", spec, operations: ["UPDATE"] });
    await sent("late", "l", "web");
    const collection = sandbox.server.store.collection("widgets.example.com", true);
    let writes = 0;
    before = () => {
      const stored = collection.get("default", "l")?.object;
      if (stored === undefined || writes++ > 0) return;
      const labels = { policy: "late", written: "meanwhile" };
      sandbox.server.store.put(collection, { ...stored, metadata: { ...stored.metadata, labels } });
    };
    const result = await patched("l", "v1", { port: 81 });
    expect(result).toMatchObject({ status: 200, spec: { host: "web", port: 81 } });
    expect(result.metadata).toMatchObject({ labels: { written: "meanwhile" } });
    expect(writes).toBeGreaterThan(1);
  });
});

describe("a custom resource used as a parameter at another version", () => {
  const spec = {
    paramKind: { apiVersion: "example.com/v2", kind: "Widget" },
    matchConstraints: {
      resourceRules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
    },
    validations: [{ expression: "object.data.a == params.spec.address" }],
  };
  const configMaps = "/api/v1/namespaces/default/configmaps";
  const configMap = (a: string): Sent => ({
    method: "POST",
    path: `${configMaps}?dryRun=All`,
    body: { metadata: { name: "a" }, data: { a } },
  });
  const paramRef = { name: "m", namespace: "default", parameterNotFoundAction: "Deny" };

  test("is converted once, and again when it has changed", async () => {
    await made("m");
    await bound({ name: "with-params", type: "validating", spec, binding: { paramRef } });
    let conversions = 0;
    before = () => void conversions++;
    expect(await send(configMap("web:80"))).toMatchObject({ status: 201 });
    expect(await send(configMap("web:81"))).toMatchObject({ status: 422 });
    expect(conversions).toBe(1);
    await patched("m", "v1", { port: 81 });
    conversions = 0;
    expect(await send(configMap("web:81"))).toMatchObject({ status: 201 });
    expect(conversions).toBe(1);
  });

  test("denies if it cannot be converted", async () => {
    await patched("m", "v1", { port: 82 });
    refused = "example.com/v2";
    expect(await send(configMap("web:82"))).toMatchObject({
      status: 422,
      message: `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'with-params' with binding 'with-params' denied request: failed to configure binding: paramKind kind \`&ParamKind{APIVersion:example.com/v2,Kind:Widget,}\` not yet synced to use for admission`,
    });
  });
});
