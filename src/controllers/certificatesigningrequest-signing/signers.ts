/**
 * The four signers of a cluster, and what each of them refuses to sign. Pure.
 * Source: kubernetes v1.36 pkg/controller/certificates/signer/signer.go getCSRVerificationFuncForSignerName.
 */
import {
  kubeletClientProblem,
  kubeletClientSigner,
  kubeletServingProblem,
} from "../../controller/workload/certificate-request.ts";
import type { CertificateRequest } from "../../platform/certificate-request.ts";

/** Why a request must not be signed, in upstream's words; undefined if it may be. */
export type Refusal = (certificateRequest: CertificateRequest, usages: readonly string[]) => string | undefined;

/** Source: signer.go validAPIServerClientUsages. */
function clientProblem(_certificateRequest: CertificateRequest, usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => !["client auth", "digital signature", "key encipherment"].includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}

/** By name. Requests from before certificates.k8s.io/v1 are signed whatever they request. */
export const signers: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
  ["kubernetes.io/kube-apiserver-client", clientProblem],
  [kubeletClientSigner, kubeletClientProblem],
  ["kubernetes.io/kubelet-serving", kubeletServingProblem],
  ["kubernetes.io/legacy-unknown", () => undefined],
]);
