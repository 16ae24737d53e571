/** The rules of the cleaner of ServiceAccounts' token Secrets, in the order in which a sync evaluates them. */
import { formatAge } from "../../api/duration.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { invalidSinceLabel, type Kept, lastUsedLabel } from "./verdict.ts";

const dayMs = 86_400_000;
const span = (ms: number): string => (ms < 2 * dayMs ? formatAge(ms) : `${Math.floor(ms / dayMs)} days`);

const source = "legacy_serviceaccount_token_cleaner.go evaluateSATokens";

const why: Readonly<Record<Kept, string>> = {
  new: "it is younger than the clean-up period",
  "being deleted": "it is being deleted",
  used: "it was used within the clean-up period",
  "unreadable last use": `its label ${lastUsedLabel} is no date`,
  "not made by a controller":
    "its ServiceAccount does not list it in secrets, so that it may not have been made by a controller",
  mounted: "a pod uses it",
  "invalid for a shorter time": "it became invalid within the clean-up period",
};

/** A token that may be in use, or was created by hand. */
export const kept: Rule<{ readonly because: Kept }> = rule<{ readonly because: Kept }>({
  id: "kept",
  looksAt: [
    "type, metadata.creationTimestamp and metadata.deletionTimestamp of the Secret",
    `label ${lastUsedLabel}`,
    "secrets of the ServiceAccount that the annotations name",
    "Secrets that pods of the namespace use",
    `label ${invalidSinceLabel}`,
  ],
  chooses:
    "A token is kept if it is new, was used, was not created by a controller, is used by a pod, or has been invalid for less than the clean-up period (a year).",
  sentence: ({ because }) => `${why[because]} → keep it`,
  example: { because: "mounted" },
  source,
});

interface TrackingFacts extends Facts {
  readonly since: string;
  readonly periodMs: number;
}

/** The server has not tracked uses for long enough. */
export const notTracked: Rule<TrackingFacts> = rule<TrackingFacts>({
  id: "not-tracked",
  looksAt: ["data.since of ConfigMap kube-system/kube-apiserver-legacy-service-account-token-tracking, asked live"],
  chooses:
    "Nothing is done until the API server has tracked the use of tokens for the clean-up period, counted from the day after it began.",
  sentence: ({ since, periodMs }) =>
    `uses are tracked since ${since}, which is less than ${span(periodMs)} ago → keep it`,
  example: { since: "2026-01-01", periodMs: 31_536_000_000 },
  source: "legacy_serviceaccount_token_cleaner.go latestPossibleTrackedSinceTime",
});

interface TokenFacts extends Facts {
  /** Undefined: not since tracking began. */
  readonly lastUsed: string | undefined;
  readonly since: string;
}

const use = (lastUsed: string | undefined): string =>
  lastUsed === undefined ? "it was not used since tracking began" : `it was last used on ${lastUsed}`;

/** An unused token first becomes invalid, which can be undone. */
export const invalidate: Rule<TokenFacts> = rule<TokenFacts>({
  id: "invalidate",
  looksAt: [`labels ${lastUsedLabel} and ${invalidSinceLabel}`],
  chooses:
    "A token that a controller created, that was not used for the clean-up period and that no pod uses, is labelled as invalid: the API server no longer accepts it. Without the label it is accepted again.",
  sentence: ({ lastUsed, since }) => `${use(lastUsed)}, and no pod uses it → label it as invalid since ${since}`,
  example: { lastUsed: "2025-01-01", since: "2026-11-21" },
  source,
});

/** A token that has been invalid for long enough is deleted. */
export const remove: Rule<TokenFacts> = rule<TokenFacts>({
  id: "remove",
  looksAt: [`labels ${lastUsedLabel} and ${invalidSinceLabel}`],
  chooses:
    "A token that has been invalid for longer than the clean-up period is deleted, unless it has changed meanwhile.",
  sentence: ({ lastUsed, since }) => `${use(lastUsed)}, and it is invalid since ${since} → delete it`,
  example: { lastUsed: undefined, since: "2025-11-20" },
  source,
});

/** All of them. */
export const rules: readonly Rule[] = [kept, notTracked, invalidate, remove];
