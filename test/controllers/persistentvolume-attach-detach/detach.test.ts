/** Detaching volumes, one sync at a time, and the state found at startup. README.md lists the corresponding cases of upstream's tests. */
import { beforeEach, describe, expect, test } from "bun:test";
import { Nodes, PersistentVolumes, Pods, VolumeAttachments } from "../../../src/api/kinds.ts";
import {
  definePersistentVolumeAttachDetach,
  persistentVolumeAttachDetach,
} from "../../../src/controllers/persistentvolume-attach-detach/persistentvolume-attach-detach.ts";
import { expectExplained } from "../../support/explained-rules.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import {
  addPod,
  attachmentObject,
  attachmentOf,
  changeNode,
  driverSays,
  mounts,
  nodeOf,
  podOf,
  putVolume,
  removePod,
  reported,
  uniqueName,
  volumeOf,
  watchRequests,
} from "./objects.ts";

const minute = 60_000;
let scene: Scene;

const calls = (): string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const sentences = (): string[] => scene.decisions.map(({ sentence }) => sentence);
const detaches = (node: string): string[] => [
  `patch Node ${node}`,
  `get Node ${node}`,
  `delete VolumeAttachment ${attachmentOf("disk", node)}`,
];
const forced = (node: string): string[] => detaches(node).filter((call) => !call.startsWith("get"));

function begin(definition = persistentVolumeAttachDetach): void {
  scene = syncScene(definition);
  scene.put(Nodes, nodeOf("a"), nodeOf("b"));
  for (const node of scene.cached(Nodes)) scene.notify(Nodes, { type: "added", object: node, initial: true });
  putVolume(scene, "disk");
}
beforeEach(() => begin());

async function attachOn(node: string, pod = "web"): Promise<void> {
  scene.put(Pods, podOf(pod, node, ["disk"]));
  await scene.sync(node);
  scene.deliver();
  driverSays(scene, ["disk", node], { attached: true });
  await scene.sync(node);
  scene.deliver();
  scene.woken.length = 0;
}

const outOfService = "node.kubernetes.io/out-of-service";

describe("a volume that no pod needs any more", () => {
  test("is removed from the node's status, and detached once the API server shows that the node does not use it", async () => {
    await attachOn("a");
    removePod(scene, "web");
    await scene.sync("a");
    expect(calls()).toEqual(detaches("a"));
    expect(scene.calls[0]?.body).toEqual({ status: { volumesAttached: null } });
    const [because] = scene.decisions;
    expect(scene.calls.map((call) => call.because)).toEqual([because, undefined, because]);
    expect(sentences()).toEqual([
      "disk: no pod on the node needs it → remove it from the node's status, and detach it",
    ]);
    scene.deliver();
    await scene.sync("a");
    expect({ calls: calls(), sentences: sentences() }).toEqual({
      calls: [],
      sentences: ["disk is detached: its VolumeAttachment is gone"],
    });
  });

  test("stays while the node reports it in use, however long, as long as the node is ready", async () => {
    await attachOn("a");
    mounts(scene, "a", "disk");
    removePod(scene, "web");
    await scene.sync("a");
    expect({ calls: calls(), sentences: sentences(), requeues: scene.requeues.map(({ ms }) => ms) }).toEqual({
      calls: [],
      sentences: ["no pod needs disk, and the node still has it in use → wait"],
      requeues: [6 * minute + 1],
    });
    scene.now += 60 * minute;
    await scene.sync("a");
    expect({ calls: calls(), requeues: scene.requeues }).toEqual({ calls: [], requeues: [] });
    mounts(scene, "a");
    expect(scene.woken).toContain("a");
    await scene.sync("a");
    // The maximum wait is over, so the node is no longer read from the API server.
    expect(calls()).toEqual(forced("a"));
  });

  test("is detached by force after 6 minutes if the node is not ready", async () => {
    await attachOn("a");
    mounts(scene, "a", "disk");
    changeNode(scene, "a", (node) => ({ ...node, status: { ...node.status, conditions: [] } }));
    removePod(scene, "web");
    await scene.sync("a");
    scene.now += 6 * minute;
    await scene.sync("a");
    expect({ calls: calls(), requeues: scene.requeues.map(({ ms }) => ms) }).toEqual({ calls: [], requeues: [1] });
    scene.now += 1;
    await scene.sync("a");
    expect(calls()).toEqual(forced("a"));
    expect(sentences()).toEqual([
      "disk: no pod on the node needs it, for 6 minutes → remove it from the node's status, and detach it",
    ]);
  });

  test("is not, if force is disabled", async () => {
    begin(definePersistentVolumeAttachDetach({ disableForceDetachOnTimeout: true }));
    await attachOn("a");
    mounts(scene, "a", "disk");
    changeNode(scene, "a", (node) => ({ ...node, status: { ...node.status, conditions: [] } }));
    removePod(scene, "web");
    await scene.sync("a");
    scene.now += 60 * minute;
    await scene.sync("a");
    expect(calls()).toEqual([]);
  });

  test("is detached at once from a node that is out of service; another taint does not count", async () => {
    await attachOn("a");
    mounts(scene, "a", "disk");
    removePod(scene, "web");
    const taint = (key: string): void =>
      changeNode(scene, "a", (node) => ({ ...node, spec: { taints: [{ key, effect: "NoExecute" }] } }));
    taint("node.kubernetes.io/unreachable");
    await scene.sync("a");
    expect(calls()).toEqual([]);
    taint(outOfService);
    await scene.sync("a");
    expect(calls()).toEqual(forced("a"));
    expect(sentences()[0]).toContain("and the node is out of service");
  });

  test("stays while a node without taints, or without a spec, reports it in use", async () => {
    await attachOn("a");
    mounts(scene, "a", "disk");
    removePod(scene, "web");
    for (const spec of [{ spec: {} }, {}]) {
      changeNode(scene, "a", ({ metadata, status }) => ({
        metadata,
        ...(status !== undefined && { status }),
        ...spec,
      }));
      await scene.sync("a");
      expect(sentences()).toEqual(["no pod needs disk, and the node still has it in use → wait"]);
    }
  });

  test("is detached from several nodes at a time if it may be attached to several", async () => {
    putVolume(scene, "disk", { modes: ["ReadWriteMany"] });
    await attachOn("a", "web");
    await attachOn("b", "api");
    removePod(scene, "web");
    removePod(scene, "api");
    await scene.sync("a");
    expect(calls()).toEqual(detaches("a"));
    await scene.sync("b");
    expect(calls()).toEqual(detaches("b"));
  });

  test("is detached from one node at a time if it may be attached to only one", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await scene.sync("a");
    scene.deliver();
    driverSays(scene, ["disk", "a"], { attached: false, attachError: { message: "full" } });
    await scene.sync("a");
    scene.now += 501;
    await attachOn("b", "api");
    removePod(scene, "web");
    removePod(scene, "api");
    changeNode(scene, "a", (node) => node);
    await scene.sync("a");
    expect(calls()).toEqual(detaches("a").slice(1));
    await scene.sync("b");
    expect({ calls: calls(), sentences: sentences() }).toEqual({
      calls: [],
      sentences: ["disk: it is being attached or detached → wait"],
    });
  });

  test("and is needed again while it is being detached, waits for that", async () => {
    await attachOn("a");
    removePod(scene, "web");
    await scene.sync("a");
    scene.put(Pods, podOf("api", "a", ["disk"]));
    await scene.sync("a");
    expect(sentences()).toEqual(["disk: it is being attached or detached → wait"]);
  });

  test("waits for the back-off of a failed attempt", async () => {
    await attachOn("a");
    removePod(scene, "web");
    scene.refuse = ({ verb }) => (verb === "delete" ? refusal(403, "Forbidden", "no") : undefined);
    await scene.sync("a");
    scene.now += 400;
    await scene.sync("a");
    expect({ calls: calls(), sentences: sentences(), requeues: scene.requeues.map(({ ms }) => ms) }).toEqual({
      calls: [],
      sentences: ["disk: the last attempt failed → wait"],
      requeues: [101],
    });
  });

  test("is detached if its VolumeAttachment is already deleted", async () => {
    await attachOn("a");
    removePod(scene, "web");
    scene.deleteLive(VolumeAttachments, attachmentOf("disk", "a"));
    await scene.sync("a");
    expect(calls()).toEqual(detaches("a"));
    expect(sentences().at(-1)).toBe("disk is detached: its VolumeAttachment is gone");
  });

  test("is not detached when the node cannot be read: it is retried", async () => {
    await attachOn("a");
    removePod(scene, "web");
    scene.refuse = ({ verb }) => (verb === "get" ? refusal(500, "InternalError", "down") : undefined);
    await scene.sync("a");
    expect(calls()).toEqual(["patch Node a", "get Node a"]);
    expect(sentences().at(-1)).toBe("disk was not detached: down → retry in 0.5 s");
    expect(scene.events).toEqual([]);
  });

  test("has its requests cancelled with the sync", async () => {
    await attachOn("a");
    removePod(scene, "web");
    const { context, signals } = watchRequests(scene.context("a"));
    await persistentVolumeAttachDetach.sync("a", context);
    expect(signals).toEqual([context.signal, context.signal, context.signal]);
  });

  test("is counted as mounted from its attachment until the node reports", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await scene.sync("a");
    scene.deliver();
    driverSays(scene, ["disk", "a"], { attached: false, attachError: { message: "full" } });
    await scene.sync("a");
    removePod(scene, "web");
    scene.now += 1000;
    await scene.sync("a");
    expect({ calls: calls(), sentences: sentences() }).toEqual({
      calls: [],
      sentences: ["no pod needs disk, and the node still has it in use → wait"],
    });
    scene.woken.length = 0;
    // Any status update of the node is sufficient.
    changeNode(scene, "a", (node) => node);
    expect(scene.woken).toEqual(["a"]);
    await scene.sync("a");
    // It was never reported as attached.
    expect(calls()).toEqual(["get Node a", `delete VolumeAttachment ${attachmentOf("disk", "a")}`]);
  });

  test("is not detached when the API server shows that the node uses it: it is retried", async () => {
    await attachOn("a");
    removePod(scene, "web");
    scene.putLive(Nodes, nodeOf("a", { inUse: [uniqueName("disk")], attached: [uniqueName("disk")] }));
    await scene.sync("a");
    expect(calls()).toEqual(["patch Node a", "get Node a"]);
    expect(sentences().at(-1)).toBe(
      "disk was not detached: volume is still in use by node, according to Node status → retry in 0.5 s",
    );
    scene.now += 501;
    mounts(scene, "a");
    await scene.sync("a");
    expect(calls()).toEqual(detaches("a").slice(1));
  });

  test("is added to the node's status again when that cannot be written", async () => {
    await attachOn("a");
    removePod(scene, "web");
    scene.refuse = ({ verb }) => (verb === "patch" ? refusal(500, "InternalError", "down") : undefined);
    expect(String(await rejection(scene.sync("a")))).toContain("down");
    expect(calls()).toEqual(["patch Node a"]);
    // The pod is created again in the meantime, so there is nothing to do.
    addPod(scene, podOf("api", "a", ["disk"]));
    scene.refuse = () => undefined;
    await scene.sync("a");
    expect(calls()).toEqual([]);
    expect(reported(scene, "a")).toEqual([uniqueName("disk")]);
  });

  test("holds up nothing else on the node if the node's status cannot be written", async () => {
    putVolume(scene, "more");
    putVolume(scene, "new");
    scene.put(Pods, podOf("other", "a", ["more"]));
    await attachOn("a");
    driverSays(scene, ["more", "a"], { attached: true });
    await scene.sync("a");
    removePod(scene, "web");
    removePod(scene, "other");
    scene.put(Pods, podOf("api", "a", ["new"]));
    scene.refuse = ({ verb }) => (verb === "patch" ? refusal(500, "InternalError", "down") : undefined);
    expect(String(await rejection(scene.sync("a")))).toContain("down");
    const status = "patch Node a";
    expect(calls()).toEqual([status, status, `create VolumeAttachment ${attachmentOf("new", "a")}`]);
  });

  test("is detached at the next attempt if the status could not be written", async () => {
    await attachOn("a");
    removePod(scene, "web");
    scene.refuse = ({ verb }) => (verb === "patch" ? refusal(500, "InternalError", "down") : undefined);
    await rejection(scene.sync("a"));
    scene.refuse = () => undefined;
    await scene.sync("a");
    expect(calls()).toEqual(detaches("a"));
  });

  test("is being detached: the driver's end of it is expected", async () => {
    await attachOn("a");
    const [held] = scene.live(VolumeAttachments);
    if (held === undefined) throw new Error("there is none");
    removePod(scene, "web");
    const metadata = { ...held.metadata, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["driver"] };
    await scene.sync("a");
    scene.put(VolumeAttachments, { ...held, metadata, status: { attached: false } });
    await scene.sync("a");
    expect({ sentences: sentences(), requeues: scene.requeues.map(({ ms }) => ms) }).toEqual({
      sentences: ["disk: it is being attached or detached → wait"],
      requeues: [120_000],
    });
  });

  test("and is needed again before the cache shows the node's status without it, is added again", async () => {
    putVolume(scene, "lun", { source: { iscsi: { targetPortal: "a", iqn: "b", lun: 0 } } });
    scene.put(Pods, podOf("web", "a", ["lun"]));
    await scene.sync("a");
    scene.deliver();
    expect(reported(scene, "a")).toEqual(["kubernetes.io/iscsi/a:b:0"]);
    removePod(scene, "web");
    await scene.sync("a");
    expect(calls()).toEqual(["patch Node a", "get Node a"]);
    expect(sentences().at(-1)).toBe("lun is detached: its VolumeAttachment is gone");
    expect(reported(scene, "a")).toEqual([]);
    scene.put(Pods, podOf("api", "a", ["lun"]));
    await scene.sync("a");
    expect(reported(scene, "a")).toEqual(["kubernetes.io/iscsi/a:b:0"]);
  });

  test("whose driver fails is retried; its attachment is then uncertain", async () => {
    await attachOn("a");
    const [held] = scene.live(VolumeAttachments);
    if (held === undefined) throw new Error("there is none");
    removePod(scene, "web");
    scene.refuse = ({ verb }) => (verb === "delete" ? refusal(403, "Forbidden", "no") : undefined);
    await scene.sync("a");
    expect(sentences().at(-1)).toBe("disk was not detached: no → retry in 0.5 s");
    scene.deliver();
    scene.refuse = () => undefined;
    scene.now += 501;
    // The VolumeAttachment is being deleted, and the driver reports a detach error.
    const metadata = { ...held.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
    scene.refuse = ({ verb }) => {
      if (verb === "delete")
        scene.put(VolumeAttachments, {
          ...held,
          metadata,
          status: { attached: true, detachError: { message: "busy" } },
        });
      return undefined;
    };
    scene.lose = () => undefined;
    await scene.sync("a");
    expect(sentences().at(-1)).toBe("disk was not detached: busy → retry in 1 s");
  });

  test("is given up after two minutes, and retried", async () => {
    await attachOn("a");
    removePod(scene, "web");
    await scene.sync("a");
    scene.now += 120_000;
    await scene.sync("a");
    expect(sentences()[0]).toContain(
      "timed out waiting for external-attacher of unknown CSI driver to detach volume handle-disk",
    );
  });

  test("is kept when a pod needs it again: the 6 minutes start again", async () => {
    await attachOn("a");
    mounts(scene, "a", "disk");
    changeNode(scene, "a", (node) => ({ ...node, status: { ...node.status, conditions: [] } }));
    removePod(scene, "web");
    await scene.sync("a");
    scene.now += 5 * minute;
    addPod(scene, podOf("api", "a", ["disk"]));
    await scene.sync("a");
    removePod(scene, "api");
    await scene.sync("a");
    scene.now += 2 * minute;
    await scene.sync("a");
    expect(calls()).toEqual([]);
  });

  test("of a pod that ended: a running container of a deleted one keeps it", async () => {
    await attachOn("a");
    const pod = podOf("web", "a", ["disk"], { meta: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    addPod(scene, pod);
    await scene.sync("a");
    expect(calls()).toEqual([]);
    addPod(scene, { ...pod, status: { ...pod.status, containerStatuses: [] } });
    await scene.sync("a");
    expect(calls()).toEqual(detaches("a"));
  });

  test("stays for a pod whose claim is lost", async () => {
    await attachOn("a");
    scene.deleteLive(PersistentVolumes, "disk");
    scene.deliver();
    await scene.sync("a");
    expect(calls()).toEqual([]);
    removePod(scene, "web");
    await scene.sync("a");
    expect(calls()).toEqual(detaches("a"));
  });

  test("of a deleted node, once its pods are gone", async () => {
    await attachOn("a");
    scene.deleteLive(Nodes, "a");
    scene.deliver();
    await scene.sync("a");
    expect(calls()).toEqual([]);
    removePod(scene, "web");
    expect(scene.woken).toContain("a");
    await scene.sync("a");
    expect(calls()).toEqual(["get Node a", `delete VolumeAttachment ${attachmentOf("disk", "a")}`]);
    scene.deliver();
    await scene.sync("a");
    expect(sentences()).toEqual(["disk is detached: its VolumeAttachment is gone"]);
  });
});

test("a node that is added again under its name has its volumes in the status", async () => {
  await attachOn("a");
  scene.deleteLive(Nodes, "a");
  scene.deliver();
  scene.writeLive(Nodes, nodeOf("a"));
  scene.deliver();
  await scene.sync("a");
  expect(calls()).toEqual(["patch Node a"]);
  expect(reported(scene, "a")).toEqual([uniqueName("disk")]);
});

test("a volume is not attached to another node while it is being detached", async () => {
  await attachOn("a");
  removePod(scene, "web");
  await scene.sync("a");
  addPod(scene, podOf("api", "b", ["disk"]));
  // The deletion has been delivered, but node a has not been synced since.
  await scene.sync("b");
  expect(sentences()).toEqual(["disk: it is being attached or detached → wait"]);
  scene.woken.length = 0;
  await scene.sync("a");
  expect(scene.woken).toEqual(["b"]);
});

describe("at the start", () => {
  beforeEach(() => {
    scene = syncScene(persistentVolumeAttachDetach);
    putVolume(scene, "disk");
  });

  test("a volume that the node reports as attached, and its pod needs, is left alone", async () => {
    scene.put(Nodes, nodeOf("a", { attached: [uniqueName("disk")], inUse: [uniqueName("disk")] }));
    scene.put(VolumeAttachments, attachmentObject("disk", "a"));
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await scene.sync("a");
    expect({ calls: calls(), events: scene.events, sentences: sentences() }).toEqual({
      calls: [],
      events: [],
      sentences: [],
    });
  });

  test("one that it reports, and no pod needs, is detached, though only its name is known", async () => {
    scene.put(Nodes, nodeOf("a", { attached: [uniqueName("disk"), uniqueName("used")], inUse: [uniqueName("used")] }));
    await scene.sync("a");
    expect(calls()).toEqual(detaches("a"));
    expect(scene.calls[0]?.body).toEqual({
      status: { volumesAttached: [{ name: uniqueName("used"), devicePath: "" }] },
    });
  });

  test("a VolumeAttachment that the node does not report is retried for its pod", async () => {
    scene.put(Nodes, nodeOf("a"));
    scene.put(VolumeAttachments, attachmentObject("disk", "a"));
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await scene.sync("a");
    expect(sentences()[0]).toBe(
      `a pod needs disk → wait for its driver to attach it, as ${attachmentOf("disk", "a")} asks`,
    );
    expect(scene.events.map(({ reason }) => reason)).toEqual(["SuccessfulAttachVolume"]);
    expect(calls()).toEqual(["patch Node a"]);
    expect(reported(scene, "a")).toEqual([uniqueName("disk")]);
  });

  test("a VolumeAttachment that no pod needs is deleted once the node has reported", async () => {
    scene.put(Nodes, nodeOf("a"));
    scene.put(VolumeAttachments, attachmentObject("disk", "a"));
    await scene.sync("a");
    expect(calls()).toEqual([]);
    changeNode(scene, "a", (node) => node);
    // A node that has never reported.
    scene.putLive(Nodes, { metadata: nodeOf("a").metadata });
    await scene.sync("a");
    expect(calls()).toEqual(detaches("a").slice(1));
  });

  test("a volume known only by its name is given up after two minutes", async () => {
    scene.put(Nodes, nodeOf("a", { attached: [uniqueName("disk")] }));
    scene.put(VolumeAttachments, attachmentObject("disk", "a"));
    await scene.sync("a");
    scene.now += 120_000;
    await scene.sync("a");
    expect(sentences()[0]).toBe(
      `${uniqueName("disk")} was not detached: timed out waiting for external-attacher of unknown CSI driver to detach volume handle-disk → retry in 0.5 s`,
    );
  });

  test("a volume that the node reports as attached is known by its ended pod", async () => {
    scene.put(Nodes, nodeOf("a", { attached: [uniqueName("disk")] }));
    scene.put(VolumeAttachments, attachmentObject("disk", "a"));
    scene.put(Pods, podOf("web", "a", ["disk"], { phase: "Succeeded" }));
    await scene.sync("a");
    expect(sentences()).toEqual([
      "disk: no pod on the node needs it → remove it from the node's status, and detach it",
    ]);
  });

  test("a volume of a pod that the node reports as attached, without a VolumeAttachment, is attached again", async () => {
    scene.put(Nodes, nodeOf("a", { attached: [uniqueName("disk")] }));
    scene.put(Pods, podOf("web", "a", ["disk"]), podOf("new", "", ["disk"]));
    await scene.sync("a");
    expect(sentences().slice(0, 2)).toEqual([
      "disk is no longer attached, without anybody here having detached it",
      `a pod needs disk, and it is not attached → create ${attachmentOf("disk", "a")}`,
    ]);
  });

  test("a node without a status has nothing attached or in use", async () => {
    const { status: _, ...node } = nodeOf("a");
    scene.put(Nodes, node);
    await scene.sync("a");
    scene.notify(Nodes, { type: "updated", before: node, object: node });
    expect({ calls: calls(), sentences: sentences(), woken: scene.woken }).toEqual({
      calls: [],
      sentences: [],
      woken: [],
    });
  });

  test("one for an unknown volume, or one without attachment, is left alone", async () => {
    scene.put(Nodes, nodeOf("a"));
    const [volume] = volumeOf("path", { source: { hostPath: { path: "/" } } });
    scene.put(PersistentVolumes, volume);
    scene.put(VolumeAttachments, attachmentObject("gone", "a"), attachmentObject("path", "a"));
    await scene.sync("a");
    changeNode(scene, "a", (node) => node);
    await scene.sync("a");
    expect(calls()).toEqual([]);
  });

  test("a volume of a removed plugin is left alone", async () => {
    const names = ["kubernetes.io/gone/disk", "kubernetes.io/csi/broken", "elsewhere/csi/a^b"];
    scene.put(Nodes, nodeOf("a", { attached: names }));
    await scene.sync("a");
    expect(calls()).toEqual([]);
    expect(sentences()).toHaveLength(3);
    expect(sentences()[0]).toBe("no plugin can detach elsewhere/csi/a^b → leave it");
  });
});

test("its rules are explained", () => expectExplained(persistentVolumeAttachDetach));
