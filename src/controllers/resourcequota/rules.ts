/** The rules of the ResourceQuota controller, in the order in which a sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import type { AmountChange } from "./status.ts";

interface UncountedFacts extends Facts {
  readonly names: readonly string[];
}

/** A limit on something that no known kind provides gets no usage. */
export const notCounted: Rule<UncountedFacts> = rule<UncountedFacts>({
  id: "not-counted",
  looksAt: ["spec.hard", "discovery: the namespaced kinds that can be created, listed, watched and deleted"],
  chooses: "A resource name that matches no known kind gets no usage: unknown is not 0.",
  sentence: ({ names }) => `no known kind is counted under ${names.join(", ")} → no usage for it`,
  example: { names: ["count/widgets.example.com"] },
  source: "pkg/quota/v1/resources.go CalculateUsage",
});

interface UsageFacts extends Facts {
  readonly changes: readonly AmountChange[];
  /** Resource names that are no longer limited. */
  readonly gone: readonly string[];
}

/** Limits and usage are written into the status. */
export const usage: Rule<UsageFacts> = rule<UsageFacts>({
  id: "usage",
  looksAt: ["spec.hard", "spec.scopes", "spec.scopeSelector", "the objects of each kind that the quota counts"],
  chooses: "The status lists the limits of the spec, each with the usage by the namespace's objects.",
  sentence: ({ changes, gone }) => {
    const words = [...changes.map(changeInWords), ...gone.map((name) => `${name} is no longer limited`)];
    return `${words.length === 0 ? "nothing is limited" : words.join(", ")} → write the status`;
  },
  example: { changes: [{ name: "pods", hard: "10", before: "2", used: "3" }], gone: [] },
  source: "resource_quota_controller.go syncResourceQuota",
});

/** `pods 2 → 3 of 10`; `pods 3 of 10` if the usage was unknown before. */
function changeInWords({ name, hard, before, used }: AmountChange): string {
  if (used === undefined) return `${name} unknown of ${hard}`;
  return `${name} ${before === undefined || before === used ? "" : `${before} → `}${used} of ${hard}`;
}

/** All of them. */
export const rules: readonly Rule[] = [notCounted, usage];
