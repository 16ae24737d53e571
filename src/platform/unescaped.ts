/** A part of a URL without percent-encoding; unchanged if it is not validly encoded. */
export function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
