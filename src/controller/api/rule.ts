/** Rules as data, and the decisions made by them. */
import type { DecisionId } from "../../api/transport.ts";

/** What a rule looked at, by name; small plain values, since they stand in events and on screens. */
export type Facts = Readonly<Record<string, unknown>>;

/**
 * One rule of a controller. It is data, so that `explain` can print it and a view can show which rule spoke; the code that
 * applies it is in the controller's `sync`.
 */
export interface Rule<F extends Facts = Facts> {
  /** Kebab-case, unique in its controller: `scale-up`. */
  readonly id: string;
  /** The fields and caches it looks at: `spec.replicas`, `active pods`. */
  readonly looksAt: readonly string[];
  /** What it chooses, in one sentence, whatever the facts. */
  readonly chooses: string;
  /** The decision in words, made of the facts: `3 of 5 pods are missing → create 3`. */
  sentence(facts: F): string;
  /** Facts of a made-up case, with which `explain` shows the sentence. */
  readonly example?: F;
  /** The upstream function that it is faithful to: `replica_set.go manageReplicas`. */
  readonly source: string;
}

/** A rule of a controller: `const scaleUp = rule<{ desired: number; active: number }>({ … })`. */
export function rule<F extends Facts>(rule: Rule<F>): Rule<F> {
  return rule;
}

/** A rule with the facts of one sync. Every write names one. */
export interface Decision extends DecisionId {
  readonly rule: string;
  readonly facts: Facts;
  readonly sentence: string;
}
