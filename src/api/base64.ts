/** Base64, the form of bytes in JSON. */

/** The bytes of a base64 string. @throws Error for invalid base64. */
export function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The base64 of any number of bytes. */
export function base64OfBytes(bytes: Uint8Array): string {
  let text = "";
  // In pieces: a call takes only so many arguments.
  for (let from = 0; from < bytes.length; from += 8192)
    text += String.fromCharCode(...bytes.subarray(from, from + 8192));
  return btoa(text);
}

/** The base64 of a string's UTF-8. `btoa` takes only Latin-1. */
export function base64OfText(text: string): string {
  return base64OfBytes(new TextEncoder().encode(text));
}

/** The string encoded as UTF-8; invalid UTF-8 becomes U+FFFD. @throws Error for invalid base64. */
export function textOfBase64(text: string): string {
  return new TextDecoder().decode(bytesOfBase64(text));
}
