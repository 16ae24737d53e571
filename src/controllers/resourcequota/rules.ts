/** The rules of the ResourceQuota controller, in the order in which a sync comes to them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import type { AmountChange } from "./status.ts";

interface UncountedFacts extends Facts {
  readonly names: readonly string[];
}

export const notCounted: Rule<UncountedFacts> = rule<UncountedFacts>({
  id: "not-counted",
  looksAt: ["spec.hard", "discovery: the kinds with a namespace that can be created, listed, watched and deleted"],
  chooses: "A name under which no known kind is counted gets no figure: it is never taken for 0.",
  sentence: ({ names }) => `no kind is known that is counted under ${names.join(", ")} → no figure for it`,
  example: { names: ["count/widgets.example.com"] },
  source: "pkg/quota/v1/resources.go CalculateUsage",
});

interface UsageFacts extends Facts {
  readonly changes: readonly AmountChange[];
  /** Names that are limited no more. */
  readonly gone: readonly string[];
}

export const usage: Rule<UsageFacts> = rule<UsageFacts>({
  id: "usage",
  looksAt: ["spec.hard", "spec.scopes", "spec.scopeSelector", "the objects of each kind that the quota counts"],
  chooses: "The status has the limits of the spec, and beside each what the objects of the namespace use of it.",
  sentence: ({ changes, gone }) => {
    const words = [...changes.map(changeInWords), ...gone.map((name) => `${name} is limited no more`)];
    return `${words.length === 0 ? "nothing is limited" : words.join(", ")} → write the status`;
  },
  example: { changes: [{ name: "pods", hard: "10", before: "2", used: "3" }], gone: [] },
  source: "resource_quota_controller.go syncResourceQuota",
});

/** `pods 2 → 3 of 10`, `pods 3 of 10` where nothing was known before. */
function changeInWords({ name, hard, before, used }: AmountChange): string {
  if (used === undefined) return `${name} unknown of ${hard}`;
  return `${name} ${before === undefined || before === used ? "" : `${before} → `}${used} of ${hard}`;
}

export const rules: readonly Rule[] = [notCounted, usage];
