import { describe, expect, test } from "bun:test";
import type { FieldChange } from "../../src/api/field-changes.ts";
import { noChanges } from "../../src/views/field-interest.ts";
import { shownBlock } from "../../src/views/shown-block.ts";
import type { BlockCause, SyncBlock } from "../../src/views/sync-block.ts";

const changed = (...paths: readonly string[]): readonly FieldChange[] => paths.map((path) => ({ path, after: 1 }));

function cause(delta: number, onRead: () => readonly FieldChange[]): BlockCause {
  const detail = {
    get changes() {
      return onRead();
    },
    writer: "kubectl",
  };
  return { is: "delta", kind: "Pod", type: "Updated", key: "shop/web", resourceVersion: "7", delta, detail };
}

function block(causes: readonly BlockCause[]): SyncBlock {
  const of = { controller: "replicaset", key: "shop/web", sync: 1, at: 0, ms: 1 } as const;
  const queue = { waitedMs: 0, depth: 0, inFlight: 1, delayed: 0, failures: 0 };
  const nothing = { decisions: [], otherWrites: [], recorded: [], woke: [] };
  const done: SyncBlock["done"] = { ...of, v: 1, seq: 1, stage: "done", outcome: { is: "forgotten" } };
  return { ...of, ...queue, ...nothing, causes, moreCauses: 3, done };
}

describe("a shown block", () => {
  test("names the first six of many causes and counts the others, without computing their changes", () => {
    let read = 0;
    const count = (): readonly FieldChange[] => {
      read++;
      return [];
    };
    const shown = shownBlock(block(Array.from({ length: 9 }, (_, index) => cause(index, count))));
    expect(shown.causes).toHaveLength(6);
    expect(shown.moreCauses).toBe(6);
    expect(read).toBe(6);
  });

  test("names all seven of seven: a single one is not worth a count", () => {
    const shown = shownBlock(block(Array.from({ length: 7 }, (_, index) => cause(index, () => []))));
    expect([shown.causes.length, shown.moreCauses]).toEqual([7, 3]);
  });

  test("shows the most informative changes of each delta, without those that only accompany others", () => {
    const many = changed(
      ".status.conditions[Ready].lastTransitionTime",
      ".status.replicas",
      ".metadata.labels.app",
      ".spec.replicas",
      ".spec.paused",
      ".spec.minReadySeconds",
      ".metadata.generation",
    );
    const [shown] = shownBlock(block([cause(1, () => many)])).causes;
    expect(shown).toMatchObject({ writer: "kubectl", changes: { more: 2 } });
    expect(shown?.is === "delta" ? shown.changes.shown.map(({ path }) => path) : []).toEqual([
      ".spec.replicas",
      ".spec.paused",
      ".spec.minReadySeconds",
    ]);
  });

  test("shows nothing of a delta without a listener", () => {
    const unseen: BlockCause = { ...cause(0, () => []), detail: undefined } as BlockCause;
    expect(shownBlock(block([unseen])).causes[0]).toMatchObject({ changes: noChanges, writer: undefined });
  });
});
