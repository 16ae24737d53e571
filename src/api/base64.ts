/** Base64, as JSON holds bytes. */

/** The bytes of a text. @throws Error for a text that is no base64. */
export function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The base64 of bytes, of any number. */
export function base64OfBytes(bytes: Uint8Array): string {
  let text = "";
  // As many characters as a call takes arguments.
  for (let from = 0; from < bytes.length; from += 8192)
    text += String.fromCharCode(...bytes.subarray(from, from + 8192));
  return btoa(text);
}

/** The base64 of a text's UTF-8. `btoa` takes Latin-1 alone. */
export function base64OfText(text: string): string {
  return base64OfBytes(new TextEncoder().encode(text));
}

/** The text that was written as UTF-8; what is none of it becomes U+FFFD. @throws Error for a text that is no base64. */
export function textOfBase64(text: string): string {
  return new TextDecoder().decode(bytesOfBase64(text));
}
