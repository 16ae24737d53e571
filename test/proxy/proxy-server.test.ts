/** Requests through a proxy in front of the sandbox, and the events that it reports. */
import { afterEach, describe, expect, test } from "bun:test";
import { TransportError } from "../../src/api/transport.ts";
import { protobufType } from "../../src/api/wire/envelope.ts";
import { openScene, type Scene, type SceneOptions } from "./scene.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string, value = "1"): object => ({ metadata: { name }, data: { value } });

let scene: Scene;
const open = async (options?: SceneOptions): Promise<Scene> => (scene = await openScene(options));
afterEach(() => scene.stop());

interface Stored {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
}

/** Reads a watch line by line. */
async function watching(path: string, headers: Record<string, string> = {}): Promise<Watching> {
  const abort = new AbortController();
  const response = await scene.send("GET", path, { signal: abort.signal, headers });
  const reader = response.body?.getReader();
  return {
    response,
    async next() {
      const { value } = (await reader?.read()) ?? {};
      return new TextDecoder().decode(value);
    },
    stop: () => abort.abort(),
  };
}

interface Watching {
  readonly response: Response;
  next(): Promise<string>;
  stop(): void;
}

/** Polls until `look` returns a value. @throws Error after five seconds. */
async function until<T>(look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 500; tries++) {
    const found = look();
    if (found !== undefined) return found;
    await Bun.sleep(10);
  }
  throw new Error("It was never reported");
}

describe("access", () => {
  test("requires the token of the proxy", async () => {
    await open();
    const stranger = await scene.send("GET", "/version", { headers: { authorization: "Bearer wrong" } });
    expect(stranger.status).toBe(401);
    expect(await stranger.json()).toMatchObject({ kind: "Status", reason: "Unauthorized" });
    expect((await scene.send("GET", "/version")).status).toBe(200);
    expect(scene.reported("request").map(({ uri }) => uri)).toEqual(["/version"]);
  });

  test("is refused in a line for requests that cannot pass", async () => {
    await open();
    const method = await scene.send("OPTIONS", "/version");
    expect([method.status, ((await method.json()) as { message: string }).message]).toEqual([
      405,
      "kubectl reconcile passes GET, POST, PUT, PATCH and DELETE on, and no other method",
    ]);
  });

  test("connects a process at its first request, which may be an endless watch; a stranger's request does not", async () => {
    await open();
    let isConnected = false;
    void scene.proxy.connected.then(() => (isConnected = true));
    await scene.send("GET", "/version", { headers: { authorization: "Bearer wrong" } });
    expect(isConnected).toBe(false);
    const watch = await watching(`${maps}?watch=1`);
    expect(isConnected).toBe(true);
    watch.stop();
  });
});

describe("forwarding", () => {
  test("keeps the process's credentials and connection at the proxy, and forwards everything else", async () => {
    const sent: Readonly<Record<string, string>>[] = [];
    await open({
      wrap: (transport) => ({
        send(request) {
          sent.push(request.headers ?? {});
          return transport.send(request);
        },
      }),
    });
    const headers = { accept: "application/json", "impersonate-user": "eve", "x-own": "1" };
    const response = await scene.send("GET", `${maps}/nothing?pretty=1&labelSelector=a%3Db%2Cc`, { headers });
    expect(response.status).toBe(403);
    expect(sent).toEqual([{ ...headers, "user-agent": "operator/v1" }]);
    expect(response.headers.get("audit-id")).not.toBeNull();
    expect(response.headers.get("cache-control")).toBe("no-cache, private");
  });

  test("returns a 503 for an unreachable server; a broken connection breaks", async () => {
    let failure: "unreachable" | "broken" = "unreachable";
    await open({ wrap: () => ({ send: () => Promise.reject(new TransportError("gone", { failure })) }) });
    const response = await scene.send("GET", maps);
    expect(response.status).toBe(503);
    expect(((await response.json()) as { message: string }).message).toBe(
      "kubectl reconcile cannot reach the API server: gone",
    );
    failure = "broken";
    expect(await scene.send("POST", maps, { body: configMap("a") }).catch(() => "broke")).toBe("broke");
    expect(scene.reported("request").map(({ status, error }) => [status, error])).toEqual([
      [0, "gone"],
      [0, "gone"],
    ]);
    expect(scene.reported("write")).toMatchObject([{ verb: "create", status: 0, error: "gone", uid: "" }]);
  });

  test("ends a watch at the server that the process abandons before its response", async () => {
    let responded = false;
    await open({
      wrap: (transport) => ({
        async send(request) {
          const response = await transport.send(request);
          await Bun.sleep(300);
          responded = true;
          return response;
        },
      }),
    });
    const abort = new AbortController();
    const left = scene.send("GET", `${maps}?watch=1`, { signal: abort.signal }).catch(() => "left");
    await until(() => (scene.sandbox.server.watches.size === 1 ? true : undefined));
    abort.abort();
    expect(await left).toBe("left");
    await until(() => (responded && scene.sandbox.server.watches.size === 0 ? true : undefined));
    await until(() => scene.reported("request").find(({ verb, error }) => verb === "watch" && error !== undefined));
  });

  test("ends a watch at the server that the process ends", async () => {
    await open();
    const watch = await watching(`${maps}?watch=1`);
    expect(scene.sandbox.server.watches.size).toBe(1);
    watch.stop();
    await until(() => (scene.sandbox.server.watches.size === 0 ? true : undefined));
    const [request] = await until(() => {
      const requests = scene.reported("request");
      return requests.length > 0 ? requests : undefined;
    });
    expect([request?.verb, request?.error]).toEqual(["watch", "closed by the client"]);
    expect(scene.reported("watch").map(({ state, why }) => [state, why])).toEqual([
      ["opened", "start"],
      ["closed", "closed by the client"],
    ]);
  });
});

describe("events", () => {
  test("report requests: verb, kind, key, size and the audit id", async () => {
    await open();
    const body = JSON.stringify(configMap("a"));
    const created = await scene.send("POST", maps, { body });
    await created.text();
    for (const path of [`${maps}/a`, maps, "/api/v1/configmaps", "/api/v1/nodes/n1", "/apis"])
      await (await scene.send("GET", path)).text();
    await (await scene.send("DELETE", maps)).text();
    const requests = scene.reported("request");
    expect(requests.map(({ verb, of, key, status }) => [verb, of?.kind, key, status])).toEqual([
      ["create", "ConfigMap", "default/", 201],
      ["get", "ConfigMap", "default/a", 200],
      ["list", "ConfigMap", "default/", 200],
      ["list", "ConfigMap", "", 200],
      ["get", "Node", "n1", 404],
      ["get", undefined, "", 200],
      ["deletecollection", "ConfigMap", "default/", 200],
    ]);
    expect(requests[0]).toMatchObject({
      agent: "operator/v1",
      sent: body.length,
      auditId: created.headers.get("audit-id") ?? "",
    });
    expect(requests[2]).toMatchObject({ objects: 1 });
  });

  test("report a list with a watch as the start of an informer; its deltas are the informer's", async () => {
    await open();
    await scene.send("POST", maps, { body: configMap("a") });
    const { metadata } = (await (await scene.send("GET", maps)).json()) as { metadata: { resourceVersion: string } };
    expect(scene.reported("list", "delta")).toEqual([]);
    const watch = await watching(
      `${maps}?watch=1&resourceVersion=${metadata.resourceVersion}&allowWatchBookmarks=true`,
    );
    await scene.send("POST", maps, { body: configMap("b") });
    await scene.send("PUT", `${maps}/a`, { body: configMap("a", "2") });
    await scene.send("DELETE", `${maps}/b`);
    const deltas = await until(() => {
      const all = scene.reported("delta");
      return all.length === 4 ? all : undefined;
    });
    expect(scene.reported("list")).toMatchObject([
      { why: "start", objects: 1, pages: 1, of: { group: "", kind: "ConfigMap" } },
    ]);
    expect(deltas.map(({ type, key }) => [type, key])).toEqual([
      ["Replaced", "default/a"],
      ["Added", "default/b"],
      ["Updated", "default/a"],
      ["Deleted", "default/b"],
    ]);
    expect(deltas[2]?.detail.changes).toEqual([{ path: ".data.value", before: "1", after: "2" }]);
    expect(deltas[2]?.detail.writer).toBe("operator");
    watch.stop();
  });

  test("report pages as one list; a relist reports changes and deletions", async () => {
    await open();
    for (const name of ["a", "b", "c"]) await scene.send("POST", maps, { body: configMap(name) });
    const listed = async (): Promise<string> => {
      let token = "";
      for (;;) {
        const response = await scene.send("GET", `${maps}?limit=2&continue=${encodeURIComponent(token)}`);
        const { metadata } = (await response.json()) as { metadata: { resourceVersion: string; continue?: string } };
        token = metadata.continue ?? "";
        if (token === "") return metadata.resourceVersion;
      }
    };
    const first = await watching(`${maps}?watch=1&resourceVersion=${await listed()}`);
    await until(() => (scene.reported("watch").length === 1 ? true : undefined));
    first.stop();
    await until(() => (scene.reported("watch").length === 2 ? true : undefined));
    await scene.send("PUT", `${maps}/a`, { body: configMap("a", "2") });
    await scene.send("DELETE", `${maps}/b`);
    const second = await watching(`${maps}?watch=1&resourceVersion=${await listed()}`);
    const relisted = await until(() => {
      const all = scene.reported("delta").filter(({ relist }) => relist === true);
      return all.length === 2 ? all : undefined;
    });
    expect(scene.reported("list").map(({ why, objects, pages }) => [why, objects, pages])).toEqual([
      ["start", 3, 2],
      ["relist", 2, 1],
    ]);
    expect(relisted.map(({ type, key, tombstone }) => [type, key, tombstone])).toEqual([
      ["Deleted", "default/b", true],
      ["Replaced", "default/a", undefined],
    ]);
    second.stop();
  });

  test("report a watch that starts with a list, in JSON, in protobuf and as metadata", async () => {
    await open();
    await scene.send("POST", maps, { body: configMap("a") });
    const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const metadata = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    for (const [agent, accept] of [
      ["json", "application/json"],
      ["protobuf", protobufType],
      ["metadata", `${protobufType}${metadata}`],
    ] as const) {
      const watch = await watching(`${maps}?${query}`, { "user-agent": agent, accept });
      const replaced = await until(() => scene.reported("delta").find((delta) => delta.agent === agent));
      expect(replaced).toMatchObject({ type: "Replaced", key: "default/a", of: { group: "", kind: "ConfigMap" } });
      const value = `${agent} was here`;
      await scene.send("PATCH", `${maps}/a`, {
        body: { data: { value }, metadata: { labels: { agent } } },
        headers: { "content-type": "application/merge-patch+json" },
      });
      const updated = await until(() =>
        scene.reported("delta").find((delta) => delta.agent === agent && delta.type === "Updated"),
      );
      const paths = updated.detail.changes.map(({ path }) => path);
      expect(paths).toContain(agent === "json" ? ".metadata.labels" : ".metadata.labels.agent");
      expect(paths.includes(".data.value")).toBe(agent !== "metadata");
      watch.stop();
    }
    expect(scene.reported("list").map(({ objects, pages }) => [objects, pages])).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ]);
  });

  test("report writes: the version known to the process, the changes, and a refusal", async () => {
    await open();
    const created = (await (await scene.send("POST", maps, { body: configMap("a") })).json()) as Stored;
    const { uid, resourceVersion } = created.metadata;
    await scene.send("PUT", `${maps}/a?fieldManager=own`, { body: { ...created, data: { value: "2" } } });
    await scene.send("PUT", `${maps}/a`, { body: { ...created, data: { value: "3" } } });
    await scene.send("PATCH", `${maps}/a`, {
      body: [{ op: "replace", path: "/data/value", value: "4" }],
      headers: { "content-type": "application/json-patch+json" },
    });
    await scene.send("POST", maps, { body: { metadata: { generateName: "b-" } } });
    await scene.send("POST", `${maps}?dryRun=All`, { body: configMap("c") });
    await scene.send("DELETE", `${maps}/a`);
    await scene.send("DELETE", `${maps}/a`);
    const writes = scene.reported("write");
    expect(
      writes.map(({ verb, fieldManager, before, status, changes }) => [verb, fieldManager, before, status, changes]),
    ).toEqual([
      ["create", "operator", "", 201, []],
      ["update", "own", resourceVersion, 200, [{ path: ".data.value", before: "1", after: "2" }]],
      ["update", "operator", resourceVersion, 409, expect.anything()],
      ["patch", "operator", expect.stringMatching(/^\d+$/), 200, [{ path: ".data.value", before: "2", after: "4" }]],
      ["create", "operator", "", 201, []],
      ["delete", "operator", "", 200, []],
      ["delete", "operator", "", 404, []],
    ]);
    expect(writes[0]).toMatchObject({
      key: "default/a",
      uid,
      resourceVersion,
      conditional: false,
      agent: "operator/v1",
    });
    expect(writes[1]?.conditional).toBe(true);
    expect(writes[2]?.error).toContain("the object has been modified");
    expect(writes[4]).toMatchObject({
      key: expect.stringMatching(/^default\/b-\w{5}$/) as unknown,
      generatedName: true,
    });
    expect([writes[5]?.deletes, writes[5]?.uid]).toEqual([true, uid]);
    expect(writes[6]?.error).toBe('configmaps "a" not found');
  });

  test("attribute a write that removes an owner reference to that owner", async () => {
    await open();
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "gone", controller: true };
    const owned = { metadata: { name: "b", ownerReferences: [owner] } };
    const { metadata } = (await (await scene.send("POST", maps, { body: owned })).json()) as Stored;
    const release = { metadata: { uid: metadata.uid, ownerReferences: [{ $patch: "delete", uid: "gone" }] } };
    const headers = { "content-type": "application/strategic-merge-patch+json" };
    const released = (await (await scene.send("PATCH", `${maps}/b`, { body: release, headers })).json()) as Stored;
    expect(released.metadata).not.toHaveProperty("ownerReferences");
    const owners = scene.reported("write").map(({ detail }) => detail?.owner?.uid);
    expect(owners).toEqual(["gone", "gone"]);
  });

  test("mask Secrets", async () => {
    await open();
    const secrets = "/api/v1/namespaces/default/secrets";
    const secret = { metadata: { name: "s" }, stringData: { password: "hunter2" } };
    const created = (await (await scene.send("POST", secrets, { body: secret })).json()) as Stored;
    await scene.send("PUT", `${secrets}/s`, { body: { ...created, data: { password: btoa("hunter3") } } });
    const text = JSON.stringify(scene.reported("write", "request", "delta"));
    expect(text).toContain(".data.password");
    expect(text).not.toContain("hunter");
    expect(text).not.toContain(btoa("hunter3"));
    expect(text).not.toContain(scene.token);
  });

  test("report a response that is too fast to parse as unread, but it is forwarded", async () => {
    await open({ maxBytes: 1000 });
    const body = configMap("large", "x".repeat(5000));
    expect((await scene.send("POST", maps, { body })).status).toBe(201);
    expect(
      ((await (await scene.send("GET", `${maps}/large`)).json()) as { data: { value: string } }).data.value,
    ).toHaveLength(5000);
    expect(scene.reported("unread").map(({ uri }) => uri)).toEqual([maps, `${maps}/large`]);
    expect(scene.reported("request").map(({ status }) => status)).toEqual([201, 200]);
  });

  test("do not continue a watch after a gap, but it is forwarded", async () => {
    await open({ maxBytes: 6000 });
    const watch = await watching(`${maps}?watch=1`);
    await scene.send("POST", maps, { body: configMap("a") });
    await until(() => (scene.reported("delta").length === 1 ? true : undefined));
    await scene.send("POST", maps, { body: configMap("large", "x".repeat(20_000)) });
    await scene.send("POST", maps, { body: configMap("b") });
    let text = "";
    while (!text.includes('"name":"b"')) text += await watch.next();
    expect(text).toContain("x".repeat(20_000));
    expect(scene.reported("delta").map(({ key }) => key)).toEqual(["default/a"]);
    const unread = scene.reported("unread").filter(({ uri }) => uri === `${maps}?watch=1`);
    expect(unread.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(20_000);
    watch.stop();
  });
});
