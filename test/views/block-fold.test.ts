import { describe, expect, test } from "bun:test";
import type { DoneEvent } from "../../src/trace/events.ts";
import type { Trigger } from "../../src/trace/triggers.ts";
import { BlockFold, type Folded } from "../../src/views/block-fold.ts";
import { noChanges } from "../../src/views/field-interest.ts";
import type { BlockWrite, SyncBlock } from "../../src/views/sync-block.ts";

interface Given {
  readonly key?: string;
  readonly at: number;
  readonly sentence?: string;
  /** Whether the sync writes. */
  readonly writes?: boolean;
  readonly outcome?: DoneEvent["outcome"];
  readonly error?: string;
  readonly cause?: Exclude<Trigger, { readonly cause: "delta" }>;
}

let syncs = 0;

function block({ key = "shop/web", at, sentence = "2 of 2 pods", writes = false, error, ...given }: Given): SyncBlock {
  const of = { controller: "replicaset", key, sync: ++syncs } as const;
  const write: BlockWrite = {
    stage: "write",
    verb: "create",
    fieldManager: "m",
    of: { group: "", kind: "Pod" },
    key: "shop/web-x7k2p",
    uid: "u",
    before: "",
    conditional: false,
    resourceVersion: "8",
    deletes: false,
    status: 201,
    sentAt: 0,
    ms: 1,
    changes: [],
    summary: noChanges,
    seq: syncs,
  };
  const { outcome = { is: "forgotten" }, cause = { cause: "other", why: "somebody asked" } } = given;
  return {
    ...of,
    at,
    waitedMs: 0,
    ms: 1,
    depth: 0,
    inFlight: 1,
    delayed: 0,
    failures: 0,
    causes: [{ is: "other", trigger: cause }],
    moreCauses: 0,
    decisions: [{ rule: "scale", sentence, facts: {}, writes: writes ? [write] : [] }],
    otherWrites: [],
    recorded: [],
    done: { v: 1, seq: syncs, at, stage: "done", ...of, ms: 1, outcome, ...(error !== undefined && { error }) },
    woke: [],
  };
}

/** The output, each entry in a few words. */
function words(folded: readonly Folded[]): string[] {
  return folded.map((each) => {
    if (each.is === "block") return `block ${each.block.done.at}`;
    if (each.is === "alike") return `${each.count} alike, ${Math.round(each.perSecond)} a second`;
    return `quiet ${each.counts.map(({ controller, syncs: all, keys }) => `${controller} ${all}/${keys}`).join(" ")}`;
  });
}

function folded(...given: readonly Given[]): string[] {
  const fold = new BlockFold({ all: false });
  return [...given.flatMap((each) => words(fold.accept(block(each)))), ...words(fold.release(Infinity))];
}

const requeue = { cause: "requeue", why: "the deadline passed", sync: 1 } as const;
const again = { is: "requeued", delayMs: 100 } as const;

describe("BlockFold", () => {
  test("500 objects with nothing to do are one line, printed when no more come", () => {
    const fold = new BlockFold({ all: false });
    for (let n = 0; n < 500; n++) expect(fold.accept(block({ at: n, key: `shop/web-${n}` }))).toEqual([]);
    expect(fold.dueAt).toBe(1499);
    expect(fold.release(1498)).toEqual([]);
    expect(words(fold.release(1499))).toEqual(["quiet replicaset 500/500"]);
    expect(fold.dueAt).toBeUndefined();
  });

  test("the block of a single quiet sync is included", () => {
    const fold = new BlockFold({ all: false });
    fold.accept(block({ at: 1 }));
    expect(fold.release(Infinity)).toMatchObject([{ is: "quiet", only: { key: "shop/web" } }]);
  });

  test("writes and failures are printed at once", () => {
    const failed = { at: 2, key: "shop/b", error: "no", outcome: { is: "dropped", failures: 1 } } as const;
    expect(folded({ at: 1, writes: true }, failed)).toEqual(["block 1", "block 2"]);
  });

  test("a key that requeues itself repeatedly is printed once and then counted", () => {
    const loop = Array.from({ length: 312 }, (_, n) => ({
      at: n * 100,
      sentence: `the deadline passed ${n} s ago`,
      outcome: again,
      cause: requeue,
    }));
    expect(folded(...loop)).toEqual([
      "block 0",
      "100 alike, 10 a second",
      "200 alike, 10 a second",
      "11 alike, 10 a second",
    ]);
  });

  test("so is one that fails in the same way, whatever names were generated", () => {
    const failure = (at: number, name: string): Given => ({
      at,
      error: `pods "${name}" is forbidden: exceeded quota`,
      outcome: { is: "rate-limited", delayMs: at, failures: 1 },
      cause: { cause: "retry", sync: 1, failures: 1 },
    });
    const all = [failure(1, "web-x7k2p"), failure(400, "web-c8vwd"), failure(5000, "web-hh2lm")];
    expect(folded(...all)).toEqual(["block 1", "2 alike, 0 a second"]);
  });

  test("the same change by another writer after a while is a separate block", () => {
    expect(folded({ at: 0, writes: true }, { at: 60_000, writes: true })).toEqual(["block 0", "block 60000"]);
  });

  test("one more is printed in full, before another one of its key", () => {
    const other = { at: 30, writes: true, sentence: "1 of 2 pods" };
    expect(folded({ at: 10, writes: true }, { at: 20, writes: true }, other)).toEqual([
      "block 10",
      "block 20",
      "block 30",
    ]);
  });

  test("nothing is folded if all blocks are requested", () => {
    const fold = new BlockFold({ all: true });
    expect(words([...fold.accept(block({ at: 1 })), ...fold.accept(block({ at: 2 }))])).toEqual(["block 1", "block 2"]);
    expect(fold.dueAt).toBeUndefined();
  });
});
