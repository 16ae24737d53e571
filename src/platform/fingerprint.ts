/** Fingerprints of texts that must not be shown: equal texts have equal ones, and they tell nothing else. */
import process from "node:process";

let newHmac: (() => { update(text: string): { digest(encoding: "base64url"): string } }) | undefined;

/**
 * HMAC-SHA-256 with a random key that nobody else has and that ends with this process, so that no list of likely secrets finds out
 * what a fingerprint is of, and fingerprints of two processes have nothing in common.
 */
export function fingerprint(text: string): string {
  // Loaded when it is first needed: most commands never do.
  newHmac ??= keyedHmac();
  return newHmac().update(text).digest("base64url");
}

function keyedHmac(): NonNullable<typeof newHmac> {
  const { createHmac, randomBytes } = process.getBuiltinModule("node:crypto");
  const key = randomBytes(32);
  return () => createHmac("sha256", key);
}
