/** The rules of the protection of volumes, in the order in which a sync evaluates them. */
import { volumeProtection } from "../../api/protection-finalizers.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { type FinalizerFacts, unprotectedRule } from "../../controller/workload/protection.ts";

interface BoundFacts extends Facts {
  /** `namespace/name`; empty if the volume does not say. */
  readonly claim: string;
}

/** A bound volume stays. */
export const bound: Rule<BoundFacts> = rule<BoundFacts>({
  id: "bound",
  looksAt: ["metadata.deletionTimestamp", "status.phase"],
  chooses: "A volume that is being deleted stays while its phase is Bound.",
  sentence: ({ claim }) => `its phase is Bound${claim === "" ? "" : `, to claim ${claim}`} → keep it`,
  example: { claim: "shop/data" },
  source: "pv_protection_controller.go isBeingUsed",
});

/** An unbound volume is released. */
export const unbound: Rule<FinalizerFacts> = rule<FinalizerFacts>({
  id: "unbound",
  looksAt: bound.looksAt,
  chooses: "The finalizer of a volume that is being deleted is removed in any phase except Bound.",
  sentence: ({ finalizer }) => `it is being deleted, and is not bound → remove finalizer ${finalizer}`,
  example: { finalizer: volumeProtection },
  source: "pv_protection_controller.go removeFinalizer",
});

/** A volume gets its protection finalizer. */
export const unprotected: Rule<FinalizerFacts> = unprotectedRule("volume", {
  finalizer: volumeProtection,
  source: "pv_protection_controller.go",
});

/** All of them. */
export const rules: readonly Rule[] = [bound, unbound, unprotected];
