/** StatefulSets in a dry run: their pods have fixed names, and claims that are bound or not. */
import { describe, expect, test } from "bun:test";
import { statefulset } from "../../../src/controllers/statefulset/statefulset.ts";
import type { ToApply } from "../../../src/modes/dry-run/apply.ts";
import { type DryRunOptions } from "../../../src/modes/dry-run/dry-run.ts";
import { emptyCluster } from "../../../src/modes/dry-run/initial-state.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { apply, changesOf, play } from "./scene.ts";

interface Parts {
  readonly replicas?: number;
  readonly image?: string;
  readonly spec?: object;
  readonly container?: object;
}

function setOf({ replicas = 2, image = "db:1", spec, container }: Parts = {}): ToApply {
  const labels = { app: "db" };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "db", image, ...container }] } },
      ...spec,
    },
  } as ToApply;
}

const withClaims = {
  volumeClaimTemplates: [
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};
const run = (options: Partial<DryRunOptions>): Promise<DryRun> => play({ controllers: [statefulset], ...options });

describe("a dry run of a StatefulSet", () => {
  test("shows its pods by their names, and how many become available", async () => {
    const done = await run({ requestedChanges: [apply(setOf())] });
    expect(changesOf(done).filter((line) => line.includes("Pod"))).toEqual([
      "+ Pod default/db-0",
      "+ Pod default/db-1",
    ]);
    expect(done.availability).toMatchObject([{ key: "default/db", available: 2, desired: 2 }]);
    expect(done.notFollowed).toEqual([]);
  });

  test("rolls out a new template, except to pods below the partition", async () => {
    const baseline = [apply(setOf({ replicas: 3 }))];
    const all = await run({ baseline, requestedChanges: [apply(setOf({ replicas: 3, image: "db:2" }))] });
    expect(all.availability).toMatchObject([{ available: 3, desired: 3 }]);
    const images = ({ state }: DryRun): string[] =>
      [...state.values()].flatMap(({ of, object }) =>
        of.kind === "Pod" ? (object as unknown as PodLike).spec.containers.map(({ image }) => image) : [],
      );
    expect(images(all)).toEqual(["db:2", "db:2", "db:2"]);
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
    const partly = await run({
      baseline,
      requestedChanges: [apply(setOf({ replicas: 3, image: "db:2", spec: { updateStrategy } }))],
    });
    expect(images(partly).sort()).toEqual(["db:1", "db:1", "db:2"]);
    expect(partly.availability).toMatchObject([{ available: 3, desired: 3 }]);
  });

  test("names the pod that does not start, and does not count old pods that should be updated", async () => {
    const tooLarge = { resources: { requests: { cpu: "90000" } } };
    const done = await run({
      baseline: [apply(setOf({ replicas: 3 }))],
      requestedChanges: [apply(setOf({ replicas: 3, container: tooLarge }))],
    });
    expect(done.availability).toMatchObject([{ available: 0, desired: 3 }]);
    expect(done.availability[0]?.why).toMatch(/^Pod db-2: 0\/3 nodes are available/);
  });

  test("assumes that claims are bound, and says so, if the storage is unknown", async () => {
    const done = await run({ requestedChanges: [apply(setOf({ spec: withClaims }))] });
    expect(done.claims.map(({ key, binding }) => [key, binding.is])).toEqual([
      ["default/data-db-0", "assumed to be bound"],
      ["default/data-db-1", "assumed to be bound"],
    ]);
    expect(done.availability).toMatchObject([{ available: 2 }]);
  });

  test("in order waits forever for a pod whose claim certainly gets no volume", async () => {
    const empty = emptyCluster(["default"]);
    const initialState = { ...empty, scope: { ...empty.scope, unread: new Map() } };
    const done = await run({ initialState, requestedChanges: [apply(setOf({ spec: withClaims }))] });
    expect(done.availability).toMatchObject([{ available: 0, desired: 2 }]);
    expect(done.availability[0]?.why).toMatch(/^Pod db-0: claim default\/data-db-0 stays Pending: /);
    expect(changesOf(done).filter((line) => line.includes("Pod "))).toEqual(["+ Pod default/db-0"]);
  });
});

interface PodLike {
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}
