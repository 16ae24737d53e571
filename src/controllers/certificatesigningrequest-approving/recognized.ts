/**
 * Which requests are kubelets' requests for client certificates. Pure.
 * Source: kubernetes v1.36 pkg/controller/certificates/approver/sarapprove.go.
 */
import type { CertificateSigningRequest } from "../../api/types.ts";
import { kubeletClientProblem, kubeletClientSigner } from "../../controller/workload/certificate-request.ts";
import type { CertificateRequest } from "../../platform/certificate-request.ts";

/** What a kubelet requests: to renew its own certificate, or to get its first one under another identity. */
export interface Recognized {
  /** The subresource of certificatesigningrequests that the requester must be allowed to create. */
  readonly subresource: "selfnodeclient" | "nodeclient";
  /** The message of the condition. */
  readonly message: string;
}

const self: Recognized = {
  subresource: "selfnodeclient",
  message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
};
const first: Recognized = {
  subresource: "nodeclient",
  message: "Auto approving kubelet client certificate after SubjectAccessReview.",
};

/** What the request is recognized as, in the order in which the rights are checked; empty if it is not a kubelet's. */
export function recognize(
  { spec }: CertificateSigningRequest,
  certificateRequest: CertificateRequest,
): readonly Recognized[] {
  if (spec.signerName !== kubeletClientSigner) return [];
  if (kubeletClientProblem(certificateRequest, spec.usages ?? []) !== undefined) return [];
  return spec.username === certificateRequest.commonName ? [self, first] : [first];
}
