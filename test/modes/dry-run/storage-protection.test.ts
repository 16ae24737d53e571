/** Deleted claims and classes in a dry run: they are removed when they are known to be unused. */
import { describe, expect, test } from "bun:test";
import type { Kind } from "../../../src/api/kind.ts";
import { PersistentVolumeClaims, StatefulSets, VolumeAttributesClasses } from "../../../src/api/kinds.ts";
import { builtInControllers } from "../../../src/controllers/index.ts";
import type { RequestedChange, ToApply } from "../../../src/modes/dry-run/apply.ts";
import type { DryRunOptions } from "../../../src/modes/dry-run/dry-run.ts";
import { emptyCluster } from "../../../src/modes/dry-run/initial-state.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import type { Scope } from "../../../src/modes/dry-run/scope.ts";
import { apply, changesOf, play } from "./scene.ts";

const controllers = builtInControllers.filter(({ disabledByDefault }) => disabledByDefault !== true);
const run = (options: Partial<DryRunOptions>): Promise<DryRun> => play({ controllers, ...options });
const about = (done: DryRun, kind: string): string[] => changesOf(done).filter((line) => line.includes(` ${kind} `));

const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const pod = { containers: [{ name: "db", image: "db:1" }] };

function object(kind: string, name: string, rest: object): ToApply {
  return { apiVersion: "v1", kind, metadata: { name }, ...rest };
}

const claim = object("PersistentVolumeClaim", "data", { spec: claimSpec });
const removal = (kind: Kind, name: string): RequestedChange => ({
  is: "delete",
  kind,
  namespace: kind.namespaced ? "default" : "",
  name,
});
const removeClaim = removal(PersistentVolumeClaims, "data");

/** A cluster in which everything is known except as `scope` says. */
function known(scope: Partial<Scope>): DryRunOptions["initialState"] {
  const empty = emptyCluster(["default"]);
  return { ...empty, scope: { ...empty.scope, unread: new Map(), ...scope } };
}

describe("a deleted claim", () => {
  const user = object("Pod", "db", {
    spec: { ...pod, volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] },
  });

  test("is removed", async () => {
    const done = await run({ baseline: [apply(claim)], requestedChanges: [removeClaim] });
    expect(about(done, "PersistentVolumeClaim")).toEqual(["- PersistentVolumeClaim default/data"]);
  });

  test("stays while a pod uses it", async () => {
    const done = await run({ baseline: [apply(claim), apply(user)], requestedChanges: [removeClaim] });
    expect(about(done, "PersistentVolumeClaim")).toEqual(["~ PersistentVolumeClaim default/data"]);
  });

  for (const { says, scope } of [
    { says: "pods cannot be read", scope: { unread: new Map([["/Pod", "no right to list"]]) } },
    { says: "its namespace was not read", scope: { namespaces: ["elsewhere"] } },
  ]) {
    test(`is left alone if ${says}`, async () => {
      const initialState = known(scope);
      const done = await run({ initialState, baseline: [apply(claim)], requestedChanges: [removeClaim] });
      expect(about(done, "PersistentVolumeClaim")).toEqual(["~ PersistentVolumeClaim default/data"]);
    });
  }

  test("of a StatefulSet is deleted with it, by whenDeleted", async () => {
    const labels = { app: "db" };
    const set = (whenDeleted: string): ToApply =>
      ({
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        metadata: { name: "db" },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: pod },
          volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimSpec }],
          persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled: "Retain" },
        },
        // Safe: the missing fields have defaults.
      }) as ToApply;
    const remove = removal(StatefulSets, "db");
    const gone = await run({ baseline: [apply(set("Delete"))], requestedChanges: [remove] });
    expect(about(gone, "PersistentVolumeClaim").toSorted()).toEqual([
      "- PersistentVolumeClaim default/data-db-0",
      "- PersistentVolumeClaim default/data-db-1",
    ]);
    const kept = await run({ baseline: [apply(set("Retain"))], requestedChanges: [remove] });
    expect(about(kept, "PersistentVolumeClaim")).toEqual([]);
  });
});

describe("a deleted VolumeAttributesClass", () => {
  const gold = {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttributesClass",
    metadata: { name: "gold" },
    driverName: "example.com",
    parameters: { iops: "1" },
  } as ToApply;
  const remove = removal(VolumeAttributesClasses, "gold");

  async function outcome(scope: Partial<Scope>): Promise<string[]> {
    const done = await run({ initialState: known(scope), baseline: [apply(gold)], requestedChanges: [remove] });
    return about(done, "VolumeAttributesClass");
  }

  test("is removed if all claims and volumes are known", async () => {
    expect(await outcome({ namespaces: undefined })).toEqual(["- VolumeAttributesClass gold"]);
  });

  for (const { says, scope } of [
    { says: "other namespaces were not read", scope: { namespaces: ["default"] } },
    {
      says: "volumes cannot be read",
      scope: { namespaces: undefined, unread: new Map([["/PersistentVolume", "no right to list"]]) },
    },
  ]) {
    test(`is left alone if ${says}`, async () => {
      expect(await outcome(scope)).toEqual(["~ VolumeAttributesClass gold"]);
    });
  }
});

test("an applied claim is not simulated: nothing here binds it", async () => {
  const done = await run({ requestedChanges: [apply(claim)] });
  expect(done.notFollowed.map(({ of }) => of.kind)).toEqual(["PersistentVolumeClaim"]);
});
