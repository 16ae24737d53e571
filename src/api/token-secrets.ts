/** Secrets with the token of a ServiceAccount: whose they are. Source: api v0.36 core/v1 types.go SecretTypeServiceAccountToken. */
import type { StoredObject } from "./object.ts";
import type { Secret, ServiceAccount } from "./types.ts";

/** The type of these Secrets. */
export const tokenSecretType = "kubernetes.io/service-account-token";
/** The annotation that names the ServiceAccount. */
export const accountNameAnnotation = "kubernetes.io/service-account.name";
/** The annotation with its uid; a Secret without it belongs to whichever has the name. */
export const accountUidAnnotation = "kubernetes.io/service-account.uid";

/** Whose token a Secret holds. */
export interface AccountNamed {
  readonly name: string;
  /** Empty: that of any ServiceAccount of the name. */
  readonly uid: string;
}

/** Whose token a Secret of the type holds, by its metadata; undefined where it names nobody. */
export function accountNamedBy({ metadata: { annotations = {} } }: StoredObject): AccountNamed | undefined {
  const name = annotations[accountNameAnnotation] ?? "";
  return name === "" ? undefined : { name, uid: annotations[accountUidAnnotation] ?? "" };
}

/** Whose token it holds; undefined for a Secret of another type, and one that names nobody. */
export function accountNamedIn(secret: Secret): AccountNamed | undefined {
  return secret.type === tokenSecretType ? accountNamedBy(secret) : undefined;
}

/** The ServiceAccount of the name, if it is the one that is meant. */
export function accountMeant({ uid }: AccountNamed, account: ServiceAccount | undefined): ServiceAccount | undefined {
  return uid === "" || uid === account?.metadata.uid ? account : undefined;
}
