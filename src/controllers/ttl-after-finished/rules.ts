/** The rules of the controller of finished Jobs. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface TtlFacts extends Facts {
  readonly ttlSeconds: number;
}

/** An expired Job is deleted. */
export const expired: Rule<TtlFacts & { readonly agoMs: number }> = rule<TtlFacts & { readonly agoMs: number }>({
  id: "expired",
  looksAt: ["spec.ttlSecondsAfterFinished", "time of the condition Complete or Failed", "the Job, asked live"],
  chooses: "A Job that finished longer ago than its TTL is deleted, after its pods, if the API server says so too.",
  sentence: ({ ttlSeconds, agoMs }) =>
    `it finished ${Math.floor(agoMs / 1000)} s ago, and its TTL is ${ttlSeconds} s → delete it, after its pods`,
  example: { ttlSeconds: 100, agoMs: 101_000 },
  source: "ttlafterfinished_controller.go processJob",
});

/** An unexpired Job is checked again later. */
export const notExpired: Rule<TtlFacts & { readonly inMs: number }> = rule<TtlFacts & { readonly inMs: number }>({
  id: "not-expired",
  looksAt: ["spec.ttlSecondsAfterFinished", "time of the condition Complete or Failed"],
  chooses: "A finished Job is synced again when its TTL is over.",
  sentence: ({ ttlSeconds, inMs }) =>
    `its TTL of ${ttlSeconds} s is over in ${Math.ceil(inMs / 1000)} s → sync again then`,
  example: { ttlSeconds: 100, inMs: 40_000 },
  source: "ttlafterfinished_controller.go processTTL",
});

/** All of them. */
export const rules: readonly Rule[] = [expired, notExpired];
