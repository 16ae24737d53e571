/** Secrets for authenticating to a server. */
import { randomBytes } from "node:crypto";

/** An unguessable secret: 32 random bytes as text. */
export function secretToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Compares two secrets in a time that reveals nothing about where they differ. */
export function sameSecret(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ (b.charCodeAt(i % b.length) || 0);
  return difference === 0;
}
