import { beforeEach, describe, expect, test } from "bun:test";
import { ControllerRevisions, DaemonSets, Nodes, Pods } from "../../../src/api/kinds.ts";
import type { DaemonSet, Node, Pod } from "../../../src/api/types.ts";
import { daemonset } from "../../../src/controllers/daemonset/daemonset.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";
import { daemonSetOf, going, gpu, nodeOf, type NodeParts, podOn, revisionFor, toleratingGpu } from "./objects.ts";

const key = "shop/agent";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(daemonset);
});

const labelled = (labels: Record<string, string>): NodeParts => ({ labels });
const full: NodeParts = { taints: [{ key: "full", effect: "NoExecute" }] };
const newer = <T extends Node | Pod>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: "11" },
});

/** The keys that a change of node-1 enqueues. */
function wokenBy(before: NodeParts | undefined, after: NodeParts): readonly string[] {
  const object = newer(nodeOf("node-1", after));
  if (before === undefined) scene.notify(Nodes, { type: "added", object, initial: false });
  else scene.notify(Nodes, { type: "updated", before: nodeOf("node-1", before), object });
  return scene.woken;
}

describe("a node", () => {
  const set = (parts: object = {}): DaemonSet => {
    const made = daemonSetOf(parts);
    scene.put(DaemonSets, made);
    return made;
  };

  test("that is added enqueues the sets that should run a pod there", () => {
    set();
    scene.put(DaemonSets, daemonSetOf({ meta: { name: "other" }, pod: { nodeSelector: { disk: "ssd" } } }));
    expect(wokenBy(undefined, {})).toEqual([key]);
  });

  test("that is deleted enqueues none", () => {
    set();
    scene.notify(Nodes, { type: "deleted", object: nodeOf("node-1"), tombstone: false });
    expect(scene.woken).toEqual([]);
  });

  test("whose labels now match enqueues the set", () => {
    set({ pod: { nodeSelector: { disk: "ssd" } } });
    expect(wokenBy({}, labelled({ disk: "ssd" }))).toEqual([key]);
  });

  test("whose labels no longer match enqueues the set if it has a pod there", () => {
    const made = set({ pod: { nodeSelector: { disk: "ssd" } } });
    expect(wokenBy(labelled({ disk: "ssd" }), {})).toEqual([]);
    scene.put(Pods, podOn(made, "node-1"));
    expect(wokenBy(labelled({ disk: "ssd" }), {})).toEqual([key]);
  });

  test("that loses a taint enqueues the set without a pod there", () => {
    set();
    expect(wokenBy({ taints: [gpu] }, {})).toEqual([key]);
  });

  test("with a new NoExecute taint enqueues the set with a pod there", () => {
    scene.put(Pods, podOn(set(), "node-1"));
    expect(wokenBy({}, full)).toEqual([key]);
  });

  test("with a new NoSchedule taint enqueues no set with a pod there", () => {
    scene.put(Pods, podOn(set(), "node-1"));
    expect(wokenBy({}, { taints: [gpu] })).toEqual([]);
  });

  test("with a pod enqueues a set whose numberMisscheduled is too low", () => {
    scene.put(Pods, podOn(set({ status: { numberMisscheduled: 1 } }), "node-1"));
    expect(wokenBy({ taints: [gpu] }, {})).toEqual([key]);
  });

  test("enqueues no set that tolerates its taint, has a pod there and has no misscheduled pods", () => {
    scene.put(Pods, podOn(set({ pod: { tolerations: [toleratingGpu] } }), "node-1"));
    expect(wokenBy({}, { taints: [gpu] })).toEqual([]);
  });

  test("with any other change enqueues none", () => {
    set();
    const before = nodeOf("node-1");
    const object = newer({ ...before, spec: { unschedulable: true }, status: { phase: "Running" } });
    scene.notify(Nodes, { type: "updated", before, object });
    expect(scene.woken).toEqual([]);
  });

  test("ignores pods of other owners", () => {
    const made = set();
    const pod = podOn(made, "node-1");
    const [owner] = pod.metadata.ownerReferences ?? [];
    scene.put(Pods, { ...pod, metadata: { ...pod.metadata, ownerReferences: [{ ...owner, kind: "Job" }] } } as Pod);
    expect(wokenBy({ taints: [gpu] }, {})).toEqual([key]);
  });
});

describe("a pod", () => {
  const woken = (before: Pod, object: Pod): readonly string[] => {
    scene.notify(Pods, { type: "updated", before, object: newer(object) });
    return scene.woken;
  };

  test("that becomes ready enqueues its set, and again a second after minReadySeconds", () => {
    const set = daemonSetOf({ spec: { minReadySeconds: 10 } });
    scene.put(DaemonSets, set);
    expect(woken(podOn(set, "node-1", { ready: false }), podOn(set, "node-1"))).toEqual([key]);
    expect(scene.wokenLater).toEqual([{ key, ms: 11_000 }]);
  });

  test("that was already ready, or of a set without minReadySeconds, enqueues it once", () => {
    const slow = daemonSetOf({ spec: { minReadySeconds: 10 } });
    scene.put(DaemonSets, slow);
    woken(podOn(slow, "node-1"), podOn(slow, "node-1"));
    scene.put(DaemonSets, daemonSetOf());
    woken(podOn(slow, "node-1", { ready: false }), podOn(slow, "node-1"));
    expect(scene.wokenLater).toEqual([]);
  });

  test("that is created or deleted satisfies an expectation", () => {
    const set = daemonSetOf();
    scene.put(DaemonSets, set);
    const pod = podOn(set, "node-1");
    scene.expectations.expect(key, { creations: 1, deletions: ["shop/agent-on-node-2"] });
    scene.notify(Pods, { type: "added", object: pod, initial: false });
    expect(scene.expectations.satisfied(key)).toBe(false);
    woken(podOn(set, "node-2"), podOn(set, "node-2", { meta: going }));
    expect(scene.expectations.satisfied(key)).toBe(true);
    expect(scene.woken).toEqual([key, key]);
  });

  test("of an earlier set of the name enqueues none", () => {
    scene.put(DaemonSets, daemonSetOf({ meta: { uid: "another" } }));
    scene.notify(Pods, { type: "added", object: podOn(daemonSetOf(), "node-1"), initial: false });
    expect(scene.woken).toEqual([]);
  });
});

describe("a revision", () => {
  const set = daemonSetOf();
  const own = revisionFor(set);
  const orphan = revisionFor(set, 1, { ownerReferences: [] });
  beforeEach(() => scene.put(DaemonSets, set));

  test("that is added enqueues none: the set has just created it", () => {
    scene.notify(ControllerRevisions, { type: "added", object: own, initial: false });
    expect(scene.woken).toEqual([]);
  });

  test("that is changed or deleted enqueues its set", () => {
    const object = { ...own, revision: 2, metadata: { ...own.metadata, resourceVersion: "11" } };
    scene.notify(ControllerRevisions, { type: "updated", before: own, object });
    scene.notify(ControllerRevisions, { type: "deleted", object: own, tombstone: false });
    expect(scene.woken).toEqual([key, key]);
  });

  test("without an owner that the set selects enqueues it", () => {
    scene.notify(ControllerRevisions, { type: "added", object: orphan, initial: false });
    expect(scene.woken).toEqual([key]);
  });
});
