import { beforeEach, describe, expect, test } from "bun:test";
import { PersistentVolumes } from "../../../src/api/kinds.ts";
import type { StoredMeta } from "../../../src/api/object.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { PersistentVolume } from "../../../src/api/types.ts";
import { persistentVolumeProtection } from "../../../src/controllers/persistentvolume-protection/persistentvolume-protection.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";

const finalizer = "kubernetes.io/pv-protection";

interface Parts {
  readonly finalizers?: readonly string[];
  readonly deleted?: boolean;
  /** Empty for no phase. */
  readonly phase?: string;
}

function volumeOf({ finalizers = [finalizer], deleted = false, phase = "" }: Parts): PersistentVolume {
  const time = formatTime(sceneStart);
  const metadata: StoredMeta = {
    name: "disk",
    uid: "uid-disk",
    resourceVersion: "1",
    creationTimestamp: time,
    finalizers,
    ...(deleted && { deletionTimestamp: time }),
  };
  const claimRef = { namespace: "shop", name: "data" };
  return { metadata, spec: { claimRef }, status: phase === "" ? {} : { phase } };
}

let scene: Scene;
beforeEach(() => {
  scene = syncScene(persistentVolumeProtection);
});

/** Runs one sync of the volume; returns the finalizers that were written, or undefined without a write. */
async function written(volume: PersistentVolume): Promise<readonly string[] | undefined> {
  scene.put(PersistentVolumes, volume);
  await scene.sync("disk");
  expect(scene.calls.length).toBeLessThanOrEqual(1);
  const body = scene.calls[0]?.body as PersistentVolume | undefined;
  return body === undefined ? undefined : (body.metadata.finalizers ?? []);
}
const sentences = (): string[] => scene.decisions.map(({ sentence }) => sentence);

describe("a volume that is not being deleted", () => {
  test("gets the finalizer if it lacks it, behind the others", async () => {
    expect(await written(volumeOf({ finalizers: ["example.com/hold"] }))).toEqual(["example.com/hold", finalizer]);
    expect(sentences()).toEqual([`it lacks the finalizer ${finalizer} → add it`]);
  });

  test("is left alone if it has it, or was deleted", async () => {
    expect(await written(volumeOf({}))).toBeUndefined();
    await scene.sync("another");
    expect(scene.calls).toEqual([]);
  });
});

describe("a volume that is being deleted", () => {
  for (const phase of ["", "Pending", "Available", "Released", "Failed"]) {
    test(`loses the finalizer in phase "${phase}"`, async () => {
      const volume = volumeOf({ deleted: true, phase, finalizers: [finalizer, "example.com/hold"] });
      expect(await written(volume)).toEqual(["example.com/hold"]);
      expect(sentences()).toEqual([`it is being deleted, and is not bound → remove finalizer ${finalizer}`]);
    });
  }

  test("keeps it while it is bound", async () => {
    expect(await written(volumeOf({ deleted: true, phase: "Bound" }))).toBeUndefined();
    expect(sentences()).toEqual(["its phase is Bound, to claim shop/data → keep it"]);
  });

  test("gets none", async () => {
    expect(await written(volumeOf({ deleted: true, finalizers: ["example.com/hold"] }))).toBeUndefined();
  });

  test("fails with the server's refusal, to be retried", async () => {
    scene.refuse = () => refusal(403, "Forbidden", "Mock error");
    expect(await rejection(written(volumeOf({ deleted: true })))).toMatchObject({ code: 403 });
    expect(await rejection(written(volumeOf({ finalizers: [] })))).toMatchObject({ code: 403 });
  });
});

test("volumes that lack the finalizer, and those that should lose it, are synced", () => {
  const notify = (parts: Parts): void =>
    scene.notify(PersistentVolumes, { type: "updated", before: volumeOf({}), object: volumeOf(parts) });
  notify({});
  notify({ deleted: true, finalizers: ["example.com/hold"] });
  scene.notify(PersistentVolumes, { type: "deleted", object: volumeOf({ deleted: true }), tombstone: false });
  expect(scene.woken).toEqual([]);
  notify({ finalizers: [] });
  notify({ deleted: true });
  expect(scene.woken).toEqual(["disk", "disk"]);
});

test("the definition has upstream's names and permissions, and reports unsynced objects if no controller runs", () => {
  expect(persistentVolumeProtection).toMatchObject({
    name: "persistentvolume-protection",
    component: "pv-protection-controller",
    workers: 1,
    recordsEvents: false,
    permissions: [{ group: "", resource: "persistentvolumes", verbs: ["update"] }],
  });
  expect(persistentVolumeProtection.aliases).toContain("pv-protection");
  const isLeftUndone = (parts: Parts): boolean | undefined =>
    persistentVolumeProtection.isLeftUndone?.(volumeOf(parts));
  expect(isLeftUndone({ finalizers: [] })).toBe(true);
  expect(isLeftUndone({ deleted: true, phase: "Released" })).toBe(true);
  expect(isLeftUndone({ deleted: true, phase: "Bound" })).toBe(false);
  expect(isLeftUndone({})).toBe(false);
});
