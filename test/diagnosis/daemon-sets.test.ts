import { describe, expect, test } from "bun:test";
import { DaemonSets, Nodes, Pods } from "../../src/api/kinds.ts";
import { findingsOf } from "../../src/diagnosis/diagnosis.ts";
import { diagnose, type Json, objectOf, ownedBy } from "./world.ts";

const labels = { app: "agent" };
const nodeNamed = (name: string, parts: Json = {}): { readonly kind: typeof Nodes; readonly object: never } => ({
  kind: Nodes,
  // A world holds objects of any kind.
  object: objectOf(name, { ...parts, meta: { namespace: "", ...(parts["meta"] as Json | undefined) } }) as never,
});
const gpu = { labels: { gpu: "yes" } };
const tainted = { spec: { taints: [{ key: "dedicated", value: "batch", effect: "NoSchedule" }] } };

const plain = ["a", "b", "c", "d", "e"].map((name) => nodeNamed(name));

function diagnosisOf(
  status: Json,
  parts: Parameters<typeof diagnose>[2],
  updateStrategy: Json = {},
): ReturnType<typeof diagnose> {
  const template = { metadata: { labels }, spec: { nodeSelector: { gpu: "yes" }, containers: [] } };
  return diagnose(
    DaemonSets,
    objectOf("agent", { spec: { selector: { matchLabels: labels }, template, updateStrategy }, status }),
    parts,
  );
}

const podOn = (nodeName: string, meta: Json = {}): { readonly kind: typeof Pods; readonly object: never } => ({
  kind: Pods,
  // A world holds objects of any kind.
  object: objectOf(`agent-${nodeName}`, {
    meta: { ...ownedBy("agent", DaemonSets), labels, ...meta },
    spec: { nodeName, containers: [] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  }) as never,
});

describe("a DaemonSet", () => {
  test("without a suitable node shows what each node lacks, one line per reason", () => {
    const items = [...plain, nodeNamed("f", { ...tainted, meta: gpu })];
    const diagnosis = diagnosisOf({}, { items });
    expect(diagnosis.says).toBe("no node should run its pods");
    expect(diagnosis.notes).toEqual([
      "not on 5 nodes (a, b, c, 2 more): the template's node selector or affinity does not match",
      "not on 1 node (f): a taint that the template does not tolerate, dedicated=batch:NoSchedule",
    ]);
    expect(diagnosis.verdict.evidence.seen).toContain("6 Nodes");
  });

  test("on all of its nodes has nothing to add", () => {
    const counts = { desiredNumberScheduled: 1, currentNumberScheduled: 1, updatedNumberScheduled: 1 };
    const status = { ...counts, numberReady: 1, numberAvailable: 1 };
    const diagnosis = diagnosisOf(status, { items: [nodeNamed("f", { meta: gpu }), podOn("f")] });
    expect(diagnosis.is).toBe("well");
    expect(diagnosis.says).toBe("1 of 1 pod is ready");
    expect(diagnosis.notes ?? []).toEqual([]);
  });

  describe("with a pod on each of two nodes", () => {
    const nodes = ["f", "g"].map((name) => nodeNamed(name, { meta: gpu }));
    const counting = (desired: number): Json => ({
      desiredNumberScheduled: desired,
      currentNumberScheduled: desired,
      updatedNumberScheduled: desired,
      numberReady: desired,
      numberAvailable: desired,
    });

    test("says that its status lacks a node, and what the controller needs", () => {
      const { is, notes } = diagnosisOf(counting(1), { items: [...nodes, podOn("f"), podOn("g")] });
      expect(is).toBe("well");
      expect(notes).toEqual([
        "2 nodes run its pods, and its status counts 1: a node that comes back under its pod does not wake the controller, any change of the DaemonSet does",
      ]);
    });

    test("has nothing to add if all are counted, or if the controller has yet to create one", () => {
      expect(diagnosisOf(counting(2), { items: [...nodes, podOn("f"), podOn("g")] }).notes).toEqual([]);
      expect(diagnosisOf(counting(1), { items: [...nodes, podOn("f")] }).notes).toEqual([]);
    });
  });

  describe("whose pod runs on a node that would get none now", () => {
    const items = [
      nodeNamed("f", { meta: gpu }),
      nodeNamed("g", { ...tainted, meta: gpu }),
      nodeNamed("h", { ...tainted, meta: gpu }),
      {
        kind: Pods,
        object: objectOf("agent-g", {
          meta: { ...ownedBy("agent", DaemonSets), labels },
          spec: { nodeName: "g", containers: [] },
          status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
        }),
      },
    ];
    const because =
      "runs on node g, which would get no new pod, because of a taint that the template does not tolerate, " +
      "dedicated=batch:NoSchedule; it stays until it is deleted";
    const notOn = "not on 1 node (h): a taint that the template does not tolerate, dedicated=batch:NoSchedule";
    const counts = { desiredNumberScheduled: 1, currentNumberScheduled: 1, updatedNumberScheduled: 1 };
    const ready = { ...counts, numberReady: 1, numberAvailable: 1 };

    test("names pod and node, and what to do", () => {
      const diagnosis = diagnosisOf({ ...ready, numberMisscheduled: 1 }, { items });
      expect(diagnosis.says).toBe("1 of 1 pod is ready, 1 node runs one but should not");
      expect(findingsOf(diagnosis)).toMatchObject([
        { at: { name: "agent-g" }, why: because, advice: [{ words: "delete pod agent-g -n shop" }] },
      ]);
      expect(diagnosis.notes).toEqual([notOn]);
    });

    test("says so before its controller has counted it", () => {
      const diagnosis = diagnosisOf(ready, { items });
      expect(diagnosis.is).toBe("well");
      expect(diagnosis.notes).toEqual([notOn, `agent-g ${because}`]);
    });
  });

  test("whose status counts a pod that is gone is not well", () => {
    const counts = { desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2 };
    const items = [...["f", "g"].map((name) => nodeNamed(name, { meta: gpu })), podOn("f")];
    const diagnosis = diagnosisOf({ ...counts, numberReady: 2, numberAvailable: 2 }, { items });
    expect(findingsOf(diagnosis)).toMatchObject([
      { at: { name: "agent" }, why: "its status counts 2 pods, and only 1 exists: is its controller running?" },
    ]);
  });

  test("with OnDelete shows how many pods are of an earlier template", () => {
    const counts = { desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 1 };
    const items = ["f", "g"].flatMap((name) => [nodeNamed(name, { meta: gpu }), podOn(name)]);
    const diagnosis = diagnosisOf({ ...counts, numberReady: 2, numberAvailable: 2 }, { items }, { type: "OnDelete" });
    expect(diagnosis.is).toBe("well");
    expect(diagnosis.notes[0]).toBe(
      "1 pod of an earlier template: with OnDelete, it is replaced when somebody deletes it",
    );
  });

  test("in a cluster without nodes says so", () => {
    expect(diagnosisOf({}, {}).notes).toEqual(["there are no nodes"]);
  });

  test("says that nodes could not be read, and nothing about them", () => {
    const diagnosis = diagnosisOf({}, { forbidden: [Nodes] });
    expect(diagnosis.notes ?? []).toEqual([]);
    expect(JSON.stringify(diagnosis.verdict.evidence.unseen)).toContain("no right to list");
  });
});
