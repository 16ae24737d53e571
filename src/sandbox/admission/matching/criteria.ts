/** Reads match criteria from the configurations of webhooks and policies, which were validated when they were stored. */
import { selectorOf, type Selector } from "../../../api/labels.ts";
import { fieldsIn, isFields, textOf, textsIn, type Fields } from "../../meta/object.ts";
import type { MatchCriteria } from "./invocation.ts";
import type { Rule } from "./rules.ts";

/** The criteria of a webhook, or of `matchConstraints` and `matchResources` of policies. */
export function criteriaOf(fields: Fields): MatchCriteria {
  return {
    rules: fieldsIn(fields["rules"] ?? fields["resourceRules"]).map(ruleOf),
    excluded: fieldsIn(fields["excludeResourceRules"]).map(ruleOf),
    matchPolicy: textOf(fields["matchPolicy"]),
    namespaceSelector: selector(fields["namespaceSelector"]),
    objectSelector: selector(fields["objectSelector"]),
  };
}

const selector = (value: unknown): Selector => selectorOf(isFields(value) ? value : {});

const ruleOf = (rule: Fields): Rule => ({
  operations: textsIn(rule["operations"]),
  apiGroups: textsIn(rule["apiGroups"]),
  apiVersions: textsIn(rule["apiVersions"]),
  resources: textsIn(rule["resources"]),
  scope: textOf(rule["scope"]),
  resourceNames: textsIn(rule["resourceNames"]),
});
