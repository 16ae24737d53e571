/** Written scripts. */
import { long } from "../../../support/long.ts";
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import {
  all,
  hasAttachments,
  bindClaim,
  driverName,
  driverSays,
  handleOf,
  has,
  holdAttachment,
  makeDriver,
  makeNode,
  makePod,
  makeVolume,
  mounts,
  nodeName,
  patchNode,
  removeAttachment,
  removePod,
  reportReady,
  setPhase,
  step,
  type VolumeParts,
} from "./acts.ts";

const nodes = (...names: readonly string[]): Step =>
  step(`create the nodes ${names.join(", ")}`, async (stage) => {
    for (const name of names) await makeNode(stage, name);
  });
const volume = (name: string, parts: VolumeParts = {}): Step =>
  step(`create volume ${name} and its claim`, (stage) => makeVolume(stage, name, parts));
const pod = (name: string, node: string, claims: readonly string[], until?: Step["until"]): Step =>
  step(
    `create pod ${name} on ${node} with ${claims.join(", ")}`,
    (stage) => makePod(stage, name, { node, claims }),
    until,
  );
const attaches = (name: string, node: string, until: Step["until"] = has(node, 1)): Step =>
  step(`the driver attaches ${name} to ${node}`, (stage) => driverSays(stage, [name, node], { attached: true }), until);
const ends = (name: string, until?: Step["until"]): Step =>
  step(`finish pod ${name}`, (stage) => setPhase(stage, name, "Succeeded"), until);
const goes = (name: string, until?: Step["until"]): Step =>
  step(`remove pod ${name}`, (stage) => removePod(stage, name), until);
const mounted = (node: string, ...names: readonly string[]): Step =>
  step(`${node} reports as mounted: ${names.join(", ") || "nothing"}`, (stage) => mounts(stage, node, ...names));
const unmounts = (node: string, until: Step["until"]): Step =>
  step(`${node} reports all unmounted`, (stage) => mounts(stage, node), until);
const error = (message: string): object => ({ message, time: "2026-01-01T00:00:00Z" });

const attached = (name: string, node: string): readonly Step[] => [
  pod("first", node, [name], hasAttachments(1)),
  attaches(name, node),
];

const shared: VolumeParts = { modes: ["ReadWriteMany"] };

/** Scripts that take six minutes, a timeout that cannot be configured upstream. */
const slow: readonly Script[] = [
  {
    name: "a mounted volume is detached by force after its node was unready for six minutes",
    steps: [
      nodes("a"),
      volume("disk"),
      ...attached("disk", "a"),
      mounted("a", "disk"),
      step("the node becomes unready", (stage) => reportReady(stage, "a", "Unknown")),
      { ...goes("first"), waitMs: 340_000 },
      {
        ...step("six minutes have passed", () => Promise.resolve()),
        waitMs: 15_000,
        until: all(hasAttachments(0), has("a", 0)),
      },
    ],
  },
];

export const scripts: readonly Script[] = [
  ...(long ? slow : []),
  {
    name: "a volume is attached for a pod, and detached when the pod has finished and the volume is unmounted",
    steps: [
      nodes("a"),
      volume("disk"),
      ...attached("disk", "a"),
      mounted("a", "disk"),
      ends("first"),
      unmounts("a", all(hasAttachments(0), has("a", 0))),
    ],
  },
  {
    name: "a terminating pod keeps its volume while a container runs",
    steps: [
      nodes("a"),
      volume("disk"),
      ...attached("disk", "a"),
      step("delete the pod", (stage) => stage.remove("pods", "first", { gracePeriodSeconds: 60 })),
      ends("first", hasAttachments(0)),
      goes("first"),
    ],
  },
  {
    name: "attaching fails at first",
    steps: [
      nodes("a"),
      volume("disk"),
      pod("first", "a", ["disk"], hasAttachments(1)),
      step("report an error", (stage) => driverSays(stage, ["disk", "a"], { attachError: error("no such disk") })),
      step(
        "report success",
        (stage) => driverSays(stage, ["disk", "a"], { attached: true, attachError: null }),
        has("a", 1),
      ),
      goes("first", all(hasAttachments(0), has("a", 0))),
    ],
  },
  {
    name: "a volume that could not be attached is detached after its pod was deleted, once the node reports again",
    steps: [
      nodes("a"),
      volume("disk"),
      pod("first", "a", ["disk"], hasAttachments(1)),
      step("report an error", (stage) => driverSays(stage, ["disk", "a"], { attachError: error("no such disk") })),
      goes("first"),
      mounted("a"),
      step(
        "the node reports again",
        (stage) => patchNode(stage, "a", { metadata: { labels: { a: "b" } } }),
        hasAttachments(0),
      ),
    ],
  },
  {
    name: "a second pod on another node waits for the first one to finish",
    steps: [
      nodes("a", "b"),
      volume("disk"),
      ...attached("disk", "a"),
      mounted("a", "disk"),
      pod("second", "b", ["disk"]),
      ends("first"),
      unmounts("a", has("a", 0)),
      attaches("disk", "b", has("b", 1)),
    ],
  },
  {
    name: "a pod is replaced on another node: its volume is detached and attached there, without an error Event",
    steps: [
      nodes("a", "b"),
      volume("disk", { modes: ["ReadWriteOncePod"] }),
      ...attached("disk", "a"),
      step(
        "remove the first pod and create the second",
        async (stage) => {
          await removePod(stage, "first");
          await makePod(stage, "second", { node: "b", claims: ["disk"] });
        },
        has("a", 0),
      ),
      attaches("disk", "b", has("b", 1)),
    ],
  },
  {
    name: "a ReadWriteMany volume is attached to several nodes",
    steps: [
      nodes("a", "b"),
      volume("disk", shared),
      ...attached("disk", "a"),
      pod("second", "b", ["disk"], hasAttachments(2)),
      attaches("disk", "b"),
      goes("first", has("a", 0)),
      goes("second", all(hasAttachments(0), has("b", 0))),
    ],
  },
  {
    name: "two pods on one node share a volume",
    steps: [
      nodes("a"),
      volume("disk"),
      ...attached("disk", "a"),
      pod("second", "a", ["disk"]),
      goes("first"),
      goes("second", hasAttachments(0)),
    ],
  },
  {
    name: "a pod with two volumes",
    steps: [
      nodes("a"),
      volume("disk"),
      volume("more"),
      pod("first", "a", ["disk", "more"], hasAttachments(2)),
      attaches("disk", "a"),
      attaches("more", "a", has("a", 2)),
      mounted("a", "disk", "more"),
      ends("first"),
      step("one volume is unmounted", (stage) => mounts(stage, "a", "more"), has("a", 1)),
      unmounts("a", all(hasAttachments(0), has("a", 0))),
    ],
  },
  {
    name: "a conflict names the pods in the same namespace, and counts those in others",
    steps: [
      nodes("a", "b", "c"),
      volume("disk"),
      ...attached("disk", "a"),
      pod("also", "a", ["disk"]),
      step("create a pod in another namespace with the same disk in another volume", async (stage) => {
        const other = await stage.beside("other");
        await makeVolume(other, "disk", {
          source: { csi: { driver: driverName(stage), volumeHandle: handleOf(stage, "disk") } },
        });
        await makePod(other, "third", { node: "a", claims: ["disk"] });
      }),
      pod("second", "b", ["disk"]),
      step("create a pod there that needs it on another node", async (stage) => {
        await makePod(await stage.beside("other"), "fourth", { node: "c", claims: ["disk"] });
      }),
    ],
  },
  {
    name: "a driver that needs no attaching",
    steps: [
      nodes("a"),
      step("create the CSIDriver", (stage) => makeDriver(stage, { attachRequired: false })),
      volume("disk"),
      pod("first", "a", ["disk"]),
      goes("first"),
    ],
  },
  {
    name: "a driver that needs attaching",
    steps: [
      nodes("a"),
      step("create the CSIDriver", (stage) => makeDriver(stage, { attachRequired: true })),
      volume("disk"),
      ...attached("disk", "a"),
    ],
  },
  {
    name: "a claim is bound after its pod",
    steps: [
      nodes("a"),
      volume("disk", { bound: false }),
      pod("first", "a", ["disk"]),
      step("bind the claim", (stage) => bindClaim(stage, "disk"), hasAttachments(1)),
      attaches("disk", "a"),
    ],
  },
  {
    name: "a node whose kubelet attaches volumes itself",
    steps: [
      step("create the node", (stage) => makeNode(stage, "a", { managed: false })),
      volume("disk"),
      pod("first", "a", ["disk"]),
      goes("first"),
    ],
  },
  {
    name: "a pod that is bound after it finished",
    steps: [
      nodes("a"),
      volume("disk"),
      step("create the pods", async (stage) => {
        await stage.create("pods", { metadata: { name: "first" }, spec: { containers: [{ name: "a", image: "a" }] } });
        await makePod(stage, "second", { node: "a", claims: [], phase: "Succeeded" });
      }),
    ],
  },
  {
    name: "volumes of in-tree plugins, and inline volumes",
    steps: [
      nodes("a"),
      volume("path", { source: { hostPath: { path: "/data" } } }),
      volume("nfs", { source: { nfs: { server: "nfs", path: "/" } } }),
      step("create volume iscsi and its claim", (stage) =>
        makeVolume(stage, "iscsi", {
          source: { iscsi: { targetPortal: "10.0.0.1:3260", iqn: `iqn.2026-01.example:${stage.namespace}`, lun: 2 } },
        }),
      ),
      step(
        "create the pod",
        (stage) =>
          makePod(stage, "first", {
            node: "a",
            claims: ["path", "nfs", "iscsi"],
            volumes: [
              { name: "empty", emptyDir: {} },
              { name: "inline", csi: { driver: driverName(stage) } },
              { name: "fc", fc: { targetWWNs: ["500a0982991b8dc5", "500a0982891b8dc5"], lun: 1 } },
              { name: "wide", fc: { wwids: ["3600508b400105e210000900000490000"] } },
            ],
          }),
        has("a", 3),
      ),
      goes("first", has("a", 0)),
    ],
  },
  {
    name: "volumes of an out-of-service node are detached, even if mounted",
    steps: [
      nodes("a"),
      volume("disk"),
      ...attached("disk", "a"),
      mounted("a", "disk"),
      ends("first"),
      step(
        "taint the node",
        (stage) =>
          patchNode(stage, "a", {
            spec: { taints: [{ key: "node.kubernetes.io/out-of-service", value: "down", effect: "NoExecute" }] },
          }),
        all(hasAttachments(0), has("a", 0)),
      ),
    ],
  },
  {
    name: "a VolumeAttachment is deleted by hand",
    steps: [
      nodes("a"),
      volume("disk"),
      ...attached("disk", "a"),
      step(
        "delete the VolumeAttachment",
        (stage) => removeAttachment(stage, "disk", "a"),
        all(has("a", 0), hasAttachments(1)),
      ),
      attaches("disk", "a"),
    ],
  },
  {
    name: "the driver reports that a volume is no longer attached",
    steps: [
      nodes("a"),
      volume("disk"),
      ...attached("disk", "a"),
      step("report it", (stage) => driverSays(stage, ["disk", "a"], { attached: false }), has("a", 0)),
      attaches("disk", "a"),
    ],
  },
  {
    name: "a driver detaches slowly, after an error",
    steps: [
      nodes("a"),
      volume("disk"),
      ...attached("disk", "a"),
      step("add a finalizer of the driver", (stage) => holdAttachment(stage, ["disk", "a"], ["example.com/attacher"])),
      goes("first", has("a", 0)),
      step("report an error", (stage) => driverSays(stage, ["disk", "a"], { detachError: error("the disk is busy") })),
      step("remove the finalizer", (stage) => holdAttachment(stage, ["disk", "a"], []), hasAttachments(0)),
    ],
  },
  {
    name: "a pod is recreated while its volume is being detached",
    steps: [
      nodes("a"),
      volume("disk"),
      ...attached("disk", "a"),
      step("add a finalizer of the driver", (stage) => holdAttachment(stage, ["disk", "a"], ["example.com/attacher"])),
      goes("first", has("a", 0)),
      pod("second", "a", ["disk"]),
      step("remove the finalizer", (stage) => holdAttachment(stage, ["disk", "a"], [])),
    ],
  },
  {
    name: "a pod is deleted before its volume is attached",
    steps: [
      nodes("a"),
      volume("disk"),
      pod("first", "a", ["disk"], hasAttachments(1)),
      goes("first"),
      attaches("disk", "a", hasAttachments(0)),
    ],
  },
  {
    name: "a pod is replaced by another one with the same name",
    steps: [
      nodes("a"),
      volume("disk"),
      ...attached("disk", "a"),
      mounted("a", "disk"),
      step("replace the pod", async (stage) => {
        await removePod(stage, "first");
        await makePod(stage, "first", { node: "a", claims: ["disk"] });
      }),
    ],
  },
  {
    name: "a node is deleted, then its pod",
    steps: [
      nodes("a"),
      volume("disk"),
      ...attached("disk", "a"),
      step("delete the node", (stage) => stage.remove("nodes", nodeName(stage, "a"))),
      goes("first", hasAttachments(0)),
    ],
  },
  {
    name: "a node is recreated with the same name",
    steps: [
      nodes("a"),
      volume("disk"),
      ...attached("disk", "a"),
      step(
        "recreate the node",
        async (stage) => {
          await stage.remove("nodes", nodeName(stage, "a"));
          await makeNode(stage, "a");
        },
        has("a", 1),
      ),
      goes("first", hasAttachments(0)),
    ],
  },
  {
    name: "an ephemeral volume needs a claim owned by the pod",
    steps: [
      nodes("a"),
      ...(
        [
          ["first", true],
          ["second", false],
        ] as const
      ).map(([name, isOwn]) =>
        step(
          `${name}, whose claim is ${isOwn ? "its own" : "another's"}`,
          (stage) => makeEphemeral(stage, name, isOwn),
          hasAttachments(1),
        ),
      ),
    ],
  },
];

async function makeEphemeral(stage: Stage, name: string, isOwn: boolean): Promise<void> {
  const pod = (await makePod(stage, name, {
    node: "a",
    volumes: [
      {
        name: "scratch",
        ephemeral: {
          volumeClaimTemplate: {
            spec: {
              accessModes: ["ReadWriteOnce"],
              resources: { requests: { storage: "1Gi" } },
              storageClassName: "none",
            },
          },
        },
      },
    ],
  })) as { readonly metadata: { readonly uid: string } };
  const owner = { apiVersion: "v1", kind: "Pod", name, uid: pod.metadata.uid, controller: true };
  await makeVolume(stage, `${name}-scratch`, isOwn ? { ownerReferences: [owner] } : {});
}
