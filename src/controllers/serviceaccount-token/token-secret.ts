/** Secrets of the type kubernetes.io/service-account-token: whose they are, and what they lack. Pure. */
import { base64OfText } from "../../api/base64.ts";
import type { Secret } from "../../api/types.ts";

/** The annotation that names the ServiceAccount. */
export const nameAnnotation = "kubernetes.io/service-account.name";
/** The annotation with its uid; a Secret without it belongs to whichever has the name. */
export const uidAnnotation = "kubernetes.io/service-account.uid";

/** Whose tokens a Secret holds. */
export interface AccountNamed {
  readonly name: string;
  /** Empty: that of any ServiceAccount of the name. */
  readonly uid: string;
}

/** Whose tokens it holds; undefined for a Secret of another type, and one that names nobody. */
export function accountNamedIn({ type, metadata: { annotations = {} } }: Secret): AccountNamed | undefined {
  const name = annotations[nameAnnotation] ?? "";
  if (type !== "kubernetes.io/service-account-token" || name === "") return undefined;
  return { name, uid: annotations[uidAnnotation] ?? "" };
}

/** What a Secret must hold. */
export interface Wanted {
  /** PEM; undefined where none is handed out. */
  readonly rootCa: string | undefined;
}

/** The keys of `data` that are missing or, of the authority, not as they should be. Source: tokens_controller.go secretUpdateNeeded. */
export function lacking({ data = {} }: Secret, { rootCa }: Wanted): readonly string[] {
  const isEmpty = (key: string): boolean => (data[key] ?? "") === "";
  return [
    ...(rootCa !== undefined && rootCa !== "" && data["ca.crt"] !== base64OfText(rootCa) ? ["ca.crt"] : []),
    ...["namespace", "token"].filter(isEmpty),
  ];
}
