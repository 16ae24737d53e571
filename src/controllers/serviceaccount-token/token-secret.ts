/** What Secrets of the type kubernetes.io/service-account-token lack. Pure. */
import { base64OfText } from "../../api/base64.ts";
import type { Secret } from "../../api/types.ts";

/** What a Secret must contain. */
export interface Wanted {
  /** PEM; undefined if none is provided. */
  readonly rootCa: string | undefined;
}

/** The keys of `data` that are missing or, for the CA, outdated. Source: tokens_controller.go secretUpdateNeeded. */
export function lacking({ data = {} }: Secret, { rootCa }: Wanted): readonly string[] {
  const isEmpty = (key: string): boolean => (data[key] ?? "") === "";
  return [
    ...(rootCa !== undefined && rootCa !== "" && data["ca.crt"] !== base64OfText(rootCa) ? ["ca.crt"] : []),
    ...["namespace", "token"].filter(isEmpty),
  ];
}
