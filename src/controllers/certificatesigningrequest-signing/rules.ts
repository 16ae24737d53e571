/** The rules of the signing of CertificateSigningRequests, in the order in which a sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

/** There is nothing to sign, or nothing any more. */
export const notSigned: Rule<{ readonly as: string }> = rule<{ readonly as: string }>({
  id: "not-signed",
  looksAt: ["status.certificate", "conditions Approved, Denied and Failed"],
  chooses: "A request is signed once it is approved, unless it has its certificate, was also denied, or has failed.",
  sentence: ({ as }) => `it ${as} → leave it alone`,
  example: { as: "is not approved" },
  source: "signer.go handle, certificate_controller.go syncFunc",
});

/** The request is for another signer. */
export const otherSigner: Rule<{ readonly signer: string }> = rule<{ readonly signer: string }>({
  id: "other-signer",
  looksAt: ["spec.signerName"],
  chooses:
    "Requests to kubernetes.io/kube-apiserver-client, kubernetes.io/kube-apiserver-client-kubelet, kubernetes.io/kubelet-serving and kubernetes.io/legacy-unknown are signed; others are left to their signers.",
  sentence: ({ signer }) => `its signer is ${signer} → leave it to that signer`,
  example: { signer: "example.com/own" },
  source: "signer.go handle",
});

/** The keys are somewhere else. */
export const noKeys: Rule<{ readonly signer: string }> = rule<{ readonly signer: string }>({
  id: "no-keys",
  looksAt: ["the key of the cluster's certificate authority"],
  chooses: "Without the private key of the cluster's certificate authority nothing is signed; sandboxes have the key.",
  sentence: ({ signer }) => `the key of ${signer} is not available here → leave it to a controller that has it`,
  example: { signer: "kubernetes.io/kube-apiserver-client" },
  source: "cmd/kube-controller-manager/app/certificates.go newCertificateSigningRequestSigningController",
});

interface RefusedFacts extends Facts {
  readonly signer: string;
  readonly why: string;
}

/** A request that the signer must not sign fails for good. */
export const fail: Rule<RefusedFacts> = rule<RefusedFacts>({
  id: "fail",
  looksAt: ["spec.signerName", "spec.usages", "subject and alternative names in spec.request"],
  chooses:
    "An approved request that its signer must not sign gets the condition Failed, with the reason: client certificates are for client auth, and possibly digital signature and key encipherment; those of kubelets have only the organization system:nodes and a common name that begins with system:node:, with no alternative names for clients, and with a DNS name or an IP address for serving.",
  sentence: ({ signer, why }) => `${signer} does not sign it: ${why} → it has failed`,
  example: { signer: "kubernetes.io/kubelet-serving", why: "DNS or IP subjectAltName is required" },
  source: "signer.go handle, pkg/apis/certificates/helpers.go",
});

interface SignedFacts extends Facts {
  readonly signer: string;
  readonly commonName: string;
  /** RFC 3339. */
  readonly until: string;
}

/** A request gets its certificate. */
export const signRequest: Rule<SignedFacts> = rule<SignedFacts>({
  id: "sign",
  looksAt: ["spec.request", "spec.usages", "spec.expirationSeconds", "the end of the authority's own certificate"],
  chooses:
    "An approved request is signed for the requested duration, but for at least ten minutes, at most a year, and not beyond the authority's own expiration. The certificate is valid from five minutes ago, and expires five minutes earlier if it is for eight hours or more.",
  sentence: ({ signer, commonName, until }) =>
    `${signer} signs it for ${JSON.stringify(commonName)}, until ${until} → write the certificate`,
  example: { signer: "kubernetes.io/kube-apiserver-client", commonName: "jane", until: "2027-11-26T09:55:00Z" },
  source: "signer.go sign, duration; pkg/controller/certificates/authority/policies.go",
});

/** All of them. */
export const rules: readonly Rule[] = [notSigned, otherSigner, noKeys, fail, signRequest];
