/** Controllers of volumes that have lost a behavior. */
import { PersistentVolumeClaims, PersistentVolumes, VolumeAttributesClasses } from "../../../src/api/kinds.ts";
import { type Mutant, noPatches, oneTooFew, skipsDeletions, withClient, withoutUpdates } from "./mutants.ts";

export const protectionMutants: readonly Mutant[] = [
  {
    controller: "persistentvolumeclaim-protection",
    does: "never writes a claim",
    shownBy: "update persistentvolumeclaims",
    mutation: withClient(withoutUpdates(PersistentVolumeClaims)),
  },
  {
    controller: "persistentvolume-protection",
    does: "never writes a volume",
    shownBy: "update persistentvolumes",
    mutation: withClient(withoutUpdates(PersistentVolumes)),
  },
  {
    controller: "volumeattributesclass-protection",
    does: "never writes a class",
    shownBy: "update volumeattributesclasses.storage.k8s.io",
    mutation: withClient(withoutUpdates(VolumeAttributesClasses)),
  },
];

export const bindingMutants: readonly Mutant[] = [
  {
    controller: "persistentvolume-binder",
    does: "never writes a claim",
    shownBy: "update persistentvolumeclaims",
    mutation: withClient(withoutUpdates(PersistentVolumeClaims)),
  },
  {
    controller: "persistentvolume-attach-detach",
    does: "requests one attachment too few",
    shownBy: "create volumeattachments.storage.k8s.io",
    mutation: oneTooFew,
  },
  {
    controller: "persistentvolume-attach-detach",
    does: "never detaches a volume",
    shownBy: "delete volumeattachments.storage.k8s.io",
    mutation: skipsDeletions,
  },
  {
    controller: "persistentvolume-attach-detach",
    does: "reports no attached volume",
    shownBy: "patch nodes/status",
    mutation: withClient(noPatches),
  },
];
