/** One sync of a request. Source: kubernetes v1.36 pkg/controller/certificates/signer/signer.go handle, sign. */
import { CertificateSigningRequests } from "../../api/kinds.ts";
import { formatTime } from "../../api/time.ts";
import type { CertificateSigningRequest } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { conditionsOf, requestOf } from "../../controller/workload/certificate-request.ts";
import type { CertificateIssuer } from "../../platform/certificate-authority.ts";
import type { CertificateRequest } from "../../platform/certificate-request.ts";
import { durationOf, usagesOf, validityOf } from "./policy.ts";
import { fail, noKeys, notSigned, otherSigner, signRequest } from "./rules.ts";
import { signers } from "./signers.ts";

/** The CA that signs, and the longest duration. */
export interface Signer {
  readonly issuer: CertificateIssuer;
  readonly longestMs: number;
}

/**
 * Signs the request, if it is approved and its signer is one of ours; `signer` is undefined without keys.
 * @throws Error for a request that cannot be read or signed, RangeError for an expired CA, and the API server's refusal.
 */
export async function syncRequest(context: SyncContext, signer: (() => Signer) | undefined): Promise<void> {
  const request = context.cache(CertificateSigningRequests).get(context.key);
  if (request === undefined) return;
  const as = whyNotSigned(request);
  if (as !== undefined) return void context.decide(notSigned, { as });
  const { signerName, usages = [] } = request.spec;
  const refusal = signers.get(signerName);
  if (refusal === undefined) return void context.decide(otherSigner, { signer: signerName });
  if (signer === undefined) return void context.decide(noKeys, { signer: signerName });
  const certificateRequest = requestOf(request);
  const why = refusal(certificateRequest, usages);
  if (why !== undefined) return failRequest(context, { request, why });
  return issue(context, { request, certificateRequest, signer: signer() });
}

function whyNotSigned(request: CertificateSigningRequest): string | undefined {
  const { isApproved, isDenied, hasFailed } = conditionsOf(request);
  if ((request.status?.certificate ?? "") !== "") return "has its certificate";
  if (isDenied) return "was denied";
  if (!isApproved) return "is not approved";
  return hasFailed ? "has failed" : undefined;
}

async function failRequest(
  context: SyncContext,
  { request, why }: { readonly request: CertificateSigningRequest; readonly why: string },
): Promise<void> {
  const because = context.decide(fail, { signer: request.spec.signerName, why });
  const failed = {
    type: "Failed",
    status: "True",
    reason: "SignerValidationFailure",
    message: why,
    lastUpdateTime: formatTime(context.now()),
  };
  const status = { ...request.status, conditions: [...(request.status?.conditions ?? []), failed] };
  const options = { because, basedOn: request, signal: context.signal };
  await context.client.updateStatus(CertificateSigningRequests, { ...request, status }, options);
}

interface Issue {
  readonly request: CertificateSigningRequest;
  readonly certificateRequest: CertificateRequest;
  readonly signer: Signer;
}

async function issue(
  context: SyncContext,
  { request, certificateRequest, signer: { issuer, longestMs } }: Issue,
): Promise<void> {
  const { signerName, usages = [], expirationSeconds } = request.spec;
  if (certificateRequest.signatureProblem !== undefined)
    throw new Error(
      `Cannot sign ${request.metadata.name}: it is not signed with its own key: ${certificateRequest.signatureProblem}`,
    );
  const durationMs = durationOf(expirationSeconds, longestMs);
  const validity = validityOf({ now: context.now(), durationMs, authorityEnds: issuer.notAfter });
  const { subject, publicKey, altNames, commonName } = certificateRequest;
  const certificate = issuer.issue({ subject, publicKey, altNames, ...usagesOf(usages), ...validity });
  const because = context.decide(signRequest, { signer: signerName, commonName, until: formatTime(validity.notAfter) });
  const status = { ...request.status, certificate: btoa(certificate) };
  const options = { because, basedOn: request, signal: context.signal };
  await context.client.updateStatus(CertificateSigningRequests, { ...request, status }, options);
}
