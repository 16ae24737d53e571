/**
 * Secrets that hold bootstrap tokens, with which nodes join a cluster.
 * Source: kubernetes v1.36 pkg/controller/bootstrap/util.go, cluster-bootstrap v0.36 util/secrets/secrets.go.
 */
import { textOfBase64 } from "../../api/base64.ts";
import { readStrictTime } from "../../api/time.ts";
import type { Secret } from "../../api/types.ts";

/** The namespace of bootstrap tokens. */
const tokenNamespace = "kube-system";
const tokenType = "bootstrap.kubernetes.io/token";

/** Whether a Secret is of the type for bootstrap tokens, whatever its contents. */
export function isBootstrapToken({ metadata, type }: Secret): boolean {
  return type === tokenType && metadata.namespace === tokenNamespace;
}

/** The text of a key in a Secret; empty if it is missing. */
export function textIn({ data }: Secret, key: string): string {
  const value = data?.[key];
  return value === undefined ? "" : textOfBase64(value);
}

/** When a token expires. A token with an invalid time counts as expired. */
export type Expiration =
  | { readonly is: "never" }
  | { readonly is: "unreadable" }
  /** In ms since 1970. */
  | { readonly is: "at"; readonly at: number };

/** Source: secrets.go GetExpiration. */
export function expirationOf(secret: Secret): Expiration {
  const text = textIn(secret, "expiration");
  if (text === "") return { is: "never" };
  const at = readStrictTime(text);
  return at === undefined ? { is: "unreadable" } : { is: "at", at };
}

/** Whether the token has expired at `now`, in ms since 1970. */
function hasExpired(secret: Secret, now: number): boolean {
  const expiration = expirationOf(secret);
  return expiration.is === "unreadable" || (expiration.is === "at" && expiration.at <= now);
}

/** A token that is valid for signing. */
export interface SigningToken {
  readonly id: string;
  readonly secret: string;
}

/** Why a Secret's token cannot be used for signing. */
export type Unfit = "name" | "no id" | "another id" | "no secret" | "expired" | "not for signing";

/** The token of a Secret, or why it cannot be used for signing. Source: util.go validateSecretForSigning. */
export function signingTokenOf(secret: Secret, now: number): SigningToken | Unfit {
  const [, named] = /^bootstrap-token-([a-z0-9]{6})$/.exec(secret.metadata.name) ?? [];
  if (named === undefined) return "name";
  const id = textIn(secret, "token-id");
  if (id === "") return "no id";
  if (id !== named) return "another id";
  const value = textIn(secret, "token-secret");
  if (value === "") return "no secret";
  if (hasExpired(secret, now)) return "expired";
  return textIn(secret, "usage-bootstrap-signing") === "true" ? { id, secret: value } : "not for signing";
}
