/** The private keys of a cluster, which only those have who run it. */
import type { Authority } from "../../platform/certificate-authority.ts";

/** Signs tokens of ServiceAccounts: the JSON Web Token (RFC 7519) of the claims, with a key that the API server accepts. */
export type SignToken = (claims: Readonly<Record<string, string>>) => string;

/** What is made with the keys of a cluster. */
export interface ClusterKeys {
  /** Signs the certificates that clients and kubelets ask for: `--cluster-signing-cert-file` and `--cluster-signing-key-file`. */
  readonly authority: Authority;
  /** `--service-account-private-key-file`. */
  readonly signToken: SignToken;
  /** PEM of the authorities that pods trust the API server by; undefined: they are told none. `--root-ca-file`. */
  readonly rootCa: string | undefined;
}
