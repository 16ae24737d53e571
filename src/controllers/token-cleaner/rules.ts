/** The rules of the cleaner of bootstrap tokens. */
import { formatAge } from "../../api/duration.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

const looksAt = ["type and namespace of the Secret", "data.expiration of the Secret"];

/** An expired token is deleted. */
export const expired: Rule<{ readonly agoMs: number }> = rule<{ readonly agoMs: number }>({
  id: "expired",
  looksAt,
  chooses: "The Secret of a bootstrap token in kube-system is deleted when the token expires.",
  sentence: ({ agoMs }) => `its token expired ${formatAge(agoMs)} ago → delete it`,
  example: { agoMs: 60_000 },
  source: "tokencleaner.go evalSecret",
});

/** A token with an unreadable expiry does not last forever. */
export const unreadable: Rule<Facts> = rule<Facts>({
  id: "unreadable",
  looksAt,
  chooses: "An expiration that is not an RFC 3339 time counts as past: the Secret is deleted.",
  sentence: () => "its expiration is no RFC 3339 time, which counts as expired → delete it",
  example: {},
  source: "cluster-bootstrap util/secrets/secrets.go GetExpiration",
});

/** An unexpired token is checked again later. */
export const notExpired: Rule<{ readonly inMs: number }> = rule<{ readonly inMs: number }>({
  id: "not-expired",
  looksAt,
  chooses: "A token that has not expired is checked again at its expiration.",
  sentence: ({ inMs }) => `its token expires in ${formatAge(inMs)} → sync again then`,
  example: { inMs: 3_600_000 },
  source: "tokencleaner.go evalSecret",
});

/** A token without an expiry stays. */
export const never: Rule<Facts> = rule<Facts>({
  id: "never",
  looksAt,
  chooses: "A token without an expiration stays.",
  sentence: () => "its token has no expiration → keep it",
  example: {},
  source: "tokencleaner.go evalSecret",
});

/** All of them. */
export const rules: readonly Rule[] = [expired, unreadable, notExpired, never];
