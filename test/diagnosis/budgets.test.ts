import { expect, test } from "bun:test";
import { PodDisruptionBudgets, Pods } from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { findingsOf } from "../../src/diagnosis/diagnosis.ts";
import { diagnose, type Json, objectOf } from "./world.ts";

const status = { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };
const budget = (name: string, matchLabels: Json): StoredObject =>
  objectOf(name, { spec: { maxUnavailable: 1, selector: { matchLabels } }, status });
const pods = ["a", "b"].map((name) => ({ kind: Pods, object: objectOf(name, { meta: { labels: { app: "web" } } }) }));

test("a budget whose pods have another budget allows no eviction", () => {
  const other = { kind: PodDisruptionBudgets, object: budget("second", { app: "web" }) };
  const elsewhere = { kind: PodDisruptionBudgets, object: budget("third", { app: "db" }) };
  const diagnosis = diagnose(PodDisruptionBudgets, budget("first", { app: "web" }), {
    items: [...pods, other, elsewhere],
  });
  expect(diagnosis.is).toBe("waiting");
  expect(findingsOf(diagnosis).map(({ why }) => why)).toEqual([
    "PodDisruptionBudget second also selects pods of it: the API server refuses to evict a pod that has several budgets",
  ]);
});

test("several other budgets are named together", () => {
  const others = ["second", "third"].map((name) => ({
    kind: PodDisruptionBudgets,
    object: budget(name, { app: "web" }),
  }));
  const diagnosis = diagnose(PodDisruptionBudgets, budget("first", { app: "web" }), { items: [...pods, ...others] });
  expect(findingsOf(diagnosis)[0]?.why).toStartWith("PodDisruptionBudgets second, third also select pods of it: ");
});

test("a budget whose pods have no other is well", () => {
  const elsewhere = { kind: PodDisruptionBudgets, object: budget("third", { app: "db" }) };
  expect(
    diagnose(PodDisruptionBudgets, budget("first", { app: "web" }), { items: [...pods, elsewhere] }),
  ).toMatchObject({ is: "well", says: "1 pod may be evicted: 2 of 2 healthy, 1 required" });
});
