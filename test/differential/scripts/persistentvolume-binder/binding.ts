/** Which volume a claim gets, and the outcome for both when other clients change them. */
import type { Script } from "../../suite.ts";
import {
  annotateClaim,
  makeClaim,
  makeVolume,
  patchVolume,
  removeClaim,
  removeVolume,
  step,
  type VolumeParts,
} from "./acts.ts";
import { ownName } from "../../stage.ts";

const claim = step("create a claim", (stage) => makeClaim(stage, "data", { size: "2Gi" }));
const volume = (parts: VolumeParts = {}): ReturnType<typeof step> =>
  step("create a volume", (stage) => makeVolume(stage, "disk", { size: "2Gi", ...parts }));

const free: readonly Script[] = [
  {
    name: "the smallest sufficient volume is bound",
    steps: [
      step("create volumes", async (stage) => {
        await makeVolume(stage, "small", { size: "1Gi" });
        await makeVolume(stage, "large", { size: "5Gi" });
        await makeVolume(stage, "middle", { size: "3Gi" });
      }),
      claim,
      step("create a second claim", (stage) => makeClaim(stage, "more", { size: "2Gi" })),
      step("create a third claim, without a volume", (stage) => makeClaim(stage, "most", { size: "2Gi" })),
    ],
  },
  {
    name: "a claim waits for a volume",
    steps: [
      claim,
      volume({ size: "1Gi" }),
      step("create a larger volume", (stage) => makeVolume(stage, "large", { size: "8Gi" })),
    ],
  },
  {
    name: "the volume with the fewest sufficient access modes is bound, whatever its size",
    steps: [
      step("create volumes", async (stage) => {
        await makeVolume(stage, "many", { size: "2Gi", modes: ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"] });
        await makeVolume(stage, "two", { size: "3Gi", modes: ["ReadWriteOnce", "ReadWriteMany"] });
        await makeVolume(stage, "one", { size: "9Gi" });
      }),
      claim,
      step("create a ReadWriteMany claim", (stage) =>
        makeClaim(stage, "shared", { spec: { accessModes: ["ReadWriteMany"] } }),
      ),
    ],
  },
  {
    name: "a claim without a class is bound by its selector",
    steps: [
      step("create volumes", async (stage) => {
        await makeVolume(stage, "tin", { storageClass: "", labels: { metal: "tin" } });
        await makeVolume(stage, "gold", { storageClass: "", size: "4Gi", labels: { metal: "gold" } });
      }),
      step("create a claim", (stage) =>
        makeClaim(stage, "data", {
          storageClass: "",
          spec: {
            selector: {
              matchLabels: { stage: stage.namespace },
              matchExpressions: [{ key: "metal", operator: "In", values: ["gold", "iron"] }],
            },
          },
        }),
      ),
      step("create a claim without a match", (stage) =>
        makeClaim(stage, "other", {
          storageClass: "",
          spec: { selector: { matchLabels: { stage: stage.namespace, metal: "iron" } } },
        }),
      ),
    ],
  },
  ...(
    [
      ["another mode", { spec: { volumeMode: "Block" } }],
      ["another class", { storageClass: "other" }],
      ["no class", { storageClass: "" }],
      ["another VolumeAttributesClass", { spec: { volumeAttributesClassName: "gold" } }],
      ["fewer access modes", { modes: ["ReadOnlyMany"] }],
    ] as const
  ).map(([what, parts]) => ({ name: `a volume with ${what} does not match`, steps: [volume(parts), claim] })),
  {
    name: "the class is given by the deprecated annotation",
    steps: [
      volume(),
      step("create a claim", (stage) =>
        makeClaim(stage, "data", {
          storageClass: null,
          annotations: { "volume.beta.kubernetes.io/storage-class": ownName(stage, "static") },
        }),
      ),
    ],
  },
  {
    name: "a volume with a pending expansion",
    steps: [volume({ annotations: { "volume.alpha.kubernetes.io/pre-resize-capacity": "1Gi" } }), claim],
  },
  {
    name: "a terminating volume does not match",
    steps: [
      volume({ finalizers: ["example.com/hold"] }),
      step("delete the volume", (stage) => removeVolume(stage, "disk")),
      claim,
    ],
  },
];

const reserved: readonly Script[] = [
  {
    name: "a volume reserved for the claim is preferred",
    steps: [
      step("create volumes", async (stage) => {
        await makeVolume(stage, "disk", { size: "9Gi", storageClass: "other", reservedFor: "data" });
        await makeVolume(stage, "near", { size: "2Gi" });
      }),
      claim,
    ],
  },
  {
    name: "a volume reserved for the claim is too small",
    steps: [volume({ size: "1Gi", reservedFor: "data" }), claim],
  },
  {
    name: "a volume is reserved for the claim by uid",
    steps: [claim, volume({ reservedFor: "data", withUid: true })],
  },
  {
    name: "a volume of another mode is reserved for the claim by uid",
    steps: [claim, volume({ reservedFor: "data", withUid: true, spec: { volumeMode: "Block" } })],
  },
  { name: "a volume reserved for another claim", steps: [volume({ reservedFor: "other" }), claim] },
];

const naming = step("create a claim with volumeName", (stage) =>
  makeClaim(stage, "data", { size: "2Gi", volume: "disk" }),
);
const named: readonly Script[] = [
  { name: "a claim with the name of a free volume", steps: [volume(), naming] },
  { name: "a claim with the name of a volume that is created later", steps: [naming, volume()] },
  { name: "a claim and a volume refer to each other", steps: [volume({ reservedFor: "data" }), naming] },
  {
    name: "a claim with the name of a volume reserved for another claim, which is created later",
    steps: [
      volume({ reservedFor: "other" }),
      naming,
      step("create the other claim", (stage) => makeClaim(stage, "other")),
    ],
  },
  ...(
    [
      ["is too small", { size: "1Gi" }],
      ["has another class", { storageClass: "other" }],
      ["has another mode", { spec: { volumeMode: "Block" } }],
      ["has another VolumeAttributesClass", { spec: { volumeAttributesClassName: "gold" } }],
      ["has other access modes", { modes: ["ReadOnlyMany"] }],
      ["has two properties that do not match", { modes: ["ReadOnlyMany"], storageClass: "other" }],
    ] as const
  ).map(([what, parts]) => ({
    name: `a claim with the name of a volume that ${what}`,
    steps: [volume(parts), naming],
  })),
  {
    name: "a claim with the name of a terminating volume",
    steps: [
      volume({ finalizers: ["example.com/hold"] }),
      step("delete the volume", (stage) => removeVolume(stage, "disk")),
      naming,
    ],
  },
  {
    name: "a claim with the name of a volume bound to another claim",
    steps: [
      volume(),
      step("create the other claim", (stage) => makeClaim(stage, "other")),
      naming,
      step("delete the other claim", (stage) => removeClaim(stage, "other")),
    ],
  },
];

const bound = [volume(), claim];
const undone: readonly Script[] = [
  {
    name: "the claimRef of a bound volume is removed",
    steps: [...bound, step("remove the claimRef", (stage) => patchVolume(stage, "disk", { spec: { claimRef: null } }))],
  },
  {
    name: "the claimRef of a bound volume loses its uid",
    steps: [
      ...bound,
      step("remove the uid", (stage) => patchVolume(stage, "disk", { spec: { claimRef: { uid: null } } })),
    ],
  },
  {
    name: "the volume of a bound claim is deleted, and recreated",
    steps: [
      ...bound,
      step("delete the volume, which has a finalizer", (stage) => removeVolume(stage, "disk")),
      step("remove the finalizer", (stage) => patchVolume(stage, "disk", { metadata: { finalizers: null } })),
      step("recreate the volume", (stage) => makeVolume(stage, "disk", { size: "2Gi" })),
    ],
  },
  {
    name: "a claim has the annotation bind-completed, but no volumeName",
    steps: [
      step("create the claim", (stage) =>
        makeClaim(stage, "data", { annotations: { "pv.kubernetes.io/bind-completed": "yes" } }),
      ),
    ],
  },
  {
    name: "a claim has the annotation bind-completed, but its volume is another claim's",
    steps: [
      volume(),
      step("create the other claim", (stage) => makeClaim(stage, "other")),
      step("create the claim", (stage) =>
        makeClaim(stage, "data", { volume: "disk", annotations: { "pv.kubernetes.io/bind-completed": "yes" } }),
      ),
    ],
  },
  {
    name: "a bound claim loses its annotations",
    steps: [
      ...bound,
      step("remove the annotations", (stage) =>
        annotateClaim(stage, "data", {
          "pv.kubernetes.io/bind-completed": null,
          "pv.kubernetes.io/bound-by-controller": null,
        }),
      ),
    ],
  },
  {
    name: "the access modes of a bound volume change",
    steps: [
      ...bound,
      {
        // With the next check of all claims.
        ...step("add an access mode", (stage) =>
          patchVolume(stage, "disk", { spec: { accessModes: ["ReadWriteOnce", "ReadWriteMany"] } }),
        ),
        until: async (stage) => {
          const { status } = await stage.get("persistentvolumeclaims", "data");
          return JSON.stringify(status).includes("ReadWriteMany");
        },
      },
    ],
  },
  {
    name: "the phases are modified by hand",
    steps: [
      ...bound,
      step("set the phase of the volume", (stage) =>
        stage.patch("persistentvolumes", `${ownName(stage, "disk")}/status`, { status: { phase: "Failed" } }),
      ),
      step("set the phase of the claim", (stage) =>
        stage.patch("persistentvolumeclaims", "data/status", { status: { phase: "Pending", capacity: null } }),
      ),
    ],
  },
];

export const binding: readonly Script[] = [...free, ...reserved, ...named, ...undone];
