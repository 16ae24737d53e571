/** Protection of volumes. Source: kubernetes v1.36 pkg/controller/volume/pvprotection/pv_protection_controller.go. */
import { objectKey } from "../../api/key.ts";
import { PersistentVolumes } from "../../api/kinds.ts";
import { volumeProtection as finalizer } from "../../api/protection-finalizers.ts";
import type { PersistentVolume } from "../../api/types.ts";
import { type ControllerDefinition, defineController } from "../../controller/api/definition.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import {
  isDeletionCandidate,
  lacksFinalizer,
  syncProtection,
  watchProtected,
} from "../../controller/workload/protection.ts";
import { bound, rules, unbound, unprotected } from "./rules.ts";

/** Keeps volumes that are being deleted until they are no longer bound. */
export const persistentVolumeProtection: ControllerDefinition = defineController<PersistentVolume>({
  name: "persistentvolume-protection",
  aliases: ["pv-protection", "persistentvolume-protection-controller"],
  purpose: "keeps deleted PersistentVolumes while they are bound",
  component: "pv-protection-controller",
  source: "pkg/controller/volume/pvprotection/pv_protection_controller.go",
  for: PersistentVolumes,
  watches: [watchProtected({ kind: PersistentVolumes, finalizer })],
  workers: 1,
  ifRunTwice: "the second of two updates of the finalizers would be refused",
  isLeftUndone: (volume) =>
    lacksFinalizer(volume, finalizer) || (isDeletionCandidate(volume, finalizer) && !isBound(volume)),
  rules,
  recordsEvents: false,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [{ group: "", resource: "persistentvolumes", verbs: ["update"] }],
  sync: (_key, context) =>
    syncProtection(context, { kind: PersistentVolumes, finalizer, unprotected, unused: unbound, isUsed }),
});

/** Whether it is bound. Source: pv_protection_controller.go processPV. */
function isUsed(context: SyncContext, volume: PersistentVolume): boolean {
  if (!isBound(volume)) return false;
  context.decide(bound, { claim: claimOf(volume) });
  return true;
}

/** Judged by the phase alone, which the binder controller writes. */
function isBound({ status }: PersistentVolume): boolean {
  return status?.phase === "Bound";
}

function claimOf({ spec }: PersistentVolume): string {
  const { namespace, name } = spec?.claimRef ?? {};
  return name === undefined ? "" : objectKey(namespace, name);
}
