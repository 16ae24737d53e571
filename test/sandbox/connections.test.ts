/** Webhooks and policies for CONNECT, called before the connection is made. Based on apiserver v0.36 endpoints/handlers/rest.go. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { type JsonResponse, sendRequest, type Json } from "./support/requests.ts";

/** The last request that the webhook received, and the patch with which it responds; undefined for none. */
let received: Json | undefined;
let patch: readonly Json[] | undefined;
let allowed = true;
beforeEach(() => {
  received = undefined;
  patch = undefined;
  allowed = true;
});

const server = http.createServer((request, response) => {
  void (async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const review = JSON.parse(Buffer.concat(chunks).toString()) as { request: Json };
    received = review.request;
    const changes =
      patch === undefined
        ? {}
        : { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
    const status = { message: "not here", code: 403 };
    const admissionResponse = { uid: review.request["uid"], allowed, ...(allowed ? changes : { status }) };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...review, request: undefined, response: admissionResponse }));
  })();
});
await new Promise<void>((resolve) => {
  server.listen(0, "127.0.0.1", resolve);
});
const { port } = server.address() as AddressInfo;
const sandbox = await createSandbox({
  timeline: realTimeline(),
  random: seededRandom(1),
  defaultServiceAccounts: false,
  disabledAdmissionPlugins: ["ServiceAccount"],
  webhooks: { services: new Map([["hooks/hook", `http://127.0.0.1:${port}`]]) },
});
const transport = sandbox.transport({ actor: "test" });
afterAll(() => {
  sandbox.stop();
  server.closeAllConnections();
  server.close();
});

const core = "/api/v1/namespaces/default";
const registrations = "/apis/admissionregistration.k8s.io/v1";
const { status } = await sendRequest(transport, "POST", `${core}/pods`, {
  body: { metadata: { name: "web" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } },
});
if (status !== 201) throw new Error("the pod was not made");

const connects = (...resources: string[]): Json => ({
  apiGroups: [""],
  apiVersions: ["v1"],
  operations: ["CONNECT"],
  resources,
});

interface Hooked {
  readonly type: "mutating" | "validating";
  readonly more?: Json;
}

/** Sends a request while a webhook for connections is configured. */
async function hooked({ type, more = {} }: Hooked, send: () => Promise<JsonResponse>): Promise<JsonResponse> {
  const path = `${registrations}/${type}webhookconfigurations`;
  const webhook = {
    name: "hook.example.com",
    clientConfig: { service: { namespace: "hooks", name: "hook" } },
    rules: [connects("pods/*", "services/proxy", "nodes/proxy")],
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    ...more,
  };
  const made = await sendRequest(transport, "POST", path, {
    body: { metadata: { name: "hook" }, webhooks: [webhook] },
  });
  expect(made.status).toBe(201);
  try {
    return await send();
  } finally {
    await sendRequest(transport, "DELETE", `${path}/hook`);
  }
}

const messageOf = ({ body }: JsonResponse): string => String(body["message"]);
const exec = (query = "command=sh"): Promise<JsonResponse> =>
  sendRequest(transport, "POST", `${core}/pods/web/exec`, { query });

describe("a webhook for connections", () => {
  test("gets the options without metadata, before the connection is refused", async () => {
    const query = "command=sh&command=-c&stdin&stdout=true&stderr=0&tty=False&container=c";
    const refused = await hooked({ type: "validating" }, () => exec(query));
    expect(messageOf(refused)).toContain("the sandbox has no process in which a command could run");
    expect(received).toMatchObject({
      kind: { group: "", version: "v1", kind: "PodExecOptions" },
      resource: { group: "", version: "v1", resource: "pods" },
      subResource: "exec",
      name: "web",
      namespace: "default",
      operation: "CONNECT",
      dryRun: false,
    });
    expect([received?.["object"], received?.["oldObject"], received?.["options"]]).toEqual([
      { kind: "PodExecOptions", apiVersion: "v1", stdin: true, stdout: true, container: "c", command: ["sh", "-c"] },
      null,
      null,
    ]);
  });

  const others = [
    { path: `${core}/pods/web/attach`, query: "stdin=1", object: { kind: "PodAttachOptions", stdin: true } },
    { path: `${core}/pods/web/exec`, query: "", object: { kind: "PodExecOptions", command: null } },
    {
      path: `${core}/pods/web/portforward`,
      query: "ports=80,81&ports=82",
      object: { kind: "PodPortForwardOptions", ports: [80, 81, 82] },
    },
    { path: `${core}/pods/proxy:80/proxy/x/y/`, query: "a=b", object: { kind: "PodProxyOptions", path: "/x/y/" } },
    { path: `${core}/pods/web/proxy`, query: "", object: { kind: "PodProxyOptions" } },
    { path: `${core}/services/https:web:443/proxy/`, query: "", object: { kind: "ServiceProxyOptions", path: "/" } },
    { path: "/api/v1/nodes/n/proxy/pods%20x", query: "", object: { kind: "NodeProxyOptions", path: "/pods x" } },
  ];
  test.each(others)("gets those of $path", async ({ path, query, object }) => {
    allowed = false;
    const denied = await hooked({ type: "validating" }, () => sendRequest(transport, "GET", path, { query }));
    expect([denied.status, messageOf(denied)]).toEqual([
      403,
      'admission webhook "hook.example.com" denied the request: not here',
    ]);
    expect(received?.["object"]).toEqual({ apiVersion: "v1", ...object });
    expect(received?.["name"]).toBe(path.split("/").at(path.startsWith(core) ? 6 : 4));
  });

  test("can change them for the webhooks after it", async () => {
    patch = [{ op: "add", path: "/stdin", value: true }];
    const expression = "!has(object.stdin)";
    const denied = await hooked({ type: "mutating" }, () => policed({ validations: [{ expression }] }, exec));
    expect([denied.status, messageOf(denied)]).toEqual([
      422,
      `pods "web" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed expression: ${expression}`,
    ]);
  });

  test("with an object selector is not called: options have no labels", async () => {
    const objectSelector = { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] };
    await hooked({ type: "validating", more: { objectSelector } }, exec);
    expect(received).toBeUndefined();
  });
});

/** Sends a request while a policy for connections is in force. */
async function policed(spec: Json, send: () => Promise<JsonResponse>, type = "validating"): Promise<JsonResponse> {
  const matchConstraints = { resourceRules: [connects("pods/exec")] };
  const paths = [
    `${registrations}/${type}admissionpolicies`,
    `${registrations}/${type}admissionpolicybindings`,
  ] as const;
  const bound = type === "validating" ? { validationActions: ["Deny"] } : {};
  const policy = { metadata: { name: "p" }, spec: { matchConstraints, ...spec } };
  expect((await sendRequest(transport, "POST", paths[0], { body: policy })).status).toBe(201);
  const binding = { metadata: { name: "p" }, spec: { policyName: "p", ...bound } };
  expect((await sendRequest(transport, "POST", paths[1], { body: binding })).status).toBe(201);
  try {
    return await send();
  } finally {
    for (const path of paths) await sendRequest(transport, "DELETE", `${path}/p`);
  }
}

describe("a policy for connections", () => {
  const spec = {
    validations: [{ expression: "object.command[0] != 'sh' && !has(object.metadata)", message: "no shells" }],
    matchConditions: [{ name: "c", expression: "request.operation == 'CONNECT' && request.subResource == 'exec'" }],
  };

  test("validates the options", async () => {
    const denied = await policed(spec, exec);
    expect([denied.status, messageOf(denied)]).toEqual([
      422,
      `pods "web" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no shells`,
    ]);
    const passed = await policed(spec, () => exec("command=ls"));
    expect(messageOf(passed)).toContain("the sandbox has no process");
  });

  test("cannot apply a configuration to them: they have no schema", async () => {
    const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{stdin: true}" } }];
    const denied = await policed({ reinvocationPolicy: "Never", mutations }, exec, "mutating");
    expect(messageOf(denied)).toBe(
      `policy 'p' with binding 'p' denied request: error applying patch: failed to convert patch object to typed object: no corresponding type for /v1, Kind=PodExecOptions`,
    );
  });
});

describe("a connection", () => {
  test("cannot be a dry run, and is refused for invalid ports", async () => {
    expect(messageOf(await exec("dryRun=All"))).toBe("dryRun is not supported");
    const path = `${core}/pods/web/portforward`;
    expect(messageOf(await sendRequest(transport, "POST", path, { query: "ports=80,x" }))).toBe(
      'cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax',
    );
    expect(messageOf(await sendRequest(transport, "POST", path, { query: "ports=65536" }))).toBe(
      'cannot convert to []int32: strconv.ParseUint: parsing "65536": value out of range',
    );
  });

  test("can be opened by GET and POST", async () => {
    expect((await sendRequest(transport, "DELETE", `${core}/pods/web/exec`)).status).toBe(405);
    expect((await sendRequest(transport, "GET", `${core}/pods/web/exec`)).status).toBe(400);
  });
});
