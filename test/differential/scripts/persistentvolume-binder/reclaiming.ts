/** The outcome for volumes whose claims are deleted, or are bound to another volume. */
import type { Script } from "../../suite.ts";
import { makeClaim, makePod, makeVolume, patchVolume, removeClaim, step, type VolumeParts } from "./acts.ts";

const released = (parts: VolumeParts): Script["steps"] => [
  step("a volume", (stage) => makeVolume(stage, "disk", parts)),
  step("a claim", (stage) => makeClaim(stage, "data")),
  step("the claim is deleted", (stage) => removeClaim(stage, "data")),
];

const hostPath = (path: string): VolumeParts => ({ source: { hostPath: { path } } });
const by = (provisioner: string): VolumeParts => ({ annotations: { "pv.kubernetes.io/provisioned-by": provisioner } });

const policies: readonly Script[] = (
  [
    ["Retain: it stays, and is free once somebody says so", { policy: "Retain" }],
    ["Delete: a driver's volume is left to it", { policy: "Delete" }],
    ["Delete: a path that is not temporary", { policy: "Delete", ...hostPath("/data/disk") }],
    ["Delete: a plugin that deletes nothing", { policy: "Delete", source: { nfs: { server: "nfs", path: "/" } } }],
    [
      "Delete: a source without a plugin",
      { policy: "Delete", source: { fc: { targetWWNs: ["50060e801049cfd1"], lun: 0 } } },
    ],
    ["Delete: provisioned by a driver", { policy: "Delete", ...hostPath("/data/disk"), ...by("example.com/disks") }],
    ["Delete: provisioned by a plugin that is gone", { policy: "Delete", ...by("kubernetes.io/glusterfs") }],
    ["Delete: provisioned by a plugin that deletes nothing", { policy: "Delete", ...by("kubernetes.io/nfs") }],
    ["Delete: provisioned by the plugin for tests, elsewhere", { policy: "Delete", ...by("kubernetes.io/host-path") }],
    ["Delete: provisioned by a plugin whose work a driver does", { policy: "Delete", ...by("kubernetes.io/aws-ebs") }],
    ["Recycle: nobody can", { policy: "Recycle" }],
  ] as const
).map(([name, parts]) => ({
  name: `policy ${name}`,
  steps: [
    ...released(parts),
    step("it is freed by hand", (stage) => patchVolume(stage, "disk", { spec: { claimRef: null } })),
  ],
}));

export const reclaiming: readonly Script[] = [
  ...policies,
  {
    name: "policy Recycle: a pod still uses the claim",
    steps: [
      step("a volume", (stage) => makeVolume(stage, "disk", { policy: "Recycle" })),
      step("a claim and a pod", async (stage) => {
        await makeClaim(stage, "data");
        await makePod(stage, "user", "data");
      }),
      step("the claim is deleted", (stage) => removeClaim(stage, "data")),
      step("the pod too", (stage) => stage.remove("pods", "user", { gracePeriodSeconds: 0 })),
    ],
  },
  {
    name: "a claim of the same name is another claim",
    steps: [
      step("a volume", (stage) => makeVolume(stage, "disk")),
      step("a claim", (stage) => makeClaim(stage, "data")),
      step("it is deleted", (stage) => removeClaim(stage, "data")),
      step("another of its name", (stage) => makeClaim(stage, "data")),
    ],
  },
  {
    name: "the policy changes after the claim is gone",
    steps: [
      ...released({ source: { nfs: { server: "nfs", path: "/" } } }),
      step("to Delete", (stage) => patchVolume(stage, "disk", { spec: { persistentVolumeReclaimPolicy: "Delete" } })),
      step("and back", (stage) => patchVolume(stage, "disk", { spec: { persistentVolumeReclaimPolicy: "Retain" } })),
    ],
  },
  ...(
    [
      ["by the user", {}],
      ["by the controller", { annotations: { "pv.kubernetes.io/bound-by-controller": "yes" } }],
      ["by its provisioner", { policy: "Delete", ...by("example.com/disks") }],
    ] as const
  ).map(([whom, parts]) => ({
    name: `a volume is for a claim that is bound to another, ${whom}`,
    steps: [
      step("a volume", (stage) => makeVolume(stage, "disk")),
      step("a claim", (stage) => makeClaim(stage, "data")),
      step("a volume for it", (stage) => makeVolume(stage, "second", { reservedFor: "data", withUid: true, ...parts })),
    ],
  })),
];
