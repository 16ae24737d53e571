import { beforeEach, describe, expect, test } from "bun:test";
import { PersistentVolumeClaims, Pods } from "../../../src/api/kinds.ts";
import type { Pod } from "../../../src/api/types.ts";
import { persistentVolumeClaimProtection } from "../../../src/controllers/persistentvolumeclaim-protection/persistentvolumeclaim-protection.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";
import { claimOf, deletedClaim, deletedNow, finalizer, podWith } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(persistentVolumeClaimProtection);
});

describe("of claims", () => {
  test("those that lack the finalizer, and those that should lose it, are synced", () => {
    const added = [
      claimOf("bare", { finalizers: [] }),
      claimOf("safe"),
      deletedClaim("kept"),
      deletedClaim("going", { finalizers: ["example.com/hold"] }),
    ];
    for (const object of added) scene.notify(PersistentVolumeClaims, { type: "added", object, initial: false });
    expect(scene.woken).toEqual(["shop/bare", "shop/kept"]);
  });

  test("one whose deletion was requested is synced, one that is gone is not", () => {
    scene.notify(PersistentVolumeClaims, { type: "updated", before: claimOf("a"), object: deletedClaim("a") });
    scene.notify(PersistentVolumeClaims, { type: "deleted", object: deletedClaim("b"), tombstone: false });
    expect(scene.woken).toEqual(["shop/a"]);
  });
});

describe("the claims of a pod are synced", () => {
  const running = podWith("db-0", { claims: ["data", "logs"], ephemeral: ["tmp"] });
  const all = ["shop/data", "shop/logs", "shop/db-0-tmp"];
  const waking = (object: Pod): readonly string[] => {
    scene.notify(Pods, { type: "added", object, initial: false });
    return scene.woken;
  };

  test("when it is deleted", () => {
    scene.notify(Pods, { type: "deleted", object: running, tombstone: false });
    expect(scene.woken).toEqual(all);
  });

  test("when its deletion was missed", () => {
    scene.notify(Pods, { type: "deleted", object: running, tombstone: true });
    expect(scene.woken).toEqual(all);
  });

  test("not while it is on a node and runs", () => expect(waking(running)).toEqual([]));

  test("while it has no node", () => {
    expect(waking(podWith("db-0", { claims: ["data"], node: "" }))).toEqual(["shop/data"]);
  });

  for (const phase of ["Succeeded", "Failed"]) {
    test(`when it has ${phase.toLowerCase()}`, () => {
      expect(waking(podWith("db-0", { claims: ["data"], status: { phase } }))).toEqual(["shop/data"]);
    });
  }

  const container = { name: "c", image: "i", imageID: "", ready: false, restartCount: 0 };
  const live = { ...container, state: { running: {} } };
  const done = { ...container, state: { terminated: { exitCode: 0 } } };
  const waiting = { ...container, state: { waiting: {} } };
  const statuses: readonly {
    readonly says: string;
    readonly status: NonNullable<Pod["status"]>;
    readonly wakes: boolean;
  }[] = [
    { says: "when none of its containers runs", status: { containerStatuses: [done, waiting] }, wakes: true },
    { says: "when none was ever started", status: {}, wakes: true },
    { says: "not while one runs", status: { containerStatuses: [done, live] }, wakes: false },
    { says: "not while an init container runs", status: { initContainerStatuses: [live] }, wakes: false },
    { says: "not while an ephemeral container runs", status: { ephemeralContainerStatuses: [live] }, wakes: false },
    { says: "not while no status is known", status: { containerStatuses: [container] }, wakes: false },
  ];
  for (const { says, status, wakes } of statuses) {
    test(`when it is being deleted, ${says}`, () => {
      const pod = podWith("db-0", { claims: ["data"], meta: deletedNow, status: { phase: "Running", ...status } });
      expect(waking(pod)).toEqual(wakes ? ["shop/data"] : []);
    });
  }

  test("when another pod has taken its name unseen, those of the deleted one", () => {
    const object = podWith("db-0", { claims: ["other"], meta: { uid: "uid-of-another" } });
    scene.notify(Pods, { type: "updated", before: running, object });
    expect(scene.woken).toEqual(all);
  });

  test("not when the same pod gets its node", () => {
    const before = podWith("db-0", { claims: ["data"], node: "" });
    scene.notify(Pods, { type: "updated", before, object: podWith("db-0", { claims: ["data"] }) });
    expect(scene.woken).toEqual([]);
  });
});

test("the definition has upstream's names and permissions, and records no Events", () => {
  expect(persistentVolumeClaimProtection).toMatchObject({
    name: "persistentvolumeclaim-protection",
    component: "pvc-protection-controller",
    workers: 1,
    recordsEvents: false,
    permissions: [{ group: "", resource: "persistentvolumeclaims", verbs: ["update"] }],
  });
  expect(persistentVolumeClaimProtection.aliases).toContain("pvc-protection");
  expect(persistentVolumeClaimProtection.disabledByDefault).toBeUndefined();
  expect(persistentVolumeClaimProtection.isLeftUndone?.(claimOf("a", { finalizers: [] }))).toBe(true);
  expect(persistentVolumeClaimProtection.isLeftUndone?.(claimOf("a", { finalizers: [finalizer] }))).toBe(false);
});
