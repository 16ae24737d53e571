/** Fingerprints of texts. */
import { createHash } from "node:crypto";

/** SHA-512 in hexadecimal capitals: equal texts have equal ones, on every runtime and in every run. */
export function contentHash(text: string): string {
  return createHash("sha512").update(text).digest("hex").toUpperCase();
}
