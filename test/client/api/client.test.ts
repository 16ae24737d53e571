import { describe, expect, test } from "bun:test";
import { kindOf } from "../../../src/api/kind.ts";
import { ConfigMaps, ControllerRevisions, Nodes, Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { isConflict, isExpired, isNotFound, StatusError } from "../../../src/api/status-error.ts";
import { TransportError } from "../../../src/api/transport.ts";
import type { Pod } from "../../../src/api/types.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { discover, findKind } from "../../../src/client/api/discovery.ts";
import type { Patch } from "../../../src/api/patch.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline } from "../../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import type { StageEvent, WriteEvent } from "../../../src/trace/events.ts";
import { bodyOf, fakeTransport, type FakeResponse, type FakeTransport } from "../transports.ts";

interface Scene {
  readonly client: Client;
  readonly transport: FakeTransport;
  readonly writes: WriteEvent[];
}

function scene(responses: FakeResponse | ((count: number, path: string) => FakeResponse)): Scene {
  const timeline = virtualTimeline(1000, seededRandom(1));
  const bus = new TraceBus({ now: () => timeline.now() });
  const writes: WriteEvent[] = [];
  bus.listen((event: StageEvent) => {
    if (event.stage === "write") writes.push(event);
  });
  const transport = fakeTransport((request, count) =>
    typeof responses === "function" ? responses(count, request.path) : responses,
  );
  return { client: createClient({ transport, bus, timeline }), transport, writes };
}

const at = { namespace: "shop", name: "web" };
const pod: Pod = {
  metadata: {
    ...at,
    uid: "u1",
    resourceVersion: "7",
    creationTimestamp: "2026-11-21T10:00:00Z",
    labels: { app: "web" },
  },
  spec: { containers: [{ name: "c" }] },
};
const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (e: unknown) => e,
  );

test("a ControllerRevision is serialized as in Go, since its data is compared by its bytes", async () => {
  const { client, transport } = scene({ status: 201, body: pod });
  const data = { spec: { b: "a < b", "10": 1, "9": 2 } };
  await client.create(ControllerRevisions, { metadata: at, data, revision: 1 });
  await client.create(ConfigMaps, { metadata: at, data: { "10": "1", "9": "<" } });
  const bodies = transport.requests.map(({ body }) => new TextDecoder().decode(body));
  expect(bodies[0]).toContain('"data":{"spec":{"10":1,"9":2,"b":"a \\u003c b"}}');
  expect(bodies[1]).toContain('"data":{"9":"<","10":"1"}');
});

describe("the requests of the verbs", () => {
  const patches: readonly {
    readonly patch: Patch;
    readonly type: string;
    readonly body: unknown;
    readonly query?: string;
  }[] = [
    {
      patch: { type: "json", body: [{ op: "remove", path: "/x" }] },
      type: "json-patch+json",
      body: [{ op: "remove", path: "/x" }],
    },
    { patch: { type: "merge", body: { a: null } }, type: "merge-patch+json", body: { a: null } },
    { patch: { type: "strategic", body: { a: 1 } }, type: "strategic-merge-patch+json", body: { a: 1 } },
    {
      patch: { type: "apply", body: { spec: {} }, force: true },
      type: "apply-patch+yaml",
      body: { spec: {}, apiVersion: "v1", kind: "Pod" },
      query: "force=true",
    },
  ];
  for (const { patch, type, body, query } of patches) {
    test(`patch: ${patch.type} is sent as ${type}`, async () => {
      const { client, transport } = scene({ body: pod });
      await client.patch(Pods, at, patch, { fieldManager: "me" });
      const [request] = transport.requests;
      expect(request?.headers?.["content-type"]).toBe(`application/${type}`);
      expect(bodyOf(request)).toEqual(body);
      const text = new URLSearchParams(request?.query as [string, string][]).toString();
      expect(text).toBe(["fieldManager=me", query].filter((part) => part !== undefined).join("&"));
    });
  }

  const rows: readonly {
    readonly name: string;
    readonly call: (client: Client) => Promise<unknown>;
    readonly is: string;
    readonly body?: unknown;
  }[] = [
    { name: "get", call: (c) => c.get(Pods, at), is: "GET /api/v1/namespaces/shop/pods/web" },
    { name: "list over all namespaces", call: (c) => c.list(ReplicaSets, {}), is: "GET /apis/apps/v1/replicasets" },
    {
      name: "list, one page",
      call: (c) => c.list(Pods, { namespace: "shop", limit: 5, continueToken: "t", labelSelector: "a=b" }),
      is: "GET /api/v1/namespaces/shop/pods?labelSelector=a%3Db&limit=5&continue=t",
    },
    {
      name: "create",
      call: (c) => c.create(Pods, { metadata: { namespace: "shop", generateName: "web-" } }),
      is: "POST /api/v1/namespaces/shop/pods?fieldManager=kubectl-reconcile",
      body: { metadata: { namespace: "shop", generateName: "web-" }, apiVersion: "v1", kind: "Pod" },
    },
    {
      name: "update of a list's item, which has no kind",
      call: (c) => c.update(Pods, pod, { dryRun: true }),
      is: "PUT /api/v1/namespaces/shop/pods/web?fieldManager=kubectl-reconcile&dryRun=All",
      body: { ...pod, apiVersion: "v1", kind: "Pod" },
    },
    {
      name: "updateStatus",
      call: (c) => c.updateStatus(Pods, pod),
      is: "PUT /api/v1/namespaces/shop/pods/web/status?fieldManager=kubectl-reconcile",
    },
    {
      name: "delete with preconditions and propagation",
      call: (c) =>
        c.delete(Pods, at, {
          preconditions: { uid: "u1", resourceVersion: "7" },
          propagationPolicy: "Foreground",
          gracePeriodSeconds: 0,
          dryRun: true,
        }),
      is: "DELETE /api/v1/namespaces/shop/pods/web",
      body: {
        kind: "DeleteOptions",
        apiVersion: "v1",
        preconditions: { uid: "u1", resourceVersion: "7" },
        propagationPolicy: "Foreground",
        gracePeriodSeconds: 0,
        dryRun: ["All"],
      },
    },
    {
      name: "delete of a node",
      call: (c) => c.delete(Nodes, { namespace: "", name: "n" }),
      is: "DELETE /api/v1/nodes/n",
    },
    {
      name: "deleteCollection",
      call: (c) =>
        c.deleteCollection(Pods, { namespace: "shop", labelSelector: "a=b", fieldSelector: "status.phase=Failed" }),
      is: "DELETE /api/v1/namespaces/shop/pods?labelSelector=a%3Db&fieldSelector=status.phase%3DFailed",
    },
    {
      name: "evict",
      call: (c) => c.evict(at, { gracePeriodSeconds: 3 }),
      is: "POST /api/v1/namespaces/shop/pods/web/eviction",
      body: {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: at,
        deleteOptions: { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 3 },
      },
    },
    {
      name: "bind",
      call: (c) => c.bind(at, "node-1"),
      is: "POST /api/v1/namespaces/shop/pods/web/binding",
      body: {
        apiVersion: "v1",
        kind: "Binding",
        metadata: at,
        target: { apiVersion: "v1", kind: "Node", name: "node-1" },
      },
    },
    { name: "raw with a query", call: (c) => c.raw("/logs?x=1"), is: "GET /logs?x=1" },
  ];
  for (const { name, call, is, body } of rows) {
    test(name, async () => {
      const { client, transport } = scene({ body: pod });
      await call(client);
      const [request] = transport.requests;
      const query = new URLSearchParams((request?.query ?? []) as [string, string][]).toString();
      expect(`${request?.method} ${request?.path}${query === "" ? "" : `?${query}`}`).toBe(is);
      if (body !== undefined) expect(bodyOf(request)).toEqual(body);
    });
  }

  test("a watch requests bookmarks, and combines the selectors of its scope with its own", async () => {
    const { client, transport } = scene({ body: "" });
    const pods = client.listerWatcher(Pods, { namespace: "shop", labelSelector: "a=b" });
    const stream = await pods.watch(
      { resourceVersion: "5", timeoutSeconds: 300, labelSelector: "c", sendInitialEvents: true },
      new AbortController().signal,
    );
    expect(await stream.next()).toBeUndefined();
    expect(new URLSearchParams(transport.requests[0]?.query as [string, string][]).toString()).toBe(
      "watch=true&allowWatchBookmarks=true&labelSelector=a%3Db%2Cc&resourceVersion=5&timeoutSeconds=300" +
        "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    );
  });

  const wrong: readonly { readonly name: string; readonly call: (client: Client) => Promise<unknown> | undefined }[] = [
    { name: "a get without a name", call: (c) => c.get(Pods, { namespace: "a", name: "" }) },
    { name: "a delete without a namespace", call: (c) => c.delete(Pods, { namespace: "", name: "a" }) },
    { name: "a create without a namespace", call: (c) => c.create(Pods, { metadata: { name: "a" } }) },
  ];
  for (const { name, call } of wrong) {
    test(`${name} is refused before anything is sent`, async () => {
      const { client, transport } = scene({});
      expect(await caught((async () => call(client))())).toBeInstanceOf(RangeError);
      expect(transport.requests).toHaveLength(0);
    });
  }
});

describe("responses", () => {
  test("keep unknown fields, and times as text", async () => {
    const { client } = scene({ body: { ...pod, extra: { "x-kubernetes-thing": 1 } } });
    expect(await client.get(Pods, at)).toEqual({ ...pod, extra: { "x-kubernetes-thing": 1 } } as never);
  });

  test("with a list of null are an empty list", async () => {
    const { client } = scene({ body: { metadata: { resourceVersion: "9" }, items: null } });
    expect(await client.list(Pods)).toEqual({ items: [], resourceVersion: "9", continueToken: "", bytes: 49 });
  });

  const status = (reason: string, code: number): unknown => ({
    kind: "Status",
    reason,
    code,
    message: `it is ${reason}`,
  });
  const refusals: readonly {
    readonly name: string;
    readonly response: FakeResponse;
    readonly message: string;
    readonly is?: (error: unknown) => boolean;
    readonly retryAfterMs?: number;
  }[] = [
    {
      name: "404",
      response: { status: 404, body: status("NotFound", 404) },
      message: "it is NotFound",
      is: isNotFound,
    },
    {
      name: "409",
      response: { status: 409, body: status("Conflict", 409) },
      message: "it is Conflict",
      is: isConflict,
    },
    { name: "410", response: { status: 410, body: status("Expired", 410) }, message: "it is Expired", is: isExpired },
    {
      name: "a proxy's HTML page",
      response: {
        status: 502,
        headers: { "retry-after": "7" },
        body: "<html><head><title>x</title></head><body><h1>502 Bad\nGateway</h1></body></html>",
      },
      message: "the server answered 502: 502 Bad Gateway",
      retryAfterMs: 7000,
    },
    { name: "an empty body", response: { status: 503 }, message: "the server answered 503" },
    {
      name: "JSON that is not a Status",
      response: { status: 400, body: "{}" },
      message: "the server answered 400: {}",
    },
    {
      name: "a redirect to a login page",
      response: { status: 302, headers: { location: "https://login.example" } },
      message: "the server answered 302 and points to https://login.example: is this an API server?",
    },
    {
      name: "text with terminal escapes",
      response: { status: 500, body: "a\u001b[31mb" },
      message: "the server answered 500: a [31mb",
    },
  ];
  for (const { name, response, message, is, retryAfterMs } of refusals) {
    test(`${name} is a StatusError: ${message}`, async () => {
      const error = await caught(scene(response).client.get(Pods, at));
      expect(error).toBeInstanceOf(StatusError);
      expect((error as StatusError).message).toBe(message);
      expect((error as StatusError).code).toBe(response.status as number);
      expect((error as StatusError).retryAfterMs).toBe(retryAfterMs);
      if (is !== undefined) expect(is(error)).toBe(true);
    });
  }

  test("that refuse a watch are a StatusError, too", async () => {
    const { client } = scene({ status: 410, body: status("Expired", 410) });
    const error = await caught(
      client.listerWatcher(Pods).watch({ resourceVersion: "1" }, new AbortController().signal),
    );
    expect(isExpired(error)).toBe(true);
  });

  test("with success but without JSON do not come from an API server", async () => {
    const error = await caught(scene({ body: "<html>Sign in</html>" }).client.get(Pods, at));
    expect(error).toBeInstanceOf(TransportError);
    expect((error as Error).message).toBe("the response is not JSON (Sign in): is this an API server?");
  });
});

describe("write events", () => {
  const decision = { controller: "replicaset", sync: 3, seq: 12 };

  test("report the changes of an update, the version it is based on, and its decision", async () => {
    const { client, writes } = scene({ body: { ...pod, metadata: { ...pod.metadata, resourceVersion: "8" } } });
    const changed = { ...pod, metadata: { ...pod.metadata, labels: { app: "api" } } };
    await client.update(Pods, changed, { basedOn: pod, because: decision });
    expect(writes).toEqual([
      expect.objectContaining({
        controller: "replicaset",
        sync: 3,
        decision: 12,
        verb: "update",
        fieldManager: "kubectl-reconcile",
        of: { group: "", kind: "Pod" },
        key: "shop/web",
        uid: "u1",
        before: "7",
        conditional: true,
        resourceVersion: "8",
        deletes: false,
        status: 200,
        changes: [{ path: ".metadata.labels.app", before: "web", after: "api" }],
      }),
    ]);
  });

  test("have the time of the call, however long the event takes", async () => {
    let now = 1000;
    const bus = new TraceBus({ now: () => now });
    const writes: StageEvent[] = [];
    bus.listen((event) => writes.push(event));
    const transport = fakeTransport(() => {
      now = 1036;
      return { body: pod };
    });
    const timeline = { ...virtualTimeline(1000, seededRandom(1)), now: () => now };
    const client = createClient({ transport, bus, timeline });
    const metadata = {
      ...pod.metadata,
      // Read when the changes are computed, after the response.
      get labels() {
        if (now > 1000) now += 4;
        return { app: "api" };
      },
    };
    await client.update(Pods, { ...pod, metadata }, { basedOn: pod });
    const [write] = writes as (WriteEvent & { readonly at: number })[];
    expect(write).toMatchObject({ sentAt: 1000 });
    expect((write?.at ?? 0) - (write?.ms ?? 0)).toBeGreaterThan(1000);
  });

  test("report only changes of the status for a status update", async () => {
    const { client, writes } = scene({ body: pod });
    const changed = { ...pod, metadata: { ...pod.metadata, labels: {} }, status: { phase: "Running" } };
    await client.updateStatus(Pods, changed, { basedOn: pod });
    expect(writes[0]?.subresource).toBe("status");
    expect(writes[0]?.changes).toEqual([{ path: ".status", after: { phase: "Running" } }]);
  });

  test("report a create with generateName under the server's name", async () => {
    const { client, writes } = scene({ status: 201, body: pod });
    await client.create(Pods, { metadata: { namespace: "shop", generateName: "we" } });
    expect(writes[0]).toMatchObject({ verb: "create", key: "shop/web", before: "", conditional: false, status: 201 });
  });

  const deletions: readonly { readonly name: string; readonly body: unknown; readonly deletes: boolean }[] = [
    { name: "a Status of success", body: { kind: "Status", status: "Success", details: { uid: "u1" } }, deletes: true },
    { name: "the object with a grace period", body: meta({ deletionGracePeriodSeconds: 30 }), deletes: false },
    { name: "the object without one", body: meta({ deletionGracePeriodSeconds: 0 }), deletes: true },
    { name: "the object with finalizers", body: meta({ finalizers: ["x/y"] }), deletes: false },
    { name: "the object, not deleted", body: pod, deletes: false },
  ];
  for (const { name, body, deletes } of deletions) {
    test(`${deletes ? "report" : "do not report"} a deletion for ${name}`, async () => {
      const { client, writes } = scene({ body });
      await client.delete(Pods, at);
      expect(writes[0]).toMatchObject({ verb: "delete", deletes, uid: "u1", key: "shop/web" });
    });
  }

  function meta(extra: object): unknown {
    return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-11-21T10:00:01Z", ...extra } };
  }

  test("report a refusal and a lost response once, with the message", async () => {
    const lost = new TransportError("reset");
    const refused = scene({ status: 409, body: { kind: "Status", reason: "Conflict", message: "modified" } });
    await caught(refused.client.update(Pods, pod));
    expect(refused.writes).toHaveLength(1);
    expect(refused.writes[0]).toMatchObject({ status: 409, error: "modified", resourceVersion: "", uid: "" });
    const broken = scene(() => {
      throw lost;
    });
    expect(await caught(broken.client.delete(Pods, at))).toBe(lost);
    expect(broken.writes).toHaveLength(1);
    expect(broken.writes[0]).toMatchObject({ status: 0, error: "reset", deletes: false });
  });

  test("report the fields of a patch that change", async () => {
    const { client, writes } = scene({ body: pod });
    const body = {
      metadata: { uid: "u1", labels: { app: "web", tier: "front" }, ownerReferences: [{ uid: "o" }] },
      spec: { containers: [{ name: "c" }], nodeName: null },
    };
    await client.patch(Pods, at, { type: "strategic", body }, { basedOn: pod });
    expect(writes[0]).toMatchObject({
      verb: "patch",
      before: "7",
      conditional: false,
      changes: [
        { path: ".metadata.labels.tier", after: "front" },
        { path: ".metadata.ownerReferences", after: [{ uid: "o" }] },
      ],
    });
  });

  test("mask Secrets", async () => {
    const Secrets = kindOf<StoredObject & { readonly data?: unknown }>({
      group: "",
      version: "v1",
      kind: "Secret",
      plural: "secrets",
      namespaced: true,
    });
    const secret = { metadata: pod.metadata, data: { password: "aGVsbG8=" } };
    const { client, writes } = scene({ body: secret });
    await client.update(Secrets, { ...secret, data: { password: "bmV3" } }, { basedOn: secret });
    expect(JSON.stringify(writes)).not.toContain("bmV3");
    expect(JSON.stringify(writes)).toContain("masked");
  });
});

describe("discovery", () => {
  const respond = (_: number, path: string): FakeResponse => {
    const resource = (name: string, kind: string, shortNames?: string[]): object => ({
      name,
      kind,
      namespaced: true,
      singularName: kind.toLowerCase(),
      verbs: ["get"],
      shortNames,
    });
    const json = { headers: { "content-type": "application/json" } };
    switch (path) {
      case "/api":
        return { ...json, body: { versions: ["v1"] } };
      case "/apis": {
        const versions = [{ version: "v1beta1" }, { version: "v1" }];
        return {
          ...json,
          body: {
            groups: [
              { name: "apps", versions, preferredVersion: { version: "v1" } },
              { name: "metrics.k8s.io", versions: [{ version: "v1" }] },
            ],
          },
        };
      }
      case "/api/v1":
        return { ...json, body: { resources: [resource("pods", "Pod", ["po"]), resource("pods/status", "Pod")] } };
      case "/apis/metrics.k8s.io/v1":
        return { status: 503 };
      default:
        return { ...json, body: { resources: [resource("replicasets", "ReplicaSet", ["rs"])] } };
    }
  };

  test("returns core first and the preferred version first, without subresources; a broken group affects no other", async () => {
    const { kinds, unavailable } = await discover(scene(respond).client);
    expect(kinds.map((kind) => `${kind.group}/${kind.version}/${kind.plural}`)).toEqual([
      "/v1/pods",
      "apps/v1/replicasets",
      "apps/v1beta1/replicasets",
    ]);
    expect(unavailable.map(({ groupVersion }) => groupVersion)).toEqual(["metrics.k8s.io/v1"]);
  });

  const types = [
    { type: "po", version: "v1" },
    { type: "Pod", version: "v1" },
    { type: "replicasets", version: "v1" },
    { type: "rs.apps", version: "v1" },
    { type: "replicaset.v1beta1.apps", version: "v1beta1" },
    { type: "rs.extensions", version: undefined },
  ];
  for (const { type, version } of types) {
    test(`findKind: ${type} is ${version ?? "nothing"}`, async () => {
      const { kinds } = await discover(scene(respond).client);
      expect(findKind(kinds, type)?.version).toBe(version);
    });
  }
});
