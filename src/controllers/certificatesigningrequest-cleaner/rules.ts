/** The rules of the cleaner of CertificateSigningRequests, in the order in which a sync evaluates them. */
import { formatAge } from "../../api/duration.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { keptMs, type Overdue, type State } from "./overdue.ts";

interface AgeFacts extends Facts {
  readonly agoMs: number;
}

interface Words {
  readonly id: string;
  readonly looksAt: readonly string[];
  readonly chooses: string;
  /** `it was denied` */
  readonly was: string;
  readonly source: string;
}

function past(state: State, { id, looksAt, chooses, was, source }: Words): Rule<AgeFacts> {
  const kept = formatAge(keptMs[state]);
  return rule<AgeFacts>({
    id,
    looksAt,
    chooses,
    sentence: ({ agoMs }) => `${was} ${formatAge(agoMs)} ago, and such a request is kept for ${kept} → delete it`,
    example: { agoMs: keptMs[state] + 60_000 },
    source: `cleaner.go ${source}`,
  });
}

const timeOf = (type: string): string => `lastUpdateTime of the condition ${type}`;

/** The rule for each reason. */
export const overdueRules: Readonly<Record<Overdue["is"], Rule<AgeFacts>>> = {
  issued: past("issued", {
    id: "issued",
    looksAt: ["status.certificate", timeOf("Approved")],
    chooses: "A request whose certificate was issued is deleted an hour after its approval.",
    was: "its certificate was issued; it was approved",
    source: "isIssuedPastDeadline",
  }),
  denied: past("denied", {
    id: "denied",
    looksAt: [timeOf("Denied")],
    chooses: "A denied request is deleted an hour later.",
    was: "it was denied",
    source: "isDeniedPastDeadline",
  }),
  failed: past("failed", {
    id: "failed",
    looksAt: [timeOf("Failed")],
    chooses: "A request for which no certificate could be issued is deleted an hour later.",
    was: "it failed",
    source: "isFailedPastDeadline",
  }),
  pending: past("pending", {
    id: "pending",
    looksAt: ["status.conditions", "metadata.creationTimestamp"],
    chooses: "A request that has been neither approved nor denied is deleted after 24 hours.",
    was: "it is neither approved nor denied; it was created",
    source: "isPendingPastDeadline",
  }),
  expired: rule<AgeFacts>({
    id: "expired",
    looksAt: ["notAfter of the first certificate in status.certificate", "condition Approved"],
    chooses: "An approved request is deleted once its certificate has expired.",
    sentence: ({ agoMs }) => `its certificate expired ${formatAge(agoMs)} ago → delete it`,
    example: { agoMs: 60_000 },
    source: "cleaner.go isIssuedExpired",
  }),
  unissued: past("unissued", {
    id: "unissued",
    looksAt: ["status.certificate", timeOf("Approved")],
    chooses: "An approved request that gets no certificate is deleted after 24 hours.",
    was: "it has no certificate; it was approved",
    source: "isApprovedUnissuedPastDeadline",
  }),
};

/** A request is not due yet. */
export const kept: Rule<Facts> = rule<Facts>({
  id: "kept",
  looksAt: ["status.conditions", "status.certificate", "metadata.creationTimestamp"],
  chooses: "All other requests are kept, and checked again every hour.",
  sentence: () => "its time has not come → keep it",
  example: {},
  source: "cleaner.go handle",
});

/** All of them. */
export const rules: readonly Rule[] = [
  overdueRules.issued,
  overdueRules.denied,
  overdueRules.failed,
  overdueRules.pending,
  overdueRules.expired,
  overdueRules.unissued,
  kept,
];
