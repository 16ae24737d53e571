/** Values of a kubeconfig or a flag as an error may show them: what is printed may be logged, and must hold no credential. */

/** A URL, or what was meant for one, without the user and password in it. */
export function withoutUserinfo(url: string): string {
  return JSON.stringify(url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, "$1"));
}

/** A part of a URL without its escapes; as it stands where they are none. */
export function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Longer ones are no names of files on any system. */
const longestName = 255;

/** A path; where it cannot be one, and so may be the secret itself in the wrong field, only how long it is. */
export function shownPath(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? "";
  return /[\r\n]/.test(path) || name.length > longestName || path.includes("-----BEGIN")
    ? `a text of ${path.length} characters that is no path`
    : path;
}

/** What a value is, in place of the value. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "boolean") return "a truth value";
  return typeof value === "string" ? "a text" : "a number";
}
