import { describe, expect, test } from "bun:test";
import { PersistentVolumeClaims, PersistentVolumes, Pods, VolumeAttributesClasses } from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { type Diagnosis, findingsOf, type Item } from "../../src/diagnosis/diagnosis.ts";
import { ago, diagnose, type Json, now, objectOf } from "./world.ts";

const going = (name: string, finalizer: string, rest: Json = {}): StoredObject =>
  objectOf(name, { meta: { deletionTimestamp: ago(180), finalizers: [`kubernetes.io/${finalizer}`] }, ...rest });
const whys = (diagnosis: Diagnosis): readonly string[] =>
  findingsOf(diagnosis).map(({ at, why }) => `${at.name}: ${why}`);

describe("a claim that is being deleted", () => {
  const claim = going("data", "pvc-protection");
  const finalizer = "finalizer kubernetes.io/pvc-protection";

  function podOf(name: string, { node = "node-1", phase = "Running", meta = {} }: Json = {}): Item {
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    const spec = { containers: [{ name: "c" }], volumes, ...(node !== "" && { nodeName: node }) };
    return { kind: Pods, object: objectOf(name, { meta: meta as Json, spec, status: { phase } }) };
  }

  test("names the pods that use it, with their nodes", () => {
    const items = [podOf("db-0"), podOf("old", { phase: "Failed" }), podOf("new", { node: "" })];
    const diagnosis = diagnose(PersistentVolumeClaims, claim, { items });
    expect(diagnosis).toMatchObject({ is: "being deleted", says: "a finalizer blocks it" });
    expect(findingsOf(diagnosis)).toMatchObject([
      {
        why: `${finalizer}: waiting until Pod db-0 (on node node-1), Pod old (Failed, on node node-1) are deleted`,
        since: now - 180_000,
      },
    ]);
    expect(diagnosis.verdict.evidence.seen).toContain("the pods of its namespace");
  });

  test("names the reason of a pod that is being deleted, too, and the number of many pods", () => {
    const meta = { deletionTimestamp: ago(5), finalizers: ["example.com/drain"] };
    const items = [podOf("db-0", { meta }), ...["b", "c", "d", "e", "f"].map((name) => podOf(name))];
    const found = whys(diagnose(PersistentVolumeClaims, claim, { items }));
    expect(found[0]).toBe("db-0: finalizer example.com/drain: the controller that set it has to remove it");
    expect(found[1]).toEndWith("Pod e (on node node-1) and 1 more are deleted");
  });

  test("that no pod uses waits for its controller", () => {
    expect(whys(diagnose(PersistentVolumeClaims, claim, { items: [podOf("new", { node: "" })] }))).toEqual([
      `data: ${finalizer}: no pod on a node uses it, so the controller persistentvolumeclaim-protection has to remove it`,
    ]);
  });

  test("does not claim that no pod uses it if pods cannot be read", () => {
    const diagnosis = diagnose(PersistentVolumeClaims, claim, { forbidden: [Pods] });
    expect(whys(diagnosis)).toEqual([`data: ${finalizer}: pods that use it may keep it`]);
    expect(diagnosis.verdict.evidence.unseen).toMatchObject([{ what: "pods", why: "no right to list" }]);
  });
});

describe("a volume that is being deleted", () => {
  const finalizer = "finalizer kubernetes.io/pv-protection";
  const spec = { claimRef: { namespace: "shop", name: "data" } };

  test("names the claim to which it is bound", () => {
    const volume = going("disk", "pv-protection", { spec, status: { phase: "Bound" } });
    expect(whys(diagnose(PersistentVolumes, volume))).toEqual([
      `disk: ${finalizer}: waiting until it is no longer bound to claim shop/data`,
    ]);
  });

  test("that is released waits for its controller", () => {
    const volume = going("disk", "pv-protection", { spec, status: { phase: "Released" } });
    expect(whys(diagnose(PersistentVolumes, volume))).toEqual([
      `disk: ${finalizer}: it is not bound, so the controller persistentvolume-protection has to remove it`,
    ]);
  });
});

describe("a VolumeAttributesClass that is being deleted", () => {
  const gold = going("gold", "vac-protection");
  const finalizer = "finalizer kubernetes.io/vac-protection";

  test("names the volumes and claims that use it", () => {
    const items: readonly Item[] = [
      { kind: PersistentVolumes, object: objectOf("disk", { spec: { volumeAttributesClassName: "gold" } }) },
      { kind: PersistentVolumeClaims, object: objectOf("a", { status: { currentVolumeAttributesClassName: "gold" } }) },
      { kind: PersistentVolumeClaims, object: objectOf("b", { spec: { volumeAttributesClassName: "silver" } }) },
    ];
    expect(whys(diagnose(VolumeAttributesClasses, gold, { items }))).toEqual([
      `gold: ${finalizer}: waiting for PersistentVolume shop/disk, PersistentVolumeClaim shop/a, which use it`,
    ]);
  });

  test("that is unused waits for its controller, if everything could be read", () => {
    expect(whys(diagnose(VolumeAttributesClasses, gold))).toEqual([
      `gold: ${finalizer}: nothing uses it, so the controller volumeattributesclass-protection has to remove it`,
    ]);
    expect(whys(diagnose(VolumeAttributesClasses, gold, { forbidden: [PersistentVolumes] }))).toEqual([
      `gold: ${finalizer}: volumes and claims that use it may keep it`,
    ]);
  });
});
