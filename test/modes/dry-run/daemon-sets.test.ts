/** DaemonSets in a dry run: one pod for each suitable node. */
import { describe, expect, test } from "bun:test";
import { daemonset } from "../../../src/controllers/daemonset/daemonset.ts";
import type { ToApply } from "../../../src/modes/dry-run/apply.ts";
import { type DryRunOptions } from "../../../src/modes/dry-run/dry-run.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { apply, changesOf, play } from "./scene.ts";

interface Parts {
  readonly image?: string;
  readonly spec?: object;
  readonly pod?: object;
  readonly container?: object;
}

function setOf({ image = "agent:1", spec, pod, container }: Parts = {}): ToApply {
  const labels = { app: "agent" };
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "agent", image, ...container }], ...pod } },
      ...spec,
    },
  } as ToApply;
}

const run = (options: Partial<DryRunOptions>): Promise<DryRun> => play({ controllers: [daemonset], ...options });
const baseline = [apply(setOf())];
const images = ({ state }: DryRun): string[] =>
  [...state.values()].flatMap(({ of, object }) =>
    of.kind === "Pod"
      ? (object as unknown as { spec: { containers: { image: string }[] } }).spec.containers.map(({ image }) => image)
      : [],
  );

describe("a dry run of a DaemonSet", () => {
  test("shows a pod for each node, and how many become available", async () => {
    const done = await run({ requestedChanges: [apply(setOf())] });
    expect(changesOf(done).filter((line) => line.includes("Pod")).length).toBe(3);
    expect(done.availability).toMatchObject([{ key: "default/agent", available: 3, desired: 3 }]);
    expect(done.notFollowed).toEqual([]);
  });

  test("rolls out a new template to all nodes", async () => {
    const done = await run({ baseline, requestedChanges: [apply(setOf({ image: "agent:2" }))] });
    expect(images(done)).toEqual(["agent:2", "agent:2", "agent:2"]);
    expect(done.availability).toMatchObject([{ available: 3, desired: 3 }]);
  });

  test("with a surge, too", async () => {
    const surge = { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } };
    const done = await run({ baseline, requestedChanges: [apply(setOf({ image: "agent:2", spec: surge }))] });
    expect(images(done)).toEqual(["agent:2", "agent:2", "agent:2"]);
    expect(done.availability).toMatchObject([{ available: 3, desired: 3 }]);
  });

  test("with OnDelete leaves old pods, as intended", async () => {
    const spec = { updateStrategy: { type: "OnDelete" } };
    const done = await run({ baseline, requestedChanges: [apply(setOf({ image: "agent:2", spec }))] });
    expect(images(done)).toEqual(["agent:1", "agent:1", "agent:1"]);
    expect(done.availability).toMatchObject([{ available: 3, desired: 3 }]);
  });

  test("names the pod that does not start, and does not count old pods that should be updated", async () => {
    const container = { resources: { requests: { cpu: "90000" } } };
    const done = await run({ baseline, requestedChanges: [apply(setOf({ container }))] });
    expect(done.availability).toMatchObject([{ available: 0, desired: 3 }]);
    expect(done.availability[0]?.why).toMatch(/^Pod agent-\S+: 0\/3 nodes are available: .*Insufficient cpu/);
  });

  test("has no pods if no node matches", async () => {
    const done = await run({ requestedChanges: [apply(setOf({ pod: { nodeSelector: { disk: "ssd" } } }))] });
    expect(done.availability).toMatchObject([{ available: 0, desired: 0, why: undefined }]);
  });
});
