import { describe, expect, test } from "bun:test";
import { DaemonSets, Nodes, Pods } from "../../src/api/kinds.ts";
import { findingsOf } from "../../src/diagnosis/diagnosis.ts";
import { answerAbout, type Json, objectOf, ownedBy } from "./world.ts";

const labels = { app: "agent" };
const nodeNamed = (name: string, parts: Json = {}): { readonly kind: typeof Nodes; readonly object: never } => ({
  kind: Nodes,
  // A world holds objects of any kind.
  object: objectOf(name, { ...parts, meta: { namespace: "", ...(parts["meta"] as Json | undefined) } }) as never,
});
const gpu = { labels: { gpu: "yes" } };
const tainted = { spec: { taints: [{ key: "dedicated", value: "batch", effect: "NoSchedule" }] } };

const plain = ["a", "b", "c", "d", "e"].map((name) => nodeNamed(name));

function ask(
  status: Json,
  parts: Parameters<typeof answerAbout>[2],
  updateStrategy: Json = {},
): ReturnType<typeof answerAbout> {
  const template = { metadata: { labels }, spec: { nodeSelector: { gpu: "yes" }, containers: [] } };
  return answerAbout(
    DaemonSets,
    objectOf("agent", { spec: { selector: { matchLabels: labels }, template, updateStrategy }, status }),
    parts,
  );
}

describe("a DaemonSet", () => {
  test("without a suitable node shows what each node lacks, one line per reason", () => {
    const items = [...plain, nodeNamed("f", { ...tainted, meta: gpu })];
    const answer = ask({}, { items });
    expect(answer.says).toBe("no node should run its pods");
    expect(answer.notes).toEqual([
      "not on 5 nodes (a, b, c, 2 more): the template's node selector or affinity does not match",
      "not on 1 node (f): a taint that the template does not tolerate, dedicated=batch:NoSchedule",
    ]);
    expect(answer.verdict.evidence.seen).toContain("6 Nodes");
  });

  test("on all of its nodes has nothing to add", () => {
    const counts = { desiredNumberScheduled: 1, currentNumberScheduled: 1, updatedNumberScheduled: 1 };
    const status = { ...counts, numberReady: 1, numberAvailable: 1 };
    const answer = ask(status, { items: [nodeNamed("f", { meta: gpu })] });
    expect(answer.says).toBe("1 of 1 pod is ready");
    expect(answer.notes ?? []).toEqual([]);
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
      const answer = ask({ ...ready, numberMisscheduled: 1 }, { items });
      expect(answer.says).toBe("1 of 1 pod is ready, 1 node runs one but should not");
      expect(findingsOf(answer)).toMatchObject([
        { at: { name: "agent-g" }, why: because, advice: [{ words: "delete pod agent-g -n shop" }] },
      ]);
      expect(answer.notes).toEqual([notOn]);
    });

    test("says so before its controller has counted it", () => {
      const answer = ask(ready, { items });
      expect(answer.is).toBe("well");
      expect(answer.notes).toEqual([notOn, `agent-g ${because}`]);
    });
  });

  test("with OnDelete shows how many pods are of an earlier template", () => {
    const counts = { desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 1 };
    const items = ["f", "g"].map((name) => nodeNamed(name, { meta: gpu }));
    const answer = ask({ ...counts, numberReady: 2, numberAvailable: 2 }, { items }, { type: "OnDelete" });
    expect(answer.is).toBe("well");
    expect(answer.notes[0]).toBe(
      "1 pod of an earlier template: with OnDelete, it is replaced when somebody deletes it",
    );
  });

  test("in a cluster without nodes says so", () => {
    expect(ask({}, {}).notes).toEqual(["there are no nodes"]);
  });

  test("says that nodes could not be read, and nothing about them", () => {
    const answer = ask({}, { forbidden: [Nodes] });
    expect(answer.notes ?? []).toEqual([]);
    expect(JSON.stringify(answer.verdict.evidence.unseen)).toContain("no right to list");
  });
});
