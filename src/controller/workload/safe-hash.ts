/** Hashes that stand in names and labels. */

const offset = 0x811c9dc5;
const prime = 0x01000193;

/** FNV-1a, 32 bits; `from` goes on with an earlier hash. */
export function fnv32a(bytes: Uint8Array, from: number = offset): number {
  let hash = from;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, prime);
  return hash >>> 0;
}

/** FNV-1, 32 bits. */
export function fnv32(bytes: Uint8Array): number {
  let hash = offset;
  for (const byte of bytes) hash = Math.imul(hash, prime) ^ byte;
  return hash >>> 0;
}

/** No vowels, and nothing that looks like another: no hash is a word. Source: apimachinery v0.36 util/rand/rand.go. */
const letters = "bcdfghjklmnpqrstvwxz2456789";

/** Each character of a text, usually a hash in digits, as one that is safe in a name. */
export function safeLetters(text: string): string {
  return Array.from(text, (letter) => letters[letter.charCodeAt(0) % letters.length]).join("");
}
