import { describe, expect, test } from "bun:test";
import { DaemonSets, Nodes } from "../../src/api/kinds.ts";
import { answerAbout, type Json, objectOf } from "./world.ts";

const labels = { app: "agent" };
const nodeNamed = (name: string, parts: Json = {}): { readonly kind: typeof Nodes; readonly object: never } => ({
  kind: Nodes,
  // A world holds objects of any kind.
  object: objectOf(name, { ...parts, meta: { namespace: "", ...(parts["meta"] as Json | undefined) } }) as never,
});
const gpu = { labels: { gpu: "yes" } };
const tainted = { spec: { taints: [{ key: "dedicated", value: "batch", effect: "NoSchedule" }] } };

const plain = ["a", "b", "c", "d", "e"].map((name) => nodeNamed(name));

function ask(status: Json, parts: Parameters<typeof answerAbout>[2]): ReturnType<typeof answerAbout> {
  const template = { metadata: { labels }, spec: { nodeSelector: { gpu: "yes" }, containers: [] } };
  return answerAbout(
    DaemonSets,
    objectOf("agent", { spec: { selector: { matchLabels: labels }, template }, status }),
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

  test("in a cluster without nodes says so", () => {
    expect(ask({}, {}).notes).toEqual(["there are no nodes"]);
  });

  test("says that nodes could not be read, and nothing about them", () => {
    const answer = ask({}, { forbidden: [Nodes] });
    expect(answer.notes ?? []).toEqual([]);
    expect(JSON.stringify(answer.verdict.evidence.unseen)).toContain("no right to list");
  });
});
