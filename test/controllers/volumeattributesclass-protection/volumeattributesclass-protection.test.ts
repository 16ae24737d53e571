import { beforeEach, describe, expect, test } from "bun:test";
import { PersistentVolumeClaims, PersistentVolumes, VolumeAttributesClasses } from "../../../src/api/kinds.ts";
import type { StoredMeta } from "../../../src/api/object.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { PersistentVolume, PersistentVolumeClaim, VolumeAttributesClass } from "../../../src/api/types.ts";
import { volumeAttributesClassProtection } from "../../../src/controllers/volumeattributesclass-protection/volumeattributesclass-protection.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";

const finalizer = "kubernetes.io/vac-protection";
const time = formatTime(sceneStart);

function metaOf(name: string, more: Partial<StoredMeta> = {}): StoredMeta {
  return { name, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: time, ...more };
}

interface Parts {
  readonly finalizers?: readonly string[];
  readonly deleted?: boolean;
}

function gold({ finalizers = [finalizer], deleted = false }: Parts = {}): VolumeAttributesClass {
  const metadata = metaOf("gold", { finalizers, ...(deleted && { deletionTimestamp: time }) });
  return { metadata, driverName: "example.com" };
}

function claim(className: string, status: NonNullable<PersistentVolumeClaim["status"]> = {}): PersistentVolumeClaim {
  const metadata = metaOf("data", { namespace: "shop" });
  return { metadata, spec: { volumeAttributesClassName: className }, status };
}

function volume(name: string): PersistentVolume {
  return { metadata: metaOf("disk"), spec: name === "" ? {} : { volumeAttributesClassName: name } };
}

const had = { currentVolumeAttributesClassName: "gold" };
const target = { modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: "gold" } };

let scene: Scene;
beforeEach(() => {
  scene = syncScene(volumeAttributesClassProtection);
});

/** Runs one sync of the class; returns the finalizers that were written, or undefined without a write. */
async function written(object: VolumeAttributesClass): Promise<readonly string[] | undefined> {
  scene.put(VolumeAttributesClasses, object);
  await scene.sync("gold");
  expect(scene.calls.length).toBeLessThanOrEqual(1);
  const body = scene.calls[0]?.body as VolumeAttributesClass | undefined;
  return body === undefined ? undefined : (body.metadata.finalizers ?? []);
}
const sentences = (): string[] => scene.decisions.map(({ sentence }) => sentence);

describe("a class that is not being deleted", () => {
  test("gets the finalizer if it lacks it", async () => {
    expect(await written(gold({ finalizers: ["example.com/hold"] }))).toEqual(["example.com/hold", finalizer]);
    expect(sentences()).toEqual([`it lacks the finalizer ${finalizer} → add it`]);
  });

  test("is left alone if it has it, or was deleted", async () => {
    expect(await written(gold())).toBeUndefined();
    await scene.sync("silver");
    expect(scene.calls).toEqual([]);
  });
});

describe("a class that is being deleted", () => {
  test("loses the finalizer when nothing uses it", async () => {
    scene.put(PersistentVolumeClaims, claim("silver", { currentVolumeAttributesClassName: "" }));
    scene.put(PersistentVolumes, volume(""));
    expect(await written(gold({ deleted: true }))).toEqual([]);
    expect(sentences()).toEqual([`it is being deleted, and nothing uses it → remove finalizer ${finalizer}`]);
  });

  for (const { says, user } of [
    { says: "a claim that requests it", user: claim("gold") },
    { says: "a claim that still has it", user: claim("silver", had) },
    { says: "a claim that is being modified to it", user: claim("silver", target) },
  ]) {
    test(`keeps it for ${says}`, async () => {
      scene.put(PersistentVolumeClaims, user);
      expect(await written(gold({ deleted: true }))).toBeUndefined();
      expect(sentences()).toEqual(["PersistentVolumeClaim shop/data uses it → keep it"]);
    });
  }

  test("keeps it for a volume that has it", async () => {
    scene.put(PersistentVolumes, volume("gold"));
    expect(await written(gold({ deleted: true }))).toBeUndefined();
    expect(sentences()).toEqual(["PersistentVolume disk uses it → keep it"]);
  });

  test("gets none any more", async () => {
    expect(await written(gold({ deleted: true, finalizers: ["example.com/hold"] }))).toBeUndefined();
  });

  test("fails with the server's refusal, to be retried", async () => {
    scene.refuse = () => refusal(403, "Forbidden", "Mock error");
    expect(await rejection(written(gold({ deleted: true })))).toMatchObject({ code: 403 });
    expect(await rejection(written(gold({ finalizers: [] })))).toMatchObject({ code: 403 });
  });
});

describe("synced are", () => {
  test("classes that lack the finalizer, and those that should lose it", () => {
    for (const object of [gold(), gold({ deleted: true, finalizers: ["example.com/hold"] })])
      scene.notify(VolumeAttributesClasses, { type: "added", object, initial: false });
    scene.notify(VolumeAttributesClasses, { type: "deleted", object: gold({ deleted: true }), tombstone: false });
    expect(scene.woken).toEqual([]);
    for (const object of [gold({ finalizers: [] }), gold({ deleted: true })])
      scene.notify(VolumeAttributesClasses, { type: "added", object, initial: false });
    expect(scene.woken).toEqual(["gold", "gold"]);
  });

  test("a class that a claim no longer uses, and that of a deleted claim", () => {
    scene.notify(PersistentVolumeClaims, { type: "updated", before: claim("gold", had), object: claim("silver") });
    expect(scene.woken).toEqual(["gold"]);
    scene.notify(PersistentVolumeClaims, { type: "deleted", object: claim("silver", target), tombstone: false });
    expect(scene.woken).toEqual(["gold", "silver", "gold"]);
  });

  test("not a class that a claim still has, or is being modified to, nor that of a new claim", () => {
    for (const status of [had, target])
      scene.notify(PersistentVolumeClaims, { type: "updated", before: claim("gold"), object: claim("silver", status) });
    scene.notify(PersistentVolumeClaims, { type: "added", object: claim("gold"), initial: false });
    expect(scene.woken).toEqual([]);
  });

  test("a class that a volume no longer has, and that of a deleted volume", () => {
    scene.notify(PersistentVolumes, { type: "updated", before: volume("gold"), object: volume("silver") });
    scene.notify(PersistentVolumes, { type: "updated", before: volume("silver"), object: volume("silver") });
    scene.notify(PersistentVolumes, { type: "deleted", object: volume("gold"), tombstone: false });
    expect(scene.woken).toEqual(["gold", "gold"]);
  });
});

test("the definition has upstream's names and permissions, and reports unsynced objects if no controller runs", () => {
  expect(volumeAttributesClassProtection).toMatchObject({
    name: "volumeattributesclass-protection",
    component: "volumeattributesclass-protection-controller",
    workers: 1,
    recordsEvents: false,
    permissions: [{ group: "storage.k8s.io", resource: "volumeattributesclasses", verbs: ["update"] }],
  });
  expect(volumeAttributesClassProtection.isLeftUndone?.(gold({ finalizers: [] }))).toBe(true);
  expect(volumeAttributesClassProtection.isLeftUndone?.(gold({ deleted: true }))).toBe(false);
});
