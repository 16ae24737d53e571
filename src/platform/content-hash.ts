/** Hashes of strings. */
import { createHash } from "node:crypto";

/** SHA-512 in upper-case hexadecimal: stable across runtimes and runs. */
export function contentHash(text: string): string {
  return createHash("sha512").update(text).digest("hex").toUpperCase();
}

/** SHA-256 in lower-case hexadecimal: what upstream derives names from. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The first eight bytes of SHA-256 in base64: enough to tell a few thousand strings apart. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");
}
