/** Rules about pods that several workload controllers share. Each controller creates them with its own example, source and additions. */
import { type Facts, type Rule, rule } from "../api/rule.ts";

/** The fields of a shared rule that each controller provides. */
type Own<F extends Facts, K extends keyof Rule<F> = never> = Required<Pick<Rule<F>, "example" | "source" | K>>;

/** Creations and deletions of pods that the cache does not show yet. */
export interface UnobservedFacts extends Facts {
  readonly creations: number;
  readonly deletions: number;
}

/** The rule `wait`: while expectations are not satisfied, pods are neither created nor deleted. */
export function waitRule<F extends UnobservedFacts>(own: Own<F, "chooses">): Rule<F> {
  return rule<F>({
    id: "wait",
    looksAt: ["expectations: creations and deletions not yet observed in the cache"],
    sentence: ({ creations, deletions }) => {
      const unobserved = [
        ...(creations > 0 ? [`${creations} created`] : []),
        ...(deletions > 0 ? [`${deletions} deleted`] : []),
      ];
      return `${unobserved.join(" and ")} not observed yet → wait`;
    },
    ...own,
  });
}

/** Ready pods that are not all available yet. */
export interface AvailabilityFacts extends Facts {
  readonly ready: number;
  readonly available: number;
  /** The delay until the next sync of the key, in ms. */
  readonly inMs: number;
  /** Absent if no pod is about to become available: the key is then requeued after minReadySeconds. */
  readonly pod?: string;
}

/** The rule `availability`: the key is requeued for when the next ready pod becomes available. */
export function availabilityRule(own: Own<AvailabilityFacts>): Rule<AvailabilityFacts> {
  return rule<AvailabilityFacts>({
    id: "availability",
    looksAt: ["spec.minReadySeconds", "when each pod became ready", "status.readyReplicas, status.availableReplicas"],
    chooses: "While ready pods are not yet available, the key is requeued for when the next one will be.",
    sentence: ({ ready, available, inMs, pod }) =>
      `${available} of ${ready} ready pods are available → requeue in ${inMs / 1000} s${pod === undefined ? "" : `, for ${pod}`}`,
    ...own,
  });
}
