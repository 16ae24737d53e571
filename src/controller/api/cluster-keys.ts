/** The private keys of a cluster, which only its operator has. */
import type { Authority } from "../../platform/certificate-authority.ts";

/** Signs a ServiceAccount token: returns the JSON Web Token (RFC 7519) for the claims, signed with a key that the API server accepts. */
export type SignToken = (claims: Readonly<Record<string, string>>) => string;

/** The operations that need the keys of a cluster. */
export interface ClusterKeys {
  /** Signs the certificates that clients and kubelets request: `--cluster-signing-cert-file` and `--cluster-signing-key-file`. */
  readonly authority: Authority;
  /** `--service-account-private-key-file`. */
  readonly signToken: SignToken;
  /** The PEM certificates of the authorities that pods trust for the API server; undefined if none are published. `--root-ca-file`. */
  readonly rootCa: string | undefined;
}
