/** The rules of the protection of VolumeAttributesClasses, in the order in which a sync evaluates them. */
import { classProtection } from "../../api/protection-finalizers.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { type FinalizerFacts, unprotectedRule } from "../../controller/workload/protection.ts";

interface UsedFacts extends Facts {
  /** `PersistentVolume` or `PersistentVolumeClaim`. */
  readonly kind: string;
  /** The first user's name, with its namespace if it has one. */
  readonly user: string;
}

/** A class in use stays. */
export const inUse: Rule<UsedFacts> = rule<UsedFacts>({
  id: "in-use",
  looksAt: [
    "metadata.deletionTimestamp",
    "spec.volumeAttributesClassName of volumes and claims",
    "status.currentVolumeAttributesClassName and status.modifyVolumeStatus of claims",
  ],
  chooses:
    "A class that is being deleted stays while a volume uses it, or a claim requests it, currently has it, or is being modified to it.",
  sentence: ({ kind, user }) => `${kind} ${user} uses it → keep it`,
  example: { kind: "PersistentVolumeClaim", user: "shop/data" },
  source: "vac_protection_controller.go isBeingUsed, getPVCReferencedVACNames",
});

/** An unused class is released. */
export const unused: Rule<FinalizerFacts> = rule<FinalizerFacts>({
  id: "unused",
  looksAt: inUse.looksAt,
  chooses:
    "The finalizer of a class that is being deleted is removed when no volume and no claim in the cache uses it.",
  sentence: ({ finalizer }) => `it is being deleted, and nothing uses it → remove finalizer ${finalizer}`,
  example: { finalizer: classProtection },
  source: "vac_protection_controller.go removeFinalizer",
});

/** A class gets its protection finalizer. */
export const unprotected: Rule<FinalizerFacts> = unprotectedRule("class", {
  finalizer: classProtection,
  source: "vac_protection_controller.go",
});

/** All of them. */
export const rules: readonly Rule[] = [inUse, unused, unprotected];
