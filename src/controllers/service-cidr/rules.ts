/** The rules of the controller of ServiceCIDRs, in the order in which a sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import type { FinalizerFacts } from "../../controller/workload/protection.ts";

/** Keeps a ServiceCIDR until no Service has an address from it. */
export const cidrFinalizer = "networking.k8s.io/service-cidr-finalizer";

const deletion = [
  "metadata.deletionTimestamp",
  "spec.cidrs of all ServiceCIDRs",
  "IPAddresses that the API server has given to Services",
];

interface HeldFacts extends Facts {
  readonly address: string;
}

/** An address would be left without a range. */
export const held: Rule<HeldFacts> = rule<HeldFacts>({
  id: "held",
  looksAt: deletion,
  chooses:
    "A ServiceCIDR that is being deleted stays, and is not ready, while a Service has one of its addresses that is in no other ServiceCIDR.",
  sentence: ({ address }) => `address ${address} is in no other ServiceCIDR → keep it, as not ready`,
  example: { address: "10.96.0.10" },
  source: "servicecidrs_controller.go canDeleteCIDR",
});

interface FreeFacts extends Facts {
  readonly why: string;
  /** Until API servers know that it is being deleted, in ms. */
  readonly leftMs: number;
}

/** Nothing blocks the deletion, but API servers may not know of it yet. */
export const grace: Rule<FreeFacts> = rule<FreeFacts>({
  id: "grace",
  looksAt: [...deletion, "10 s since the deletion"],
  chooses:
    "A ServiceCIDR that is no longer needed is removed 10 s after its deletion, so that no API server gives one of its addresses to a Service meanwhile.",
  sentence: ({ why, leftMs }) => `${why} → wait ${Math.ceil(leftMs / 1000)} s more`,
  example: { why: "no Service has an address of it", leftMs: 7000 },
  source: "servicecidrs_controller.go sync",
});

interface ReleaseFacts extends FinalizerFacts {
  readonly why: string;
}

/** The ServiceCIDR is released. */
export const release: Rule<ReleaseFacts> = rule<ReleaseFacts>({
  id: "release",
  looksAt: grace.looksAt,
  chooses:
    "The finalizer is removed when other ServiceCIDRs contain all of its ranges, or no Service has an address that is only in this one.",
  sentence: ({ why, finalizer }) => `${why} → remove the finalizer ${finalizer}`,
  example: { why: "other ServiceCIDRs contain it", finalizer: cidrFinalizer },
  source: "servicecidrs_controller.go removeServiceCIDRFinalizerIfNeeded",
});

/** The ServiceCIDR gets its finalizer. */
export const unprotected: Rule<FinalizerFacts> = rule<FinalizerFacts>({
  id: "unprotected",
  looksAt: ["metadata.finalizers"],
  chooses: "Every ServiceCIDR that is not being deleted has the finalizer.",
  sentence: ({ finalizer }) => `it lacks the finalizer ${finalizer} → add it`,
  example: { finalizer: cidrFinalizer },
  source: "servicecidrs_controller.go addServiceCIDRFinalizerIfNeeded",
});

/** The ServiceCIDR is ready for use. */
export const ready: Rule<Facts> = rule<Facts>({
  id: "ready",
  looksAt: ["condition Ready: status, reason and message"],
  chooses: "A ServiceCIDR that is not being deleted is ready: API servers allocate addresses from it.",
  sentence: () => "it is not marked ready → mark it",
  example: {},
  source: "servicecidrs_controller.go updateConditionIfNeeded",
});

/** All of them. */
export const rules: readonly Rule[] = [held, grace, release, unprotected, ready];
