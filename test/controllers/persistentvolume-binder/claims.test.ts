import { beforeEach, describe, expect, test } from "bun:test";
import { PersistentVolumeClaims, PersistentVolumes, Pods, StorageClasses } from "../../../src/api/kinds.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../src/api/types.ts";
import { persistentVolumeBinder } from "../../../src/controllers/persistentvolume-binder/persistentvolume-binder.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { bindCompleted, boundByController, claimOf, classOf, refTo, userOf, volumeOf } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(persistentVolumeBinder);
});

const key = "shop/data";
const calls = (): string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const sentences = (): string[] => scene.decisions.map(({ sentence }) => sentence);
const claim = (): PersistentVolumeClaim =>
  scene.live(PersistentVolumeClaims).find(({ metadata }) => metadata.name === "data") as PersistentVolumeClaim;
const volume = (name: string): PersistentVolume =>
  scene.live(PersistentVolumes).find(({ metadata }) => metadata.name === name) as PersistentVolume;

const fourWrites = (name: string): string[] => [
  `update PersistentVolume ${name}`,
  `updateStatus PersistentVolume ${name}`,
  "update PersistentVolumeClaim data",
  "updateStatus PersistentVolumeClaim data",
];

describe("a claim without a volume name", () => {
  test("is bound to the volume that fits, in four writes", async () => {
    scene.put(PersistentVolumeClaims, claimOf("data"));
    scene.put(PersistentVolumes, volumeOf("disk"));
    await scene.sync(key);
    expect(calls()).toEqual(fourWrites("disk"));
    expect(sentences()).toEqual(["disk: it is the smallest volume that is free and suits → bind it"]);
    const { metadata, spec, status } = claim();
    expect(metadata.annotations).toEqual({ ...bindCompleted, ...boundByController });
    expect(spec?.volumeName).toBe("disk");
    expect(status).toEqual({ phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } });
    expect(volume("disk").spec?.claimRef).toEqual({ ...refTo("data", "uid-data"), resourceVersion: "1" });
    expect(volume("disk").metadata.annotations).toEqual(boundByController);
    expect(volume("disk").status?.phase).toBe("Bound");
  });

  const choices: readonly (readonly [string, string, readonly PersistentVolume[]])[] = [
    [
      "the smallest",
      "b",
      [
        volumeOf("a", { spec: { capacity: { storage: "10Gi" } } }),
        volumeOf("b"),
        volumeOf("c", { spec: { capacity: { storage: "500Mi" } } }),
      ],
    ],
    ["of one size the first by name", "a", [volumeOf("b"), volumeOf("a")]],
    [
      "the one with the fewest access modes, however large",
      "b",
      [
        volumeOf("a", { spec: { accessModes: ["ReadWriteOnce", "ReadWriteMany"] } }),
        volumeOf("b", { spec: { capacity: { storage: "9Gi" } } }),
      ],
    ],
    [
      "the one that is reserved for it by name, of another class too",
      "b",
      [
        volumeOf("a"),
        volumeOf("b", { spec: { capacity: { storage: "9Gi" }, claimRef: refTo("data"), storageClassName: "gold" } }),
      ],
    ],
    [
      "the one that is reserved for it by its uid",
      "b",
      [volumeOf("a"), volumeOf("b", { spec: { claimRef: refTo("data", "uid-data") } })],
    ],
    ["one that is Available", "b", [volumeOf("a", { phase: "Pending" }), volumeOf("b")]],
    [
      "one that is not being deleted",
      "b",
      [volumeOf("a", { meta: { deletionTimestamp: "2026-11-21T10:00:00Z" } }), volumeOf("b")],
    ],
  ];
  for (const [what, chosen, volumes] of choices) {
    test(`gets ${what}`, async () => {
      scene.put(PersistentVolumeClaims, claimOf("data"));
      scene.put(PersistentVolumes, ...volumes);
      await scene.sync(key);
      expect(claim().spec?.volumeName).toBe(chosen);
    });
  }

  const misfits: readonly (readonly [string, PersistentVolume])[] = [
    ["too small", volumeOf("disk", { spec: { capacity: { storage: "1023Mi" } } })],
    ["of another class", volumeOf("disk", { spec: { storageClassName: "gold" } })],
    ["of another mode", volumeOf("disk", { spec: { volumeMode: "Block" } })],
    ["of another VolumeAttributesClass", volumeOf("disk", { spec: { volumeAttributesClassName: "gold" } })],
    ["with other access modes", volumeOf("disk", { spec: { accessModes: ["ReadOnlyMany"] } })],
    ["for another claim", volumeOf("disk", { spec: { claimRef: refTo("other") } })],
    ["for an earlier claim of its name", volumeOf("disk", { spec: { claimRef: refTo("data", "uid-before") } })],
    ["Released", volumeOf("disk", { phase: "Released" })],
  ];
  for (const [what, misfit] of misfits) {
    test(`waits where the only volume is ${what}`, async () => {
      scene.put(PersistentVolumeClaims, claimOf("data"));
      scene.put(PersistentVolumes, misfit);
      await scene.sync(key);
      expect(calls()).toEqual([]);
      expect(scene.events.map(({ reason }) => reason)).toEqual(["FailedBinding"]);
    });
  }

  test("respects its selector", async () => {
    scene.put(PersistentVolumeClaims, claimOf("data", { spec: { selector: { matchLabels: { metal: "tin" } } } }));
    scene.put(PersistentVolumes, volumeOf("gold", { meta: { labels: { metal: "gold" } } }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    scene.put(PersistentVolumes, volumeOf("tin", { meta: { labels: { metal: "tin" } } }));
    await scene.sync(key);
    expect(claim().spec?.volumeName).toBe("tin");
  });

  test("is Pending again if its status differs", async () => {
    const status = { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } };
    scene.put(PersistentVolumeClaims, claimOf("data", { status }));
    await scene.sync(key);
    expect(claim().status).toEqual({ phase: "Pending" });
  });

  for (const writes of [1, 2, 3]) {
    test(`is completely bound after a failure following ${writes} writes`, async () => {
      scene.put(PersistentVolumeClaims, claimOf("data"));
      scene.put(PersistentVolumes, volumeOf("disk"), volumeOf("other"));
      scene.refuse = () => (scene.calls.length > writes ? refusal(500, "InternalError", "no") : undefined);
      await rejection(scene.sync(key));
      scene.refuse = () => undefined;
      // The cache may or may not contain the writes yet.
      scene.deliver(writes === 2 ? 0 : undefined);
      await scene.sync(key);
      if (calls().length === 0) {
        scene.deliver();
        await scene.sync(key);
      }
      expect(claim().spec?.volumeName).toBe("disk");
      expect(claim().status?.phase).toBe("Bound");
      expect(volume("disk").status?.phase).toBe("Bound");
      expect(volume("other").spec?.claimRef).toBeUndefined();
    });
  }

  test("takes no volume that an earlier sync has assigned, whatever the cache shows", async () => {
    scene.put(PersistentVolumeClaims, claimOf("data"), claimOf("more"));
    scene.put(PersistentVolumes, volumeOf("disk"));
    await scene.sync("shop/more");
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(sentences()).toEqual(["no volume suits, and no class is set that could provide one → stay Pending"]);
  });

  test("takes a volume that an earlier sync has freed, whatever the cache shows", async () => {
    const held = { meta: { annotations: bindCompleted }, spec: { volumeName: "other" } };
    scene.put(PersistentVolumeClaims, claimOf("data"), claimOf("more", held));
    const taken = { claimRef: refTo("more", "uid-more") };
    scene.put(PersistentVolumes, volumeOf("disk", { meta: { annotations: boundByController }, spec: taken }));
    await scene.sync("disk");
    await scene.sync(key);
    expect(calls()).toEqual(fourWrites("disk"));
    expect(volume("disk").spec?.claimRef).toMatchObject(refTo("data", "uid-data"));
  });

  test("is not processed while the cache shows its state before the controller's write", async () => {
    scene.put(PersistentVolumeClaims, claimOf("data"));
    scene.put(PersistentVolumes, volumeOf("disk"));
    await scene.sync(key);
    await scene.sync(key);
    expect(sentences()).toEqual([]);
  });
});

describe("a claim with a class", () => {
  const waits = classOf("late", { volumeBindingMode: "WaitForFirstConsumer" });
  const ofClass = (storageClassName: string, annotations = {}): PersistentVolumeClaim =>
    claimOf("data", { meta: { annotations }, spec: { storageClassName } });

  test("is provisioned by the class's driver", async () => {
    scene.put(StorageClasses, classOf("fast"));
    scene.put(PersistentVolumeClaims, ofClass("fast"));
    await scene.sync(key);
    expect(claim().metadata.annotations).toEqual({
      "volume.beta.kubernetes.io/storage-provisioner": "example.com/disks",
      "volume.kubernetes.io/storage-provisioner": "example.com/disks",
    });
    expect(scene.events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(["Normal ExternalProvisioning"]);
    scene.deliver();
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(scene.events.length).toBe(1);
  });

  test("says in an Event that its driver could not be named", async () => {
    scene.put(StorageClasses, classOf("fast"));
    scene.put(PersistentVolumeClaims, ofClass("fast"));
    scene.refuse = () => refusal(403, "Forbidden", "no");
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 403 });
    expect(scene.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)).toEqual([
      "Warning ProvisioningFailed: Error saving claim: no",
    ]);
  });

  test("names the CSI driver of an in-tree plugin", async () => {
    scene.put(StorageClasses, classOf("fast", { provisioner: "kubernetes.io/gce-pd" }));
    scene.put(PersistentVolumeClaims, ofClass("fast"));
    await scene.sync(key);
    expect(claim().metadata.annotations?.["volume.kubernetes.io/storage-provisioner"]).toBe("pd.csi.storage.gke.io");
  });

  test("gets a volume before its driver is called", async () => {
    scene.put(StorageClasses, classOf("fast"));
    scene.put(PersistentVolumeClaims, ofClass("fast"));
    scene.put(PersistentVolumes, volumeOf("disk", { spec: { storageClassName: "fast" } }));
    await scene.sync(key);
    expect(claim().spec?.volumeName).toBe("disk");
  });

  test("that does not exist reports it", async () => {
    scene.put(PersistentVolumeClaims, ofClass("fast"));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(scene.events.map(({ message }) => message)).toEqual(['storageclass.storage.k8s.io "fast" not found']);
  });

  test("that waits for a pod leaves free volumes alone, and reports why it waits", async () => {
    scene.put(StorageClasses, waits);
    scene.put(PersistentVolumeClaims, ofClass("late"));
    scene.put(PersistentVolumes, volumeOf("disk", { spec: { storageClassName: "late" } }));
    await scene.sync(key);
    scene.put(Pods, userOf("data", "db-1"), userOf("data", "db-0"), userOf("other", "web"));
    const first = scene.events.map(({ message }) => message);
    await scene.sync(key);
    expect([...first, ...scene.events.map(({ message }) => message)]).toEqual([
      "waiting for first consumer to be created before binding",
      "waiting for pods db-0,db-1 to be scheduled",
    ]);
    expect(calls()).toEqual([]);
  });

  test("that waits for a pod is bound to the volume that is reserved for it", async () => {
    scene.put(StorageClasses, waits);
    scene.put(PersistentVolumeClaims, ofClass("late"));
    scene.put(PersistentVolumes, volumeOf("disk", { spec: { storageClassName: "late", claimRef: refTo("data") } }));
    await scene.sync(key);
    expect(claim().spec?.volumeName).toBe("disk");
  });

  test("that waits for a pod is provisioned once a node is selected", async () => {
    scene.put(StorageClasses, waits);
    scene.put(PersistentVolumeClaims, ofClass("late", { "volume.kubernetes.io/selected-node": "node-1" }));
    await scene.sync(key);
    expect(scene.events.map(({ reason }) => reason)).toEqual(["ExternalProvisioning"]);
  });

  test("gets the default one: the newest, with equal ages the first by name", async () => {
    const marked = (name: string, at: string) =>
      classOf(name, {
        metadata: {
          ...classOf(name).metadata,
          creationTimestamp: at,
          annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
        },
      });
    const { spec: { storageClassName: _none, ...spec } = {}, ...rest } = claimOf("data");
    scene.put(PersistentVolumeClaims, { ...rest, spec });
    scene.put(
      StorageClasses,
      marked("old", "2026-11-20T10:00:00Z"),
      marked("b", "2026-11-21T10:00:00Z"),
      marked("a", "2026-11-21T10:00:00Z"),
    );
    await scene.sync(key);
    expect(claim().spec?.storageClassName).toBe("a");
    expect(calls()).toEqual(["update PersistentVolumeClaim data"]);
  });
});

describe("a claim with a volume name", () => {
  const naming = (annotations = {}): PersistentVolumeClaim =>
    claimOf("data", { meta: { annotations }, spec: { volumeName: "disk" } });

  test("waits while the volume does not exist", async () => {
    scene.put(PersistentVolumeClaims, naming());
    scene.put(PersistentVolumes, volumeOf("other"));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(sentences()).toEqual(["it names volume disk, which does not exist → stay Pending"]);
  });

  test("is bound to it, whatever its selector; the claim is not marked as the controller's choice", async () => {
    const { spec } = naming();
    scene.put(PersistentVolumeClaims, {
      ...naming(),
      spec: { ...spec, selector: { matchLabels: { metal: "tin" } } },
    });
    scene.put(PersistentVolumes, volumeOf("disk"));
    await scene.sync(key);
    expect(calls()).toEqual(fourWrites("disk"));
    expect(claim().metadata.annotations).toEqual(bindCompleted);
    expect(volume("disk").metadata.annotations).toEqual(boundByController);
  });

  test("is bound to one that is reserved for it; neither is marked as the controller's choice", async () => {
    scene.put(PersistentVolumeClaims, naming());
    scene.put(PersistentVolumes, volumeOf("disk", { spec: { claimRef: refTo("data") } }));
    await scene.sync(key);
    expect(volume("disk").metadata.annotations ?? {}).toEqual({});
    expect(volume("disk").spec?.claimRef?.uid).toBe("uid-data");
  });

  const misfits: readonly (readonly [string, PersistentVolume])[] = [
    ["requested PV is too small", volumeOf("disk", { spec: { capacity: { storage: "1Mi" } } })],
    ["storageClassName does not match", volumeOf("disk", { spec: { storageClassName: "gold" } })],
    ["volumeAttributesClassName does not match", volumeOf("disk", { spec: { volumeAttributesClassName: "gold" } })],
    ["incompatible volumeMode", volumeOf("disk", { spec: { volumeMode: "Block" } })],
    ["incompatible accessMode", volumeOf("disk", { spec: { accessModes: ["ReadOnlyMany"] } })],
    [
      'the volume is marked for deletion "disk"',
      volumeOf("disk", { meta: { deletionTimestamp: "2026-11-21T10:00:00Z" } }),
    ],
  ];
  for (const [why, misfit] of misfits) {
    test(`waits and reports why: ${why}`, async () => {
      scene.put(PersistentVolumeClaims, naming());
      scene.put(PersistentVolumes, misfit);
      await scene.sync(key);
      expect(calls()).toEqual([]);
      expect(scene.events).toEqual([
        {
          type: "Warning",
          reason: "VolumeMismatch",
          message: `Cannot bind to requested volume "disk": ${why}`,
          about: "PersistentVolumeClaim data",
        },
      ]);
    });
  }

  test("waits if it is bound to another claim; if the controller chose it, that is an error", async () => {
    scene.put(PersistentVolumes, volumeOf("disk", { spec: { claimRef: refTo("other", "uid-other") }, phase: "Bound" }));
    scene.put(PersistentVolumeClaims, naming());
    await scene.sync(key);
    expect(scene.events.map(({ message }) => message)).toEqual(['volume "disk" already bound to a different claim.']);
    scene.put(PersistentVolumeClaims, naming(boundByController));
    expect(String(await rejection(scene.sync(key)))).toContain("invalid binding of claim");
  });
});

describe("a claim that was bound", () => {
  const before = (spec = {}, status?: PersistentVolumeClaim["status"]): PersistentVolumeClaim =>
    claimOf("data", {
      meta: { annotations: { ...bindCompleted, ...boundByController } },
      spec,
      ...(status !== undefined && { status }),
    });

  const losses: readonly (readonly [string, object, readonly PersistentVolume[], string])[] = [
    ["names no volume any more", {}, [], "ClaimLost"],
    ["names one that is gone", { volumeName: "disk" }, [volumeOf("other")], "ClaimLost"],
    [
      "names one that is another's",
      { volumeName: "disk" },
      [volumeOf("disk", { spec: { claimRef: refTo("other", "uid-other") } })],
      "ClaimMisbound",
    ],
  ];
  for (const [what, spec, volumes, reason] of losses) {
    test(`is Lost when it ${what}, and reports it once`, async () => {
      scene.put(PersistentVolumeClaims, before(spec));
      scene.put(PersistentVolumes, ...volumes);
      await scene.sync(key);
      expect(claim().status).toEqual({ phase: "Lost" });
      expect(scene.events.map((event) => `${event.type} ${event.reason}`)).toEqual([`Warning ${reason}`]);
      scene.deliver();
      await scene.sync(key);
      expect([calls(), scene.events]).toEqual([[], []]);
    });
  }

  test("is bound again to the volume that has lost it", async () => {
    scene.put(PersistentVolumeClaims, before({ volumeName: "disk" }));
    scene.put(PersistentVolumes, volumeOf("disk"));
    await scene.sync(key);
    expect(volume("disk").spec?.claimRef?.uid).toBe("uid-data");
    expect(claim().status?.phase).toBe("Bound");
  });

  test("keeps the capacity in its status when its volume grows", async () => {
    const status = { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } };
    scene.put(PersistentVolumeClaims, before({ volumeName: "disk" }, status));
    const spec = { claimRef: refTo("data", "uid-data"), capacity: { storage: "2Gi" } };
    scene.put(PersistentVolumes, volumeOf("disk", { meta: { annotations: boundByController }, spec, phase: "Bound" }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });

  test("shows the size before the resize until that is done", async () => {
    scene.put(PersistentVolumeClaims, before({ volumeName: "disk" }));
    const annotations = { "volume.alpha.kubernetes.io/pre-resize-capacity": "500Mi" };
    scene.put(PersistentVolumes, volumeOf("disk", { meta: { annotations } }));
    await scene.sync(key);
    expect(claim().status?.capacity).toEqual({ storage: "500Mi" });
  });
});
