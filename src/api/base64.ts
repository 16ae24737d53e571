/** Base64, as JSON holds bytes. */

/** The bytes of a text. @throws Error for a text that is no base64. */
export function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The text that was written as UTF-8; what is none of it becomes U+FFFD. @throws Error for a text that is no base64. */
export function textOfBase64(text: string): string {
  return new TextDecoder().decode(bytesOfBase64(text));
}
