/** One sync of a request. Source: kubernetes v1.36 pkg/controller/certificates/approver/sarapprove.go handle, authorize. */
import { CertificateSigningRequests, SubjectAccessReviews } from "../../api/kinds.ts";
import type { CertificateSigningRequest, SubjectAccessReview } from "../../api/types.ts";
import type { SyncContext, SyncResult } from "../../controller/api/sync-context.ts";
import { conditionsOf, requestOf } from "../../controller/workload/certificate-request.ts";
import { approve, decided, notAllowed, notKubelet } from "./rules.ts";
import { recognize, type Recognized } from "./recognized.ts";

/**
 * Approves the request, if it is a kubelet's and the requester has the right.
 * @throws Error for an unreadable request, and the API server's refusal.
 */
export async function syncRequest(context: SyncContext): Promise<SyncResult | void> {
  const request = context.cache(CertificateSigningRequests).get(context.key);
  if (request === undefined) return;
  const as = decisionOn(request);
  if (as !== undefined) return void context.decide(decided, { as });
  const certificateRequest = requestOf(request);
  const recognized = recognize(request, certificateRequest);
  const { username = "", signerName: signer } = request.spec;
  if (recognized.length === 0)
    return void context.decide(notKubelet, { signer, commonName: certificateRequest.commonName });
  for (const one of recognized) {
    if (!(await isAllowed(context, { request, one }))) continue;
    const because = context.decide(approve, { username, subresources: [one.subresource] });
    const { signal, client } = context;
    const options = { because, basedOn: request, signal, subresource: "approval" };
    return void (await client.update(CertificateSigningRequests, approved(request, one), options));
  }
  context.decide(notAllowed, { username, subresources: recognized.map(({ subresource }) => subresource) });
  context.enqueueRateLimited("its author may not have this certificate yet");
  return { keepsFailures: true };
}

function decisionOn(request: CertificateSigningRequest): string | undefined {
  if ((request.status?.certificate ?? "") !== "") return "issued";
  const { isApproved, isDenied } = conditionsOf(request);
  return isApproved ? "approved" : isDenied ? "denied" : undefined;
}

async function isAllowed(
  { client, signal }: SyncContext,
  { request, one }: { readonly request: CertificateSigningRequest; readonly one: Recognized },
): Promise<boolean> {
  const { username = "", uid, groups, extra } = request.spec;
  const question: Omit<SubjectAccessReview, "metadata"> = {
    spec: {
      user: username,
      ...(uid !== undefined && { uid }),
      ...(groups !== undefined && { groups }),
      ...(extra !== undefined && { extra }),
      resourceAttributes: {
        verb: "create",
        group: "certificates.k8s.io",
        version: "*",
        resource: "certificatesigningrequests",
        subresource: one.subresource,
      },
    },
  };
  const { status } = await client.review(SubjectAccessReviews, question, { signal });
  return status?.allowed === true;
}

function approved(request: CertificateSigningRequest, { message }: Recognized): CertificateSigningRequest {
  const condition = { type: "Approved", status: "True", reason: "AutoApproved", message };
  const conditions = [...(request.status?.conditions ?? []), condition];
  return { ...request, status: { ...request.status, conditions } };
}
