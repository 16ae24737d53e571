/** `Warning` headers. Source: apiserver v0.36 endpoints/filters/warning.go. */

/** The maximum length of all warnings together and, if they exceed it, of each, in characters. */
const mostCharacters = 4096;
const mostOfEach = 256;

/** The value of the `warning` header; undefined if there are no warnings. Drops duplicates, and texts with control characters. */
export function warningHeader(warnings: readonly string[]): string | undefined {
  const texts = [...new Set(warnings)]
    .filter((text) => text !== "" && !/\p{Cc}/u.test(text))
    .map((text) => Array.from(text));
  const total = texts.reduce((sum, characters) => sum + characters.length, 0);
  const shown = total > mostCharacters ? shortened(texts) : texts;
  if (shown.length === 0) return undefined;
  return shown.map((characters) => `299 - "${characters.join("").replaceAll(/["\\]/g, "\\$&")}"`).join(", ");
}

/** Truncates each, until there are too many. */
function shortened(texts: readonly (readonly string[])[]): string[][] {
  const shown: string[][] = [];
  let written = 0;
  for (const characters of texts) {
    if (written >= mostCharacters) break;
    const start = characters.slice(0, mostOfEach);
    shown.push(start);
    written += start.length;
  }
  return shown;
}
