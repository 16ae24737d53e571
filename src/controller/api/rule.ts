/** Rules as data, and the decisions made by them. */
import type { DecisionId } from "../../api/transport.ts";

/** The facts that a rule was applied to, by name: small plain values, which are shown in events and on screens. */
export type Facts = Readonly<Record<string, unknown>>;

/**
 * One rule of a controller. It is data, so that `explain` can print it and views can show which rule was applied. The code that applies it is
 * in the controller's `sync`.
 */
export interface Rule<F extends Facts = Facts> {
  /** In kebab-case, unique within the controller: `scale-up`. */
  readonly id: string;
  /** The fields and caches that it looks at: `spec.replicas`, `active pods`. */
  readonly looksAt: readonly string[];
  /** What it decides, in one sentence that does not depend on the facts. */
  readonly chooses: string;
  /** The decision for these facts as text: `3 of 5 pods are missing → create 3`. */
  sentence(facts: F): string;
  /** Example facts, with which `explain` shows the sentence. */
  readonly example?: F;
  /** The upstream function that it follows: `replica_set.go manageReplicas`. Absent for rules of user-defined controllers. */
  readonly source?: string;
}

/**
 * Creates a rule, typed by the facts that it is applied to.
 *
 * @example
 * ```ts
 * import { rule } from "kubectl-reconcile";
 *
 * const scaleUp = rule<{ desired: number; active: number }>({
 *   id: "scale-up",
 *   looksAt: ["spec.replicas", "active pods"],
 *   chooses: "Missing pods are created.",
 *   sentence: ({ desired, active }) => `${desired - active} of ${desired} pods are missing → create them`,
 *   example: { desired: 3, active: 1 },
 * });
 * console.log(scaleUp.sentence({ desired: 3, active: 1 }));
 * ```
 */
export function rule<F extends Facts>(rule: Rule<F>): Rule<F> {
  return rule;
}

/** A rule applied to the facts of one sync. Every write names one. */
export interface Decision extends DecisionId {
  /** The id of the rule. */
  readonly rule: string;
  /** The facts that the rule was applied to. */
  readonly facts: Facts;
  /** The rule's sentence for these facts. */
  readonly sentence: string;
}
