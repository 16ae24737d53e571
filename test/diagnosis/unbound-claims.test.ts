import { describe, expect, test } from "bun:test";
import type { Kind } from "../../src/api/kind.ts";
import { PersistentVolumeClaims, PersistentVolumes, Pods, StorageClasses } from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { findingsOf, type Item } from "../../src/diagnosis/diagnosis.ts";
import { ago, diagnose, type Json, objectOf } from "./world.ts";

function claim(spec: Json = {}, meta: Json = {}): StoredObject {
  const usual = { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage: "2Gi" } } };
  return objectOf("data", { meta, spec: { ...usual, ...spec }, status: { phase: "Pending" } });
}

function volume(name: string, spec: Json = {}, more: Json = {}): Item {
  const usual = { accessModes: ["ReadWriteOnce"], capacity: { storage: "2Gi" } };
  const object = objectOf(name, {
    meta: { namespace: "" },
    spec: { ...usual, ...spec },
    status: { phase: "Available" },
    ...more,
  });
  return { kind: PersistentVolumes, object };
}

function storageClass(name: string, more: Json): Item {
  return { kind: StorageClasses, object: objectOf(name, { meta: { namespace: "" }, ...more }) };
}

const whys = (object: StoredObject, items: readonly Item[], forbidden: readonly Kind[] = []): readonly string[] =>
  findingsOf(diagnose(PersistentVolumeClaims, object, { items, forbidden })).map(({ why }) => why);

describe("a claim without a class", () => {
  const why = "it has no class, so a volume has to be created for it";
  const cases: readonly (readonly [string, Item])[] = [
    ["is too small: 1Gi, where 2Gi is requested", volume("disk", { capacity: { storage: "1Gi" } })],
    ["has volumeMode Block", volume("disk", { volumeMode: "Block" })],
    [
      "has access modes ReadOnlyMany, ReadWriteMany",
      volume("disk", { accessModes: ["ReadOnlyMany", "ReadWriteMany"] }),
    ],
    ["has another VolumeAttributesClass", volume("disk", { volumeAttributesClassName: "gold" })],
    ["belongs to claim shop/other", volume("disk", { claimRef: { namespace: "shop", name: "other" } })],
    [
      "still belongs to a deleted claim of the same name, until its .spec.claimRef.uid is removed",
      volume("disk", { claimRef: { namespace: "shop", name: "data", uid: "uid-before" } }),
    ],
    ["is Failed", volume("disk", {}, { status: { phase: "Failed" } })],
    ["is being deleted", volume("disk", {}, { meta: { namespace: "", deletionTimestamp: ago(5) } })],
  ];
  for (const [misfit, item] of cases) {
    test(`says that a volume ${misfit}`, () => {
      expect(whys(claim(), [item])).toEqual([`${why}: disk ${misfit}`]);
    });
  }

  test("says that no volume exists", () => {
    expect(whys(claim(), [volume("gold", { storageClassName: "gold" })])).toEqual([
      `${why}: there is no volume without a class`,
    ]);
  });

  test("names three volumes, and counts the others", () => {
    const small = ["a", "b", "c", "d", "e"].map((name) => volume(name, { volumeMode: "Block" }));
    expect(whys(claim(), small)).toEqual([
      `${why}: a has volumeMode Block; b has volumeMode Block; c has volumeMode Block; 2 more`,
    ]);
  });

  test("respects its selector", () => {
    const selector = { matchLabels: { metal: "tin" } };
    expect(whys(claim({ selector }), [volume("disk")])).toEqual([
      `${why}: disk has labels that the claim's selector does not match`,
    ]);
  });

  test("has no finding about volumes that cannot be read", () => {
    expect(whys(claim(), [], [PersistentVolumes])).toEqual([why]);
  });

  test("names a suitable volume, and the controller that has to bind them", () => {
    expect(whys(claim(), [volume("small", { capacity: { storage: "1Gi" } }), volume("disk")])).toEqual([
      "volume disk matches it, so the controller persistentvolume-binder has to bind them",
    ]);
  });
});

describe("a claim that names its volume", () => {
  test("explains what is wrong with that volume", () => {
    const naming = claim({ volumeName: "disk" });
    expect(whys(naming, [])).toEqual(["there is no volume disk, to which it refers"]);
    expect(whys(naming, [volume("disk", { storageClassName: "gold" })])).toEqual([
      "volume disk, to which it refers, has class gold",
    ]);
    expect(whys(naming, [volume("disk")])).toEqual([
      "volume disk matches it, so the controller persistentvolume-binder has to bind them",
    ]);
  });
});

describe("a claim of a class", () => {
  const late = storageClass("late", { provisioner: "example.com/disks", volumeBindingMode: "WaitForFirstConsumer" });
  const ofLate = (meta: Json = {}): StoredObject => claim({ storageClassName: "late" }, meta);
  const pod = (claimName: string): Item => ({
    kind: Pods,
    object: objectOf(`user-of-${claimName}`, {
      spec: { containers: [{ name: "c" }], volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] },
    }),
  });
  const waits = "its class late binds it when a pod that uses it is scheduled";

  test("that waits for a pod names the pods, or says that there is none", () => {
    expect(whys(ofLate(), [late, pod("other")])).toEqual([`${waits}, and no pod uses it`]);
    expect(whys(ofLate(), [late, pod("data")])).toEqual([
      "not scheduled: no scheduler has looked at it (its scheduler is default-scheduler)",
      `${waits}: Pod user-of-data has no node yet`,
    ]);
    expect(whys(ofLate(), [late], [Pods])).toEqual([waits]);
  });

  describe("does not hide why the pod is not scheduled", () => {
    const condition = {
      type: "PodScheduled",
      status: "False",
      message: "0/3 nodes are available: 3 Insufficient cpu.",
    };
    const { object } = pod("data");
    const unscheduled: StoredObject & Json = { ...object, status: { phase: "Pending", conditions: [condition] } };
    const reason = `not scheduled: ${condition.message}`;

    const cases: readonly { readonly has: string; readonly of: Item; readonly found: string[] }[] = [
      { has: "a provisioner", of: late, found: [reason] },
      {
        has: "no volume",
        of: storageClass("late", {
          provisioner: "kubernetes.io/no-provisioner",
          volumeBindingMode: "WaitForFirstConsumer",
        }),
        found: [
          "its class late provisions no volumes, so one has to be created for it: there is no volume of class late",
          reason,
        ],
      },
    ];
    test.each(cases)("whose class has $has", ({ of, found }) => {
      const items = [of, { kind: PersistentVolumeClaims, object: ofLate() }];
      const diagnosis = diagnose(Pods, unscheduled, { items });
      expect(findingsOf(diagnosis).map(({ why }) => why)).toEqual(found);
    });

    test("if a volume of its class matches, though the scheduler cannot use it", () => {
      const of = storageClass("late", {
        provisioner: "kubernetes.io/no-provisioner",
        volumeBindingMode: "WaitForFirstConsumer",
      });
      const items = [
        of,
        { kind: PersistentVolumeClaims, object: ofLate() },
        volume("disk", { storageClassName: "late" }),
      ];
      expect(findingsOf(diagnose(Pods, unscheduled, { items })).map(({ why }) => why)).toEqual([reason]);
    });
  });

  test("whose node is selected waits for its provisioner", () => {
    const annotations = { "volume.kubernetes.io/selected-node": "node-1" };
    expect(whys(ofLate({ annotations }), [late])).toEqual([
      "provisioner example.com/disks of class late has to provision a volume for node node-1",
    ]);
  });

  test("without a provisioner names the volumes of the class", () => {
    const none = storageClass("local", { provisioner: "kubernetes.io/no-provisioner", volumeBindingMode: "Immediate" });
    const why = "its class local provisions no volumes, so one has to be created for it";
    const local = claim({ storageClassName: "local" });
    expect(whys(local, [none, volume("other")])).toEqual([`${why}: there is no volume of class local`]);
    expect(whys(local, [none, volume("disk", { storageClassName: "local", volumeMode: "Block" })])).toEqual([
      `${why}: disk has volumeMode Block`,
    ]);
  });

  test("that does not exist", () => {
    expect(whys(ofLate(), [])).toEqual(["there is no StorageClass late, to which it refers"]);
  });
});
