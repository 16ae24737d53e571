/** Controllers of volumes that have lost a behavior. */
import { PersistentVolumeClaims, PersistentVolumes, VolumeAttributesClasses } from "../../../src/api/kinds.ts";
import type { Kind } from "../../../src/api/kind.ts";
import type { SyncClient, SyncContext } from "../../../src/controller/api/sync-context.ts";
import { is, type Mutant, withClient } from "./mutants.ts";

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

/** A client that does not send updates of a kind. */
function withoutUpdates(left: Kind): (context: SyncContext) => SyncClient {
  return ({ client }) => ({
    ...client,
    update: (kind, object, options) =>
      // The caller ignores it.
      is(kind, left) ? Promise.resolve(object as never) : client.update(kind, object, options),
  });
}
