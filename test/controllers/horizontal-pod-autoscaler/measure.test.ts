import { expect, test } from "bun:test";
import type { SyncContext } from "../../../src/controller/api/sync-context.ts";
import { resourceMetrics } from "../../../src/controllers/horizontal-pod-autoscaler/measure.ts";

const usage = (name: string, cpu?: string): object => ({ name, usage: cpu === undefined ? {} : { cpu } });
const items = [
  {
    metadata: { name: "whole" },
    timestamp: "2026-11-21T10:00:00Z",
    window: "15s",
    containers: [usage("a", "1"), usage("b", "250m")],
  },
  { metadata: { name: "half" }, containers: [usage("a", "1"), usage("b")] },
  { metadata: { name: "empty" }, containers: [] },
];

function valuesOf(container: string | undefined): Promise<readonly (readonly [string, bigint])[]> {
  // A sync context of which only the client and the signal are used.
  const context = {
    client: { raw: () => Promise.resolve({ items }) },
    signal: new AbortController().signal,
  } as unknown as SyncContext;
  const query = { namespace: "default", selector: [], resource: "cpu", container };
  return resourceMetrics(context, query).then((found) => [...found].map(([name, { value }]) => [name, value] as const));
}

test("a pod with a container without metrics is left out", async () => {
  expect(await valuesOf(undefined)).toEqual([["whole", 1250n]]);
});

test("for a single container, pods count if that one has metrics", async () => {
  expect(await valuesOf("b")).toEqual([["whole", 250n]]);
  expect(await valuesOf("a")).toEqual([
    ["whole", 1000n],
    ["half", 1000n],
  ]);
});
