/**
 * Reads and validates certificate signing requests, for the approving and signing controllers. Pure.
 * Source: kubernetes v1.36 pkg/apis/certificates/helpers.go, pkg/controller/certificates/certificate_controller.go.
 */
import { pemBlocks } from "../../api/pem.ts";
import type { CertificateSigningRequest } from "../../api/types.ts";
import {
  type AltNameType,
  type CertificateRequest,
  readCertificateRequest,
} from "../../platform/certificate-request.ts";
import { bucketLimiter, exponentialFailureLimiter, maxOfLimiters } from "../../workqueue/rate-limiters.ts";
import type { RetryOptions } from "../api/definition.ts";

/** The signer of kubelets' client certificates. */
export const kubeletClientSigner = "kubernetes.io/kube-apiserver-client-kubelet";

/** From 200 ms to 1,000 s for one request, and ten a second for all. Source: certificate_controller.go NewCertificateController. */
export const requestRetry: RetryOptions = {
  rateLimiter: (now) =>
    maxOfLimiters(
      exponentialFailureLimiter({ baseDelayMs: 200, maxDelayMs: 1_000_000 }),
      bucketLimiter({ qps: 10, burst: 100, now }),
    ),
};

/**
 * Parses the PKCS #10 request.
 * @throws Error if it is invalid. Source: helpers.go ParseCSR.
 */
export function requestOf({ metadata, spec }: CertificateSigningRequest): CertificateRequest {
  const [block] = pemBlocks(atob(spec.request));
  if (block?.type !== "CERTIFICATE REQUEST")
    throw new Error(`Cannot read request ${metadata.name}: PEM block type must be CERTIFICATE REQUEST`);
  try {
    return readCertificateRequest(block.bytes);
  } catch (cause) {
    throw new Error(`Cannot read request ${metadata.name}: it is not a PKCS #10 request`, { cause });
  }
}

/** The relevant conditions of a request. A condition without a status counts as true. Source: certificate_controller_utils.go. */
export function conditionsOf({ status = {} }: CertificateSigningRequest): {
  readonly isApproved: boolean;
  readonly isDenied: boolean;
  readonly hasFailed: boolean;
} {
  const conditions = status.conditions ?? [];
  const types = new Set(conditions.map(({ type }) => type));
  const hasFailed = conditions.some(({ type, status: is }) => type === "Failed" && (is === "" || is === "True"));
  return { isApproved: types.has("Approved"), isDenied: types.has("Denied"), hasFailed };
}

const kubeletClientUsages = ["client auth", "digital signature", "key encipherment"];
const kubeletServingUsages = ["digital signature", "key encipherment", "server auth"];

/** The problem with the usages of a request; undefined if there is none. "key encipherment" is optional, because only RSA keys support it. */
function usagesProblem(usages: readonly string[], required: readonly string[]): string | undefined {
  const requested = [...new Set(usages)].toSorted().join();
  const without = required.filter((usage) => usage !== "key encipherment").join();
  return requested === required.join() || requested === without
    ? undefined
    : `usages did not match [${required.join(" ")}]`;
}

/** The problem with the alternative names; undefined if there is none. The types are checked in the order of `refused`. */
function altNamesProblem({ altNames }: CertificateRequest, refused: readonly AltNameType[]): string | undefined {
  const found = refused.find((refusedType) => altNames.some(({ type }) => type === refusedType));
  return found === undefined ? undefined : `${found} subjectAltNames are not allowed`;
}

const organizationProblem = ({ organizations }: CertificateRequest): string | undefined =>
  organizations.length === 1 && organizations[0] === "system:nodes"
    ? undefined
    : "subject organization is not system:nodes";

const commonNameProblem = ({ commonName }: CertificateRequest): string | undefined =>
  commonName.startsWith("system:node:") ? undefined : "subject common name does not begin with system:node:";

/** Why this is not a kubelet's request for a client certificate, with upstream's text. Source: helpers.go ValidateKubeletClientCSR. */
export function kubeletClientProblem(
  certificateRequest: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  return (
    organizationProblem(certificateRequest) ??
    altNamesProblem(certificateRequest, ["DNS", "Email", "IP", "URI"]) ??
    commonNameProblem(certificateRequest) ??
    usagesProblem(usages, kubeletClientUsages)
  );
}

/** Why this is not a kubelet's request for a serving certificate, with upstream's text. Source: helpers.go ValidateKubeletServingCSR. */
export function kubeletServingProblem(
  certificateRequest: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  const isServed = certificateRequest.altNames.some(({ type }) => type === "DNS" || type === "IP");
  return (
    organizationProblem(certificateRequest) ??
    (isServed ? undefined : "DNS or IP subjectAltName is required") ??
    altNamesProblem(certificateRequest, ["Email", "URI"]) ??
    usagesProblem(usages, kubeletServingUsages) ??
    commonNameProblem(certificateRequest)
  );
}
