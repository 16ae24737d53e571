/** The outcome for volumes whose claims are deleted, or are bound to another volume. */
import type { Script } from "../../suite.ts";
import { makeClaim, makePod, makeVolume, patchVolume, removeClaim, step, type VolumeParts } from "./acts.ts";

const released = (parts: VolumeParts): Script["steps"] => [
  step("create a volume", (stage) => makeVolume(stage, "disk", parts)),
  step("create a claim", (stage) => makeClaim(stage, "data")),
  step("delete the claim", (stage) => removeClaim(stage, "data")),
];

const hostPath = (path: string): VolumeParts => ({ source: { hostPath: { path } } });
const by = (provisioner: string): VolumeParts => ({ annotations: { "pv.kubernetes.io/provisioned-by": provisioner } });

const policies: readonly Script[] = (
  [
    ["Retain: the volume is kept, and free once its claimRef is removed", { policy: "Retain" }],
    ["Delete: a driver's volume is left to the driver", { policy: "Delete" }],
    ["Delete: a path that is not temporary", { policy: "Delete", ...hostPath("/data/disk") }],
    ["Delete: a plugin without deletion", { policy: "Delete", source: { nfs: { server: "nfs", path: "/" } } }],
    [
      "Delete: a source without a plugin",
      { policy: "Delete", source: { fc: { targetWWNs: ["50060e801049cfd1"], lun: 0 } } },
    ],
    ["Delete: provisioned by a driver", { policy: "Delete", ...hostPath("/data/disk"), ...by("example.com/disks") }],
    ["Delete: provisioned by a removed plugin", { policy: "Delete", ...by("kubernetes.io/glusterfs") }],
    ["Delete: provisioned by a plugin without deletion", { policy: "Delete", ...by("kubernetes.io/nfs") }],
    [
      "Delete: provisioned by the test plugin, with another source",
      { policy: "Delete", ...by("kubernetes.io/host-path") },
    ],
    ["Delete: provisioned by a migrated plugin", { policy: "Delete", ...by("kubernetes.io/aws-ebs") }],
    ["Recycle: no plugin supports it", { policy: "Recycle" }],
  ] as const
).map(([name, parts]) => ({
  name: `policy ${name}`,
  steps: [
    ...released(parts),
    step("remove the claimRef", (stage) => patchVolume(stage, "disk", { spec: { claimRef: null } })),
  ],
}));

export const reclaiming: readonly Script[] = [
  ...policies,
  {
    name: "policy Recycle: a pod still uses the claim",
    steps: [
      step("create a volume", (stage) => makeVolume(stage, "disk", { policy: "Recycle" })),
      step("create a claim and a pod", async (stage) => {
        await makeClaim(stage, "data");
        await makePod(stage, "user", "data");
      }),
      step("delete the claim", (stage) => removeClaim(stage, "data")),
      step("remove the pod", (stage) => stage.remove("pods", "user", { gracePeriodSeconds: 0 })),
    ],
  },
  {
    name: "a new claim with the same name does not get the volume",
    steps: [
      step("create a volume", (stage) => makeVolume(stage, "disk")),
      step("create a claim", (stage) => makeClaim(stage, "data")),
      step("delete the claim", (stage) => removeClaim(stage, "data")),
      step("recreate the claim", (stage) => makeClaim(stage, "data")),
    ],
  },
  {
    name: "the policy changes after the claim was deleted",
    steps: [
      ...released({ source: { nfs: { server: "nfs", path: "/" } } }),
      step("set Delete", (stage) => patchVolume(stage, "disk", { spec: { persistentVolumeReclaimPolicy: "Delete" } })),
      step("set Retain", (stage) => patchVolume(stage, "disk", { spec: { persistentVolumeReclaimPolicy: "Retain" } })),
    ],
  },
  ...(
    [
      ["by the user", {}],
      ["by the controller", { annotations: { "pv.kubernetes.io/bound-by-controller": "yes" } }],
      ["by its provisioner", { policy: "Delete", ...by("example.com/disks") }],
    ] as const
  ).map(([whom, parts]) => ({
    name: `a volume is reserved for a claim that is bound to another volume, ${whom}`,
    steps: [
      step("create a volume", (stage) => makeVolume(stage, "disk")),
      step("create a claim", (stage) => makeClaim(stage, "data")),
      step("create a second volume for it", (stage) =>
        makeVolume(stage, "second", { reservedFor: "data", withUid: true, ...parts }),
      ),
    ],
  })),
];
