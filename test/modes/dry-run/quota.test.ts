/** Quotas are counted and enforced in a dry run, whichever controllers run. */
import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../../src/api/object.ts";
import type { ToApply } from "../../../src/modes/dry-run/apply.ts";
import { emptyCluster } from "../../../src/modes/dry-run/initial-state.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { wholeCluster } from "../../../src/modes/dry-run/scope.ts";
import { apply, changesOf, play, webReplicaSet } from "./scene.ts";

const quota = (hard: Readonly<Record<string, string>>): ToApply =>
  ({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "few", namespace: "default" },
    spec: { hard },
  }) as ToApply;

function usedIn({ state }: DryRun): unknown {
  const object = state.get("/ResourceQuota default/few")?.object as { readonly status?: { readonly used?: unknown } };
  return object.status?.used;
}

describe("a quota among the manifests", () => {
  test.each([1, 2, 3, 4, 5, 6])("is counted, and permits no more than its limit (seed %i)", async (seed) => {
    const run = await play({ seed, requestedChanges: [apply(quota({ pods: "2" })), apply(webReplicaSet(5))] });
    expect(usedIn(run)).toEqual({ pods: "2" });
    expect(run.availability).toMatchObject([{ available: 2, desired: 5 }]);
    expect(run.availability[0]?.why).toContain("exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2");
  });

  test.each([1, 2, 3])("limits by its new value at once (seed %i)", async (seed) => {
    const baseline = [apply(quota({ pods: "9" })), apply(webReplicaSet(1))];
    const run = await play({
      seed,
      baseline,
      requestedChanges: [apply(quota({ pods: "2" })), apply(webReplicaSet(5))],
    });
    expect(usedIn(run)).toEqual({ pods: "2" });
  });

  test("releases deleted objects", async () => {
    const baseline = [apply(quota({ pods: "3" })), apply(webReplicaSet(3))];
    const run = await play({ baseline, requestedChanges: [apply(webReplicaSet(1))] });
    expect(usedIn(run)).toEqual({ pods: "1" });
  });

  test("is not a change if only its usage differs", async () => {
    const baseline = [apply(quota({ pods: "3" })), apply(webReplicaSet(1))];
    const run = await play({ baseline, requestedChanges: [apply(webReplicaSet(2))] });
    expect(changesOf(run)).toEqual(["~ ReplicaSet default/web", "+ Pod default/web-…"]);
    expect(run.notFollowed).toEqual([]);
  });
});

test("usage of kinds that cannot be read stays as counted by the cluster", async () => {
  const meta = { uid: "q", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
  const { metadata, ...rest } = quota({ secrets: "9" });
  const live = {
    ...rest,
    metadata: { ...metadata, ...meta },
    status: { hard: { secrets: "9" }, used: { secrets: "7" } },
  };
  const empty = emptyCluster([]);
  const objects = [...empty.objects, live as unknown as StoredObject];
  const scope = { ...wholeCluster, uncounted: new Set(["secrets"]) };
  expect(usedIn(await play({ initialState: { ...empty, objects, scope } }))).toEqual({ secrets: "7" });
  expect(usedIn(await play({ initialState: { ...empty, objects } }))).toEqual({ secrets: "0" });
});
