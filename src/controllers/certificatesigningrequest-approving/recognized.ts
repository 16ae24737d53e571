/**
 * Which requests are those of kubelets for their client certificates. Pure.
 * Source: kubernetes v1.36 pkg/controller/certificates/approver/sarapprove.go, pkg/apis/certificates/helpers.go.
 */
import { pemBlocks } from "../../api/pem.ts";
import type { CertificateSigningRequest } from "../../api/types.ts";
import { type CertificateRequest, readCertificateRequest } from "../../platform/certificate-request.ts";

/** The signer of kubelets' client certificates. */
export const kubeletClientSigner = "kubernetes.io/kube-apiserver-client-kubelet";

/** What a kubelet asks for: to renew its own certificate, or to get the first one, as somebody else. */
export interface Recognized {
  /** The subresource of certificatesigningrequests that the requester must be allowed to create. */
  readonly subresource: "selfnodeclient" | "nodeclient";
  /** What the condition says. */
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

/**
 * The PKCS #10 request.
 * @throws Error for what is none. Source: helpers.go ParseCSR.
 */
export function requestOf({ metadata, spec }: CertificateSigningRequest): CertificateRequest {
  const [block] = pemBlocks(atob(spec.request));
  if (block?.type !== "CERTIFICATE REQUEST")
    throw new Error(`Cannot read request ${metadata.name}: PEM block type must be CERTIFICATE REQUEST`);
  try {
    return readCertificateRequest(block.bytes);
  } catch (cause) {
    throw new Error(`Cannot read request ${metadata.name}: its bytes are no PKCS #10 request`, { cause });
  }
}

/** What the request is recognized as, in the order in which the rights are asked for; nothing for all that is not a kubelet's. */
export function recognize({ spec }: CertificateSigningRequest, asked: CertificateRequest): readonly Recognized[] {
  if (spec.signerName !== kubeletClientSigner || !isKubeletClient(asked, spec.usages ?? [])) return [];
  return spec.username === asked.commonName ? [self, first] : [first];
}

const required = ["client auth", "digital signature"];
const usageSets = [required, [...required, "key encipherment"]].map((usages) => usages.toSorted().join());

/** Source: helpers.go ValidateKubeletClientCSR. */
function isKubeletClient(
  { organizations, altNames, commonName }: CertificateRequest,
  usages: readonly string[],
): boolean {
  return (
    organizations.length === 1 &&
    organizations[0] === "system:nodes" &&
    altNames.size === 0 &&
    commonName.startsWith("system:node:") &&
    usageSets.includes([...new Set(usages)].toSorted().join())
  );
}
