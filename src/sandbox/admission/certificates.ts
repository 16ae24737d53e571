/** CertificateApproval, CertificateSigning, CertificateSubjectRestriction. Source: kubernetes v1.36 plugin/pkg/admission/certificates, pkg/certauthorization. */
import { deepEqual } from "../../api/field-changes.ts";
import type { Attributes, UpdateAttributes } from "../context/attributes.ts";
import type { RequestScope } from "../context/server.ts";
import { organizationsIn } from "../meta/certificate-request.ts";
import { nameOrGenerateName, textOf } from "../meta/object.ts";
import { forbidden } from "../meta/refusal.ts";

const clientSigner = "kubernetes.io/kube-apiserver-client";

/** Checks a CertificateSigningRequest. @throws StatusError 403 */
export function checkSigningRequest({ scope, object, old }: Attributes): void {
  const plugins = scope.server.admission;
  const { subresource } = scope;
  if (subresource === "" && plugins.has("CertificateSubjectRestriction")) checkSubject({ scope, object });
  if (old === undefined) return;
  if (subresource === "approval" && plugins.has("CertificateApproval"))
    checkSigner(scope, { verb: "approve", signer: textOf(old.spec?.["signerName"]) });
  if (subresource === "status" && plugins.has("CertificateSigning")) checkSigning({ scope, object, old });
}

/** No certificate may grant membership of system:masters. */
function checkSubject({ scope, object }: Attributes): void {
  if (object.spec?.["signerName"] !== clientSigner) return;
  const organizations = organizationsIn(textOf(object.spec["request"]));
  if (!organizations.includes("system:masters")) return;
  const why = `use of ${clientSigner} signer with system:masters group is not allowed`;
  throw forbidden(scope.resource.asResource, nameOrGenerateName(object), why);
}

function checkSigning({ scope, object, old }: UpdateAttributes): void {
  const isSame = ["certificate", "conditions"].every((key) => deepEqual(object.status?.[key], old.status?.[key]));
  if (!isSame) checkSigner(scope, { verb: "sign", signer: textOf(old.spec?.["signerName"]) });
}

/** The permission may be for one signer or for its whole domain. */
function checkSigner(
  { server, user, resource, name }: RequestScope,
  { verb, signer }: { readonly verb: "approve" | "sign"; readonly signer: string },
): void {
  const [domain = ""] = signer.split("/");
  const about = { group: "certificates.k8s.io", resource: "signers", subresource: "", namespace: "" };
  const isAllowed = [signer, `${domain}/*`].some(
    (each) => server.authorizer.decide(user, { is: "resource", verb, ...about, name: each }).allowed,
  );
  if (isAllowed) return;
  throw forbidden(resource.asResource, name, `user not permitted to ${verb} requests with signerName "${signer}"`);
}
