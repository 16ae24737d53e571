import { beforeEach, describe, expect, test } from "bun:test";
import { Nodes, Pods } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Pod } from "../../../src/api/types.ts";
import {
  definePodGarbageCollector,
  podGarbageCollector,
} from "../../../src/controllers/pod-garbage-collector/pod-garbage-collector.ts";
import { rejection } from "../../support/rejection.ts";
import { beingDeleted, storedNode, storedPod, type StoredPodParts } from "../../support/stored-nodes.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";

const second = 1000;
let scene: Scene;
beforeEach(() => {
  scene = syncScene(definePodGarbageCollector({ terminatedPodThreshold: 2 }));
});

/** The keys that a scan enqueues. */
function found(): readonly string[] {
  scene.woken.length = 0;
  scene.scan();
  return [...scene.woken];
}

/** The keys that a scan enqueues once the quarantine of missing nodes is over. */
function foundAfterQuarantine(): readonly string[] {
  scene.scan();
  scene.now += 40 * second;
  return found();
}

const calls = (): readonly string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const bodies = (): readonly unknown[] => scene.calls.filter(({ verb }) => verb === "patch").map(({ body }) => body);
const sentences = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);

function ended(name: string, agoSeconds: number, parts: StoredPodParts = {}): Pod {
  const creationTimestamp = formatTime(sceneStart - agoSeconds * second);
  return storedPod(name, { phase: "Succeeded", meta: { creationTimestamp }, ...parts });
}

describe("finished pods", () => {
  beforeEach(() => scene.put(Nodes, storedNode("node-1")));

  test("are kept up to the threshold", () => {
    scene.put(Pods, ended("a", 1), ended("b", 2), storedPod("c"));
    expect(found()).toEqual([]);
  });

  test("above the threshold are deleted, the oldest first", async () => {
    scene.put(Pods, ended("a", 1), ended("b", 9, { phase: "Failed" }), ended("c", 5), ended("d", 7));
    expect(found()).toEqual(["shop/b", "shop/d"]);
    await scene.sync("shop/b");
    expect(calls()).toEqual(["delete Pod b"]);
    expect(sentences()).toEqual(["Failed; 4 pods have ended, and 2 are kept → delete it"]);
  });

  test("are deleted before others if they were evicted, and by name if their ages are equal", () => {
    const evicted = { phase: "Failed", reason: "Evicted" } as const;
    scene.put(Pods, ended("a", 9), ended("z", 9), ended("b", 9), ended("c", 1, evicted), ended("d", 20));
    expect(found()).toEqual(["shop/c", "shop/d", "shop/a"]);
  });

  test("have any phase except Pending, Running and Unknown", () => {
    const phases = ["Pending", "Running", "Unknown", "Succeeded", "Failed"];
    scene = syncScene(definePodGarbageCollector({ terminatedPodThreshold: 1 }));
    scene.put(Nodes, storedNode("node-1"));
    scene.put(Pods, ...phases.map((phase, n) => ended(`pod-${n}`, 10 - n, { phase })));
    expect(found()).toEqual(["shop/pod-3"]);
  });

  test("are all kept with a threshold of 0", () => {
    scene = syncScene(definePodGarbageCollector({ terminatedPodThreshold: 0 }));
    scene.put(Nodes, storedNode("node-1"));
    scene.put(Pods, ended("a", 1));
    expect(found()).toEqual([]);
  });
});

describe("pods of a deleted node", () => {
  test("are found when it has been missing for 40 s, and not before", () => {
    scene.put(Pods, storedPod("web"));
    expect(found()).toEqual([]);
    scene.now += 39 * second;
    expect(found()).toEqual([]);
    scene.now += second;
    expect(found()).toEqual(["shop/web"]);
  });

  test("are failed with a condition that has the reason, then deleted at once", async () => {
    scene.put(Pods, storedPod("web"));
    foundAfterQuarantine();
    await scene.sync("shop/web");
    expect(calls()).toEqual(["get Node node-1", "patch Pod web", "delete Pod web"]);
    const lastTransitionTime = formatTime(sceneStart + 40 * second);
    expect(bodies()).toEqual([
      {
        metadata: { uid: "uid-web" },
        status: {
          phase: "Failed",
          observedGeneration: 2,
          conditions: [
            {
              type: "DisruptionTarget",
              status: "True",
              reason: "DeletionByPodGC",
              message: "PodGC: node no longer exists",
              observedGeneration: 2,
              lastTransitionTime,
            },
          ],
        },
      },
    ]);
    expect(sentences()).toEqual(["its node node-1 does not exist → fail it, delete it at once"]);
  });

  test("that have finished are deleted unchanged", async () => {
    scene.put(Pods, storedPod("web", { phase: "Succeeded" }));
    foundAfterQuarantine();
    await scene.sync("shop/web");
    expect(calls()).toEqual(["get Node node-1", "delete Pod web"]);
  });

  test("keep the time of an equal condition", async () => {
    const since = formatTime(sceneStart - 60 * second);
    const condition = { type: "DisruptionTarget", status: "True", reason: "Other", lastTransitionTime: since };
    scene.put(Pods, storedPod("web", { conditions: [condition, { type: "Ready", status: "True" }] }));
    foundAfterQuarantine();
    await scene.sync("shop/web");
    const [{ status }] = bodies() as [{ status: { conditions: [object] } }];
    expect(status).toMatchObject({
      "$setElementOrder/conditions": [{ type: "DisruptionTarget" }, { type: "Ready" }],
      conditions: [{ reason: "DeletionByPodGC" }],
    });
    expect(status.conditions[0]).not.toHaveProperty("lastTransitionTime");
  });

  test("stay if the API server has the node, which is requested once for all of its pods", async () => {
    scene.put(Pods, storedPod("a"), storedPod("b"));
    scene.putLive(Nodes, storedNode("node-1"));
    expect(foundAfterQuarantine()).toEqual(["shop/a", "shop/b"]);
    await scene.sync("shop/a");
    expect(calls()).toEqual(["get Node node-1"]);
    expect(sentences()).toEqual(["the API server has its node node-1, which the cache does not show → keep it"]);
    await scene.sync("shop/b");
    expect(calls()).toEqual([]);
  });

  test("stay if the request fails, and are found again when the node was missing as long again", async () => {
    scene.put(Pods, storedPod("web"));
    foundAfterQuarantine();
    scene.refuse = ({ verb }) => (verb === "get" ? refusal(500, "InternalError", "no") : undefined);
    expect(await rejection(scene.sync("shop/web"))).toMatchObject({ code: 500 });
    expect(calls()).toEqual(["get Node node-1"]);
    scene.now += 20 * second;
    expect(found()).toEqual([]);
    scene.now += 20 * second;
    expect(found()).toEqual(["shop/web"]);
    scene.refuse = () => undefined;
    await scene.sync("shop/web");
    expect(calls()).toEqual(["get Node node-1", "patch Pod web", "delete Pod web"]);
  });

  test("stay if the node comes back in time", () => {
    scene.put(Pods, storedPod("web"));
    scene.scan();
    scene.put(Nodes, storedNode("node-1"));
    scene.now += 60 * second;
    expect(found()).toEqual([]);
  });

  test("do not include another pod that has got the name meanwhile", async () => {
    scene.put(Pods, storedPod("web"));
    foundAfterQuarantine();
    scene.put(Pods, storedPod("web", { meta: { uid: "another" } }));
    await scene.sync("shop/web");
    expect(calls()).toEqual([]);
  });

  test("are left alone when others have deleted them", async () => {
    scene.put(Pods, storedPod("web"));
    foundAfterQuarantine();
    scene.refuse = ({ verb }) => (verb === "patch" ? refusal(404, "NotFound", "gone") : undefined);
    await scene.sync("shop/web");
    expect(calls()).toEqual(["get Node node-1", "patch Pod web"]);
  });

  test("are not deleted if they cannot be failed", async () => {
    scene.put(Pods, storedPod("web"));
    foundAfterQuarantine();
    scene.refuse = ({ verb }) => (verb === "patch" ? refusal(409, "Conflict", "another uid") : undefined);
    expect(await rejection(scene.sync("shop/web"))).toMatchObject({ code: 409 });
    expect(calls()).toEqual(["get Node node-1", "patch Pod web"]);
  });
});

describe("pods that are being deleted", () => {
  const outOfService = [{ key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" }];
  const maintenance = [{ key: "maintenance", effect: "NoExecute" }];
  const rows = [
    { says: "on a node that is out of service", ready: "Unknown", taints: outOfService, goes: true },
    { says: "on one that is out of service and ready", ready: "True", taints: outOfService, goes: false },
    { says: "on one that is not ready and has other taints", ready: "False", taints: maintenance, goes: false },
  ] as const;
  for (const { says, goes, ...node } of rows) {
    test(`${says} ${goes ? "are deleted at once" : "stay"}`, async () => {
      scene.put(Nodes, storedNode("node-1", node));
      scene.put(Pods, storedPod("web", { meta: beingDeleted }), storedPod("stays"));
      expect(found()).toEqual(goes ? ["shop/web"] : []);
      await scene.sync("shop/web");
      expect(calls()).toEqual(goes ? ["patch Pod web", "delete Pod web"] : []);
    });
  }

  test("on a node that is out of service are failed, without a condition", async () => {
    scene.put(Nodes, storedNode("node-1", { ready: "False", taints: outOfService }));
    scene.put(Pods, storedPod("web", { meta: beingDeleted }));
    found();
    await scene.sync("shop/web");
    expect(bodies()).toEqual([{ metadata: { uid: "uid-web" }, status: { phase: "Failed", observedGeneration: 2 } }]);
    expect(sentences()).toEqual([
      "it is being deleted, and its node node-1 is not ready and out of service → fail it, delete it at once",
    ]);
  });

  test("without a node are deleted at once; others without a node wait for the scheduler", async () => {
    const pending = { node: "", phase: "Pending" } as const;
    scene.put(Pods, storedPod("web", { ...pending, meta: beingDeleted }), storedPod("new", pending));
    expect(found()).toEqual(["shop/web"]);
    await scene.sync("shop/web");
    expect(calls()).toEqual(["patch Pod web", "delete Pod web"]);
    expect(sentences()).toEqual(["it is being deleted, and has no node → fail it, delete it at once"]);
  });
});

test("a sync without a scan does nothing, and a scan causes one request", async () => {
  scene.put(Pods, storedPod("web", { node: "", meta: beingDeleted }));
  await scene.sync("shop/web");
  expect(calls()).toEqual([]);
  found();
  scene.refuse = ({ verb }) => (verb === "delete" ? refusal(500, "InternalError", "no") : undefined);
  expect(await rejection(scene.sync("shop/web"))).toMatchObject({ code: 500 });
  await scene.sync("shop/web");
  expect(calls()).toEqual([]);
});

test("the definition has upstream's names, intervals and permissions", () => {
  expect(podGarbageCollector).toMatchObject({
    name: "pod-garbage-collector",
    aliases: ["podgc", "pod-garbage-collector-controller"],
    scans: [{ everyMs: 20 * second }],
    retry: { maxRetries: 0 },
    recordsEvents: false,
    permissions: [
      { group: "", resource: "pods", verbs: ["delete"] },
      { group: "", resource: "pods/status", verbs: ["patch"] },
      { group: "", resource: "nodes", verbs: ["get"] },
    ],
  });
});
