/** Slow or malicious webhooks: their effect on the requests and on the server. */
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { handle } from "../../src/sandbox/serving/handler.ts";
import { clusterAdmin } from "../../src/sandbox/transport.ts";
import { type JsonResponse, sendRequest, type Json } from "./support/requests.ts";

type Hook = (review: { request: Json }, response: http.ServerResponse) => void | Promise<void>;

let hook: Hook = (_review, response) => void response.end();
let calls = 0;
const server = http.createServer((request, response) => {
  void (async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    calls++;
    await hook(JSON.parse(Buffer.concat(chunks).toString() || "{}") as { request: Json }, response);
  })();
});
await new Promise<void>((resolve) => {
  server.listen(0, "127.0.0.1", resolve);
});
const { port } = server.address() as AddressInfo;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  calls = 0;
});

/** The timeouts of webhook calls, which the tests trigger manually. */
const timeouts = new Set<() => void>();
const clock = realTimeline();
const sandbox = await createSandbox({
  timeline: {
    ...clock,
    after(ms, actor, fn, options) {
      if (actor !== "webhook timeout") return clock.after(ms, actor, fn, options);
      timeouts.add(fn);
      return () => void timeouts.delete(fn);
    },
  },
  random: seededRandom(1),
  webhooks: { services: new Map([["hooks/hook", `http://127.0.0.1:${port}`]]) },
});
const transport = sandbox.transport({ actor: "test" });

const send = (method: string, path: string, body?: unknown): Promise<JsonResponse> =>
  sendRequest(transport, method, path, { body });

const maps = "/api/v1/namespaces/default/configmaps";
const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

await send("POST", configurations, {
  metadata: { name: "test" },
  webhooks: [
    {
      name: "hook.example.com",
      clientConfig: { service: { namespace: "hooks", name: "hook", path: "/check" } },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps", "services"] }],
      matchPolicy: "Exact",
      objectSelector: { matchLabels: { checked: "yes" } },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
    },
  ],
});

function allow({ request }: { request: Json }, response: http.ServerResponse): void {
  response.setHeader("content-type", "application/json");
  const review = { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" };
  response.end(JSON.stringify({ ...review, response: { uid: request["uid"], allowed: true } }));
}

const checked = (name: string, data: Json = {}): Json => ({ metadata: { name, labels: { checked: "yes" } }, data });

/** Creates a ConfigMap, and resets the number of webhook calls. */
async function made(name: string): Promise<void> {
  hook = allow;
  expect((await send("POST", maps, checked(name, { first: "1" }))).status).toBe(201);
  calls = 0;
}

describe("a write that waits for a webhook", () => {
  test("is repeated on the latest object", async () => {
    await made("overtaken");
    hook = (review, response) => {
      if (calls === 1) {
        const metadata = { name: "overtaken", namespace: "default", uid: "u", labels: { checked: "yes" } };
        const other = { kind: "ConfigMap", apiVersion: "v1", metadata, data: { second: "2" } };
        sandbox.server.store.put(sandbox.server.store.collection("configmaps", true), other);
      }
      allow(review, response);
    };
    const { status, body } = await send("PATCH", `${maps}/overtaken`, { data: { third: "3" } });
    expect([status, body["data"], calls]).toEqual([200, { second: "2", third: "3" }, 2]);
  });

  test("conflicts if it was sent with the earlier version", async () => {
    await made("conflict");
    hook = (review, response) => {
      const { store } = sandbox.server;
      const collection = store.collection("configmaps", true);
      const object = collection.get("default", "conflict")?.object;
      if (object !== undefined && calls === 1) store.put(collection, { ...object, metadata: { ...object.metadata } });
      allow(review, response);
    };
    const { body: before } = await send("GET", `${maps}/conflict`);
    const { status } = await send("PUT", `${maps}/conflict`, { ...before, data: { new: "1" } });
    expect(status).toBe(409);
  });

  test("is a 404 if the object was deleted meanwhile", async () => {
    await made("deleted");
    hook = (review, response) => {
      const { store } = sandbox.server;
      const collection = store.collection("configmaps", true);
      const object = collection.get("default", "deleted")?.object;
      if (object !== undefined) store.remove(collection, { ...object, metadata: { ...object.metadata } });
      allow(review, response);
    };
    expect((await send("DELETE", `${maps}/deleted`)).status).toBe(404);
  });

  const services = "/api/v1/namespaces/default/services";
  const service = (name: string, spec: Json, labels: Json = {}): Json => ({
    metadata: { name, labels },
    spec: { type: "NodePort", ports: [{ port: 80 }], ...spec },
  });
  const checkedLabels = { checked: "yes" };

  test("shows the webhook the addresses and ports of a new Service", async () => {
    let seen: Json = {};
    hook = (review, response) => {
      seen = (review.request["object"] as Json)["spec"] as Json;
      allow(review, response);
    };
    const { body } = await send("POST", services, service("seen", {}, checkedLabels));
    const { clusterIP, clusterIPs, ports } = body["spec"] as Json;
    expect(seen).toMatchObject({ clusterIP, clusterIPs, ports });
    expect(String(clusterIP)).toStartWith("10.0.");
  });

  test("is refused an address or a port that another Service got meanwhile", async () => {
    const [withAddress, withPort] = [{ clusterIP: "10.0.9.9" }, { ports: [{ port: 80, nodePort: 30_999 }] }];
    hook = async (review, response) => {
      if (calls === 1) expect((await send("POST", services, service("first", withAddress))).status).toBe(201);
      allow(review, response);
    };
    const late = await send("POST", services, service("late", withAddress, checkedLabels));
    expect([late.status, String(late.body["message"])]).toEqual([422, expect.stringContaining("already allocated")]);
    calls = 0;
    hook = async (review, response) => {
      if (calls === 1) expect((await send("POST", services, service("second", withPort))).status).toBe(201);
      allow(review, response);
    };
    const later = await send("POST", services, service("later", withPort, checkedLabels));
    expect([later.status, String(later.body["message"])]).toEqual([422, expect.stringContaining("already allocated")]);
  });

  test("gets another port if its port was assigned meanwhile", async () => {
    hook = async (review, response) => {
      const [{ nodePort }] = ((review.request["object"] as Json)["spec"] as { ports: [{ nodePort: number }] }).ports;
      if (calls === 1)
        expect((await send("POST", services, service("quicker", { ports: [{ port: 80, nodePort }] }))).status).toBe(
          201,
        );
      allow(review, response);
    };
    const made = await send("POST", services, service("slower", {}, checkedLabels));
    expect([made.status, calls]).toEqual([201, 2]);
    calls = 0;
    hook = async (review, response) => {
      if (calls === 1) await send("POST", maps, { metadata: { name: "meanwhile" } });
      allow(review, response);
    };
    const kept = await send("PATCH", `${services}/slower`, { metadata: { labels: { own: "port" } } });
    expect([kept.status, calls]).toEqual([200, 1]);
    calls = 0;
    const plain = service("plain", { type: "ClusterIP" }, checkedLabels);
    hook = allow;
    expect((await send("POST", services, plain)).status).toBe(201);
    calls = 0;
    const ports = (nodePort: number): Json => ({ ports: [{ port: 80, nodePort }] });
    hook = async (review, response) => {
      if (calls === 1) expect((await send("POST", services, service("third", ports(31_000)))).status).toBe(201);
      allow(review, response);
    };
    const changed = await send("PATCH", `${services}/plain`, { spec: { type: "NodePort", ...ports(31_000) } });
    expect([changed.status, calls]).toEqual([422, 1]);
  });

  test("blocks no other request", async () => {
    const held: (() => void)[] = [];
    hook = async (review, response) => {
      await new Promise<void>((resolve) => held.push(resolve));
      allow(review, response);
    };
    const waiting = send("POST", maps, checked("slow"));
    while (held.length === 0) await clock.hop("test");
    expect((await send("POST", maps, { metadata: { name: "quick" } })).status).toBe(201);
    expect((await send("GET", `${maps}/slow`)).status).toBe(404);
    held[0]?.();
    expect((await waiting).status).toBe(201);
  });

  test("is refused after the webhook's timeout", async () => {
    const requested = new Promise<void>((resolve) => {
      hook = () => resolve();
    });
    const waiting = send("POST", maps, checked("hanging"));
    await requested;
    for (const fire of timeouts) fire();
    const { status, body } = await waiting;
    expect([status, body["message"]]).toEqual([
      500,
      'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: Post "https://hook.hooks.svc:443/check?timeout=10s": context deadline exceeded',
    ]);
  });
});

describe("a hostile webhook", () => {
  test("sends 100 MB, of which at most 32 MiB are read", async () => {
    let sent = 0;
    hook = (_review, response) => {
      const piece = Buffer.alloc(1 << 20, " ");
      const more = (): void => {
        while (sent < 100 && !response.destroyed) {
          sent++;
          if (!response.write(piece)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    };
    const { status, body } = await send("POST", maps, checked("huge"));
    expect([status, body["message"]]).toEqual([
      500,
      'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: the response has more than 33554432 bytes, the most that this sandbox reads',
    ]);
    expect(sent).toBeLessThan(100);
  });

  test("redirects in a circle, which is followed ten times", async () => {
    hook = (_review, response) => void response.writeHead(307, { location: "/check" }).end();
    const { status, body } = await send("POST", maps, checked("circle"));
    expect(status).toBe(500);
    expect(body["message"]).toEndWith("stopped after 10 redirects");
    expect(calls).toBe(11);
  });

  test("responds with deep or wrong JSON, which is an error", async () => {
    const bodies = [
      "[".repeat(20_000),
      `{"response":${'{"a":'.repeat(20_000)}`,
      "[]",
      "null",
      "7",
      '{"response":7}',
      "\0",
    ];
    for (const [index, body] of bodies.entries()) {
      hook = (_review, response) => void response.end(body);
      expect((await send("POST", maps, checked(`odd-${index}`))).status).toBe(500);
    }
    expect((await send("GET", "/api/v1/namespaces/default")).status).toBe(200);
  });
});

test("a request without a matching webhook gets its response at once", () => {
  const body = new TextEncoder().encode(JSON.stringify({ metadata: { name: "at-once" } }));
  const headers = { "content-type": "application/json" };
  const request = { method: "POST", path: maps, query: [], headers, body, user: clusterAdmin, actor: "test" };
  const response = handle(sandbox.server, request);
  expect(response).not.toBeInstanceOf(Promise);
});
