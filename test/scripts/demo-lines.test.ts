import { expect, test } from "bun:test";
import { DemoLines } from "../../scripts/demo-lines.ts";
import type { StageEvent } from "../../src/trace/events.ts";

const key = "default/web-a";
const created = { stage: "write", of: { group: "", kind: "Pod" }, verb: "create", key, status: 201 };
const placed = { stage: "decision", controller: "scheduler", key, rule: "place", facts: { node: "node-1" } };
const ready = {
  stage: "decision",
  controller: "kubelet",
  key,
  rule: "report",
  facts: { happened: ["started"], phase: "Running", ready: true },
};

test.each([
  { first: "its creation", events: [created, placed, ready] },
  { first: "its placement", events: [placed, created, ready] },
])("a pod's line names its node if $first is reported first", ({ events }) => {
  const lines = new DemoLines();
  lines.begin(0);
  // Only the fields that the demo reads.
  const texts = events.flatMap((event) => lines.accept({ at: 0, ...event } as unknown as StageEvent));
  expect(texts.map(({ text }) => text)).toEqual(["created 0.00 s · on node-1 0.00 s · running 0.00 s · ready 0.00 s"]);
});
