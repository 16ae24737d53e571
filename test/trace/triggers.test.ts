import { describe, expect, test } from "bun:test";
import { type Trigger, TriggerLog } from "../../src/trace/triggers.ts";

const numbered = (n: number): Trigger => ({
  cause: "delta",
  kind: "Pod",
  type: "Updated",
  key: "a/b",
  resourceVersion: String(n),
  delta: n,
});
const versions = (triggers: readonly Trigger[]): string[] =>
  triggers.map((t) => (t.cause === "delta" ? t.resourceVersion : t.cause));

describe("TriggerLog", () => {
  test("keeps the first 8 and the last 8, and counts all", () => {
    const log = new TriggerLog();
    for (let n = 1; n <= 1000; n++) log.add(numbered(n));
    expect(versions(log.first)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
    expect(versions(log.last)).toEqual(["993", "994", "995", "996", "997", "998", "999", "1000"]);
    expect([log.total, log.counts().get("delta Pod Updated")]).toEqual([1000, 1000]);
  });

  test("merges two logs to the count of one that saw both", () => {
    const [older, younger] = [new TriggerLog(), new TriggerLog()];
    for (let n = 1; n <= 30; n++) older.add(numbered(n));
    for (let n = 31; n <= 70; n++) younger.add(numbered(n));
    younger.add({ cause: "retry", sync: 1, failures: 1 });
    older.merge(younger);
    expect([older.total, older.counts().get("delta Pod Updated"), older.counts().get("retry")]).toEqual([71, 70, 1]);
    expect(versions(older.last)).toEqual(["64", "65", "66", "67", "68", "69", "70", "retry"]);
  });

  test("stays small when it merges small logs", () => {
    const [older, younger] = [new TriggerLog(numbered(1)), new TriggerLog(numbered(2))];
    older.merge(younger);
    expect([older.total, versions(older.first), older.last]).toEqual([2, ["1", "2"], []]);
  });

  test("has both ends in JSON, and the count of each class", () => {
    const log = new TriggerLog();
    for (let n = 1; n <= 20; n++) log.add(numbered(n));
    const { total, first, last, counts } = JSON.parse(JSON.stringify(log)) as {
      readonly total: number;
      readonly first: readonly Trigger[];
      readonly last: readonly Trigger[];
      readonly counts: Readonly<Record<string, number>>;
    };
    expect([total, counts]).toEqual([20, { "delta Pod Updated": 20 }]);
    expect([versions(first)[0], versions(last).at(-1)]).toEqual(["1", "20"]);
  });

  test("starts empty, or with one trigger", () => {
    const [empty, begun] = [new TriggerLog(), new TriggerLog(numbered(1))];
    expect([empty.total, empty.first, empty.last]).toEqual([0, [], []]);
    expect([begun.total, versions(begun.first), begun.last]).toEqual([1, ["1"], []]);
  });

  test("shares nothing with another log", () => {
    const [a, b] = [new TriggerLog(), new TriggerLog()];
    for (let n = 1; n <= 9; n++) a.add(numbered(n));
    expect([a.last.length, b.last.length]).toEqual([1, 0]);
  });
});
