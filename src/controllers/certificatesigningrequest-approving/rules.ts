/** The rules of the approval of kubelets' client certificates, in the order in which a sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

/** The request is already decided, or has its certificate. */
export const decided: Rule<{ readonly as: string }> = rule<{ readonly as: string }>({
  id: "decided",
  looksAt: ["conditions Approved and Denied", "status.certificate"],
  chooses: "A request that has been approved or denied, or has its certificate, is left alone.",
  sentence: ({ as }) => `it is ${as} already → leave it alone`,
  example: { as: "approved" },
  source: "sarapprove.go handle, certificates.GetCertApprovalCondition",
});

interface SubjectFacts extends Facts {
  readonly signer: string;
  readonly commonName: string;
}

/** Others decide on the request. */
export const notKubelet: Rule<SubjectFacts> = rule<SubjectFacts>({
  id: "not-kubelet",
  looksAt: ["spec.signerName", "spec.usages", "subject and alternative names in spec.request"],
  chooses:
    "Only requests of kubelets for client certificates are approved: signer kubernetes.io/kube-apiserver-client-kubelet, organization system:nodes alone, a common name that begins with system:node:, no alternative names, usages client auth, digital signature and possibly key encipherment. Other requests are left to other approvers.",
  sentence: ({ signer, commonName }) =>
    `signer ${signer}, common name ${JSON.stringify(commonName)}: not a kubelet's request for a client certificate → leave it to others`,
  example: { signer: "kubernetes.io/kube-apiserver-client", commonName: "jane" },
  source: "sarapprove.go isNodeClientCert, pkg/apis/certificates/helpers.go ValidateKubeletClientCSR",
});

interface AccessFacts extends Facts {
  readonly username: string;
  readonly subresources: readonly string[];
}

const access = [
  "spec.username, spec.uid, spec.groups and spec.extra",
  "a SubjectAccessReview: may they create certificatesigningrequests/selfnodeclient or …/nodeclient?",
];

const named = (subresources: readonly string[]): string =>
  subresources.map((each) => `certificatesigningrequests/${each}`).join(" nor ");

/** The requester may have the certificate. */
export const approve: Rule<AccessFacts> = rule<AccessFacts>({
  id: "approve",
  looksAt: access,
  chooses:
    "A kubelet's request is approved if its author may create certificatesigningrequests/selfnodeclient (a certificate for the author itself) or certificatesigningrequests/nodeclient.",
  sentence: ({ username, subresources }) => `${username} may create ${named(subresources)} → approve it`,
  example: { username: "system:node:node-1", subresources: ["selfnodeclient"] },
  source: "sarapprove.go handle, authorize",
});

/** The requester may not, yet. */
export const notAllowed: Rule<AccessFacts> = rule<AccessFacts>({
  id: "not-allowed",
  looksAt: access,
  chooses:
    "If the author of a kubelet's request lacks the right, it is checked again with back-off, from 200 ms to 1,000 s.",
  sentence: ({ username, subresources }) =>
    `${username} ${subresources.length === 1 ? "may not create" : "may create neither"} ${named(subresources)} → check again later`,
  example: { username: "system:bootstrap:abc123", subresources: ["nodeclient"] },
  source: "sarapprove.go handle, certificate_controller.go IgnorableError",
});

/** All of them. */
export const rules: readonly Rule[] = [decided, notKubelet, approve, notAllowed];
