import { beforeEach, describe, expect, test } from "bun:test";
import { Nodes, Pods } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Node, Pod, Taint, Toleration } from "../../../src/api/types.ts";
import { taintEviction } from "../../../src/controllers/taint-eviction/taint-eviction.ts";
import { rejection } from "../../support/rejection.ts";
import { storedNode, storedPod } from "../../support/stored-nodes.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";

const second = 1000;
const key = "shop/web";
const noExecute = (name: string, value?: string): Taint => ({
  key: name,
  ...(value !== undefined && { value }),
  effect: "NoExecute",
});
const full = noExecute("full");
const forSeconds = (name: string, tolerationSeconds: number): Toleration => ({
  key: name,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds,
});

let scene: Scene;
beforeEach(() => {
  scene = syncScene(taintEviction);
});

const calls = (): readonly string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const eventTexts = (): readonly string[] => scene.events.map(({ reason, message }) => `${reason}: ${message}`);
const sentences = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);
const deleted = ["get Pod web", "patch Pod web", "delete Pod web"];
const marked = ["TaintManagerEviction: Marking for deletion Pod shop/web"];
const unmarked = ["TaintManagerEviction: Cancelling deletion of Pod shop/web"];

function put({ taints = [full], tolerations = [] }: { taints?: Taint[]; tolerations?: Toleration[] } = {}): void {
  scene.put(Nodes, storedNode("node-1", { taints }));
  scene.put(Pods, storedPod("web", { tolerations }));
}

describe("a pod that does not tolerate a taint of its node", () => {
  test("is deleted at once, after its status has the reason", async () => {
    put();
    await scene.sync(key);
    expect(calls()).toEqual(deleted);
    expect(eventTexts()).toEqual(marked);
    expect(sentences()).toEqual(["it does not tolerate the taint full:NoExecute of node-1 → delete it"]);
    expect(scene.calls[1]?.body).toEqual({
      metadata: { uid: "uid-web" },
      status: {
        conditions: [
          {
            type: "DisruptionTarget",
            status: "True",
            reason: "DeletionByTaintManager",
            message: "Taint manager: deleting due to NoExecute taint",
            observedGeneration: 2,
            lastTransitionTime: formatTime(sceneStart),
          },
        ],
      },
    });
  });

  test("is deleted although it tolerates others of them", async () => {
    put({ taints: [noExecute("busy"), noExecute("team", "a")], tolerations: [forSeconds("busy", 60)] });
    await scene.sync(key);
    expect(calls()).toEqual(deleted);
    expect(sentences()).toEqual(["it does not tolerate the taint team=a:NoExecute of node-1 → delete it"]);
  });

  test("is deleted once, whatever enqueues its key again", async () => {
    put();
    await scene.sync(key);
    scene.put(Pods, storedPod("web", { meta: { deletionTimestamp: formatTime(sceneStart) } }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });

  test("is not announced again if its status already has the reason", async () => {
    put();
    const announced = {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
    };
    scene.put(Pods, storedPod("web", { conditions: [announced] }));
    await scene.sync(key);
    expect(calls()).toEqual(["get Pod web", "delete Pod web"]);
    for (const other of [{ reason: "Other" }, { message: "other" }, { status: "False" }]) {
      scene = syncScene(taintEviction);
      put();
      scene.put(Pods, storedPod("web", { conditions: [{ ...announced, ...other }] }));
      await scene.sync(key);
      expect(calls()).toEqual(deleted);
    }
  });

  test("is retried five times, 10 ms apart, and then left alone", async () => {
    put();
    scene.refuse = ({ verb }) => (verb === "delete" ? refusal(500, "InternalError", "no") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 500 });
    expect(calls().filter((call) => call === "delete Pod web")).toHaveLength(5);
    expect(scene.now).toBe(sceneStart + 40);
    expect(eventTexts()).toEqual(marked);
    scene.refuse = () => undefined;
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });

  test("is left alone when it is gone, or another one has its name", async () => {
    put();
    scene.refuse = ({ verb }) => (verb === "get" ? refusal(404, "NotFound", "gone") : undefined);
    await scene.sync(key);
    expect(calls()).toEqual(["get Pod web"]);
    scene = syncScene(taintEviction);
    put();
    scene.putLive(Pods, storedPod("web", { meta: { uid: "another" } }));
    await scene.sync(key);
    expect(calls()).toEqual(["get Pod web"]);
  });
});

describe("a pod stays", () => {
  const rows: readonly { readonly says: string; readonly taints: Taint[]; readonly tolerations?: Toleration[] }[] = [
    { says: "on a node without taints", taints: [] },
    { says: "with taints of other effects", taints: [{ key: "full", effect: "NoSchedule" }] },
    { says: "that it tolerates forever", taints: [full], tolerations: [{ key: "full", operator: "Exists" }] },
    { says: "with a toleration of everything", taints: [full, noExecute("x")], tolerations: [{ operator: "Exists" }] },
  ];
  for (const { says, taints, tolerations = [] } of rows) {
    test(says, async () => {
      put({ taints, tolerations });
      await scene.sync(key);
      expect(calls()).toEqual([]);
      expect(scene.requeues).toEqual([]);
      expect(eventTexts()).toEqual([]);
    });
  }

  test("without a node, and on one that the cache does not have", async () => {
    scene.put(Pods, storedPod("web", { node: "" }), storedPod("other"));
    await scene.sync(key);
    await scene.sync("shop/other");
    expect(calls()).toEqual([]);
  });
});

describe("a pod that tolerates the taints for a time", () => {
  const tolerations = [forSeconds("full", 60), forSeconds("busy", 20)];

  test("is deleted after it, and not before", async () => {
    put({ tolerations });
    await scene.sync(key);
    expect(scene.requeues).toEqual([{ ms: 60 * second, why: "its tolerations end" }]);
    expect(sentences()).toEqual(["it tolerates the taints of node-1 for 60 s → delete it then"]);
    scene.now += 59 * second;
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(scene.requeues).toMatchObject([{ ms: second }]);
    scene.now += second;
    await scene.sync(key);
    expect(calls()).toEqual(deleted);
    expect(eventTexts()).toEqual(marked);
    expect(sentences()).toEqual(["it has tolerated the taints of node-1 for 60 s → delete it"]);
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });

  test("is deleted after the shortest of several", async () => {
    put({ taints: [full, noExecute("busy")], tolerations });
    await scene.sync(key);
    expect(scene.requeues).toMatchObject([{ ms: 20 * second }]);
  });

  test("is judged by the first toleration that matches", async () => {
    put({ tolerations: [forSeconds("full", 60), forSeconds("full", 5)] });
    await scene.sync(key);
    expect(scene.requeues).toMatchObject([{ ms: 60 * second }]);
  });

  test("of 0 s or less is deleted at once", async () => {
    put({ tolerations: [forSeconds("full", -1)] });
    await scene.sync(key);
    expect(calls()).toEqual(deleted);
    expect(sentences()).toContain("it tolerates the taints of node-1 for 0 s → delete it then");
  });

  test("keeps its time when tolerations or taints change, as upstream", async () => {
    put({ tolerations });
    await scene.sync(key);
    scene.now += 10 * second;
    scene.put(Nodes, storedNode("node-1", { taints: [full, noExecute("busy")] }));
    await scene.sync(key);
    expect(scene.requeues).toMatchObject([{ ms: 50 * second }]);
    expect(eventTexts()).toEqual([]);
  });

  test("stays if the taint is removed in time, with one Event", async () => {
    put({ tolerations });
    await scene.sync(key);
    scene.put(Nodes, storedNode("node-1"));
    await scene.sync(key);
    expect(eventTexts()).toEqual(unmarked);
    expect(sentences()).toEqual(["its node has no NoExecute taint any more → do not delete it later"]);
    scene.now += 60 * second;
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(eventTexts()).toEqual([]);
  });

  test("stays if it now tolerates the taint forever", async () => {
    put({ tolerations });
    await scene.sync(key);
    scene.put(Pods, storedPod("web", { tolerations: [{ key: "full", operator: "Exists" }] }));
    await scene.sync(key);
    expect(eventTexts()).toEqual(unmarked);
    scene.now += 60 * second;
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });

  test("is deleted at once when a taint is added that it does not tolerate", async () => {
    put({ tolerations });
    await scene.sync(key);
    scene.put(Nodes, storedNode("node-1", { taints: [full, noExecute("worse")] }));
    await scene.sync(key);
    expect(calls()).toEqual(deleted);
    expect(eventTexts()).toEqual([...unmarked, ...marked]);
  });

  test("is cancelled when the pod is gone, and a pod of its name has a separate time", async () => {
    put({ tolerations });
    await scene.sync(key);
    scene.now += 50 * second;
    scene.put(Pods, storedPod("web", { tolerations, meta: { uid: "another" } }));
    await scene.sync(key);
    expect(eventTexts()).toEqual(unmarked);
    expect(scene.requeues).toMatchObject([{ ms: 60 * second }]);
  });

  test("is judged again when a node of the same name was added, and stays if that one has no taints", async () => {
    put({ tolerations });
    await scene.sync(key);
    const next = storedNode("node-1", { meta: { uid: "next" } });
    scene.put(Nodes, next);
    scene.notify(Nodes, { type: "added", object: next, initial: false });
    expect(scene.woken).toEqual([key]);
    await scene.sync(key);
    expect(eventTexts()).toEqual(unmarked);
    put();
    await scene.sync(key);
    scene.put(Nodes, storedNode("node-1", { taints: [full], meta: { uid: "next" } }));
    scene.put(Pods, storedPod("web", { tolerations: [] }));
    await scene.sync(key);
    expect(calls()).toEqual(deleted);
  });

  test("is deleted in time although its node is gone", async () => {
    put({ tolerations });
    await scene.sync(key);
    scene.deleteLive(Nodes, "node-1");
    scene.deliver();
    scene.now += 60 * second;
    await scene.sync(key);
    expect(calls()).toEqual(deleted);
  });
});

describe("a pod is judged again", () => {
  const pod = storedPod("web");
  const node = storedNode("node-1", { taints: [full] });
  const updatedPod = (after: Pod): void => scene.notify(Pods, { type: "updated", before: pod, object: after });
  const updatedNode = (after: Node): void => scene.notify(Nodes, { type: "updated", before: node, object: after });
  beforeEach(() => scene.put(Pods, pod, storedPod("elsewhere", { node: "node-2" })));

  test("when it is added or deleted, gets its node, or has other tolerations", () => {
    scene.notify(Pods, { type: "added", object: pod, initial: false });
    scene.notify(Pods, { type: "deleted", object: pod, tombstone: false });
    scene.notify(Pods, { type: "updated", before: storedPod("web", { node: "" }), object: pod });
    updatedPod(storedPod("web", { tolerations: [{ operator: "Exists" }] }));
    updatedPod(storedPod("web", { meta: { uid: "another" } }));
    expect(scene.woken).toEqual([key, key, key, key, key]);
  });

  test("not when it changes otherwise, nor before it has a node", () => {
    updatedPod(storedPod("web", { phase: "Failed" }));
    scene.notify(Pods, { type: "added", object: storedPod("web", { node: "" }), initial: false });
    expect(scene.woken).toEqual([]);
  });

  test("when its node is added with NoExecute taints, or gets or loses one", async () => {
    scene.notify(Nodes, { type: "added", object: node, initial: false });
    updatedNode(storedNode("node-1", { taints: [full, noExecute("busy")] }));
    expect(scene.woken).toEqual([key, key]);
    scene.put(Nodes, node);
    scene.put(Pods, storedPod("web", { tolerations: [forSeconds("full", 60)] }));
    await scene.sync(key);
    updatedNode(storedNode("node-1"));
    expect(scene.woken).toEqual([key, key, key]);
  });

  test("not when the node has other labels or taints of other effects, nor when it is deleted", () => {
    updatedNode(storedNode("node-1", { taints: [full, { key: "x", effect: "NoSchedule" }], ready: "False" }));
    scene.notify(Nodes, { type: "added", object: storedNode("node-1"), initial: false });
    scene.notify(Nodes, { type: "deleted", object: node, tombstone: false });
    expect(scene.woken).toEqual([]);
  });
});

test("the definition has upstream's names and permissions", () => {
  expect(taintEviction).toMatchObject({
    name: "taint-eviction",
    aliases: ["taint-eviction-controller"],
    component: "taint-eviction-controller",
    workers: 8,
    retry: { maxRetries: 0 },
    permissions: [
      { group: "", resource: "pods", verbs: ["get", "delete"] },
      { group: "", resource: "pods/status", verbs: ["patch"] },
    ],
  });
});
