/** Why each object is as it is: causes in the order of the decisions, with the facts of the decisions. */
import { describe, expect, test } from "bun:test";
import { entryName } from "../../src/views/state.ts";
import { WriteAttribution } from "../../src/views/write-attribution.ts";
import { Events, replicaSets } from "./events.ts";

interface Step {
  readonly rule: string;
  readonly sentence: string;
  readonly from?: number;
  readonly to?: number;
  readonly subresource?: string;
}

/** The causes of one ReplicaSet after these writes. */
function causesAfter(...steps: readonly Step[]): readonly object[] {
  const events = new Events();
  const attribution = new WriteAttribution();
  for (const { rule, sentence, from, to, subresource } of steps) {
    const at = { controller: "deployment", key: "shop/web", sync: 1 } as const;
    const decision = events.make({ stage: "decision", ...at, rule, facts: {}, sentence });
    attribution.listener(decision);
    attribution.listener(
      events.make({
        stage: "write",
        controller: "deployment",
        sync: 1,
        decision: decision.seq,
        verb: "update",
        fieldManager: "deployment",
        of: replicaSets,
        key: "shop/web-1",
        uid: "u",
        before: "1",
        conditional: true,
        resourceVersion: "2",
        deletes: false,
        status: 200,
        sentAt: 0,
        ms: 0,
        changes: from === undefined ? [] : [{ path: ".spec.replicas", before: from, after: to }],
        ...(subresource !== undefined && { subresource }),
      }),
    );
  }
  return attribution.causesOf(entryName(replicaSets, "shop/web-1"));
}

describe("WriteAttribution", () => {
  test("gives each rule the sizes that its own decisions wrote, in their order", () => {
    expect(
      causesAfter(
        { rule: "scale-active", sentence: "3 → 4", from: 3, to: 4 },
        { rule: "cleanup-unhealthy", sentence: "4 → 3", from: 4, to: 3 },
        { rule: "status", sentence: "replicas 4", subresource: "status" },
        { rule: "scale-down-old", sentence: "3 → 2", from: 3, to: 2 },
        { rule: "scale-down-old", sentence: "2 → 0", from: 2, to: 0 },
      ),
    ).toMatchObject([
      { rule: "scale-active", replicas: { from: 3, to: 4 }, writes: 1 },
      { rule: "cleanup-unhealthy", replicas: { from: 4, to: 3 }, writes: 1 },
      { rule: "scale-down-old", replicas: { from: 3, to: 0 }, writes: 2, sentence: "3 → 2", later: ["2 → 0"] },
      { rule: "status", statusOnly: true },
    ]);
  });

  test("reports a rule again that decides again after another one", () => {
    const causes = causesAfter(
      { rule: "up", sentence: "1 → 3", from: 1, to: 3 },
      { rule: "down", sentence: "3 → 2", from: 3, to: 2 },
      { rule: "up", sentence: "2 → 5", from: 2, to: 5 },
    );
    expect(causes).toMatchObject([
      { rule: "up", replicas: { from: 1, to: 3 } },
      { rule: "down", replicas: { from: 3, to: 2 } },
      { rule: "up", replicas: { from: 2, to: 5 } },
    ]);
  });

  test("does not join sizes with a gap between them that another writer caused", () => {
    const [cause] = causesAfter(
      { rule: "up", sentence: "1 → 3", from: 1, to: 3 },
      { rule: "up", sentence: "2 → 5", from: 2, to: 5 },
    );
    expect(cause).toMatchObject({ sentence: "1 → 3", later: ["2 → 5"], writes: 2 });
    expect(cause).not.toHaveProperty("replicas");
  });
});
