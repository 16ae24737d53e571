/** Protection of VolumeAttributesClasses. Source: kubernetes v1.36 pkg/controller/volume/vacprotection/vac_protection_controller.go. */
import { keyOf } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import { PersistentVolumeClaims, PersistentVolumes, VolumeAttributesClasses } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { classProtection as finalizer } from "../../api/protection-finalizers.ts";
import type { VolumeAttributesClass } from "../../api/types.ts";
import { type ControllerDefinition, defineController, type Watch, watch } from "../../controller/api/definition.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { lacksFinalizer, syncProtection, watchProtected } from "../../controller/workload/protection.ts";
import { inUse, rules, unprotected, unused } from "./rules.ts";
import { classesOfClaim, classesOfVolume } from "../../api/attributes-classes.ts";

/** The index of claims and volumes by the classes they use. */
const classIndex = "volume-attributes-class";

/** Keeps VolumeAttributesClasses that are being deleted until no claim and no volume uses them. */
export const volumeAttributesClassProtection: ControllerDefinition = defineController<VolumeAttributesClass>({
  name: "volumeattributesclass-protection",
  aliases: ["vac-protection", "volumeattributesclass-protection-controller"],
  purpose: "keeps deleted VolumeAttributesClasses while they are used",
  component: "volumeattributesclass-protection-controller",
  source: "pkg/controller/volume/vacprotection/vac_protection_controller.go",
  for: VolumeAttributesClasses,
  watches: [
    watchProtected({ kind: VolumeAttributesClasses, finalizer }),
    watchUsers(PersistentVolumes, classesOfVolume),
    watchUsers(PersistentVolumeClaims, classesOfClaim),
  ],
  workers: 1,
  ifRunTwice: "the second of two updates of the finalizers would be refused",
  isLeftUndone: (each) => lacksFinalizer(each, finalizer),
  dryRun: {
    is: "limited",
    to: "clusters whose volumes and claims were all read",
    knowsEnough: (known) => known.knowsAll(PersistentVolumes) && known.knowsAll(PersistentVolumeClaims),
  },
  rules,
  recordsEvents: false,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [{ group: "storage.k8s.io", resource: "volumeattributesclasses", verbs: ["update"] }],
  sync: (_key, context) =>
    syncProtection(context, { kind: VolumeAttributesClasses, finalizer, unprotected, unused, isUsed }),
});

/** Enqueues classes that an object of the kind no longer uses: they may be released. */
function watchUsers<T extends StoredObject>(kind: Kind<T>, classesOf: (object: T) => readonly string[]): Watch {
  return watch<T>({
    kind,
    indexes: { [classIndex]: classesOf },
    on(notification, context) {
      const { type, object } = notification;
      if (type === "added") return;
      const kept = type === "updated" ? classesOf(object) : [];
      for (const name of classesOf(type === "updated" ? notification.before : object))
        if (!kept.includes(name)) context.enqueue(name);
    },
  });
}

/**
 * Based on the caches alone: like upstream, this accepts that an uncached claim may lose its class.
 * Source: vac_protection_controller.go processVAC.
 */
function isUsed(context: SyncContext): boolean {
  for (const kind of [PersistentVolumes, PersistentVolumeClaims]) {
    const [user] = context.cache<StoredObject>(kind).byIndex(classIndex, context.key);
    if (user === undefined) continue;
    context.decide(inUse, { kind: kind.kind, user: keyOf(user) });
    return true;
  }
  return false;
}
