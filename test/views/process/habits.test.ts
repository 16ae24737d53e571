import { describe, expect, test } from "bun:test";
import { Habits, type DeltaCategory } from "../../../src/views/process/habits.ts";

const category: DeltaCategory = { name: "own Tenant Updated", isEcho: false };
const echo: DeltaCategory = { name: "own Tenant Updated echo", isEcho: true };
const times = (count: number, act: () => void): void => {
  for (let n = 0; n < count; n++) act();
};

describe("the habits of a writer", () => {
  test("the usual reaction time is the median of the latest, whatever a few slow ones took", () => {
    const habits = new Habits();
    times(20, () => habits.recordReaction(40));
    times(3, () => habits.recordReaction(4000));
    expect(habits.reactionMs).toBe(40);
    times(32, () => habits.recordReaction(10));
    expect(habits.reactionMs).toBe(10);
  });

  test("the usual reaction time fits better than a much shorter or longer one", () => {
    const habits = new Habits();
    times(20, () => habits.recordReaction(40));
    expect(habits.likelihoodOf(30)).toBeGreaterThan(habits.likelihoodOf(3));
    expect(habits.likelihoodOf(30)).toBeGreaterThan(habits.likelihoodOf(300));
  });

  test("most deltas lead to a write and the echo of a writer's own write to none, until it behaves otherwise", () => {
    const habits = new Habits();
    expect(habits.noWriteShare(category)).toBeLessThan(0.5);
    expect(habits.noWriteShare(echo)).toBeGreaterThan(0.5);
    times(20, () => habits.recordOutcome(category, "no write"));
    times(20, () => habits.recordOutcome(echo, "write"));
    expect(habits.noWriteShare(category)).toBeGreaterThan(0.7);
    expect(habits.noWriteShare(echo)).toBeLessThan(0.4);
  });

  test("a writer that never wrote before the echo of its last write waits for it; one in twenty disproves that", () => {
    const habits = new Habits();
    times(30, () => habits.recordEchoOrder("after the echo"));
    expect(habits.waitsForEcho).toBeGreaterThan(0.8);
    times(2, () => habits.recordEchoOrder("before the echo"));
    expect(habits.waitsForEcho).toBeLessThan(0.1);
  });

  test("after a write it continues if it was seen to continue twice, and ended less often", () => {
    const habits = new Habits();
    expect(habits.usuallyContinuesAfter("create Pod")).toBe(false);
    times(2, () => habits.recordContinuation("create Pod"));
    expect(habits.usuallyContinuesAfter("create Pod")).toBe(true);
    expect(habits.knows("create Pod")).toBe(false);
    times(2, () => habits.recordEnd("create Pod"));
    expect([habits.usuallyContinuesAfter("create Pod"), habits.knows("create Pod")]).toEqual([false, true]);
  });

  test("names beyond the limit are dropped", () => {
    const habits = new Habits();
    for (let n = 0; n < 500; n++) habits.recordContinuation(String(n));
    times(5, () => habits.recordContinuation("one more"));
    expect(habits.usuallyContinuesAfter("one more")).toBe(false);
  });
});
