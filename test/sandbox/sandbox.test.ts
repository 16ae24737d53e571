import { describe, expect, test } from "bun:test";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { virtualTimeline, type VirtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import type { Transport } from "../../src/api/transport.ts";
import { sendRequest, watch, type Json } from "./support/requests.ts";

const pods = "/api/v1/namespaces/default/pods";
const pod = (name: string): Json => ({ metadata: { name }, spec: { containers: [{ name: "a", image: "b" }] } });

async function fresh(): Promise<{ sandbox: Sandbox; transport: Transport }> {
  const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
  return { sandbox, transport: sandbox.transport({ actor: "test" }) };
}

describe("the sandbox", () => {
  test("creates, reads, lists, updates and deletes a pod, and a watch reports everything", async () => {
    const { transport } = await fresh();
    const empty = await sendRequest(transport, "GET", pods);
    const { resourceVersion } = empty.body["metadata"] as { resourceVersion: string };
    const frames = await watch(transport, pods, `resourceVersion=${resourceVersion}`);
    const made = await sendRequest(transport, "POST", pods, { body: pod("a") });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      kind: "Pod",
      apiVersion: "v1",
      metadata: { namespace: "default", generation: 1 },
    });
    const patched = await sendRequest(transport, "PATCH", `${pods}/a`, {
      type: "application/strategic-merge-patch+json",
      body: { metadata: { labels: { x: "y" } } },
    });
    expect(patched.body).toMatchObject({ metadata: { labels: { x: "y" } } });
    expect((await sendRequest(transport, "GET", pods)).body["items"]).toHaveLength(1);
    expect((await sendRequest(transport, "DELETE", `${pods}/a`)).status).toBe(200);
    const types: unknown[] = [];
    for (let i = 0; i < 4; i++) types.push((await frames.next())?.["type"]);
    expect(types).toEqual(["ADDED", "MODIFIED", "MODIFIED", "DELETED"]);
    frames.cancel();
  });

  test("deletes a scheduled pod with its grace period, when its node confirms it", async () => {
    const { transport } = await fresh();
    await sendRequest(transport, "POST", pods, {
      body: { ...pod("a"), spec: { nodeName: "n", containers: [{ name: "a", image: "b" }] } },
    });
    const marked = await sendRequest(transport, "DELETE", `${pods}/a`);
    expect(marked.body).toMatchObject({ metadata: { deletionGracePeriodSeconds: 30 } });
    expect((await sendRequest(transport, "GET", `${pods}/a`)).status).toBe(200);
    await sendRequest(transport, "DELETE", `${pods}/a`, { body: { gracePeriodSeconds: 0 } });
    expect((await sendRequest(transport, "GET", `${pods}/a`)).status).toBe(404);
  });

  test("returns pages of a list at one revision, whatever is written in between", async () => {
    const { transport } = await fresh();
    for (const name of ["a", "c", "e", "g"]) await sendRequest(transport, "POST", pods, { body: pod(name) });
    const first = await sendRequest(transport, "GET", pods, { query: "limit=2" });
    const { continue: token, remainingItemCount } = first.body["metadata"] as Json;
    expect(remainingItemCount).toBe(2);
    await sendRequest(transport, "POST", pods, { body: pod("f") });
    await sendRequest(transport, "DELETE", `${pods}/e`);
    const second = await sendRequest(transport, "GET", pods, { query: `limit=9&continue=${token as string}` });
    const names = (second.body["items"] as { metadata: { name: string } }[]).map((item) => item.metadata.name);
    expect(names).toEqual(["e", "g"]);
  });

  test("can list a revision of the last five minutes, but not one that is ten minutes old", async () => {
    let ahead = 0;
    const clock = realTimeline();
    const timeline = { ...clock, now: () => clock.now() + ahead };
    const sandbox = await createSandbox({ timeline, random: seededRandom(1) });
    const transport = sandbox.transport({ actor: "test" });
    const listAt = async (revision: number): Promise<number> =>
      (await sendRequest(transport, "GET", pods, { query: `resourceVersion=${revision}&resourceVersionMatch=Exact` }))
        .status;
    const minutes = async (count: number): Promise<void> => {
      ahead += count * 60_000;
      await sendRequest(transport, "POST", "/api/v1/namespaces/default/configmaps", {
        body: { metadata: { name: `m${ahead}` } },
      });
    };
    expect(await listAt(1)).toBe(200);
    await minutes(6);
    const early = sandbox.revision;
    expect([await listAt(1), await listAt(early)]).toEqual([200, 200]);
    await minutes(4.5);
    expect([await listAt(1), await listAt(early)]).toEqual([410, 200]);
    await minutes(5);
    expect([await listAt(early - 1), await listAt(early)]).toEqual([410, 200]);
    ahead += 3_600_000;
    expect(await listAt(sandbox.revision)).toBe(200);
    expect(await listAt(sandbox.revision - 1)).toBe(410);
  });

  test("expires old watches and continue tokens after a compaction", async () => {
    const { sandbox, transport } = await fresh();
    for (const name of ["a", "c", "e"]) await sendRequest(transport, "POST", pods, { body: pod(name) });
    const first = await sendRequest(transport, "GET", pods, { query: "limit=1" });
    await sendRequest(transport, "DELETE", `${pods}/e`);
    sandbox.compact();
    const token = (first.body["metadata"] as { continue: string }).continue;
    expect((await sendRequest(transport, "GET", pods, { query: `limit=1&continue=${token}` })).status).toBe(410);
    const frames = await watch(transport, pods, "resourceVersion=2");
    expect(await frames.next()).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    expect(await frames.next()).toBeUndefined();
  });

  test("deletes an object with its last finalizer, and the response has the previous version", async () => {
    const { transport } = await fresh();
    const maps = "/api/v1/namespaces/default/configmaps";
    await sendRequest(transport, "POST", maps, { body: { metadata: { name: "a", finalizers: ["example.com/x"] } } });
    const marked = await sendRequest(transport, "DELETE", `${maps}/a`);
    const before = (marked.body["metadata"] as { resourceVersion: string }).resourceVersion;
    const freed = await sendRequest(transport, "PATCH", `${maps}/a`, {
      type: "application/merge-patch+json",
      body: { metadata: { finalizers: null } },
    });
    expect(freed.body).toMatchObject({ metadata: { resourceVersion: before } });
    expect((await sendRequest(transport, "GET", `${maps}/a`)).status).toBe(404);
  });

  test("is a function of its seed on virtual time", async () => {
    const run = async (seed: number): Promise<string> => {
      const timeline: VirtualTimeline = virtualTimeline(1_800_000_000_000, seededRandom(seed));
      const sandbox = await createSandbox({ timeline, random: seededRandom(seed) });
      const seen: string[] = [];
      const writers = ["x", "y", "z"].map(async (who) => {
        const transport = sandbox.transport({ actor: who });
        for (let i = 0; i < 5; i++) await sendRequest(transport, "POST", pods, { body: pod(`${who}-${i}`) });
      });
      const watcher = (async () => {
        const frames = await watch(
          sandbox.transport({ actor: "watcher" }),
          pods,
          "resourceVersion=5&timeoutSeconds=60",
        );
        for (let frame = await frames.next(); frame !== undefined; frame = await frames.next()) {
          seen.push((frame["object"] as { metadata: { name: string } }).metadata.name);
        }
      })();
      await timeline.runUntil();
      await Promise.all(writers);
      sandbox.stop();
      await timeline.runUntil();
      await watcher;
      return seen.join(" ");
    };
    const orders = new Set<string>();
    for (let seed = 1; seed <= 5; seed++) {
      const order = await run(seed);
      expect(order.split(" ")).toHaveLength(15);
      expect(await run(seed)).toBe(order);
      orders.add(order);
    }
    expect(orders.size).toBe(5);
  });
});

describe("a CustomResourceDefinition", () => {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const definition: Json = {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "widgets", kind: "Widget" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };

  test("is accepted in a copy of a cluster, where only the effects on other objects matter", async () => {
    const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1), storesDefinitions: true });
    const transport = sandbox.transport({ actor: "test" });
    expect((await sendRequest(transport, "POST", path, { body: definition })).status).toBe(201);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await sendRequest(transport, "GET", "/apis/example.com/v1/widgets")).status).toBe(404);
  });
});
