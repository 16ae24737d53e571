/** Attaching volumes, one sync at a time. README.md lists the corresponding cases of upstream's tests. */
import { beforeEach, describe, expect, test } from "bun:test";
import {
  CsiDrivers,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  VolumeAttachments,
} from "../../../src/api/kinds.ts";
import { persistentVolumeAttachDetach } from "../../../src/controllers/persistentvolume-attach-detach/persistentvolume-attach-detach.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import {
  addPod,
  attachmentObject,
  attachmentOf,
  driver,
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

let scene: Scene;
beforeEach(() => {
  scene = syncScene(persistentVolumeAttachDetach);
  scene.put(Nodes, nodeOf("a"), nodeOf("b"));
  for (const node of scene.cached(Nodes)) scene.notify(Nodes, { type: "added", object: node, initial: true });
  putVolume(scene, "disk");
});

const calls = (): string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const sentences = (): string[] => scene.decisions.map(({ sentence }) => sentence);
const eventTexts = (): string[] => scene.events.map(({ about, reason, message }) => `${about} ${reason}: ${message}`);
const create = (volume: string, node: string): string => `create VolumeAttachment ${attachmentOf(volume, node)}`;
const get = (volume: string, node: string): string => `get VolumeAttachment ${attachmentOf(volume, node)}`;

/** Runs the whole process: requested, attached by the driver, and reported. */
async function attachOn(node: string, volume = "disk"): Promise<void> {
  await scene.sync(node);
  scene.deliver();
  driverSays(scene, [volume, node], { attached: true });
  await scene.sync(node);
  scene.deliver();
}

describe("a pod with a CSI volume", () => {
  test("gets a VolumeAttachment under upstream's name, and waits for it", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await scene.sync("a");
    expect(calls()).toEqual([create("disk", "a")]);
    // The name that upstream generates: the sha256 of handle, driver and node.
    const name = `csi-${new Bun.CryptoHasher("sha256").update("handle-disk" + driver + "a").digest("hex")}`;
    expect(scene.calls[0]?.body).toEqual({
      metadata: { name },
      spec: { attacher: driver, nodeName: "a", source: { persistentVolumeName: "disk" } },
    });
    expect(sentences()).toEqual([`a pod needs disk, and it is not attached → create ${name}`]);
    expect(scene.calls[0]?.because).toEqual(scene.decisions[0]);
    expect(scene.requeues.map(({ ms }) => ms)).toEqual([120_000]);
    scene.deliver();
    await scene.sync("a");
    expect(calls()).toEqual([]);
    expect(sentences()).toEqual([`a pod needs disk → wait for its driver to attach it, as ${name} asks`]);
    expect(reported(scene, "a")).toEqual([]);
  });

  test("gets an Event when it is attached, and the node's status has it", async () => {
    for (const name of ["cache", "web", "api"]) scene.put(Pods, podOf(name, "a", ["disk"]));
    await scene.sync("a");
    scene.deliver();
    driverSays(scene, ["disk", "a"], { attached: true });
    await scene.sync("a");
    const message = 'SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "disk" ';
    expect(eventTexts()).toEqual([`Pod api ${message}`, `Pod cache ${message}`, `Pod web ${message}`]);
    expect(sentences()).toEqual([
      "disk is attached → record Events on its pods",
      `report as attached in the node's status: ${uniqueName("disk")}`,
    ]);
    expect(calls()).toEqual(["patch Node a"]);
    expect(scene.calls[0]?.because).toEqual(scene.decisions[1]);
    expect(scene.calls[0]?.body).toEqual({
      status: { volumesAttached: [{ name: uniqueName("disk"), devicePath: "" }] },
    });
    scene.deliver();
    await scene.sync("a");
    expect({ calls: calls(), events: eventTexts() }).toEqual({ calls: [], events: [] });
  });

  test("gets an Event with the driver's error, and a retry after 0.5 s, 1 s, 2 s …, up to 122 s", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await scene.sync("a");
    scene.deliver();
    driverSays(scene, ["disk", "a"], { attached: false, attachError: { message: "no such disk" } });
    const waits: unknown[] = [];
    for (let n = 0; n < 10; n++) {
      await scene.sync("a");
      expect(eventTexts()).toEqual([
        'Pod web FailedAttachVolume: AttachVolume.Attach failed for volume "disk" : no such disk',
      ]);
      const { ms } = scene.requeues[0] ?? {};
      expect(sentences()).toContain(
        `disk was not attached: no such disk → record Events on its pods, retry in ${(Number(ms) - 1) / 1000} s`,
      );
      waits.push(ms);
      // The retry does not happen 1 ms earlier.
      scene.now += Number(ms) - 1;
      await scene.sync("a");
      expect(eventTexts()).toEqual([]);
      scene.now += 1;
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 122_000, 122_000].map((ms) => ms + 1));
    driverSays(scene, ["disk", "a"], { attached: true });
    await scene.sync("a");
    expect(reported(scene, "a")).toEqual([uniqueName("disk")]);
  });

  test("gets an Event when the driver has not responded for two minutes", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await scene.sync("a");
    scene.deliver();
    scene.now += 119_999;
    await scene.sync("a");
    expect(eventTexts()).toEqual([]);
    scene.now += 1;
    await scene.sync("a");
    expect(eventTexts()).toEqual([
      `Pod web FailedAttachVolume: AttachVolume.Attach failed for volume "disk" : timed out waiting for external-attacher of ${driver} CSI driver to attach volume handle-disk`,
    ]);
  });

  test("gets an Event when the server refuses the VolumeAttachment; an existing one is used", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    scene.refuse = () => refusal(403, "Forbidden", "no");
    await scene.sync("a");
    expect(eventTexts()).toEqual([
      'Pod web FailedAttachVolume: AttachVolume.Attach failed for volume "disk" : kubernetes.io/csi: attacher.Attach failed: no',
    ]);
    scene.now += 501;
    scene.refuse = () => refusal(409, "AlreadyExists", "there");
    await scene.sync("a");
    expect(eventTexts()).toEqual([]);
    expect(scene.requeues.map(({ ms }) => ms)).toContain(120_000);
  });

  test("gets an Event when the VolumeAttachment is being deleted", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    const going = attachmentObject("disk", "a", false);
    const metadata = { ...going.metadata, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["driver"] };
    scene.put(VolumeAttachments, { ...going, metadata });
    await scene.sync("a");
    expect(eventTexts()).toEqual([
      'Pod web FailedAttachVolume: AttachVolume.Attach failed for volume "disk" : volume attachment is being deleted',
    ]);
  });

  test("gets Events about the pod as it was when it needed the volume first", async () => {
    const pod = podOf("web", "a", ["disk"]);
    scene.put(Pods, pod);
    scene.refuse = () => refusal(403, "Forbidden", "no");
    await scene.sync("a");
    scene.put(Pods, { ...pod, metadata: { ...pod.metadata, resourceVersion: "2" } });
    scene.now += 501;
    const versions: string[] = [];
    const context = scene.context("a");
    await persistentVolumeAttachDetach.sync("a", {
      ...context,
      event: (_kind, about) => void versions.push(about.metadata.resourceVersion),
    });
    expect(versions).toEqual(["1"]);
  });

  test("is left alone if it is deleted with its node while another of its volumes is attached", async () => {
    putVolume(scene, "other");
    scene.put(Pods, podOf("web", "a", ["disk", "other"]));
    scene.refuse = () => {
      removePod(scene, "web");
      scene.deleteLive(Nodes, "a");
      scene.deliver();
      return undefined;
    };
    await scene.sync("a");
    expect(calls()).toEqual([create("disk", "a")]);
  });

  test("has its requests cancelled with the sync", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    const creating = watchRequests(scene.context("a"));
    await persistentVolumeAttachDetach.sync("a", creating.context);
    scene.deliver();
    driverSays(scene, ["disk", "a"], { attached: true });
    const reporting = watchRequests(scene.context("a"));
    await persistentVolumeAttachDetach.sync("a", reporting.context);
    expect([creating.signals, reporting.signals]).toEqual([[creating.context.signal], [reporting.context.signal]]);
  });

  test("whose VolumeAttachment is deleted, has no status, or is no longer attached, has it attached again", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await attachOn("a");
    const { status: _, ...withoutStatus } = attachmentObject("disk", "a");
    scene.put(VolumeAttachments, withoutStatus);
    await scene.sync("a");
    expect(sentences()[0]).toBe("disk is no longer attached, without anybody here having detached it");
    expect(reported(scene, "a")).toEqual([]);
    driverSays(scene, ["disk", "a"], { attached: true });
    await scene.sync("a");
    driverSays(scene, ["disk", "a"], { attached: false });
    await scene.sync("a");
    expect(sentences()[0]).toBe("disk is no longer attached, without anybody here having detached it");
    expect(reported(scene, "a")).toEqual([]);
    driverSays(scene, ["disk", "a"], { attached: true });
    await scene.sync("a");
    expect(reported(scene, "a")).toEqual([uniqueName("disk")]);
    scene.deleteLive(VolumeAttachments, attachmentOf("disk", "a"));
    scene.deliver();
    await scene.sync("a");
    expect(calls()).toEqual([get("disk", "a"), create("disk", "a"), "patch Node a"]);
  });

  test("whose VolumeAttachment the cache lacks, and the API server has, keeps it", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await attachOn("a");
    const [held] = scene.live(VolumeAttachments);
    if (held === undefined) throw new Error("there is none");
    scene.deleteLive(VolumeAttachments, attachmentOf("disk", "a"));
    scene.deliver();
    scene.putLive(VolumeAttachments, held);
    await scene.sync("a");
    expect(calls()).toEqual([get("disk", "a")]);
    expect(reported(scene, "a")).toEqual([uniqueName("disk")]);
    scene.refuse = ({ verb }) => (verb === "get" ? refusal(500, "InternalError", "down") : undefined);
    expect(String(await rejection(scene.sync("a")))).toContain("down");
    expect(reported(scene, "a")).toEqual([uniqueName("disk")]);
  });

  for (const [what, live] of [
    ["not as attached", { status: { attached: false } }],
    ["without a status", {}],
  ] as const) {
    test(`whose VolumeAttachment the cache lacks, and the API server has ${what}, loses its volume`, async () => {
      scene.put(Pods, podOf("web", "a", ["disk"]));
      await attachOn("a");
      const { status: _, ...held } = attachmentObject("disk", "a");
      scene.deleteLive(VolumeAttachments, attachmentOf("disk", "a"));
      scene.deliver();
      scene.putLive(VolumeAttachments, { ...held, ...live });
      const { context, signals } = watchRequests(scene.context("a"));
      await persistentVolumeAttachDetach.sync("a", context);
      expect(sentences()).toContain("disk is no longer attached, without anybody here having detached it");
      expect(signals[0]).toBe(context.signal);
    });
  }

  test("whose VolumeAttachment reaches the cache while the API server is asked, keeps it", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await attachOn("a");
    scene.deleteLive(VolumeAttachments, attachmentOf("disk", "a"));
    scene.deliver();
    scene.refuse = ({ verb }) => {
      if (verb !== "get") return undefined;
      scene.put(VolumeAttachments, attachmentObject("disk", "a"));
      return refusal(404, "NotFound", "there was none");
    };
    await scene.sync("a");
    expect({ calls: calls(), sentences: sentences() }).toEqual({ calls: [get("disk", "a")], sentences: [] });
    expect(reported(scene, "a")).toEqual([uniqueName("disk")]);
  });

  test("loses its volume while another one of the node is being attached", async () => {
    putVolume(scene, "more");
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await attachOn("a");
    scene.put(Pods, podOf("api", "a", ["more"]));
    await scene.sync("a");
    expect(calls()).toEqual([create("more", "a")]);
    scene.deliver();
    driverSays(scene, ["disk", "a"], { attached: false });
    await scene.sync("a");
    expect(sentences()).toContain("disk is no longer attached, without anybody here having detached it");
  });

  test("that is replaced by one of the same name wakes its node, and one that changes otherwise does not", () => {
    const [before, other] = [podOf("web", "a", ["disk"]), podOf("web", "a", ["more"], { meta: { uid: "another" } })];
    scene.woken.length = 0;
    scene.notify(Pods, { type: "updated", before, object: before });
    expect(scene.woken).toEqual([]);
    scene.notify(Pods, { type: "updated", before, object: other });
    expect(scene.woken).toEqual(["a"]);
  });
});

describe("nothing is attached", () => {
  const cases: readonly (readonly [string, () => void])[] = [
    ["for a pod that has ended", () => scene.put(Pods, podOf("web", "a", ["disk"], { phase: "Failed" }))],
    ["for a pod elsewhere", () => scene.put(Pods, podOf("web", "c", ["disk"]))],
    [
      "on a node whose kubelet attaches by itself",
      () => {
        scene = syncScene(persistentVolumeAttachDetach);
        scene.put(Nodes, nodeOf("a", { managed: false }));
        putVolume(scene, "disk");
        scene.put(Pods, podOf("web", "a", ["disk"]));
      },
    ],
    [
      "of a claim that is not bound",
      () => {
        putVolume(scene, "disk", { phase: "Pending" });
        scene.put(Pods, podOf("web", "a", ["disk"]));
      },
    ],
    [
      "of a volume that belongs to another claim of the name",
      () => {
        putVolume(scene, "disk", { claimUid: "another" });
        scene.put(Pods, podOf("web", "a", ["disk"]));
      },
    ],
    ["of a claim that is missing", () => scene.put(Pods, podOf("web", "a", ["none"]))],
    [
      "of a driver that does not attach",
      () => {
        const metadata = { ...nodeOf(driver).metadata };
        scene.put(CsiDrivers, { metadata, spec: { attachRequired: false } });
        scene.put(Pods, podOf("web", "a", ["disk"]));
      },
    ],
    [
      "of volumes on paths of the node, of network file systems, and of drivers' volumes of the pod itself",
      () => {
        putVolume(scene, "path", { source: { hostPath: { path: "/data" } } });
        putVolume(scene, "nfs", { source: { nfs: { server: "nfs", path: "/" } } });
        const volumes = [
          { name: "empty", emptyDir: {} },
          { name: "inline", csi: { driver } },
        ];
        scene.put(Pods, podOf("web", "a", ["path", "nfs"], { volumes }));
      },
    ],
    [
      "of a claim of an ephemeral volume that is not the pod's",
      () => {
        putVolume(scene, "web-disk");
        scene.put(Pods, podOf("web", "a", [], { volumes: [{ name: "disk", ephemeral: {} }] }));
      },
    ],
  ];
  for (const [what, arrange] of cases) {
    test(what, async () => {
      arrange();
      await scene.sync("a");
      expect({ calls: calls(), events: eventTexts(), sentences: sentences() }).toEqual({
        calls: [],
        events: [],
        sentences: [],
      });
    });
  }
});

test("a driver that no longer needs attachment: its volumes are left to the pods", async () => {
  scene.put(Pods, podOf("web", "a", ["disk"]));
  await attachOn("a");
  const object = { metadata: nodeOf(driver).metadata, spec: { attachRequired: false } };
  scene.writeLive(CsiDrivers, object);
  scene.woken.length = 0;
  scene.deliver();
  expect([...scene.woken].toSorted()).toEqual(["a", "b"]);
  await scene.sync("a");
  expect(calls()).toEqual(["patch Node a", "get Node a", `delete VolumeAttachment ${attachmentOf("disk", "a")}`]);
});

test("a driver that no longer needs attachment: its volumes are not lost without a VolumeAttachment", async () => {
  scene.put(Pods, podOf("web", "a", ["disk"]));
  await attachOn("a");
  scene.writeLive(CsiDrivers, { metadata: nodeOf(driver).metadata, spec: { attachRequired: false } });
  scene.deleteLive(VolumeAttachments, attachmentOf("disk", "a"));
  scene.deliver();
  await scene.sync("a");
  expect(sentences()).toEqual([
    "disk: no pod on the node needs it → remove it from the node's status, and detach it",
    "disk is detached: its VolumeAttachment is gone",
  ]);
});

test("a deleted node without volumes is not synced when a driver no longer needs attachment", () => {
  scene.deleteLive(Nodes, "b");
  scene.deliver();
  scene.woken.length = 0;
  scene.writeLive(CsiDrivers, { metadata: nodeOf(driver).metadata, spec: { attachRequired: false } });
  scene.deliver();
  expect(scene.woken).toEqual(["a"]);
});

test("a claim for the pod's own ephemeral volume is attached", async () => {
  const [volume, claim] = volumeOf("web-disk");
  const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "web", uid: "uid-web", controller: true }];
  scene.put(PersistentVolumes, volume);
  scene.put(PersistentVolumeClaims, { ...claim, metadata: { ...claim.metadata, ownerReferences } });
  scene.put(Pods, podOf("web", "a", [], { volumes: [{ name: "disk", ephemeral: {} }] }));
  await scene.sync("a");
  expect(calls()).toEqual([create("web-disk", "a")]);
});

test("volumes of plugins without an attacher are attached at once, without a VolumeAttachment", async () => {
  putVolume(scene, "iscsi", { source: { iscsi: { targetPortal: "10.0.0.1:3260", iqn: "iqn.example", lun: 2 } } });
  const volumes = [
    { name: "fc", fc: { targetWWNs: ["50", "51"], lun: 1 } },
    { name: "wide", fc: { wwids: ["36"] } },
  ];
  scene.put(Pods, podOf("web", "a", ["iscsi"], { volumes }));
  await scene.sync("a");
  expect(calls()).toEqual(["patch Node a"]);
  expect(reported(scene, "a")).toEqual([
    "kubernetes.io/fc/[36]",
    "kubernetes.io/fc/[50 51]:1",
    "kubernetes.io/iscsi/10.0.0.1:3260:iqn.example:2",
  ]);
  expect(eventTexts()).toHaveLength(3);
});

describe("a volume of two pods on two nodes", () => {
  const shared = ["ReadWriteMany", "ReadOnlyMany"];
  for (const mode of shared) {
    test(`is attached to both with ${mode}`, async () => {
      putVolume(scene, "disk", { modes: [mode] });
      scene.put(Pods, podOf("web", "a", ["disk"]), podOf("api", "b", ["disk"]));
      await attachOn("a");
      await attachOn("b");
      expect([reported(scene, "a"), reported(scene, "b")]).toEqual([[uniqueName("disk")], [uniqueName("disk")]]);
    });
  }

  test("is attached to both without any access mode: the driver decides", async () => {
    putVolume(scene, "disk", { modes: [] });
    scene.put(Pods, podOf("web", "a", ["disk"]), podOf("api", "b", ["disk"]));
    await scene.sync("a");
    await scene.sync("b");
    expect(calls()).toEqual([create("disk", "b")]);
  });

  for (const mode of ["ReadWriteOnce", "ReadWriteOncePod"]) {
    test(`waits with ${mode}, with one Event that names the holder`, async () => {
      putVolume(scene, "disk", { modes: [mode] });
      scene.put(Pods, podOf("web", "a", ["disk"]), podOf("api", "b", ["disk"]));
      await attachOn("a");
      await scene.sync("b");
      expect({ calls: calls(), events: eventTexts() }).toEqual({
        calls: [],
        events: [
          'Pod api FailedAttachVolume: Multi-Attach error for volume "disk" Volume is already used by pod(s) web',
        ],
      });
      expect(sentences()).toEqual(["disk is attached to a, and can be attached to only one node at a time → wait"]);
      await scene.sync("b");
      expect(eventTexts()).toEqual([]);
    });
  }

  test("waits while it is being attached elsewhere, and is retried after that", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]), podOf("api", "b", ["disk"]));
    await scene.sync("a");
    await scene.sync("b");
    expect({ calls: calls(), sentences: sentences(), events: eventTexts() }).toEqual({
      calls: [],
      sentences: ["disk: it is being attached or detached → wait"],
      events: [],
    });
    scene.deliver();
    driverSays(scene, ["disk", "a"], { attached: true });
    scene.woken.length = 0;
    await scene.sync("a");
    expect(scene.woken).toEqual(["b"]);
  });

  test("waits while it is being attached elsewhere, whatever else is being attached to its node", async () => {
    putVolume(scene, "other");
    scene.put(Pods, podOf("web", "a", ["disk"]), podOf("api", "b", ["other"]));
    await scene.sync("a");
    await scene.sync("b");
    addPod(scene, podOf("cache", "b", ["disk"]));
    await scene.sync("b");
    expect(sentences()).toEqual([
      "disk: it is being attached or detached → wait",
      `a pod needs other → wait for its driver to attach it, as ${attachmentOf("other", "b")} asks`,
    ]);
  });

  test("is attached, after which a node that may have it still can detach it", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await scene.sync("a");
    scene.deliver();
    driverSays(scene, ["disk", "a"], { attached: false, attachError: { message: "full" } });
    await scene.sync("a");
    removePod(scene, "web");
    scene.now += 501;
    await scene.sync("a");
    addPod(scene, podOf("api", "b", ["disk"]));
    await scene.sync("b");
    scene.deliver();
    driverSays(scene, ["disk", "b"], { attached: true });
    scene.woken.length = 0;
    await scene.sync("b");
    expect(scene.woken).toEqual(["a"]);
  });

  test("waits for the back-off of the other node, then is attached", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]), podOf("api", "b", ["disk"]));
    await scene.sync("a");
    scene.deliver();
    driverSays(scene, ["disk", "a"], { attached: false, attachError: { message: "full" } });
    await scene.sync("a");
    await scene.sync("b");
    expect(sentences()).toEqual(["disk: the last attempt failed → wait"]);
    expect(scene.requeues.map(({ ms }) => ms)).toEqual([501]);
    scene.now += 501;
    // It is uncertain if the volume is attached to a, but that does not prevent b from trying.
    await scene.sync("b");
    expect(calls()).toEqual([create("disk", "b")]);
  });

  test("causes no error Event if the other node is about to lose it", async () => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    await attachOn("a");
    removePod(scene, "web");
    addPod(scene, podOf("api", "b", ["disk"]));
    scene.woken.length = 0;
    await scene.sync("b");
    expect({ events: eventTexts(), sentences: sentences(), woken: scene.woken }).toEqual({
      events: [],
      sentences: ["disk: the node that has it does not need it → wait"],
      woken: ["a"],
    });
    await scene.sync("a");
    scene.deliver();
    await scene.sync("a");
    await scene.sync("b");
    expect(calls()).toEqual([create("disk", "b")]);
  });

  const words: readonly (readonly [string, readonly string[], string])[] = [
    ["nobody", [], "Volume is already exclusively attached to one node and can't be attached to another"],
    ["one pod of the namespace", ["shop/web"], "Volume is already used by pod(s) web"],
    ["two of it", ["shop/web", "shop/cache"], "Volume is already used by pod(s) cache, web"],
    ["one of another", ["bank/web"], "Volume is already used by 1 pod(s) in different namespaces"],
    [
      "both",
      ["shop/web", "bank/one", "bank/two"],
      "Volume is already used by pod(s) web and 2 pod(s) in different namespaces",
    ],
  ];
  for (const [who, pods, message] of words) {
    test(`causes an Event: ${who}`, async () => {
      const handle = { csi: { driver, volumeHandle: "handle-disk" } };
      putVolume(scene, "disk-of-bank", { namespace: "bank", source: handle });
      const [first, ...others] = pods.length === 0 ? ["shop/web"] : pods;
      for (const each of [first, ...others]) {
        const [namespace = "", name = ""] = String(each).split("/");
        const claim = namespace === "shop" ? "disk" : "disk-of-bank";
        scene.put(Pods, podOf(name, "a", [claim], { namespace, meta: { uid: `uid-${each}` } }));
      }
      await attachOn("a");
      if (pods.length === 0) {
        removePod(scene, "web");
        scene.writeLive(Nodes, nodeOf("a", { attached: [uniqueName("disk")], inUse: [uniqueName("disk")] }));
        scene.deliver();
      }
      addPod(scene, podOf("api", "b", ["disk"]));
      await scene.sync("b");
      expect(eventTexts()).toEqual([`Pod api FailedAttachVolume: Multi-Attach error for volume "disk" ${message}`]);
    });
  }
});

test("a Multi-Attach error names no pod that uses other volumes of the node", async () => {
  putVolume(scene, "other");
  scene.put(Pods, podOf("web", "a", ["disk"]), podOf("cache", "a", ["other"]));
  await attachOn("a");
  removePod(scene, "web");
  mounts(scene, "a", "disk");
  addPod(scene, podOf("api", "b", ["disk"]));
  await scene.sync("b");
  expect(eventTexts()).toEqual([
    `Pod api FailedAttachVolume: Multi-Attach error for volume "disk" Volume is already exclusively attached to one node and can't be attached to another`,
  ]);
});

describe("a node is synced when", () => {
  const woken = (): string[] => [...new Set(scene.woken)].toSorted();
  beforeEach(() => {
    scene.put(Pods, podOf("web", "a", ["disk"]));
    scene.woken.length = 0;
  });

  test("a pod with a claim is added, ends, or is deleted; not when its status changes otherwise", () => {
    const pod = podOf("api", "b", ["disk"]);
    addPod(scene, pod);
    expect(woken()).toEqual(["b"]);
    scene.woken.length = 0;
    addPod(scene, { ...pod, status: { ...pod.status, podIP: "10.0.0.1" } });
    expect(woken()).toEqual([]);
    addPod(scene, { ...pod, status: { ...pod.status, phase: "Succeeded" } });
    expect(woken()).toEqual(["b"]);
    scene.woken.length = 0;
    removePod(scene, "api");
    expect(woken()).toEqual(["b"]);
  });

  test("a pod has other volumes besides its claim", () => {
    addPod(scene, podOf("api", "b", ["disk"], { volumes: [{ name: "empty", emptyDir: {} }] }));
    expect(woken()).toEqual(["b"]);
  });

  test("but not for a pod without attached volumes, or without a node", () => {
    addPod(scene, podOf("api", "b", [], { volumes: [{ name: "empty", emptyDir: {} }] }));
    addPod(scene, podOf("new", "", ["disk"]));
    expect(woken()).toEqual([]);
  });

  test("a claim is bound, a volume gets its claim, or a VolumeAttachment changes", () => {
    const [volume, claim] = volumeOf("disk");
    scene.notify(PersistentVolumeClaims, { type: "updated", before: { ...claim, status: {} }, object: claim });
    expect(woken()).toEqual(["a"]);
    scene.woken.length = 0;
    scene.notify(PersistentVolumeClaims, { type: "updated", before: claim, object: claim });
    scene.notify(PersistentVolumes, { type: "updated", before: volume, object: volume });
    expect(woken()).toEqual([]);
    scene.notify(PersistentVolumes, { type: "updated", before: { metadata: volume.metadata }, object: volume });
    expect(woken()).toEqual(["a"]);
    scene.woken.length = 0;
    scene.notify(VolumeAttachments, { type: "added", object: attachmentObject("disk", "b"), initial: false });
    expect(woken()).toEqual(["b"]);
  });

  test("its readiness, taints or mounted volumes change; not at its heartbeats", () => {
    const before = nodeOf("a");
    const update = (object: typeof before): void => scene.notify(Nodes, { type: "updated", before, object });
    update({ ...before, status: { ...before.status, addresses: [] } });
    expect(woken()).toEqual([]);
    for (const object of [
      nodeOf("a", { ready: false }),
      nodeOf("a", { taints: ["node.kubernetes.io/out-of-service"] }),
      nodeOf("a", { inUse: [uniqueName("disk")] }),
      nodeOf("a", { managed: false }),
    ]) {
      scene.woken.length = 0;
      update(object);
      expect(woken()).toEqual(["a"]);
    }
  });
});
