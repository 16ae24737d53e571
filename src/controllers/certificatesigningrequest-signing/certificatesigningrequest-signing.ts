/**
 * The signing of CertificateSigningRequests.
 * Source: kubernetes v1.36 pkg/controller/certificates/signer/signer.go, cmd/kube-controller-manager/app/certificates.go.
 */
import { CertificateSigningRequests } from "../../api/kinds.ts";
import type { CertificateSigningRequest } from "../../api/types.ts";
import { type Authority, issuerOf } from "../../platform/certificate-authority.ts";
import { type ControllerDefinition, defineController } from "../../controller/api/definition.ts";
import { watchPrimary } from "../../controller/api/primary.ts";
import { requestRetry } from "../../controller/workload/certificate-request.ts";
import { rules } from "./rules.ts";
import { signers } from "./signers.ts";
import { type Signer, syncRequest } from "./sync.ts";

/** Who signs, and for how long. */
export interface CertificateSignerOptions extends Authority {
  /** The longest that a certificate lasts, in milliseconds: `--cluster-signing-duration`. Default: a year. */
  readonly durationMs?: number;
}

const yearMs = 365 * 86_400_000;

/**
 * A controller that signs approved CertificateSigningRequests for the signers kubernetes.io/kube-apiserver-client,
 * kubernetes.io/kube-apiserver-client-kubelet, kubernetes.io/kubelet-serving and kubernetes.io/legacy-unknown, as
 * kube-controller-manager does with `--cluster-signing-cert-file` and `--cluster-signing-key-file`: for clusters where it does not.
 *
 * `ca` and `key` are PEM: one certificate, and its private key (ECDSA, RSA or Ed25519) without a passphrase.
 * @throws Error for a certificate or a key that cannot be read, or that do not match; RangeError for a key of another type.
 * Source: kubernetes v1.36 pkg/controller/certificates/signer/signer.go; differs: one queue for all four signers, and keys are read
 * once.
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { certificateSigner, type ControllerDefinition } from "kubectl-reconcile";
 *
 * async function signer(folder: string): Promise<ControllerDefinition> {
 *   const ca = await readFile(`${folder}/ca.crt`, "utf8");
 *   return certificateSigner({ ca, key: await readFile(`${folder}/ca.key`, "utf8") });
 * }
 * await signer("/etc/kubernetes/pki").then(({ name }) => console.log(name), console.error);
 * ```
 */
export function certificateSigner({ ca, key, durationMs = yearMs }: CertificateSignerOptions): ControllerDefinition {
  const signer = { issuer: issuerOf({ ca, key }), longestMs: durationMs };
  return definition(() => signer);
}

/** The same without keys, for the catalogue. */
export const certificateSigningRequestSigning: ControllerDefinition = {
  ...definition(undefined),
  disabledByDefault: true,
  // An embedded cluster creates its CA on first use: few ever sign.
  withKeys(keys) {
    let signer: Signer | undefined;
    return definition(() => (signer ??= { issuer: issuerOf(keys.authority), longestMs: yearMs }));
  },
};

/** `signer` is called when there is something to sign; undefined without keys. */
function definition(signer: (() => Signer) | undefined): ControllerDefinition {
  return defineController<CertificateSigningRequest>({
    name: "certificatesigningrequest-signing",
    aliases: ["csrsigning", "certificatesigningrequest-signing-controller"],
    purpose: "signs approved requests for certificates",
    source: "pkg/controller/certificates/signer/signer.go",
    for: CertificateSigningRequests,
    watches: [watchPrimary(CertificateSigningRequests)],
    workers: 5,
    retry: requestRetry,
    ifRunTwice: "the second of two certificates would be refused",
    dryRun: { is: "left out", why: "it needs the private keys of the cluster" },
    rules,
    recordsEvents: false,
    // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
    permissions: [
      { group: "certificates.k8s.io", resource: "certificatesigningrequests/status", verbs: ["update"] },
      { group: "certificates.k8s.io", resource: "signers", verbs: ["sign"], names: [...signers.keys()] },
    ],
    sync: (_key, context) => syncRequest(context, signer),
  });
}
