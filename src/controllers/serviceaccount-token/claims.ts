/**
 * The claims of tokens in Secrets. Source: kubernetes v1.36 pkg/serviceaccount/legacy.go LegacyClaims; go-jose sorts the claims by name.
 */
import type { Secret, ServiceAccount } from "../../api/types.ts";

/** The issuer of tokens that end with their Secret: they have no other issuer, audience or expiry. */
const issuer = "kubernetes/serviceaccount";

/** The claims of a ServiceAccount's token in a Secret. */
export function claimsOf(account: ServiceAccount, secret: Secret): Readonly<Record<string, string>> {
  const { namespace = "", name, uid } = account.metadata;
  return {
    iss: issuer,
    "kubernetes.io/serviceaccount/namespace": namespace,
    "kubernetes.io/serviceaccount/secret.name": secret.metadata.name,
    "kubernetes.io/serviceaccount/service-account.name": name,
    "kubernetes.io/serviceaccount/service-account.uid": uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}
