/** The rules of the aggregation of ClusterRoles. */
import { pluralize } from "../../api/pluralize.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface AggregatedFacts extends Facts {
  /** The selected ClusterRoles. */
  readonly from: readonly string[];
  readonly rules: number;
}

const gatheredFrom = ({ from, rules }: AggregatedFacts): string =>
  from.length === 0 ? "no ClusterRole is selected" : `${pluralize(rules, "rule")} from ${from.join(", ")}`;

/** The rules of the selected roles are written. */
export const aggregate: Rule<AggregatedFacts> = rule<AggregatedFacts>({
  id: "aggregate",
  looksAt: ["aggregationRule.clusterRoleSelectors", "labels and rules of all ClusterRoles"],
  chooses:
    "A ClusterRole with an aggregation rule has the rules of the ClusterRoles that its selectors match, in the order of the selectors and then of names, without duplicates. Its other rules are removed.",
  sentence: (facts) => `${gatheredFrom(facts)} → apply ${facts.rules === 0 ? "no rules" : "them"}`,
  example: { from: ["pods-reader", "secrets-reader"], rules: 3 },
  source: "clusterroleaggregation_controller.go syncClusterRole",
});

/** The role already has them. */
export const steady: Rule<AggregatedFacts> = rule<AggregatedFacts>({
  id: "steady",
  looksAt: aggregate.looksAt,
  chooses: "A ClusterRole that has these rules, in this order, is left alone.",
  sentence: (facts) => `${gatheredFrom(facts)}: it has ${facts.rules === 0 ? "none" : "them"}`,
  example: { from: ["pods-reader"], rules: 1 },
  source: "clusterroleaggregation_controller.go syncClusterRole",
});

/** All of them. */
export const rules: readonly Rule[] = [aggregate, steady];
