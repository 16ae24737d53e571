/** The rules of the status of ValidatingAdmissionPolicies. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface CheckedFacts extends Facts {
  readonly generation: number;
  /** The kinds whose types are known, `apps/v1 Deployment`. */
  readonly kinds: readonly string[];
  readonly expressions: number;
  readonly warnings: number;
}

const looksAt = [
  "metadata.generation and status.observedGeneration",
  "spec.matchConstraints.resourceRules, spec.paramKind, spec.variables and spec.validations",
  "OpenAPI: the schemas of these kinds",
];

const source = "validatingadmissionpolicystatus/controller.go reconcile";

/** The generation has not been checked. */
export const check: Rule<CheckedFacts> = rule<CheckedFacts>({
  id: "check",
  looksAt,
  chooses:
    "The expressions and message expressions of a new generation are checked against the types of the kinds that its rules name without wildcards, ten at most; errors are written to the status as warnings, and refuse nothing.",
  sentence: ({ generation, kinds, expressions, warnings }) =>
    `generation ${generation}: ${expressions} ${expressions === 1 ? "expression" : "expressions"} for ${kinds.length === 0 ? "no kind whose types are known" : kinds.join(", ")} → ${warnings === 0 ? "no warnings" : warnings === 1 ? "1 warning" : `${warnings} warnings`}`,
  example: { generation: 2, kinds: ["apps/v1 Deployment"], expressions: 1, warnings: 1 },
  source,
});

/** The generation has already been checked. */
export const checked: Rule<{ readonly generation: number }> = rule<{ readonly generation: number }>({
  id: "checked",
  looksAt,
  chooses: "A generation is checked once: kinds that are changed or defined later are not checked again.",
  sentence: ({ generation }) => `generation ${generation} was checked → nothing`,
  example: { generation: 2 },
  source,
});

/** All of them. */
export const rules: readonly Rule[] = [check, checked];
