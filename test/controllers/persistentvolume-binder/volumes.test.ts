import { beforeEach, describe, expect, test } from "bun:test";
import { PersistentVolumeClaims, PersistentVolumes, Pods } from "../../../src/api/kinds.ts";
import type { PersistentVolume } from "../../../src/api/types.ts";
import { persistentVolumeBinder } from "../../../src/controllers/persistentvolume-binder/persistentvolume-binder.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";
import { bindCompleted, boundByController, claimOf, refTo, userOf, volumeOf, type VolumeParts } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(persistentVolumeBinder);
});

const calls = (): string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const sentences = (): string[] => scene.decisions.map(({ sentence }) => sentence);
const disk = (): PersistentVolume => scene.live(PersistentVolumes)[0] as PersistentVolume;
const claimRef = refTo("data", "uid-data");
const readClaim = "get PersistentVolumeClaim data";
const phased = "updateStatus PersistentVolume disk";

async function sync(parts: VolumeParts): Promise<void> {
  scene.put(PersistentVolumes, volumeOf("disk", parts));
  await scene.sync("disk");
}

describe("a volume", () => {
  test("without a claim becomes Available", async () => {
    await sync({ phase: "Pending" });
    expect(disk().status?.phase).toBe("Available");
    expect(sentences()).toEqual(["no claim → phase Available"]);
  });

  test("that is reserved becomes Available", async () => {
    await sync({ phase: "Pending", spec: { claimRef: refTo("data") } });
    expect(disk().status?.phase).toBe("Available");
    expect(sentences()).toEqual(["reserved for shop/data, not bound yet → phase Available"]);
  });

  test("that is Available is left alone", async () => {
    await sync({});
    expect(calls()).toEqual([]);
  });

  test("whose claim names it becomes Bound", async () => {
    scene.put(PersistentVolumeClaims, claimOf("data", { spec: { volumeName: "disk" } }));
    await sync({ spec: { claimRef } });
    expect(disk().status?.phase).toBe("Bound");
  });

  test("whose claim does not name it yet has that synced", async () => {
    scene.put(PersistentVolumeClaims, claimOf("data"));
    await sync({ spec: { claimRef } });
    expect(calls()).toEqual([]);
    expect(scene.woken).toEqual(["shop/data"]);
  });

  test("with another mode than its claim reports it on both", async () => {
    scene.put(PersistentVolumeClaims, claimOf("data"));
    await sync({ spec: { claimRef, volumeMode: "Block" } });
    expect(scene.woken).toEqual([]);
    expect(scene.events.map(({ about, reason }) => `${about} ${reason}`)).toEqual([
      "PersistentVolume disk VolumeMismatch",
      "PersistentVolumeClaim data VolumeMismatch",
    ]);
  });
});

describe("a volume whose claim is bound to another volume", () => {
  beforeEach(() => {
    scene.put(
      PersistentVolumeClaims,
      claimOf("data", { meta: { annotations: bindCompleted }, spec: { volumeName: "other" } }),
    );
  });

  test("is free again if the controller chose it", async () => {
    await sync({ meta: { annotations: boundByController }, spec: { claimRef }, phase: "Bound" });
    expect(disk().spec).not.toHaveProperty("claimRef");
    expect(disk().metadata).not.toHaveProperty("annotations");
    expect(disk().status?.phase).toBe("Available");
  });

  test("stays reserved if the user did", async () => {
    await sync({ spec: { claimRef }, phase: "Bound" });
    expect(disk().spec?.claimRef).toEqual(refTo("data"));
    expect(disk().status?.phase).toBe("Available");
  });

  test("is Released if it was provisioned for it", async () => {
    const annotations = { "pv.kubernetes.io/provisioned-by": "example.com/disks" };
    await sync({ meta: { annotations }, spec: { claimRef, persistentVolumeReclaimPolicy: "Delete" }, phase: "Bound" });
    expect(calls()).toEqual([phased]);
    expect(disk().status?.phase).toBe("Released");
  });
});

describe("a volume whose claim was deleted", () => {
  test("is Released after a request to the API server", async () => {
    await sync({ spec: { claimRef }, phase: "Bound" });
    expect(calls()).toEqual([readClaim, phased]);
    expect(disk().status?.phase).toBe("Released");
    expect(sentences()).toEqual(["claim shop/data is gone → phase Released, then policy Retain"]);
  });

  test("is Released if the cache has another claim of the name", async () => {
    scene.put(PersistentVolumeClaims, claimOf("data", { meta: { uid: "uid-next" } }));
    await sync({ spec: { claimRef }, phase: "Bound" });
    expect(calls()).toEqual([readClaim, phased]);
  });

  test("is left alone if the cache does not have the claim yet", async () => {
    scene.putLive(PersistentVolumeClaims, claimOf("data", { spec: { volumeName: "disk" } }));
    await sync({ spec: { claimRef }, phase: "Bound" });
    expect(calls()).toEqual([readClaim]);
  });

  test("is left alone if the cache has an earlier claim of the name", async () => {
    scene.put(PersistentVolumeClaims, claimOf("data", { meta: { uid: "uid-before" } }));
    scene.putLive(PersistentVolumeClaims, claimOf("data", { spec: { volumeName: "disk" } }));
    await sync({ spec: { claimRef }, phase: "Bound" });
    expect(calls()).toEqual([readClaim]);
  });

  test("is not checked again once it is Released", async () => {
    await sync({ spec: { claimRef }, phase: "Released" });
    expect(calls()).toEqual([]);
  });

  const deleted = { claimRef, persistentVolumeReclaimPolicy: "Delete" };
  const by = (provisioner: string) => ({ annotations: { "pv.kubernetes.io/provisioned-by": provisioner } });
  const left: readonly (readonly [string, VolumeParts])[] = [
    ["of a CSI driver", { spec: { ...deleted, csi: { driver: "example.com", volumeHandle: "1" } } }],
    ["that a driver provisioned", { meta: by("example.com/disks"), spec: deleted }],
    [
      "whose plugin's work a driver does",
      {
        meta: {
          annotations: {
            "pv.kubernetes.io/provisioned-by": "kubernetes.io/gce-pd",
            "pv.kubernetes.io/migrated-to": "pd.csi.storage.gke.io",
          },
        },
        spec: deleted,
      },
    ],
  ];
  for (const [what, parts] of left) {
    test(`and has the reclaim policy Delete, ${what}, is left to the driver`, async () => {
      await sync({ ...parts, phase: "Released" });
      expect(calls()).toEqual([]);
    });
  }

  const failing: readonly (readonly [string, string, VolumeParts])[] = [
    [
      "on a path that is not temporary",
      "host_path deleter only supports /tmp/.+ but received provided /data",
      { spec: { ...deleted, hostPath: { path: "/data" } } },
    ],
    [
      "on a path of another machine",
      "the files in /tmp/data are on another machine: delete them, then the volume",
      { spec: { ...deleted, hostPath: { path: "/tmp/data" } } },
    ],
    [
      "on NFS",
      'error getting deleter volume plugin for volume "disk": no deletable volume plugin matched',
      { spec: { ...deleted, nfs: { server: "s", path: "/" } } },
    ],
    [
      "on something else",
      'error getting deleter volume plugin for volume "disk": no volume plugin matched',
      { spec: { ...deleted, local: { path: "/data" } } },
    ],
    [
      "of a plugin that is gone",
      "no volume plugin matched name: kubernetes.io/glusterfs",
      { meta: { ...by("kubernetes.io/glusterfs"), finalizers: ["kubernetes.io/pv-controller"] }, spec: deleted },
    ],
  ];
  for (const [what, message, parts] of failing) {
    test(`and has the reclaim policy Delete, ${what}, is Failed, and reports it once`, async () => {
      await sync({ ...parts, phase: "Released" });
      expect(disk().status).toMatchObject({ phase: "Failed", message });
      expect(scene.events).toEqual([
        { type: "Warning", reason: "VolumeFailedDelete", message, about: "PersistentVolume disk" },
      ]);
      scene.deliver();
      await scene.sync("disk");
      expect([calls(), scene.events]).toEqual([[], []]);
    });
  }

  test("and has the reclaim policy Recycle waits for its pods, then fails", async () => {
    scene.put(Pods, userOf("data", "db-0"));
    const spec = { claimRef, persistentVolumeReclaimPolicy: "Recycle" };
    await sync({ spec, phase: "Released" });
    expect(scene.events.map(({ message }) => message)).toEqual(["Volume is used by pods: shop/db-0"]);
    expect(calls()).toEqual([]);
    scene.put(Pods, { ...userOf("data", "db-0"), status: { phase: "Succeeded" } });
    await scene.sync("disk");
    expect(disk().status).toMatchObject({ phase: "Failed", message: "No recycler plugin found for the volume!" });
  });
});

describe("a provisioned volume", () => {
  const external = "external-provisioner.volume.kubernetes.io/finalizer";
  const ownOne = "kubernetes.io/pv-controller";
  const cases: readonly (readonly [string, string, "Delete" | "Retain", readonly string[], readonly string[]])[] = [
    [
      "of a plugin, to be deleted, has the controller's finalizer alone",
      "kubernetes.io/host-path",
      "Delete",
      [external],
      [ownOne],
    ],
    ["of a plugin, to be kept, has neither", "kubernetes.io/host-path", "Retain", [ownOne, external, "hold"], ["hold"]],
    ["of a driver is left alone", "example.com/disks", "Delete", [ownOne, external], [ownOne, external]],
    [
      "whose plugin's work a driver does has the driver's",
      "kubernetes.io/gce-pd",
      "Delete",
      [ownOne, external],
      [external],
    ],
  ];
  for (const [what, provisioner, policy, before, after] of cases) {
    test(what, async () => {
      await sync({
        meta: { finalizers: before, annotations: { "pv.kubernetes.io/provisioned-by": provisioner } },
        spec: { persistentVolumeReclaimPolicy: policy },
      });
      expect(disk().metadata.finalizers).toEqual(after);
    });
  }

  test("loses the annotation of a driver that is not responsible", async () => {
    await sync({
      meta: {
        annotations: { "pv.kubernetes.io/provisioned-by": "example.com/disks", "pv.kubernetes.io/migrated-to": "x" },
      },
    });
    expect(disk().metadata.annotations).toEqual({ "pv.kubernetes.io/provisioned-by": "example.com/disks" });
  });
});

describe("notifications and scans", () => {
  test("a deleted claim enqueues its volume, and the reverse", () => {
    scene.notify(PersistentVolumeClaims, {
      type: "deleted",
      object: claimOf("data", { spec: { volumeName: "disk" } }),
      tombstone: false,
    });
    scene.notify(PersistentVolumes, {
      type: "deleted",
      object: volumeOf("disk", { spec: { claimRef } }),
      tombstone: false,
    });
    expect(scene.woken).toEqual(["disk", "shop/data"]);
  });

  test("pending ones are enqueued every 15 s, bound ones are not", () => {
    const [scan] = persistentVolumeBinder.scans ?? [];
    expect(scan?.everyMs).toBe(15_000);
    scene.put(
      PersistentVolumeClaims,
      claimOf("waits"),
      claimOf("data", {
        meta: { annotations: bindCompleted },
        spec: { volumeName: "disk" },
        status: { phase: "Bound", accessModes: ["ReadWriteOnce"] },
      }),
    );
    scene.put(
      PersistentVolumes,
      volumeOf("disk", { spec: { claimRef, accessModes: ["ReadWriteOnce"] }, phase: "Bound" }),
      volumeOf("free"),
      volumeOf("left", { spec: { claimRef: refTo("gone", "uid-gone") }, phase: "Released" }),
    );
    scene.scan();
    expect(scene.woken).toEqual(["shop/waits", "left"]);
  });

  test("a bound claim whose volume has lost it is enqueued", () => {
    scene.put(
      PersistentVolumeClaims,
      claimOf("data", {
        meta: { annotations: bindCompleted },
        spec: { volumeName: "disk" },
        status: { phase: "Bound" },
      }),
    );
    scene.put(PersistentVolumes, volumeOf("disk"));
    scene.scan();
    expect(scene.woken).toEqual(["shop/data"]);
  });
});
