import { expect, test } from "bun:test";
import { Jobs, Pods } from "../../../src/api/kinds.ts";
import type { Pod } from "../../../src/api/types.ts";
import { defineJob } from "../../../src/controllers/job/job.ts";
import type { JobOptions } from "../../../src/controllers/job/options.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";
import { jobOf, podOf } from "./objects.ts";

const key = "shop/data";

/** Runs one sync of a Job with a parallelism of five. */
async function synced(options: Partial<JobOptions>, pods: readonly Pod[] = [], spec: object = {}): Promise<Scene> {
  const scene = syncScene(defineJob(options));
  scene.put(Jobs, jobOf({ spec: { parallelism: 5, ...spec } }));
  scene.put(Pods, ...pods);
  await scene.sync(key);
  return scene;
}

const waits = ({ requeues, wokenLater }: Scene): (number | string)[] => [
  ...requeues.map(({ ms }) => ms),
  ...wokenLater.map(({ ms }) => ms),
];
const failed = (...names: string[]): Pod[] => names.map((name) => podOf(name, { phase: "Failed", endedMs: 0 }));

test("the number of pods created at once", async () => {
  const { calls } = await synced({ maxChangesPerSync: 2 });
  expect(calls.filter(({ verb, kind }) => verb === "create" && kind === "Pod")).toHaveLength(2);
});

test("the number of pods deleted at once", async () => {
  const { calls } = await synced({ maxChangesPerSync: 2 }, [podOf("a"), podOf("b"), podOf("c")], { parallelism: 0 });
  expect(calls.filter(({ verb }) => verb === "delete")).toHaveLength(2);
});

test("the number of pods counted at once", async () => {
  const { calls } = await synced({ maxUncounted: 2 }, failed("a", "b", "c"));
  expect(calls.filter(({ verb, kind }) => verb === "patch" && kind === "Pod")).toHaveLength(2);
});

test("the first wait after a failure, and the maximum", async () => {
  expect(waits(await synced({ failureDelayMs: 40_000 }, failed("a")))).toEqual([40_000]);
  expect(waits(await synced({ failureDelayMs: 40_000 }, failed("a", "b")))).toEqual([80_000]);
  expect(waits(await synced({ failureDelayMs: 40_000, maxFailureDelayMs: 50_000 }, failed("a", "b")))).toEqual([
    50_000,
  ]);
});

test("the wait of an index after its own failure", async () => {
  const spec = { completionMode: "Indexed", completions: 1, parallelism: 1, backoffLimitPerIndex: 3 };
  const pods = [podOf("a", { phase: "Failed", endedMs: 0, index: 0 })];
  expect(waits(await synced({ failureDelayMs: 40_000 }, pods, spec))).toEqual([40_000]);
});

test("the batch period: no wait is shorter, and changes of pods and status are delayed", async () => {
  expect(waits(await synced({ failureDelayMs: 1, batchPeriodMs: 300 }, failed("a")))).toEqual([300]);
  const scene = syncScene(defineJob({ batchPeriodMs: 300 }));
  scene.put(Jobs, jobOf());
  scene.notify(Jobs, { type: "updated", before: jobOf(), object: jobOf({ status: { active: 1 } }) });
  scene.notify(Pods, { type: "added", object: podOf("a"), initial: false });
  expect(scene.wokenLater.map(({ ms }) => ms)).toEqual([300, 300]);
});
