import { describe, expect, test } from "bun:test";
import type { Kind } from "../../src/api/kind.ts";
import {
  CsiDrivers,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  VolumeAttachments,
} from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import type { Event } from "../../src/api/types.ts";
import { findingsOf, type Item } from "../../src/diagnosis/diagnosis.ts";
import { ago, diagnose, type Json, objectOf } from "./world.ts";

const cluster = { meta: { namespace: "" } };
const uses = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };

function pod(name = "web", node = "node-1", more: Json = {}): StoredObject {
  return objectOf(name, {
    spec: { nodeName: node, containers: [{ name: "main" }], ...uses, ...more },
    status: {
      phase: "Pending",
      conditions: [{ type: "Ready", status: "False", lastTransitionTime: ago(30) }],
      containerStatuses: [
        { name: "main", ready: false, restartCount: 0, state: { waiting: { reason: "ContainerCreating" } } },
      ],
    },
  });
}

function nodeWith(annotations: Json): Item {
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  return { kind: Nodes, object: objectOf("node-1", { meta: { namespace: "", annotations }, status }) };
}

const node = nodeWith({ "volumes.kubernetes.io/controller-managed-attach-detach": "true" });
const claim: Item = {
  kind: PersistentVolumeClaims,
  object: objectOf("data", { spec: { volumeName: "disk" }, status: { phase: "Bound" } }),
};

function volume(spec: Json = {}): Item {
  const usual = { accessModes: ["ReadWriteOnce"], csi: { driver: "disks.example.com", volumeHandle: "1" } };
  return { kind: PersistentVolumes, object: objectOf("disk", { ...cluster, spec: { ...usual, ...spec } }) };
}

function attachment(on: string, status: Json = {}, meta: Json = {}): Item {
  return {
    kind: VolumeAttachments,
    object: objectOf(`csi-${on}`, {
      meta: { namespace: "", ...meta },
      spec: { attacher: "disks.example.com", nodeName: on, source: { persistentVolumeName: "disk" } },
      status,
    }),
  };
}

const usual = [node, claim, volume()];

interface Parts {
  readonly items?: readonly Item[];
  readonly forbidden?: readonly Kind[];
  readonly events?: readonly Event[];
}

/** The first finding: its object and its reason. */
function first({ items = usual, ...parts }: Parts): string {
  const [finding] = findingsOf(diagnose(Pods, pod(), { items, ...parts }));
  return `${finding?.at.kind.kind} ${finding?.at.name}: ${finding?.why}`;
}

const none = "Pod web: container main: ContainerCreating";

describe("a pod whose containers are about to be created", () => {
  test("waits for the driver", () => {
    expect(first({ items: [...usual, attachment("node-1")] })).toBe(
      "VolumeAttachment csi-node-1: driver disks.example.com has not attached volume disk to node node-1 yet",
    );
  });

  test("is blocked by the driver's error", () => {
    const status = { attached: false, attachError: { message: "no such disk", time: ago(20) } };
    expect(first({ items: [...usual, attachment("node-1", status)] })).toBe(
      "VolumeAttachment csi-node-1: driver disks.example.com cannot attach volume disk to node node-1: no such disk",
    );
  });

  test("is not blocked by an error from before its volume was attached", () => {
    const status = { attached: true, attachError: { message: "no such disk", time: ago(20) } };
    expect(first({ items: [...usual, attachment("node-1", status)] })).toBe(none);
  });

  test("waits until the last detachment has finished", () => {
    const going = attachment("node-1", { attached: true }, { deletionTimestamp: ago(9), finalizers: ["driver"] });
    expect(first({ items: [...usual, going] })).toBe(
      "VolumeAttachment csi-node-1: driver disks.example.com has not finished detaching volume disk from node node-1: it can be attached again only after that",
    );
  });

  test("waits for the node that has the volume, with the names of the pods that use it there", () => {
    const others = ["d", "c", "b", "a"].map((name) => ({ kind: Pods, object: pod(name, "node-2") }));
    const elsewhere = [
      { kind: Pods, object: pod("other", "node-3") },
      { kind: Pods, object: pod("without", "node-2", { volumes: [] }) },
    ];
    const held = attachment("node-2", { attached: true });
    const where =
      "VolumeAttachment csi-node-2: volume disk (ReadWriteOnce) is attached to node node-2, and can be attached to only one node at a time";
    expect(first({ items: [...usual, held, ...others, ...elsewhere] })).toBe(
      `${where}: Pod a, Pod b, Pod c, 1 more there uses it`,
    );
    expect(first({ items: [...usual, held, ...elsewhere] })).toBe(`${where}: it has not been detached there`);
  });

  test("does not wait if several nodes may attach it", () => {
    const items = [node, claim, volume({ accessModes: ["ReadWriteMany"] }), attachment("node-2", { attached: true })];
    expect(first({ items })).toContain("PersistentVolume disk: there is no VolumeAttachment to node node-1");
  });

  test("waits for the controller, unless its driver needs no attachment, or its kubelet attaches", () => {
    expect(first({})).toBe(
      "PersistentVolume disk: there is no VolumeAttachment to node node-1: the controller persistentvolume-attach-detach has to create it",
    );
    const driver = (attachRequired: boolean): Item => ({
      kind: CsiDrivers,
      object: objectOf("disks.example.com", { ...cluster, spec: { attachRequired } }),
    });
    expect(first({ items: [...usual, driver(true)] })).toContain("there is no VolumeAttachment");
    expect(first({ items: [...usual, driver(false)] })).toBe(none);
    expect(first({ items: [nodeWith({}), claim, volume()] })).toBe(none);
  });

  test("does not wait if the volume is attached, or is not a CSI volume", () => {
    expect(first({ items: [...usual, attachment("node-1", { attached: true })] })).toBe(none);
    expect(first({ items: [node, claim, volume({ csi: undefined, nfs: {} })] })).toBe(none);
  });

  test("has no findings about objects that cannot be read", () => {
    for (const forbidden of [PersistentVolumes, VolumeAttachments, CsiDrivers]) {
      expect(first({ forbidden: [forbidden] })).toBe(none);
    }
  });

  test("has no finding for an Event that says the same, but for others", () => {
    const event = (reason: string): Event =>
      objectOf(`web.${reason}`, {
        type: "Warning",
        reason,
        message: "it is said again",
        involvedObject: { kind: "Pod", name: "web", namespace: "shop", uid: "uid-web" },
        lastTimestamp: ago(5),
      }) as unknown as Event;
    const all = (items: readonly Item[], reason: string): readonly string[] =>
      findingsOf(diagnose(Pods, pod(), { items, events: [event(reason)] })).map(({ why }) => why);
    const repeated = "it is said again";
    expect(all([...usual, attachment("node-1")], "FailedAttachVolume").join()).not.toContain(repeated);
    expect(all([...usual, attachment("node-1", { attached: true })], "FailedAttachVolume").join()).toContain(repeated);
    expect(all([...usual, attachment("node-1")], "FailedMount").join()).toContain(repeated);
  });
});

describe("a VolumeAttachment", () => {
  const whys = (item: Item): readonly string[] =>
    findingsOf(diagnose(VolumeAttachments, item.object, {})).map(({ why }) => why);

  test("has no finding once it is attached", () => {
    expect(whys(attachment("node-1", { attached: true }))).toEqual([]);
  });

  test("has a finding if its driver cannot detach", () => {
    const status = { attached: true, detachError: { message: "busy", time: ago(3) } };
    expect(whys(attachment("node-1", status))).toEqual([
      "driver disks.example.com cannot detach volume disk from node node-1: busy",
    ]);
  });
});
