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

const claim = step("a claim", (stage) => makeClaim(stage, "data", { size: "2Gi" }));
const volume = (parts: VolumeParts = {}): ReturnType<typeof step> =>
  step("a volume", (stage) => makeVolume(stage, "disk", { size: "2Gi", ...parts }));

const free: readonly Script[] = [
  {
    name: "the smallest volume that is large enough",
    steps: [
      step("volumes", async (stage) => {
        await makeVolume(stage, "small", { size: "1Gi" });
        await makeVolume(stage, "large", { size: "5Gi" });
        await makeVolume(stage, "middle", { size: "3Gi" });
      }),
      claim,
      step("another claim", (stage) => makeClaim(stage, "more", { size: "2Gi" })),
      step("a third one finds none", (stage) => makeClaim(stage, "most", { size: "2Gi" })),
    ],
  },
  {
    name: "a claim waits for a volume",
    steps: [
      claim,
      volume({ size: "1Gi" }),
      step("a larger one", (stage) => makeVolume(stage, "large", { size: "8Gi" })),
    ],
  },
  {
    name: "as few access modes as suffice, before the size",
    steps: [
      step("volumes", async (stage) => {
        await makeVolume(stage, "many", { size: "2Gi", modes: ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"] });
        await makeVolume(stage, "two", { size: "3Gi", modes: ["ReadWriteOnce", "ReadWriteMany"] });
        await makeVolume(stage, "one", { size: "9Gi" });
      }),
      claim,
      step("one that is written by many", (stage) =>
        makeClaim(stage, "shared", { spec: { accessModes: ["ReadWriteMany"] } }),
      ),
    ],
  },
  {
    name: "by its selector, without a class",
    steps: [
      step("volumes", async (stage) => {
        await makeVolume(stage, "tin", { storageClass: "", labels: { metal: "tin" } });
        await makeVolume(stage, "gold", { storageClass: "", size: "4Gi", labels: { metal: "gold" } });
      }),
      step("a claim", (stage) =>
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
      step("one for which there is none", (stage) =>
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
  ).map(([what, parts]) => ({ name: `a volume with ${what} does not suit`, steps: [volume(parts), claim] })),
  {
    name: "the class is named by the old annotation",
    steps: [
      volume(),
      step("a claim", (stage) =>
        makeClaim(stage, "data", {
          storageClass: null,
          annotations: { "volume.beta.kubernetes.io/storage-class": ownName(stage, "static") },
        }),
      ),
    ],
  },
  {
    name: "a volume that is to be resized",
    steps: [volume({ annotations: { "volume.alpha.kubernetes.io/pre-resize-capacity": "1Gi" } }), claim],
  },
  {
    name: "a volume that is being deleted does not suit",
    steps: [
      volume({ finalizers: ["example.com/hold"] }),
      step("it is deleted", (stage) => removeVolume(stage, "disk")),
      claim,
    ],
  },
];

const reserved: readonly Script[] = [
  {
    name: "a volume that is reserved for the claim, before any other",
    steps: [
      step("volumes", async (stage) => {
        await makeVolume(stage, "disk", { size: "9Gi", storageClass: "other", reservedFor: "data" });
        await makeVolume(stage, "near", { size: "2Gi" });
      }),
      claim,
    ],
  },
  {
    name: "a volume that is reserved for the claim and too small",
    steps: [volume({ size: "1Gi", reservedFor: "data" }), claim],
  },
  {
    name: "a volume that is reserved for the claim by its uid",
    steps: [claim, volume({ reservedFor: "data", withUid: true })],
  },
  {
    name: "a volume that is reserved for the claim by its uid, of another mode",
    steps: [claim, volume({ reservedFor: "data", withUid: true, spec: { volumeMode: "Block" } })],
  },
  { name: "a volume that is reserved for another claim", steps: [volume({ reservedFor: "other" }), claim] },
];

const naming = step("a claim that names it", (stage) => makeClaim(stage, "data", { size: "2Gi", volume: "disk" }));
const named: readonly Script[] = [
  { name: "a claim that names a free volume", steps: [volume(), naming] },
  { name: "a claim that names a volume that comes later", steps: [naming, volume()] },
  { name: "a claim and a volume that name each other", steps: [volume({ reservedFor: "data" }), naming] },
  {
    name: "a claim names a volume that is reserved for another, which comes later",
    steps: [volume({ reservedFor: "other" }), naming, step("the other", (stage) => makeClaim(stage, "other"))],
  },
  ...(
    [
      ["is too small", { size: "1Gi" }],
      ["has another class", { storageClass: "other" }],
      ["has another mode", { spec: { volumeMode: "Block" } }],
      ["has another VolumeAttributesClass", { spec: { volumeAttributesClassName: "gold" } }],
      ["has other access modes", { modes: ["ReadOnlyMany"] }],
      ["has two things that do not suit", { modes: ["ReadOnlyMany"], storageClass: "other" }],
    ] as const
  ).map(([what, parts]) => ({ name: `a claim names a volume that ${what}`, steps: [volume(parts), naming] })),
  {
    name: "a claim names a volume that is being deleted",
    steps: [
      volume({ finalizers: ["example.com/hold"] }),
      step("it is deleted", (stage) => removeVolume(stage, "disk")),
      naming,
    ],
  },
  {
    name: "a claim names a volume that is bound to another",
    steps: [
      volume(),
      step("the other", (stage) => makeClaim(stage, "other")),
      naming,
      step("the other is deleted", (stage) => removeClaim(stage, "other")),
    ],
  },
];

const bound = [volume(), claim];
const undone: readonly Script[] = [
  {
    name: "a bound volume loses its claim by hand",
    steps: [...bound, step("no claim", (stage) => patchVolume(stage, "disk", { spec: { claimRef: null } }))],
  },
  {
    name: "a bound volume loses the uid of its claim by hand",
    steps: [...bound, step("no uid", (stage) => patchVolume(stage, "disk", { spec: { claimRef: { uid: null } } }))],
  },
  {
    name: "the volume of a bound claim is gone, and comes again",
    steps: [
      ...bound,
      step("it is deleted, and stays", (stage) => removeVolume(stage, "disk")),
      step("nothing keeps it any more", (stage) => patchVolume(stage, "disk", { metadata: { finalizers: null } })),
      step("it is there again", (stage) => makeVolume(stage, "disk", { size: "2Gi" })),
    ],
  },
  {
    name: "a claim says that it was bound, and names no volume",
    steps: [
      step("a claim", (stage) =>
        makeClaim(stage, "data", { annotations: { "pv.kubernetes.io/bind-completed": "yes" } }),
      ),
    ],
  },
  {
    name: "a claim says that it was bound, to a volume that is another's",
    steps: [
      volume(),
      step("the other", (stage) => makeClaim(stage, "other")),
      step("a claim", (stage) =>
        makeClaim(stage, "data", { volume: "disk", annotations: { "pv.kubernetes.io/bind-completed": "yes" } }),
      ),
    ],
  },
  {
    name: "a bound claim loses the annotations that say so",
    steps: [
      ...bound,
      step("no annotations", (stage) =>
        annotateClaim(stage, "data", {
          "pv.kubernetes.io/bind-completed": null,
          "pv.kubernetes.io/bound-by-controller": null,
        }),
      ),
    ],
  },
  {
    name: "the phases are changed by hand",
    steps: [
      ...bound,
      step("the volume's", (stage) =>
        stage.patch("persistentvolumes", `${ownName(stage, "disk")}/status`, { status: { phase: "Failed" } }),
      ),
      step("the claim's", (stage) =>
        stage.patch("persistentvolumeclaims", "data/status", { status: { phase: "Pending", capacity: null } }),
      ),
    ],
  },
];

export const binding: readonly Script[] = [...free, ...reserved, ...named, ...undone];
