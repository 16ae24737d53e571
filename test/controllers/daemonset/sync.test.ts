import { beforeEach, describe, expect, test } from "bun:test";
import { ControllerRevisions, DaemonSets, Nodes, Pods } from "../../../src/api/kinds.ts";
import type { DaemonSet, Node, Pod } from "../../../src/api/types.ts";
import { CacheBehindError } from "../../../src/controller/api/consistency.ts";
import { daemonset } from "../../../src/controllers/daemonset/daemonset.ts";
import { targetNodeOf } from "../../../src/controllers/daemonset/new-pod.ts";
import { rejection } from "../../support/rejection.ts";
import { type Call, refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { podOf } from "../../support/workloads.ts";
import {
  daemonSetOf,
  going,
  gpu,
  hashOf,
  nodeOf,
  nodesOf,
  pendingPod,
  podOn,
  revisionFor,
  surging,
} from "./objects.ts";

const key = "shop/agent";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(daemonset);
});

/** Caches the set with its revision, nodes and pods. */
function has(set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[] = []): DaemonSet {
  scene.put(DaemonSets, set);
  scene.put(ControllerRevisions, revisionFor(set));
  scene.put(Nodes, ...nodes);
  scene.put(Pods, ...pods);
  return set;
}

const sent = (): string[] => scene.calls.map(({ verb, name }) => `${verb} ${name}`);
const sentOf = (verb: Call["verb"]): string[] =>
  scene.calls.filter((call) => call.verb === verb).map(({ name }) => name);
const rulesUsed = (): string[] => scene.decisions.map(({ rule }) => rule);
const sentences = (): string[] => scene.decisions.map(({ sentence }) => sentence);
const eventTexts = (): string[] => scene.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
const written = (): DaemonSet["status"] =>
  (scene.calls.findLast(({ verb }) => verb === "updateStatus")?.body as DaemonSet | undefined)?.status;
const createdFor = (): (string | undefined)[] =>
  scene.calls
    .filter(({ verb, kind }) => verb === "create" && kind === "Pod")
    .map(({ body }) => targetNodeOf(body as Pod));

/** The status of a set whose pods match its template and are available on this number of nodes. */
function complete(nodes: number): object {
  return {
    currentNumberScheduled: nodes,
    desiredNumberScheduled: nodes,
    numberReady: nodes,
    observedGeneration: 1,
    updatedNumberScheduled: nodes,
    numberAvailable: nodes,
  };
}

describe("a sync", () => {
  test("of a set without changes writes nothing", async () => {
    const set = daemonSetOf({ status: complete(2) });
    has(set, [...nodesOf(2), nodeOf("node-3", { taints: [gpu] })], [podOn(set, "node-1"), podOn(set, "node-2")]);
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(sentences()).toEqual([
      "2 nodes have their pods, 1 node is left out (node-3: a taint that the template does not tolerate, dedicated=gpu:NoSchedule) → nothing to do",
    ]);
  });

  test("of a new set creates a revision, a pod for each node, and then writes the status", async () => {
    const set = daemonSetOf();
    scene.put(DaemonSets, set);
    scene.put(Nodes, ...nodesOf(3));
    await scene.sync(key);
    expect(sent()).toEqual([
      `create agent-${hashOf(set)}`,
      "create agent-1",
      "create agent-2",
      "create agent-3",
      "updateStatus agent",
    ]);
    expect(scene.calls.map(({ because }) => because?.rule)).toEqual([
      "new-revision",
      "create-pods",
      "create-pods",
      "create-pods",
      "status",
    ]);
    expect(createdFor()).toEqual(["node-1", "node-2", "node-3"]);
    expect(written()).toEqual({
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 3,
      numberReady: 0,
      observedGeneration: 1,
      numberUnavailable: 3,
    });
    expect(eventTexts()).toEqual([1, 2, 3].map((n) => `Normal SuccessfulCreate: Created pod: agent-${n}`));
  });

  test("without nodes creates no pod", async () => {
    has(daemonSetOf({ status: complete(0) }), []);
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(sentences()).toEqual(["no node should run one → nothing to do"]);
  });

  test("of a deleted set forgets its expectations", async () => {
    scene.expectations.expect(key, { creations: 1, deletions: ["shop/a"] });
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(scene.expectations.of(key)).toBeUndefined();
  });

  test("of a set that is being deleted does nothing", async () => {
    has(daemonSetOf({ meta: going }), nodesOf(1));
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(rulesUsed()).toEqual(["being-deleted"]);
  });

  test("of a set that selects all pods records an Event, and does nothing else", async () => {
    has(daemonSetOf({ spec: { selector: {} } }), nodesOf(1));
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(eventTexts()).toEqual([
      "Warning SelectingAll: This daemon set is selecting all pods. A non-empty selector is required.",
    ]);
  });

  test("creates and deletes in one go, each by its own decision", async () => {
    const set = daemonSetOf({ status: complete(2) });
    const gone = nodeOf("node-1", { taints: [{ key: "full", effect: "NoExecute" }] });
    has(set, [gone, nodeOf("node-2")], [podOn(set, "node-1")]);
    await scene.sync(key);
    expect(scene.calls.slice(0, 2).map(({ verb, because }) => `${verb}: ${because?.sentence}`)).toEqual([
      "create: 1 of 1 node that should run one has none → create 1, for node-2; 1 node is left out (node-1: a taint that the template does not tolerate, full:NoExecute)",
      "delete: node-1 should not run one: a taint that the template does not tolerate, full:NoExecute → delete agent-on-node-1",
    ]);
    expect(scene.expectations.of(key)).toMatchObject({ creations: 1, deletions: new Set(["shop/agent-on-node-1"]) });
    expect(scene.expectations.satisfied(key)).toBe(false);
  });
});

describe("creating pods", () => {
  const refusePods = ({ verb, kind }: Call): Error | undefined =>
    verb === "create" && kind === "Pod" ? refusal(403, "Forbidden", "exceeded quota") : undefined;

  test("ends with the first batch that fails, still writes the status, and expects none of them", async () => {
    has(daemonSetOf(), nodesOf(20));
    scene.refuse = refusePods;
    const error = await rejection(scene.sync(key));
    expect(error.message).toBe("exceeded quota");
    expect(sent()).toEqual(["create agent-1", "updateStatus agent"]);
    expect(written()).toMatchObject({ desiredNumberScheduled: 20, observedGeneration: 1 });
    expect(eventTexts()).toEqual(["Warning FailedCreate: Error creating: exceeded quota"]);
    expect(scene.expectations.satisfied(key)).toBe(true);
  });

  test("that fails later expects those that were created", async () => {
    has(daemonSetOf(), nodesOf(20));
    scene.refuse = (call) => (sentOf("create").length > 3 ? refusePods(call) : undefined);
    await rejection(scene.sync(key));
    expect(sentOf("create").length).toBe(7);
    expect(scene.expectations.of(key)?.creations).toBe(3);
  });

  test("that fails still deletes the surplus", async () => {
    const set = has(daemonSetOf(), [...nodesOf(1), nodeOf("full", { taints: [{ key: "f", effect: "NoExecute" }] })]);
    scene.put(Pods, podOn(set, "full"));
    scene.refuse = refusePods;
    await rejection(scene.sync(key));
    expect(sentOf("delete")).toEqual(["agent-on-full"]);
  });

  test("is limited to 250", async () => {
    has(daemonSetOf(), nodesOf(300));
    await scene.sync(key);
    expect(createdFor().length).toBe(250);
    expect(scene.decisions[0]?.facts).toMatchObject({ missing: 300, count: 250, desired: 300 });
    expect(scene.expectations.of(key)?.creations).toBe(250);
  });

  test("in a namespace that is being deleted is not a failure, and records no Event", async () => {
    has(daemonSetOf(), nodesOf(2));
    scene.refuse = ({ verb, kind }) =>
      verb === "create" && kind === "Pod"
        ? refusal(403, "Forbidden", "being terminated", "NamespaceTerminating")
        : undefined;
    await scene.sync(key);
    expect(eventTexts()).toEqual([]);
    expect(scene.expectations.satisfied(key)).toBe(false);
  });
});

describe("deleting pods", () => {
  const three = (set: DaemonSet): Pod[] => ["a", "b", "c"].map((name) => podOn(set, "node-1", { name }));

  test("that are already gone is not a failure", async () => {
    const set = daemonSetOf({ status: complete(1) });
    has(set, nodesOf(1), three(set));
    scene.deleteLive(Pods, "shop/b");
    await scene.sync(key);
    expect(sentOf("delete")).toEqual(["b", "c"]);
    expect([...(scene.expectations.of(key)?.deletions ?? [])]).toEqual(["shop/c"]);
  });

  test("that cannot be deleted fails the sync, and their deletions are not expected", async () => {
    const set = daemonSetOf({ status: complete(1) });
    has(set, nodesOf(1), three(set));
    scene.refuse = ({ name }) => (name === "b" ? refusal(500, "InternalError", "no") : undefined);
    const error = await rejection(scene.sync(key));
    expect(error.message).toBe("unable to delete pods: no");
    expect(sentOf("delete")).toEqual(["b", "c"]);
    expect([...(scene.expectations.of(key)?.deletions ?? [])]).toEqual(["shop/c"]);
  });

  test("is limited to 250", async () => {
    const set = daemonSetOf({ status: complete(1) });
    has(
      set,
      nodesOf(1),
      Array.from({ length: 300 }, (_, n) => podOn(set, "node-1", { name: `p${n}` })),
    );
    await scene.sync(key);
    expect(sentOf("delete").length).toBe(250);
  });
});

describe("with unobserved creations or deletions", () => {
  test("only the status is written, without the observed generation", async () => {
    const set = daemonSetOf({ meta: { generation: 2 }, status: complete(1) });
    has(set, nodesOf(2), [podOn(set, "node-1")]);
    scene.expectations.expect(key, { creations: 1, deletions: ["shop/x"] });
    await scene.sync(key);
    expect(sent()).toEqual(["updateStatus agent"]);
    expect(written()).toMatchObject({ observedGeneration: 1, desiredNumberScheduled: 2 });
    expect(sentences()[0]).toBe("1 created and 1 deleted not observed yet → wait");
  });

  test("it continues once all are observed", async () => {
    has(daemonSetOf(), nodesOf(2));
    scene.expectations.expect(key, { creations: 1, deletions: ["shop/x"] });
    scene.expectations.creationObserved(key);
    await scene.sync(key);
    expect(createdFor()).toEqual([]);
    scene.deliver();
    scene.expectations.deletionObserved(key, "shop/x");
    await scene.sync(key);
    expect(createdFor()).toEqual(["node-1", "node-2"]);
  });

  test("a rollout does not start in the sync that creates pods", async () => {
    const set = daemonSetOf({ rolling: { maxUnavailable: 3, maxSurge: 0 } });
    has(set, nodesOf(2), [podOn(set, "node-1", { hash: "old" })]);
    await scene.sync(key);
    expect(sentOf("delete")).toEqual([]);
    scene.deliver();
    await scene.sync(key);
    expect(sentOf("delete")).toEqual(["agent-on-node-1"]);
  });
});

describe("finished pods", () => {
  const failed = (set: DaemonSet, name = "a"): Pod => podOn(set, "node-1", { name, phase: "Failed", ready: false });

  test("are deleted, and an Event is recorded for each", async () => {
    const set = daemonSetOf();
    const succeeded = podOn(set, "node-2", { name: "b", phase: "Succeeded", ready: false });
    has(set, nodesOf(2), [failed(set), succeeded]);
    await scene.sync(key);
    expect(sentOf("delete")).toEqual(["a", "b"]);
    expect(eventTexts()).toEqual([
      "Warning FailedDaemonPod: Found failed daemon pod shop/a on node node-1, will try to kill it",
      "Normal SucceededDaemonPod: Found succeeded daemon pod shop/b on node node-2, will try to delete it",
      "Normal SuccessfulDelete: Deleted pod: a",
      "Normal SuccessfulDelete: Deleted pod: b",
    ]);
    expect(rulesUsed().slice(0, 2)).toEqual(["delete-failed", "delete-succeeded"]);
  });

  test("that failed are kept for 1 s, then 2 s, and so on, on each node", async () => {
    const set = daemonSetOf({ status: { observedGeneration: 1 } });
    has(set, nodesOf(1), [failed(set)]);
    const syncAfter = async (ms: number): Promise<boolean> => {
      scene.now += ms;
      scene.expectations.forget(key);
      scene.consistency.forget(key);
      scene.put(Pods, failed(set));
      await scene.sync(key);
      return sentOf("delete").length === 1;
    };
    expect(await syncAfter(0)).toBe(true);
    expect(await syncAfter(999)).toBe(false);
    expect(scene.requeues.map(({ ms }) => ms)).toEqual([1000]);
    expect(sentences()[0]).toBe("a has failed again too soon → keep, requeue in 1 s");
    expect(eventTexts()).toEqual([]);
    expect(await syncAfter(1)).toBe(true);
    expect(await syncAfter(1999)).toBe(false);
    expect(scene.requeues.map(({ ms }) => ms)).toEqual([2000]);
    expect(await syncAfter(1)).toBe(true);
  });

  test("two on one node: the second waits, and its node gets no new pod", async () => {
    const set = daemonSetOf({ status: { observedGeneration: 1 } });
    has(set, nodesOf(1), [failed(set, "a"), failed(set, "b")]);
    await scene.sync(key);
    expect(sentOf("delete")).toEqual(["a"]);
    expect(createdFor()).toEqual([]);
    expect(scene.requeues.length).toBe(1);
  });
});

describe("a rollout", () => {
  const old = { hash: "old" } as const;

  test("deletes maxUnavailable old pods, by one decision", async () => {
    const set = daemonSetOf();
    has(set, nodesOf(2), [podOn(set, "node-1", old), podOn(set, "node-2", old)]);
    await scene.sync(key);
    expect(sentOf("delete")).toEqual(["agent-on-node-1"]);
    expect(sentences().slice(0, 2)).toEqual([
      "2 nodes have their pods → nothing to do",
      "2 pods are of an earlier template, 0 of at most 1 unavailable → delete agent-on-node-1, to be replaced",
    ]);
  });

  test("waits while too many are unavailable", async () => {
    const set = daemonSetOf();
    has(set, nodesOf(2), [podOn(set, "node-1", { ready: false }), podOn(set, "node-2", old)]);
    await scene.sync(key);
    expect(sentOf("delete")).toEqual([]);
    expect(sentences()[1]).toBe("1 pod is of an earlier template, 1 of at most 1 unavailable → wait");
  });

  test("with a surge creates second pods, and deletes old ones whose new one is available", async () => {
    const set = daemonSetOf({ rolling: surging });
    has(set, nodesOf(2), [podOn(set, "node-1", old), podOn(set, "node-2", old)]);
    await scene.sync(key);
    expect(createdFor()).toEqual(["node-1"]);
    expect(sentences()[1]).toBe(
      "2 pods are of an earlier template, 0 of at most 1 nodes wait for a new one → create 1, for node-1",
    );
    scene.deliver();
    await scene.sync(key);
    expect([createdFor(), sentOf("delete")]).toEqual([[], []]);
    expect(sentences()[1]).toBe("2 pods are of an earlier template, 1 of at most 1 nodes wait for a new one → wait");
  });

  test("with OnDelete leaves old pods alone, and says so", async () => {
    const set = daemonSetOf({ spec: { updateStrategy: { type: "OnDelete" } } });
    has(set, nodesOf(1), [podOn(set, "node-1", old)]);
    await scene.sync(key);
    expect(sentOf("delete")).toEqual([]);
    expect(sentences()[1]).toBe(
      "1 pod is of an earlier template; with OnDelete they stay until they are deleted → nothing to do",
    );
  });

  test("with invalid bounds fails, and the status is still written", async () => {
    const set = daemonSetOf({ rolling: { maxUnavailable: "many", maxSurge: 0 } });
    has(set, nodesOf(1), [podOn(set, "node-1", old)]);
    const error = await rejection(scene.sync(key));
    expect(error.message).toContain("many");
    expect(written()).toMatchObject({ desiredNumberScheduled: 1 });
  });
});

describe("pods without an owner", () => {
  const orphan = (name: string, parts: object = {}): Pod =>
    podOf(name, { owner: "none", labels: { app: "agent" }, node: "node-1", ready: true, ...parts });

  test("are adopted once, though a sync looks at its pods several times, and replaced by a rollout", async () => {
    has(daemonSetOf(), nodesOf(1), [orphan("a")]);
    await scene.sync(key);
    expect(sent()).toEqual(["get agent", "patch a", "delete a", "updateStatus agent"]);
    expect(written()).toMatchObject({ currentNumberScheduled: 1 });
  });

  test("are not adopted when the set is being deleted on the server", async () => {
    has(daemonSetOf(), nodesOf(1), [orphan("a")]);
    scene.putLive(DaemonSets, daemonSetOf({ meta: going }));
    const error = await rejection(scene.sync(key));
    expect(error.message).toMatch(/being deleted/);
    expect(sentOf("patch")).toEqual([]);
  });

  test("are released if they are no longer selected, and do not count", async () => {
    const set = daemonSetOf();
    has(set, nodesOf(1), [podOn(set, "node-1", { labels: { app: "other" } })]);
    await scene.sync(key);
    expect(sentOf("patch")).toEqual(["agent-on-node-1"]);
    expect(createdFor()).toEqual(["node-1"]);
  });
});

describe("writing the status", () => {
  const changed = (): DaemonSet => has(daemonSetOf(), nodesOf(1), [podOn(daemonSetOf(), "node-1")]);

  test("is tried once more on the live set, after any error", async () => {
    changed();
    let failures = 0;
    scene.refuse = ({ verb }) =>
      verb === "updateStatus" && failures++ === 0 ? refusal(500, "InternalError", "no") : undefined;
    scene.putLive(
      DaemonSets,
      daemonSetOf({ meta: { generation: 5, resourceVersion: "77" }, status: { collisionCount: 3 } }),
    );
    await scene.sync(key);
    expect(sent()).toEqual(["updateStatus agent", "get agent", "updateStatus agent"]);
    // The generation is that of the synced object; fields that the sync does not compute are those on the server.
    expect(written()).toMatchObject({ observedGeneration: 1, collisionCount: 3, numberReady: 1 });
  });

  test("fails with the second refusal", async () => {
    changed();
    scene.refuse = ({ verb }) => (verb === "updateStatus" ? refusal(500, "InternalError", "no") : undefined);
    expect((await rejection(scene.sync(key))).message).toBe("no");
    expect(sentOf("updateStatus").length).toBe(2);
  });

  test("fails with the refusal of the read in between", async () => {
    changed();
    scene.refuse = ({ verb, kind }) =>
      verb === "updateStatus" || (verb === "get" && kind === "DaemonSet")
        ? refusal(500, "InternalError", `no ${verb}`)
        : undefined;
    expect((await rejection(scene.sync(key))).message).toBe("no get");
  });

  test("does not replace an earlier failure, which is thrown", async () => {
    has(daemonSetOf(), nodesOf(1));
    scene.refuse = ({ verb, kind }) =>
      verb === "updateStatus" || kind === "Pod" ? refusal(500, "InternalError", `no ${kind}`) : undefined;
    expect((await rejection(scene.sync(key))).message).toBe("no Pod");
  });
});

describe("pods that are ready and not available yet", () => {
  test("requeue the key after minReadySeconds", async () => {
    const set = daemonSetOf({ spec: { minReadySeconds: 10 } });
    has(set, nodesOf(2), [podOn(set, "node-1", { readyForMs: 4000 }), podOn(set, "node-2")]);
    await scene.sync(key);
    expect(written()).toMatchObject({ numberReady: 2, numberAvailable: 1, numberUnavailable: 1 });
    expect(scene.requeues).toEqual([{ ms: 10_000, why: "1 of 2 ready pods are available → requeue in 10 s" }]);
  });

  test("do not requeue it without minReadySeconds", async () => {
    const set = has(daemonSetOf(), nodesOf(1));
    scene.put(Pods, podOn(set, "node-1"));
    await scene.sync(key);
    expect(scene.requeues).toEqual([]);
  });
});

describe("the consistency check", () => {
  test("delays the key until the cache has its pods and its status", async () => {
    has(daemonSetOf(), nodesOf(1));
    await scene.sync(key);
    expect(await rejection(scene.sync(key))).toBeInstanceOf(CacheBehindError);
    scene.deliver(1);
    expect(await rejection(scene.sync(key))).toBeInstanceOf(CacheBehindError);
    scene.deliver();
    await scene.sync(key);
  });

  test("waits for adoptions", async () => {
    const set = daemonSetOf({ status: complete(1) });
    const { ownerReferences: _, ...metadata } = podOn(set, "node-1").metadata;
    has(set, nodesOf(1), [{ ...podOn(set, "node-1"), metadata }]);
    await scene.sync(key);
    expect(sentOf("updateStatus")).toEqual([]);
    expect(await rejection(scene.sync(key))).toBeInstanceOf(CacheBehindError);
  });
});

describe("unbound pods", () => {
  test("count as scheduled, and not as ready", async () => {
    const set = daemonSetOf();
    has(set, nodesOf(1), [pendingPod(set, "node-1")]);
    await scene.sync(key);
    expect(createdFor()).toEqual([]);
    expect(written()).toMatchObject({ currentNumberScheduled: 1, updatedNumberScheduled: 1, numberReady: 0 });
  });

  test("that have finished and are being deleted do not count: their node gets another one", async () => {
    const set = daemonSetOf();
    has(set, nodesOf(1), [podOn(set, "node-1", { phase: "Failed", meta: going })]);
    await scene.sync(key);
    expect(createdFor()).toEqual(["node-1"]);
    expect(written()).toMatchObject({ currentNumberScheduled: 0 });
  });
});
