/** Fingerprints of strings that must not be shown: they reveal only whether two strings are equal. */
import process from "node:process";

let newHmac: (() => { update(text: string): { digest(encoding: "base64url"): string } }) | undefined;

/**
 * HMAC-SHA-256 with a random key of this process, so that fingerprints cannot be looked up in a list of likely secrets,
 * and those of two processes cannot be compared.
 */
export function fingerprint(text: string): string {
  // Loaded on first use: most commands do not need it.
  newHmac ??= keyedHmac();
  return newHmac().update(text).digest("base64url");
}

function keyedHmac(): NonNullable<typeof newHmac> {
  const { createHmac, randomBytes } = process.getBuiltinModule("node:crypto");
  const key = randomBytes(32);
  return () => createHmac("sha256", key);
}
