/** The approval of kubelets' client certificates. Source: kubernetes v1.36 pkg/controller/certificates/approver/sarapprove.go. */
import { CertificateSigningRequests } from "../../api/kinds.ts";
import type { CertificateSigningRequest } from "../../api/types.ts";
import { type ControllerDefinition, defineController } from "../../controller/api/definition.ts";
import { watchPrimary } from "../../controller/api/primary.ts";
import { kubeletClientSigner, requestRetry } from "../../controller/workload/certificate-request.ts";
import { rules } from "./rules.ts";
import { syncRequest } from "./sync.ts";

/** Approves the client certificates that kubelets request, if their rights allow it. */
export const certificateSigningRequestApproving: ControllerDefinition = defineController<CertificateSigningRequest>({
  name: "certificatesigningrequest-approving",
  aliases: ["csrapproving", "certificatesigningrequest-approving-controller"],
  purpose: "approves kubelets' client certificates, if the requester has the right",
  source: "pkg/controller/certificates/approver/sarapprove.go",
  for: CertificateSigningRequests,
  watches: [watchPrimary(CertificateSigningRequests)],
  workers: 5,
  retry: requestRetry,
  ifRunTwice: "the second of two approvals would be refused",
  dryRun: {
    is: "left out",
    why: "certificates do not affect the result, and the roles that decide on them were not read",
  },
  rules,
  recordsEvents: false,
  // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "certificates.k8s.io", resource: "certificatesigningrequests/approval", verbs: ["update"] },
    { group: "certificates.k8s.io", resource: "signers", verbs: ["approve"], names: [kubeletClientSigner] },
    { group: "authorization.k8s.io", resource: "subjectaccessreviews", verbs: ["create"] },
  ],
  sync: (_key, context) => syncRequest(context),
});
