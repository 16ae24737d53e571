import { beforeEach, describe, expect, test } from "bun:test";
import { Leases, Nodes, Pods } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Lease, Node, Pod, Taint } from "../../../src/api/types.ts";
import { defineNodeLifecycle, nodeLifecycle } from "../../../src/controllers/node-lifecycle/node-lifecycle.ts";
import { rejection } from "../../support/rejection.ts";
import { storedNode, type StoredNodeParts, storedPod } from "../../support/stored-nodes.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";

const second = 1000;
const taintOf = (name: string, effect: string): Taint => ({ key: `node.kubernetes.io/${name}`, effect });
const notReady = taintOf("not-ready", "NoExecute");
const unreachable = taintOf("unreachable", "NoExecute");

let scene: Scene;
beforeEach(() => {
  scene = syncScene(nodeLifecycle);
});

/** Puts a node into the cache and the server; it has just reported unless `reportedAt` is given. */
function put(name: string, parts: StoredNodeParts = {}): void {
  scene.put(Nodes, storedNode(name, { reportedAt: scene.now, ...parts }));
}

function renew(name: string): void {
  const lease: Lease = {
    metadata: { ...storedNode(name).metadata, namespace: "kube-node-lease" },
    spec: { renewTime: formatTime(scene.now) },
  };
  scene.put(Leases, lease);
}

/** Scans all nodes; returns the keys enqueued immediately. */
function look(): readonly string[] {
  scene.woken.length = 0;
  scene.wokenLater.length = 0;
  scene.events.length = 0;
  scene.scan();
  return [...scene.woken];
}

const calls = (): readonly string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const eventTexts = (): readonly string[] =>
  scene.events.map(({ type, reason, about, message }) => `${type} ${reason} ${about}: ${message}`);
const sentences = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);
/** The body of the n-th request of the last sync. */
function bodyOf(n: number): Pick<Node | Pod, "status"> {
  return scene.calls[n]?.body as Node | Pod;
}

/** The taints in patches of a node's taints. */
const taintsWritten = (): readonly unknown[] =>
  scene.calls
    .filter(({ verb }) => verb === "patch")
    .map(({ body }) => (body as { spec?: { taints: unknown } }).spec?.taints);
const keysWritten = (): readonly (readonly string[] | null)[] =>
  taintsWritten().flatMap((taints) =>
    // A patch of labels has none.
    taints === undefined
      ? []
      : [taints === null ? null : (taints as Taint[]).map(({ key, effect }) => `${key.split("/")[1]}:${effect}`)],
  );

/** Makes the node stop reporting until its conditions become Unknown. */
async function becomeSilent(name: string): Promise<void> {
  look();
  scene.now += 51 * second;
  look();
  await scene.sync(name);
}

const podsOfNode = "pods-of:node-1";

/** Delivers all writes to the caches. */
function catchUp(): void {
  scene.deliver();
  for (const node of scene.live(Nodes)) scene.put(Nodes, node);
}

describe("a new node", () => {
  test("is announced once, and so is its end", () => {
    put("node-1");
    expect(look()).toEqual([]);
    expect(eventTexts()).toEqual([
      "Normal RegisteredNode Node node-1: Node node-1 event: Registered Node node-1 in Controller",
    ]);
    look();
    expect(eventTexts()).toEqual([]);
    scene.deleteLive(Nodes, "node-1");
    scene.deliver();
    look();
    expect(eventTexts()).toEqual([
      "Normal RemovingNode Node node-1: Node node-1 event: Removing Node node-1 from Controller",
    ]);
    look();
    expect(eventTexts()).toEqual([]);
  });

  test("loses the NoExecute taints of an earlier run, one after the other", async () => {
    put("node-1", { taints: [unreachable, { key: "mine", effect: "NoExecute" }] });
    expect(look()).toEqual(["node-1"]);
    await scene.sync("node-1");
    expect(calls()).toEqual(["get Node node-1", "patch Node node-1"]);
    expect(taintsWritten()).toEqual([[{ key: "mine", effect: "NoExecute" }]]);
    expect(scene.calls[1]?.body).toMatchObject({ metadata: { resourceVersion: "1" } });
    expect(sentences()).toEqual([
      "it is seen for the first time → remove its NoExecute taints not-ready and unreachable",
    ]);
  });
});

describe("a node that becomes silent", () => {
  test("is Unknown after 50 s, with an Event", async () => {
    put("node-1");
    put("node-2");
    look();
    scene.now += 50 * second;
    put("node-2");
    expect(look()).toEqual([]);
    scene.now += second;
    expect(look()).toContain("node-1");
    await scene.sync("node-1");
    expect(calls()).toEqual(["updateStatus Node node-1"]);
    const { status } = bodyOf(0);
    expect(status?.conditions?.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)).toEqual([
      "Ready Unknown NodeStatusUnknown",
      "MemoryPressure Unknown NodeStatusNeverUpdated",
      "DiskPressure Unknown NodeStatusNeverUpdated",
      "PIDPressure Unknown NodeStatusNeverUpdated",
    ]);
    expect(eventTexts()).toEqual(["Normal NodeNotReady Node node-1: Node node-1 status is now: NodeNotReady"]);
    expect(sentences()).toEqual(["it has not reported for 51 s → its conditions become Unknown"]);
  });

  test("is not while its Lease is renewed", () => {
    put("node-1");
    renew("node-1");
    look();
    for (let n = 0; n < 10; n++) {
      scene.now += 40 * second;
      renew("node-1");
      expect(look()).toEqual([]);
    }
    scene.now += 51 * second;
    expect(look()).toEqual(["node-1"]);
  });

  test("is left alone if it reported between the scan and the sync", async () => {
    put("node-1");
    look();
    scene.now += 51 * second;
    look();
    put("node-1");
    await scene.sync("node-1");
    expect(calls()).toEqual([]);
    scene = syncScene(nodeLifecycle);
    put("node-1");
    look();
    scene.now += 51 * second;
    look();
    renew("node-1");
    await scene.sync("node-1");
    expect(calls()).toEqual([]);
  });

  test("is planned again by the next scan if it could not be written, and only then announced", async () => {
    put("node-1");
    look();
    scene.now += 51 * second;
    look();
    scene.refuse = () => refusal(409, "Conflict", "changed");
    expect(await rejection(scene.sync("node-1"))).toMatchObject({ code: 409 });
    expect(eventTexts()).toEqual([]);
    await scene.sync("node-1");
    expect(calls()).toEqual([]);
    scene.refuse = () => undefined;
    scene.now += 5 * second;
    expect(look()).toContain("node-1");
    await scene.sync("node-1");
    expect(calls()).toEqual(["updateStatus Node node-1"]);
    expect(eventTexts()).toHaveLength(1);
  });

  test("makes its pods not ready, except those that are or have no condition", async () => {
    const since = formatTime(sceneStart - 60 * second);
    const ready = (status: string): Pod["status"] => ({
      conditions: [{ type: "Ready", status, lastTransitionTime: since }],
    });
    put("node-1");
    const pods = ["True", "Unknown", "False"].map((status) => ({
      ...storedPod(`is-${status}`),
      status: ready(status),
    }));
    scene.put(Pods, ...(pods as Pod[]), storedPod("mute"), storedPod("elsewhere", { node: "node-2" }));
    await becomeSilent("node-1");
    expect(calls()).toEqual(["updateStatus Node node-1"]);
    expect(scene.woken).toContain(podsOfNode);
    scene.events.length = 0;
    await scene.sync(podsOfNode);
    expect(calls()).toEqual(["updateStatus Pod is-True", "updateStatus Pod is-Unknown"]);
    const { status } = bodyOf(0);
    expect(status?.conditions).toEqual([{ type: "Ready", status: "False", lastTransitionTime: formatTime(scene.now) }]);
    expect(eventTexts()).toEqual([
      "Warning NodeNotReady Pod is-True: Node is not ready",
      "Warning NodeNotReady Pod is-Unknown: Node is not ready",
    ]);
    expect(sentences()).toContain("node-1 is not ready → 2 pods on it Ready=False");
  });

  test("retries pods that could not be written, and not deleted ones", async () => {
    put("node-1");
    const conditions = [{ type: "Ready", status: "True" }];
    scene.put(Pods, storedPod("a", { conditions }), storedPod("b", { conditions }), storedPod("c", { conditions }));
    scene.refuse = ({ name }) =>
      name === "a" ? refusal(409, "Conflict", "changed") : name === "b" ? refusal(404, "NotFound", "gone") : undefined;
    await becomeSilent("node-1");
    expect(await rejection(scene.sync(podsOfNode))).toMatchObject({ code: 409 });
    expect(eventTexts().map((text) => text.split(":")[0])).toEqual([
      "Warning NodeNotReady Pod a",
      "Warning NodeNotReady Pod c",
    ]);
    scene.refuse = () => undefined;
    scene.deleteLive(Pods, "shop/b");
    catchUp();
    await scene.sync(podsOfNode);
    expect(calls()).toEqual(["updateStatus Pod a"]);
    catchUp();
    await scene.sync(podsOfNode);
    expect(calls()).toEqual([]);
  });

  test("leaves its pods alone if it is back, or gone, by then", async () => {
    put("node-1");
    scene.put(Pods, storedPod("a", { conditions: [{ type: "Ready", status: "True" }] }));
    await becomeSilent("node-1");
    put("node-1");
    look();
    await scene.sync(podsOfNode);
    expect(calls()).toEqual([]);
    await becomeSilent("node-1");
    scene.deleteLive(Nodes, "node-1");
    scene.deliver();
    await scene.sync(podsOfNode);
    expect(calls()).toEqual([]);
  });

  test("is tainted whether or not its pods can be marked", async () => {
    put("node-1");
    scene.put(Pods, storedPod("a", { conditions: [{ type: "Ready", status: "True" }] }));
    scene.refuse = ({ kind }) => (kind === "Pod" ? refusal(500, "InternalError", "no") : undefined);
    await becomeSilent("node-1");
    catchUp();
    await scene.sync("node-1");
    expect(keysWritten()).toEqual([["unreachable:NoSchedule"]]);
    expect(await rejection(scene.sync(podsOfNode))).toMatchObject({ code: 500 });
    expect(nodeLifecycle.about?.(podsOfNode)).toEqual({ kind: "Node", key: "node-1" });
  });

  test("and was not ready before is not announced, and its pods are left alone", async () => {
    put("node-1", { ready: "False" });
    scene.put(Pods, storedPod("a", { conditions: [{ type: "Ready", status: "True" }] }));
    await becomeSilent("node-1");
    expect(calls()).toContain("updateStatus Node node-1");
    expect(scene.woken).not.toContain(podsOfNode);
    expect(eventTexts()).toEqual([]);
  });

  test("before its first report is Unknown 60 s after its creation", async () => {
    put("node-1", { ready: undefined });
    look();
    scene.now += 60 * second;
    expect(look()).toEqual([]);
    scene.now += second;
    expect(look()).toEqual(["node-1"]);
    await scene.sync("node-1");
    expect(bodyOf(0).status?.conditions?.[0]).toMatchObject({
      type: "Ready",
      reason: "NodeStatusNeverUpdated",
    });
    expect(eventTexts()).toEqual([]);
  });
});

describe("a pod that is assigned to a node", () => {
  const key = "shop/pod:web";
  const pod = storedPod("web", { conditions: [{ type: "Ready", status: "True" }] });

  test("that is not ready becomes not ready", async () => {
    put("node-1", { ready: "False" });
    look();
    scene.put(Pods, pod);
    await scene.sync(key);
    expect(calls()).toEqual(["updateStatus Pod web"]);
    expect(eventTexts()).toEqual(["Warning NodeNotReady Pod web: Node is not ready"]);
  });

  test("that is ready, or unknown, is left alone", async () => {
    scene.put(Pods, pod);
    await scene.sync(key);
    put("node-1");
    look();
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });

  test("that the cache lacks is retried", async () => {
    put("node-1", { ready: "False" });
    look();
    scene.put(Pods, pod);
    scene.deleteLive(Nodes, "node-1");
    scene.deliver();
    expect(await rejection(scene.sync(key))).toMatchObject({
      message: "Cannot judge pod shop/web: its node node-1 is not in the cache",
    });
  });

  test("is synced when it is first seen and when it gets its node, and not otherwise", () => {
    scene.notify(Pods, { type: "added", object: pod, initial: false });
    scene.notify(Pods, { type: "updated", before: storedPod("web", { node: "" }), object: pod });
    expect(scene.woken).toEqual([key, key]);
    scene.notify(Pods, { type: "updated", before: storedPod("web"), object: pod });
    scene.notify(Pods, { type: "added", object: storedPod("web", { node: "" }), initial: false });
    scene.notify(Pods, { type: "deleted", object: pod, tombstone: false });
    expect(scene.woken).toEqual([key, key]);
    expect(nodeLifecycle.about?.(key)).toEqual({ kind: "Pod", key: "shop/web" });
  });
});

describe("a node gets", () => {
  test("the NoSchedule taints of its conditions, new ones with their time, then loses the others", async () => {
    put("node-1", { ready: "Unknown", taints: [taintOf("not-ready", "NoSchedule")] });
    await scene.sync("node-1");
    expect(keysWritten()).toEqual([["not-ready:NoSchedule", "unreachable:NoSchedule"], null]);
    expect(taintsWritten()[0]).toContainEqual({
      ...taintOf("unreachable", "NoSchedule"),
      timeAdded: formatTime(scene.now),
    });
    expect(sentences()).toEqual([
      "its conditions ask for other NoSchedule taints → add node.kubernetes.io/unreachable, remove node.kubernetes.io/not-ready",
    ]);
  });

  test("taints in addition to those of the live node", async () => {
    put("node-1", { ready: "False" });
    scene.putLive(Nodes, storedNode("node-1", { taints: [{ key: "new", effect: "NoSchedule" }] }));
    await scene.sync("node-1");
    expect(taintsWritten()).toMatchObject([[{ key: "new" }, { key: "node.kubernetes.io/not-ready" }]]);
  });

  test("no duplicate taint: an existing one gets the new time", async () => {
    put("node-1", { ready: "False" });
    scene.putLive(Nodes, storedNode("node-1", { taints: [taintOf("not-ready", "NoSchedule")] }));
    await scene.sync("node-1");
    expect(keysWritten()).toEqual([["not-ready:NoSchedule"]]);
  });

  test("its taints despite concurrent changes, with at most five attempts", async () => {
    put("node-1", { ready: "False" });
    let refusals = 4;
    scene.refuse = ({ verb }) => (verb === "patch" && refusals-- > 0 ? refusal(409, "Conflict", "changed") : undefined);
    await scene.sync("node-1");
    expect(calls().filter((call) => call.startsWith("get"))).toHaveLength(5);
    refusals = 5;
    expect(await rejection(scene.sync("node-1"))).toMatchObject({ code: 409 });
  });

  test("deprecated labels", async () => {
    put("node-1", { meta: { labels: { "kubernetes.io/os": "linux" } } });
    await scene.sync("node-1");
    expect(scene.calls).toMatchObject([
      { verb: "patch", body: { metadata: { labels: { "beta.kubernetes.io/os": "linux" } } } },
    ]);
    expect(sentences()).toEqual(["labels of older names are missing or differ → beta.kubernetes.io/os=linux"]);
  });

  test("its taints even if its labels cannot be written", async () => {
    put("up");
    put("node-1", {
      ready: "Unknown",
      taints: [taintOf("unreachable", "NoSchedule")],
      meta: { labels: { "kubernetes.io/os": "linux" } },
    });
    look();
    scene.refuse = ({ body }) =>
      JSON.stringify(body ?? {}).includes("labels") ? refusal(403, "Forbidden", "no") : undefined;
    expect(await rejection(scene.sync("node-1"))).toMatchObject({ code: 403 });
    expect(keysWritten()).toContainEqual(["unreachable:NoSchedule", "unreachable:NoExecute"]);
  });

  test("nothing when it is up to date, or was deleted", async () => {
    put("node-1");
    await scene.sync("node-1");
    await scene.sync("node-2");
    expect(calls()).toEqual([]);
  });
});

describe("NoExecute taints", () => {
  /** Nodes with the right NoSchedule taints, so that only the taints under test are written. */
  const down: StoredNodeParts = { ready: "Unknown", taints: [taintOf("unreachable", "NoSchedule")] };
  const failing: StoredNodeParts = { ready: "False", taints: [taintOf("not-ready", "NoSchedule")] };
  const withTaint = (parts: StoredNodeParts, taint: Taint): StoredNodeParts => ({
    ...parts,
    taints: [...(parts.taints ?? []), taint],
  });

  test("are added to nodes that are not ready in turn, every 10 s", async () => {
    for (const name of ["up-1", "up-2", "up-3", "up-4"]) put(name);
    put("node-1", down);
    put("node-2", failing);
    expect(look()).toEqual(["node-1"]);
    await scene.sync("node-2");
    expect(calls()).toEqual([]);
    await scene.sync("node-1");
    expect(keysWritten()).toEqual([["unreachable:NoSchedule", "unreachable:NoExecute"]]);
    expect(sentences()).toEqual([
      "its condition Ready is Unknown, and it is its turn in the cluster → taint node.kubernetes.io/unreachable:NoExecute",
    ]);
    expect(scene.wokenLater).toEqual([{ key: "node-2", ms: 10 * second }]);
    await scene.sync("node-2");
    expect(calls()).toEqual([]);
    scene.now += 10 * second;
    await scene.sync("node-2");
    expect(keysWritten()).toEqual([["not-ready:NoSchedule", "not-ready:NoExecute"]]);
  });

  test("are added again if they were lost, and not otherwise", async () => {
    put("up");
    put("node-1", down);
    look();
    await scene.sync("node-1");
    put("node-1", withTaint(down, unreachable));
    scene.now += 20 * second;
    put("up");
    expect(look()).toEqual([]);
    put("node-1", down);
    expect(look()).toEqual(["node-1"]);
  });

  test("use up the turn of a node that is ready again", async () => {
    put("up");
    put("node-1", down);
    put("node-2", down);
    look();
    put("node-1");
    await scene.sync("node-1");
    expect(calls()).toEqual([]);
    expect(scene.wokenLater).toEqual([{ key: "node-2", ms: 10 * second }]);
  });

  test("that are refused on one node hold up no other one", async () => {
    put("up");
    put("node-1", down);
    put("node-2", down);
    look();
    scene.refuse = ({ verb, name }) =>
      verb === "patch" && name === "node-1" ? refusal(403, "Forbidden", "no") : undefined;
    expect(await rejection(scene.sync("node-1"))).toMatchObject({ code: 403 });
    expect(scene.wokenLater).toEqual([{ key: "node-2", ms: 10 * second }]);
    scene.now += 10 * second;
    put("up");
    expect(look()).toEqual(["node-2"]);
    await scene.sync("node-2");
    expect(keysWritten()).toHaveLength(1);
    put("node-2", withTaint(down, unreachable));
    scene.now += 10 * second;
    put("up");
    expect(look()).toEqual(["node-1"]);
  });

  test("that could not be written are tried again at the zone's rate", async () => {
    put("up");
    put("node-1", down);
    look();
    scene.refuse = ({ verb }) => (verb === "patch" ? refusal(500, "InternalError", "no") : undefined);
    expect(await rejection(scene.sync("node-1"))).toMatchObject({ code: 500 });
    scene.refuse = () => undefined;
    await scene.sync("node-1");
    expect(calls()).toEqual([]);
    scene.now += 10 * second;
    await scene.sync("node-1");
    expect(keysWritten()).toHaveLength(1);
  });

  test("leave a deleted node its turn, which it uses up", async () => {
    for (const name of ["up-1", "up-2", "up-3"]) put(name);
    for (const name of ["node-1", "node-2", "node-3"]) put(name, down);
    look();
    await scene.sync("node-1");
    expect(keysWritten()).toHaveLength(1);
    scene.deleteLive(Nodes, "node-2");
    scene.deliver();
    scene.wokenLater.length = 0;
    await scene.sync("node-2");
    scene.now += 10 * second;
    await scene.sync("node-2");
    await scene.sync("node-3");
    expect(keysWritten()).toEqual([]);
    expect(scene.wokenLater).toEqual([
      { key: "node-2", ms: 10 * second },
      { key: "node-3", ms: 10 * second },
      { key: "node-3", ms: 10 * second },
    ]);
    scene.now += 10 * second;
    await scene.sync("node-3");
    expect(keysWritten()).toHaveLength(1);
  });

  test("are swapped at once when the condition changes", async () => {
    put("up");
    put("node-1", failing);
    look();
    // The node gets its turn in the queue for taints.
    await scene.sync("node-1");
    put("node-1", withTaint(failing, unreachable));
    expect(look()).toContain("node-1");
    await scene.sync("node-1");
    expect(keysWritten()).toEqual([
      ["not-ready:NoSchedule", "unreachable:NoExecute", "not-ready:NoExecute"],
      // The second write is based on the server's node, which does not have the other taints.
      ["not-ready:NoSchedule"],
    ]);
    expect(sentences()).toEqual([
      "its condition Ready has become False → taint node.kubernetes.io/not-ready:NoExecute in place of the other one",
    ]);
    put("node-1", withTaint(down, notReady));
    look();
    await scene.sync("node-1");
    expect(keysWritten()[0]).toEqual(["unreachable:NoSchedule", "not-ready:NoExecute", "unreachable:NoExecute"]);
  });

  test("are removed when the node is ready", async () => {
    put("node-1", { taints: [] });
    look();
    put("node-1", { taints: [unreachable, notReady] });
    expect(look()).toEqual(["node-1"]);
    await scene.sync("node-1");
    expect(keysWritten()).toEqual([["not-ready:NoExecute"], ["unreachable:NoExecute"]]);
    expect(sentences()).toEqual(["it is ready → remove its NoExecute taints not-ready and unreachable"]);
  });

  test("are added in each zone at a separate rate", () => {
    const zone = (name: string): object => ({ labels: { "topology.kubernetes.io/zone": name } });
    put("up", { meta: zone("a") });
    put("node-1", { ...down, meta: zone("a") });
    put("node-2", { ...down, meta: zone("b") });
    expect(look()).toEqual(["node-1", "node-2"]);
  });

  test("are not added in a small zone that is mostly not ready, and slowly in a large one", () => {
    const disrupted = (largeZoneSize: number): void => {
      scene = syncScene(defineNodeLifecycle({ largeZoneSize }));
      put("up");
      for (const name of ["node-1", "node-2", "node-3"]) put(name, down);
      look();
    };
    disrupted(4);
    expect(scene.woken).toEqual([]);
    scene.now += 200 * second;
    put("up");
    expect(look()).toEqual([]);
    disrupted(3);
    expect(scene.woken).toEqual(["node-1"]);
  });

  test("are added in a zone at the normal rate again when most of it is ready", async () => {
    for (const name of ["up-1", "up-2"]) put(name);
    for (const name of ["node-1", "node-2", "node-3"]) put(name, down);
    expect(look()).toEqual([]);
    put("node-3");
    scene.now += 5 * second;
    look();
    expect(scene.wokenLater).toEqual([{ key: "node-1", ms: 10 * second }]);
  });

  describe("while no node of the cluster is ready", () => {
    test("are removed, and not added", async () => {
      put("up");
      put("node-1", down);
      look();
      put("node-1", withTaint(down, unreachable));
      put("up", down);
      expect(look()).toEqual(["node-1"]);
      await scene.sync("node-1");
      expect(keysWritten()).toEqual([["unreachable:NoSchedule"]]);
      expect(sentences()).toEqual([
        "no node of the cluster is ready, so that the fault may be here → remove its NoExecute taints not-ready and unreachable",
      ]);
      put("node-1", down);
      scene.now += 200 * second;
      expect(look()).toEqual([]);
      expect(scene.wokenLater).toEqual([]);
      // A taint added by another writer in the meantime is left alone.
      put("node-1", withTaint(down, unreachable));
      expect(look()).toEqual([]);
    });

    test("time stops: a node's time starts when another one reports again", () => {
      put("node-1");
      put("node-2", down);
      const reportedAt = scene.now;
      look();
      put("node-1", down);
      look();
      scene.now += 45 * second;
      put("node-3", { reportedAt: scene.now });
      look();
      scene.now += 40 * second;
      put("node-3", { reportedAt: scene.now });
      put("node-1", { reportedAt });
      expect(look()).not.toContain("node-1");
      scene.now += 11 * second;
      put("node-3", { reportedAt: scene.now });
      expect(look()).toContain("node-1");
    });

    test("are removed even if the next check comes before the sync, unless one is ready by then", async () => {
      put("node-1", withTaint(down, unreachable));
      put("up");
      look();
      await scene.sync("node-1");
      put("up", down);
      look();
      look();
      await scene.sync("node-1");
      expect(sentences()).toEqual([
        "no node of the cluster is ready, so that the fault may be here → remove its NoExecute taints not-ready and unreachable",
      ]);
      scene.now += 100 * second;
      put("up");
      look();
      put("up", down);
      look();
      put("up");
      look();
      await scene.sync("node-1");
      expect(sentences()).toEqual([]);
    });

    test("are added again after a turn, when one is ready", () => {
      put("node-1", down);
      put("node-2", down);
      look();
      scene.now += 100 * second;
      put("node-1");
      look();
      expect(scene.woken).toEqual([]);
      expect(scene.wokenLater).toEqual([{ key: "node-2", ms: 10 * second }]);
    });

    test("and others are excluded from the zone, the excluded ones do not count", () => {
      const labels = { "node.kubernetes.io/exclude-disruption": "" };
      put("node-1", down);
      put("node-2", { meta: { labels } });
      look();
      expect(scene.woken).toEqual([]);
      expect(scene.wokenLater).toEqual([]);
    });
  });
});

test("the definition has upstream's names, intervals and permissions", () => {
  expect(nodeLifecycle).toMatchObject({
    name: "node-lifecycle",
    aliases: ["node-lifecycle-controller", "nodelifecycle"],
    component: "node-controller",
    workers: 8,
    scans: [{ everyMs: 5 * second }],
    permissions: [
      { group: "", resource: "nodes", verbs: ["get", "patch"] },
      { group: "", resource: "nodes/status", verbs: ["update"] },
      { group: "", resource: "pods/status", verbs: ["update"] },
    ],
  });
  expect(nodeLifecycle.isLeftUndone?.(storedNode("n", { meta: { labels: { "kubernetes.io/os": "linux" } } }))).toBe(
    true,
  );
  expect(nodeLifecycle.isLeftUndone?.(storedNode("n"))).toBe(false);
});
