/** Hashes of texts. */
import { createHash } from "node:crypto";

/** SHA-512 in upper-case hexadecimal: stable across runtimes and runs. */
export function contentHash(text: string): string {
  return createHash("sha512").update(text).digest("hex").toUpperCase();
}
