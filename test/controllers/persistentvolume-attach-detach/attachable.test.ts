/** Which volumes are attached, and their names. Source: kubernetes v1.36 pkg/volume/{csi,iscsi,fc}, pkg/volume/util/util.go. */
import { beforeEach, describe, expect, test } from "bun:test";
import { CsiDrivers, PersistentVolumeClaims, PersistentVolumes } from "../../../src/api/kinds.ts";
import {
  attachableVolume,
  attachableVolumesOf,
  detachableOf,
  mayHaveAttachable,
} from "../../../src/controllers/persistentvolume-attach-detach/attachable.ts";
import { persistentVolumeAttachDetach } from "../../../src/controllers/persistentvolume-attach-detach/persistentvolume-attach-detach.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";
import { driver, nodeOf, podOf, putVolume, uniqueName, type VolumeParts, volumeOf } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(persistentVolumeAttachDetach);
});

const iscsi = { targetPortal: "10.0.0.1:3260", iqn: "iqn.example", lun: 2 };

describe("the volumes of a pod", () => {
  const { metadata } = podOf("web", "a", []);
  const claimed = (): unknown => attachableVolumesOf(scene.context("a"), podOf("web", "a", ["disk"]));

  test("are none without a spec, and without volumes in it", () => {
    expect(attachableVolumesOf(scene.context("a"), { metadata })).toEqual([]);
    expect(attachableVolumesOf(scene.context("a"), { metadata, spec: { containers: [] } })).toEqual([]);
  });

  test("are those of its bound claims", () => {
    putVolume(scene, "disk");
    expect(claimed()).toEqual([
      { unique: uniqueName("disk"), name: "disk", isExclusive: true, csi: { driver, handle: "handle-disk" } },
    ]);
  });

  test("are not those of claims without a status or without a spec", () => {
    const [volume, { metadata: own, ...claim }] = volumeOf("disk");
    scene.put(PersistentVolumes, volume);
    scene.put(PersistentVolumeClaims, { metadata: own, spec: { volumeName: "disk" } });
    expect(claimed()).toEqual([]);
    scene.put(PersistentVolumeClaims, { metadata: own, ...claim, spec: {} });
    expect(claimed()).toEqual([]);
    const { spec: _, ...rest } = claim;
    scene.put(PersistentVolumeClaims, { metadata: own, ...rest });
    expect(claimed()).toEqual([]);
  });

  test("are not those of claims whose volume refers to no claim", () => {
    const [volume, claim] = volumeOf("disk");
    const { claimRef: _, ...spec } = volume.spec ?? {};
    scene.put(PersistentVolumeClaims, claim);
    scene.put(PersistentVolumes, { ...volume, spec });
    expect(claimed()).toEqual([]);
    scene.put(PersistentVolumes, { metadata: volume.metadata });
    expect(claimed()).toEqual([]);
  });

  test("without a claim are named as in the pod, and shared by nodes", () => {
    const pod = podOf("web", "a", [], { volumes: [{ name: "data", iscsi }] });
    expect(attachableVolumesOf(scene.context("a"), pod)).toEqual([
      {
        unique: "kubernetes.io/iscsi/10.0.0.1:3260:iqn.example:2",
        name: "data",
        isExclusive: false,
        csi: undefined,
      },
    ]);
  });

  const channels: readonly (readonly [string, object, string | undefined])[] = [
    ["targets and a LUN", { targetWWNs: ["50", "51"], lun: 1 }, "[50 51]:1"],
    ["targets, a LUN and identifiers", { targetWWNs: ["50"], lun: 0, wwids: ["36"] }, "[50]:0"],
    ["identifiers", { wwids: ["36", "37"] }, "[36 37]"],
    ["identifiers and a LUN", { wwids: ["36"], lun: 1 }, "[36]"],
    ["targets without a LUN, and identifiers", { targetWWNs: ["50"], wwids: ["36"] }, "[36]"],
    ["a LUN only", { lun: 1 }, undefined],
    ["targets only", { targetWWNs: ["50"] }, undefined],
  ];
  for (const [what, fc, name] of channels) {
    test(`on Fibre Channel with ${what} are ${name === undefined ? "none" : `called ${name}`}`, () => {
      const pod = podOf("web", "a", [], { volumes: [{ name: "data", fc }] });
      const found = attachableVolumesOf(scene.context("a"), pod).map(({ unique }) => unique);
      expect(found).toEqual(name === undefined ? [] : [`kubernetes.io/fc/${name}`]);
    });
  }
});

describe("a PersistentVolume", () => {
  const attachable = (parts: VolumeParts): unknown => attachableVolume(scene.context("a"), volumeOf("disk", parts)[0]);

  test("without an attacher is called as in the API, and exclusive by its access modes", () => {
    const found = {
      unique: "kubernetes.io/iscsi/10.0.0.1:3260:iqn.example:2",
      name: "disk",
      isExclusive: true,
      csi: undefined,
    };
    expect(attachable({ source: { iscsi } })).toEqual(found);
    expect(attachable({ source: { iscsi }, modes: ["ReadOnlyMany"] })).toEqual({ ...found, isExclusive: false });
  });

  test("without access modes is not exclusive; without a spec it is not attached", () => {
    const [{ metadata }] = volumeOf("disk");
    const spec = { csi: { driver, volumeHandle: "1" } };
    expect(attachableVolume(scene.context("a"), { metadata, spec })).toMatchObject({ isExclusive: false });
    expect(attachableVolume(scene.context("a"), { metadata })).toBeUndefined();
  });

  test("of a driver is attached unless its CSIDriver says otherwise", () => {
    const { metadata } = nodeOf(driver);
    for (const spec of [{}, { attachRequired: true }]) {
      scene.put(CsiDrivers, { metadata, spec });
      expect(attachable({})).toMatchObject({ unique: uniqueName("disk") });
    }
    scene.put(CsiDrivers, { metadata, spec: { attachRequired: false } });
    expect(attachable({})).toBeUndefined();
  });
});

describe("a volume known by name", () => {
  test("of a CSI driver is detached by it", () => {
    expect(detachableOf("kubernetes.io/csi/a.example.com^disk/1")).toEqual({
      by: "driver",
      driver: "a.example.com",
      handle: "disk/1",
    });
  });

  for (const unique of ["kubernetes.io/iscsi/a:b:0", "kubernetes.io/fc/[36]"]) {
    test(`${unique} needs nothing to be done`, () => {
      expect(detachableOf(unique)).toEqual({ by: "nobody" });
    });
  }

  for (const unique of [
    "",
    "disk",
    "elsewhere/csi/a^b",
    "kubernetes.io/csi",
    "kubernetes.io/csi/a",
    "kubernetes.io/csi/a^b^c",
    "kubernetes.io/gone/a^b",
  ]) {
    test(`"${unique}" cannot be detached`, () => expect(detachableOf(unique)).toEqual({ by: "unknown" }));
  }
});

describe("a pod may have attachable volumes", () => {
  test("if any of its volumes has a claim or a type that is attached", () => {
    const empty = { name: "empty", emptyDir: {} };
    for (const volume of [
      { name: "own", ephemeral: {} },
      { name: "lun", iscsi },
      { name: "channel", fc: {} },
    ]) {
      expect(mayHaveAttachable(podOf("web", "a", [], { volumes: [empty, volume] }))).toBe(true);
    }
    expect(mayHaveAttachable(podOf("web", "a", ["disk"], { volumes: [empty] }))).toBe(true);
  });

  test("but not if it has only others, or none", () => {
    const { metadata } = podOf("web", "a", []);
    expect(mayHaveAttachable(podOf("web", "a", [], { volumes: [{ name: "empty", emptyDir: {} }] }))).toBe(false);
    expect(mayHaveAttachable({ metadata, spec: { containers: [] } })).toBe(false);
    expect(mayHaveAttachable({ metadata })).toBe(false);
  });
});
