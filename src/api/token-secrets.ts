/**
 * Secrets with a ServiceAccount's token: which account they belong to. Source: api v0.36 core/v1 types.go SecretTypeServiceAccountToken.
 */
import type { StoredObject } from "./object.ts";
import type { Secret, ServiceAccount } from "./types.ts";

/** The type of these Secrets. */
export const tokenSecretType = "kubernetes.io/service-account-token";
/** The annotation that names the ServiceAccount. */
export const accountNameAnnotation = "kubernetes.io/service-account.name";
/** The annotation with its uid; a Secret without it belongs to any ServiceAccount of the name. */
export const accountUidAnnotation = "kubernetes.io/service-account.uid";

/** The ServiceAccount whose token a Secret contains. */
export interface AccountNamed {
  readonly name: string;
  /** Empty: any ServiceAccount of the name. */
  readonly uid: string;
}

/** The ServiceAccount of a token Secret, by its metadata; undefined if it names none. */
export function accountNamedBy({ metadata: { annotations = {} } }: StoredObject): AccountNamed | undefined {
  const name = annotations[accountNameAnnotation] ?? "";
  return name === "" ? undefined : { name, uid: annotations[accountUidAnnotation] ?? "" };
}

/** The ServiceAccount of a Secret; undefined for a Secret of another type, or one that names none. */
export function accountNamedIn(secret: Secret): AccountNamed | undefined {
  return secret.type === tokenSecretType ? accountNamedBy(secret) : undefined;
}

/** The ServiceAccount of the name, if it is the right one. */
export function accountMeant({ uid }: AccountNamed, account: ServiceAccount | undefined): ServiceAccount | undefined {
  return uid === "" || uid === account?.metadata.uid ? account : undefined;
}
