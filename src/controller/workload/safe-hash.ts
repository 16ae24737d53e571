/** Hashes for use in names and labels. */

const offset = 0x811c9dc5;
const prime = 0x01000193;

/** FNV-1a, 32 bits; `from` continues an earlier hash. */
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

/** The 128-bit offset, its highest byte first. */
const offset128: readonly number[] = [
  0x6c, 0x62, 0x27, 0x2e, 0x07, 0xbb, 0x01, 0x42, 0x62, 0xb8, 0x21, 0x75, 0x62, 0x95, 0xc5, 0x8d,
];
/** The 128-bit prime is 2⁸⁸ and this: times 2⁸⁸ moves by eleven bytes. */
const primeLow = 0x13b;
const primeMoves = 11;

/** FNV-1a, 128 bits, in hexadecimal digits, which sort like the bytes. */
export function fnv128a(bytes: Uint8Array): string {
  let hash = [...offset128];
  for (const byte of bytes) {
    hash[15] = (hash[15] ?? 0) ^ byte;
    const product: number[] = [];
    let carry = 0;
    for (let n = 15; n >= 0; n--) {
      carry += (hash[n] ?? 0) * primeLow + (hash[n + primeMoves] ?? 0);
      product[n] = carry & 255;
      carry >>>= 8;
    }
    hash = product;
  }
  return hash.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Without vowels and similar-looking characters, so that no hash is a word. Source: apimachinery v0.36 util/rand/rand.go. */
const letters = "bcdfghjklmnpqrstvwxz2456789";

/** Maps each character of a text, usually a hash in digits, to one that is safe in a name. */
export function safeLetters(text: string): string {
  return Array.from(text, (letter) => letters[letter.charCodeAt(0) % letters.length]).join("");
}
