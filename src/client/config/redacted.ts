/**
 * Values of a kubeconfig or a flag as errors may show them: errors may be logged, so they must not contain credentials.
 */

/** A URL, or what was meant to be one, without user and password. */
export function withoutUserinfo(url: string): string {
  return JSON.stringify(url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, "$1"));
}

/** The longest file name on any system. */
const maxNameLength = 255;

/** A path; if it cannot be a path, and so may be a secret in the wrong field, only its length. */
export function shownPath(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? "";
  return /[\r\n]/.test(path) || name.length > maxNameLength || path.includes("-----BEGIN")
    ? `a text of ${path.length} characters that is not a path`
    : path;
}

/** The type of a value, to be shown instead of the value. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "boolean") return "a truth value";
  return typeof value === "string" ? "a text" : "a number";
}
