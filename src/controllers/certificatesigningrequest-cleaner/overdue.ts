/**
 * Which CertificateSigningRequests are no longer needed. Pure.
 * Source: kubernetes v1.36 pkg/controller/certificates/cleaner/cleaner.go.
 */
import { pemBlocks } from "../../api/pem.ts";
import { readTime } from "../../api/time.ts";
import type { CertificateSigningRequest } from "../../api/types.ts";
import { expiryOfCertificate } from "../../platform/certificate-request.ts";

const hourMs = 3_600_000;

/** The state of a request, by the time that counts for it. */
export type State = "issued" | "denied" | "failed" | "pending" | "unissued";

/** How long requests are kept in each state, in ms. */
export const keptMs: Readonly<Record<State, number>> = {
  issued: hourMs,
  denied: hourMs,
  failed: hourMs,
  pending: 24 * hourMs,
  unissued: 24 * hourMs,
};

/** Why a request is deleted. */
export type Overdue =
  | { readonly is: State; readonly agoMs: number }
  /** Its certificate is no longer valid. */
  | { readonly is: "expired"; readonly agoMs: number };

/**
 * Why the request is deleted at `now`, the first of several reasons; undefined if it is kept.
 * Source: cleaner.go handle, isOlderThan: a missing time is not past.
 */
export function overdueAt(request: CertificateSigningRequest, now: number): Overdue | undefined {
  const { metadata, status = {} } = request;
  const { certificate = "", conditions = [] } = status;
  const sinceOf = (type: string): readonly number[] =>
    conditions.filter((each) => each.type === type).flatMap(({ lastUpdateTime }) => readTime(lastUpdateTime) ?? []);
  const past = (is: State, times: readonly number[]): Overdue | undefined => {
    const since = times.find((time) => now - time > keptMs[is]);
    return since === undefined ? undefined : { is, agoMs: now - since };
  };
  const isIssued = certificate !== "";
  const created = conditions.length === 0 ? [readTime(metadata.creationTimestamp) ?? now] : [];
  return (
    past("issued", isIssued ? sinceOf("Approved") : []) ??
    past("denied", sinceOf("Denied")) ??
    past("failed", sinceOf("Failed")) ??
    past("pending", created) ??
    (conditions.some(({ type }) => type === "Approved") ? expiredAt(certificate, now) : undefined) ??
    past("unissued", isIssued ? [] : sinceOf("Approved"))
  );
}

/** Of several certificates, the first one counts: the requester's own. */
function expiredAt(certificate: string, now: number): Overdue | undefined {
  const [block] = certificate === "" ? [] : pemBlocks(atob(certificate));
  const expiresAt = block === undefined ? undefined : expiryOfCertificate(block.bytes);
  return expiresAt === undefined || now <= expiresAt ? undefined : { is: "expired", agoMs: now - expiresAt };
}
