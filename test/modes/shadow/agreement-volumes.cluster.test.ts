/** Shadow beside the real controllers that bind, attach and protect volumes. */
import { persistentVolumeAttachDetach } from "../../../src/controllers/persistentvolume-attach-detach/persistentvolume-attach-detach.ts";
import { definePersistentVolumeBinder } from "../../../src/controllers/persistentvolume-binder/persistentvolume-binder.ts";
import { persistentVolumeProtection } from "../../../src/controllers/persistentvolume-protection/persistentvolume-protection.ts";
import { persistentVolumeClaimProtection } from "../../../src/controllers/persistentvolumeclaim-protection/persistentvolumeclaim-protection.ts";
import { volumeAttributesClassProtection } from "../../../src/controllers/volumeattributesclass-protection/volumeattributesclass-protection.ts";
import { randomScript as attaching } from "../../differential/scripts/persistentvolume-attach-detach/grammar.ts";
import { randomScript as protection } from "../../differential/scripts/storage-protection/grammar.ts";
import { tries } from "../../support/long.ts";
import { describeCasts, part, slowly } from "./casts.ts";
import { bindingMutants, protectionMutants } from "./volume-mutants.ts";
import { claimsBound } from "./volume-scripts.ts";

describeCasts([
  {
    title: "the protection of volumes",
    // Scripts set the phases of volumes, and finalizers that the binder would not expect.
    owners: [
      "persistentvolume-protection-controller",
      "persistentvolumeclaim-protection-controller",
      "volumeattributesclass-protection-controller",
    ],
    kcmFlags: slowly,
    playing: { rounds: tries(8, 25), objects: 6 },
    parts: [
      // One step in each change: what decides about an object must not change twice before the owner sees it.
      part({
        controller: persistentVolumeClaimProtection,
        script: protection,
        without: /^(create volume|delete (v\d|gold|silver)|set the phase \w+ of v)/,
        shows: ["update persistentvolumeclaims"],
      }),
      part({
        controller: persistentVolumeProtection,
        script: protection,
        without:
          /^(create (pod|claim )|bind|delete (p\d|c\d|all|gold|silver)|remove|set the (finalizers|current|target)|set .* of p)/,
        shows: ["update persistentvolumes"],
      }),
      part({
        controller: volumeAttributesClassProtection,
        script: protection,
        without: /^(create (pod|volume)|bind|delete (p\d|v\d)|remove|set the (finalizers|phase))/,
        shows: ["update volumeattributesclasses.storage.k8s.io"],
      }),
    ],
    mutants: protectionMutants,
  },
  {
    title: "the binding and attachment of volumes",
    owners: ["persistentvolume-binder-controller", "persistentvolume-attach-detach-controller"],
    kcmFlags: [...slowly, "--pvclaimbinder-sync-period=2s", "--attach-detach-reconcile-sync-period=2s"],
    playing: { rounds: tries(12, 25), objects: 5 },
    parts: [
      part({
        // Ours looks ten times as often, and so first.
        controller: definePersistentVolumeBinder({ periodMs: 200 }),
        script: claimsBound,
        // One step in each change, and one class, so that volumes often match: which of a claim and a volume the owner sees first is chance.
        without: /^create (claim|volume) .*, (fast|late)[,B]|^create claim .*, for v/,
        side: { isPeriodic: true },
        shows: [
          "update persistentvolumes",
          "update persistentvolumes/status",
          "update persistentvolumeclaims",
          "update persistentvolumeclaims/status",
        ],
      }),
      part({
        controller: persistentVolumeAttachDetach,
        script: attaching,
        // A discarded intention stays in the memory of ours, so each change must be one that the owner sees too.
        first: 2,
        // VolumeAttachments, whose names are hashes.
        alsoNamed: /^csi-/,
        shows: [
          "create volumeattachments.storage.k8s.io",
          "delete volumeattachments.storage.k8s.io",
          "patch nodes/status",
        ],
      }),
    ],
    mutants: bindingMutants,
  },
]);
