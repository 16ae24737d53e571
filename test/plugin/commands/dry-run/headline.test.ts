import { expect, test } from "bun:test";
import { reasonOf } from "../../../../plugin/commands/dry-run/report/headline.ts";
import { Namespaces, PersistentVolumeClaims } from "../../../../src/api/kinds.ts";
import type { ToApply } from "../../../../src/modes/dry-run/apply.ts";
import { builtInControllers } from "../../../../src/controllers/index.ts";
import { dryRun } from "../../../../src/modes/dry-run/dry-run.ts";
import { emptyCluster } from "../../../../src/modes/dry-run/initial-state.ts";
import { apply, play } from "./scene.ts";

for (const { finalizers, says } of [
  { finalizers: [], says: "finalizer kubernetes.io/pvc-protection keeps it" },
  {
    finalizers: ["example.com/hold"],
    says: "finalizers example.com/hold, kubernetes.io/pvc-protection keep it",
  },
]) {
  test(`what is deleted, as asked, and stays: ${says}`, async () => {
    const claim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", finalizers },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      // The missing fields have defaults.
    } as ToApply;
    const run = await play([claim], [{ is: "delete", kind: PersistentVolumeClaims, namespace: "shop", name: "data" }]);
    const changes = run.groups.flatMap((group) => group.changes);
    expect(changes.map(reasonOf)).toEqual([`being deleted, as asked; ${says}`]);
  });
}

test("what is deleted with everything in its namespace has that as its cause", async () => {
  const settings: ToApply = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "shop" } };
  const controllers = builtInControllers.filter(({ name }) => name === "namespace");
  const run = await dryRun({
    initialState: emptyCluster(["shop"]),
    baseline: [apply(settings)],
    requestedChanges: [{ is: "delete", kind: Namespaces, namespace: "", name: "shop" }],
    controllers,
    seed: 1,
    shown: {},
    fold: true,
  });
  const reasons = run.groups.flatMap((group) => group.changes).map((change) => [change.of.kind, reasonOf(change)]);
  expect(reasons).toContainEqual(["ConfigMap", expect.stringMatching(/^delete-content: /)]);
  expect(reasons).toContainEqual(["ServiceAccount", expect.stringMatching(/^delete-content: /)]);
});

test("Endpoints that the API server deletes with their Service have that as their reason", () => {
  const object = { apiVersion: "v1", kind: "Endpoints", metadata: { name: "web", namespace: "shop" } } as never;
  const of = { group: "", kind: "Endpoints" };
  const change = {
    did: "deleted",
    of,
    key: "shop/web",
    shownKey: "shop/web",
    before: object,
    after: undefined,
    count: 1,
  } as const;
  expect(reasonOf({ ...change, causes: [] })).toBe("deleted with its Service, by the API server");
  const update = { controller: "endpoints", rule: "update-endpoints", sentence: "", writes: 1, statusOnly: false };
  expect(reasonOf({ ...change, causes: [update] })).toBe("deleted with its Service, by the API server");
});
