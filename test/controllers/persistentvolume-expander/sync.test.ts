/** Volume expansion, one sync at a time. README.md lists the corresponding cases of upstream's tests. */
import { beforeEach, describe, expect, test } from "bun:test";
import { PersistentVolumeClaims, PersistentVolumes } from "../../../src/api/kinds.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../src/api/types.ts";
import { persistentVolumeExpander } from "../../../src/controllers/persistentvolume-expander/persistentvolume-expander.ts";
import { expectExplained } from "../../support/explained-rules.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";

let scene: Scene;
/** The volume on the server, which the controller requests each time. */
let volume: PersistentVolume | undefined;
beforeEach(() => {
  const definition = {
    ...persistentVolumeExpander,
    watches: [...persistentVolumeExpander.watches, { kind: PersistentVolumes, on(): void {} }],
  };
  scene = syncScene(definition);
  volume = undefined;
});

const key = "shop/data";
const eventTexts = (): string[] => scene.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
const external = "Normal ExternalExpanding: ";

function claimOf(
  [request, capacity]: readonly [request: string, capacity: string],
  annotations?: Readonly<Record<string, string>>,
): PersistentVolumeClaim {
  return {
    metadata: {
      namespace: "shop",
      name: "data",
      uid: "uid-data",
      resourceVersion: "7",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(annotations !== undefined && { annotations: { ...annotations } }),
    },
    spec: { volumeName: "disk", resources: { requests: { storage: request } } },
    status: { phase: "Bound", capacity: { storage: capacity } },
  };
}

function volumeOf(
  source: Partial<NonNullable<PersistentVolume["spec"]>>,
  annotations?: Readonly<Record<string, string>>,
): PersistentVolume {
  return {
    metadata: {
      name: "disk",
      uid: "uid-disk",
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(annotations !== undefined && { annotations: { ...annotations } }),
    },
    spec: { claimRef: { namespace: "shop", name: "data", uid: "uid-data" }, ...source },
  };
}

const csi = { csi: { driver: "disks.example.com", volumeHandle: "1" } };
const aws = { awsElasticBlockStore: { volumeID: "vol-1" } };
const resizer = "volume.kubernetes.io/storage-resizer";
const preResize = { "volume.alpha.kubernetes.io/pre-resize-capacity": "1Gi" };

async function sync(claim: PersistentVolumeClaim): Promise<void> {
  scene.put(PersistentVolumeClaims, claim);
  if (volume !== undefined) scene.put(PersistentVolumes, volume);
  await scene.sync(key);
}

describe("a claim that requests more than it has", () => {
  const others: readonly (readonly [string, Partial<NonNullable<PersistentVolume["spec"]>>])[] = [
    ["a CSI driver", csi],
    ["a path", { hostPath: { path: "/data" } }],
    ["a plugin that expands nothing", { iscsi: { targetPortal: "a", iqn: "b", lun: 0 } }],
  ];
  for (const [what, source] of others) {
    test(`of ${what} is left to another controller, and its conditions are left alone`, async () => {
      volume = volumeOf(source);
      await sync(claimOf(["2Gi", "1Gi"]));
      expect(eventTexts()).toEqual([`${external}waiting for an external controller to expand this PVC`]);
      expect(scene.calls.map(({ verb }) => verb)).toEqual(["get"]);
      expect(scene.decisions.map(({ sentence }) => sentence)).toEqual([
        "it requests 2Gi, more than it has → record an Event that another controller has to expand it",
      ]);
    });
  }

  const migrated: readonly (readonly [
    plugin: string,
    driver: string,
    Partial<NonNullable<PersistentVolume["spec"]>>,
  ])[] = [
    ["kubernetes.io/aws-ebs", "ebs.csi.aws.com", aws],
    ["kubernetes.io/gce-pd", "pd.csi.storage.gke.io", { gcePersistentDisk: { pdName: "a" } }],
    ["kubernetes.io/azure-disk", "disk.csi.azure.com", { azureDisk: { diskName: "a", diskURI: "b" } }],
    ["kubernetes.io/azure-file", "file.csi.azure.com", { azureFile: { secretName: "a", shareName: "b" } }],
    ["kubernetes.io/cinder", "cinder.csi.openstack.org", { cinder: { volumeID: "a" } }],
    ["kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", { vsphereVolume: { volumePath: "a" } }],
    ["kubernetes.io/portworx-volume", "pxd.portworx.com", { portworxVolume: { volumeID: "a" } }],
  ];
  for (const [plugin, driver, source] of migrated) {
    test(`of ${plugin} names ${driver} as its resizer`, async () => {
      volume = volumeOf(source);
      await sync(claimOf(["2Gi", "1Gi"], { other: "stays" }));
      expect(eventTexts()).toEqual([
        `${external}CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`,
      ]);
      expect(scene.calls.map(({ verb }) => verb)).toEqual(["get", "patch"]);
      expect(scene.calls[1]?.body).toEqual({
        metadata: { annotations: { [resizer]: driver }, resourceVersion: "7" },
      });
      expect(scene.decisions.map(({ sentence }) => sentence)).toEqual([
        `it requests 2Gi, more than it has, and ${plugin} is migrated to ${driver} → name its resizer, and record an Event`,
      ]);
    });
  }

  test("is changed as it was read, by requests that are cancelled with the sync", async () => {
    const claim = claimOf(["2Gi", "1Gi"]);
    volume = volumeOf(aws);
    scene.put(PersistentVolumeClaims, claim);
    scene.put(PersistentVolumes, volume);
    const options: unknown[] = [];
    const context = scene.context(key);
    const client = new Proxy(context.client, {
      get:
        (target, verb) =>
        (...args: readonly unknown[]): unknown => {
          options.push(args.at(-1));
          return Reflect.apply(Reflect.get(target, verb), target, args);
        },
    });
    await persistentVolumeExpander.sync(key, { ...context, client });
    const { signal } = context;
    const [because] = scene.decisions;
    expect(options).toEqual([{ signal }, { because, basedOn: claim, subresource: "status", signal }]);
  });

  test("and already names its resizer is not written again", async () => {
    volume = volumeOf(aws);
    await sync(claimOf(["2Gi", "1Gi"], { [resizer]: "ebs.csi.aws.com" }));
    expect(scene.calls.map(({ verb }) => verb)).toEqual(["get"]);
    expect(eventTexts()).toHaveLength(1);
  });

  test("gets an Event when the resizer could not be set, and is retried", async () => {
    volume = volumeOf(aws);
    scene.refuse = ({ verb }) => (verb === "patch" ? refusal(409, "Conflict", "changed") : undefined);
    const error = await rejection(sync(claimOf(["2Gi", "1Gi"])));
    expect(String(error)).toContain("error setting resizer annotation to pvc shop/data, with error");
    expect(error.cause).toEqual(refusal(409, "Conflict", "changed"));
    expect(eventTexts()[1]).toStartWith(
      "Warning ExternalExpanding: error setting resizer annotation to pvc shop/data, with error",
    );
  });
});

describe("nothing is done", () => {
  for (const sizes of [
    ["1Gi", "1Gi"],
    ["1Gi", "1024Mi"],
    ["1Gi", "2Gi"],
  ] as const) {
    test(`for a claim that requests ${sizes[0]} and has ${sizes[1]}`, async () => {
      volume = volumeOf(aws);
      await sync(claimOf(sizes));
      expect({ events: eventTexts(), calls: scene.calls.map(({ verb }) => verb) }).toEqual({
        events: [],
        calls: ["get"],
      });
      expect(scene.decisions.map(({ sentence }) => sentence)).toEqual(["it requests 1Gi, and has as much"]);
    });
  }

  test("for a deleted claim", async () => {
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
  });
});

test("an expansion that has started on a volume counts, whatever the claim has", async () => {
  volume = volumeOf(csi, preResize);
  await sync(claimOf(["1Gi", "1Gi"]));
  expect(eventTexts()).toEqual([`${external}waiting for an external controller to expand this PVC`]);
});

for (const resources of [{ requests: {} }, {}, undefined]) {
  test(`a claim that requests no size, by resources ${JSON.stringify(resources)}, has as much`, async () => {
    volume = volumeOf(csi);
    const { metadata, status } = claimOf(["1Gi", "1Gi"]);
    const spec = { volumeName: "disk", ...(resources !== undefined && { resources }) };
    await sync({ metadata, spec, ...(status !== undefined && { status }) });
    expect(scene.decisions.map(({ sentence }) => sentence)).toEqual(["it requests 0, and has as much"]);
  });
}

describe("a claim fails, and is retried", () => {
  test("whose volume is missing", async () => {
    const error = await rejection(sync(claimOf(["2Gi", "1Gi"])));
    expect(String(error)).toContain("cannot read volume disk of claim shop/data");
    expect(error.cause).toEqual(refusal(404, "NotFound", 'persistentvolumes "disk" not found'));
  });

  test("that names no volume", async () => {
    const { metadata, status } = claimOf(["2Gi", "1Gi"]);
    for (const spec of [{ spec: {} }, {}]) {
      const error = await rejection(sync({ metadata, ...(status !== undefined && { status }), ...spec }));
      expect(String(error)).toContain("cannot read volume  of claim shop/data");
    }
  });

  test("whose volume has no spec", async () => {
    volume = { metadata: volumeOf(csi).metadata };
    const error = await rejection(sync(claimOf(["2Gi", "1Gi"])));
    expect(String(error)).toContain("cannot expand claim shop/data: volume disk is not bound to it");
  });

  for (const claimRef of [
    {},
    { namespace: "shop", name: "data", uid: "other" },
    { namespace: "bank", uid: "uid-data" },
  ]) {
    test(`whose volume is bound to ${JSON.stringify(claimRef)}`, async () => {
      volume = volumeOf({ ...csi, claimRef });
      const error = await rejection(sync(claimOf(["2Gi", "1Gi"])));
      expect(String(error)).toContain("cannot expand claim shop/data: volume disk is not bound to it");
      expect(eventTexts()).toEqual([]);
    });
  }
});

describe("a claim is synced", () => {
  const before = claimOf(["1Gi", "1Gi"]);
  const woken = (object: PersistentVolumeClaim): readonly string[] => {
    scene.woken.length = 0;
    scene.notify(PersistentVolumeClaims, { type: "updated", before, object });
    return [...scene.woken];
  };

  test("when it requests more, or has got more", () => {
    expect(woken(claimOf(["2Gi", "1Gi"]))).toEqual([key]);
    expect(woken(claimOf(["1Gi", "2Gi"]))).toEqual([key]);
  });

  test("not when it requests less, or changes otherwise", () => {
    expect(woken(claimOf(["500Mi", "1Gi"]))).toEqual([]);
    expect(woken(claimOf(["1Gi", "1Gi"], { a: "b" }))).toEqual([]);
  });

  test("when it is new and bound; not before", () => {
    scene.notify(PersistentVolumeClaims, { type: "added", object: before, initial: true });
    expect(scene.woken).toEqual([key]);
    scene.woken.length = 0;
    scene.notify(PersistentVolumeClaims, { type: "added", object: { ...before, status: {} }, initial: true });
    expect(woken({ ...claimOf(["2Gi", "1Gi"]), status: { phase: "Pending" } })).toEqual([]);
  });
});

test("its rules are explained", () => expectExplained(persistentVolumeExpander));
