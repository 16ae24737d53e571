/** Names that the API server made up. Source: apiserver v0.36 pkg/storage/names/generate.go. */
import type { ObjectMeta } from "./object.ts";

/** Five letters and digits: no vowels, and nothing that looks like another. */
const suffix = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;
/** The server cuts a prefix so that a name has at most 63 letters. */
const longestPrefix = 58;

/**
 * What the name begins with, if the server made up the rest: `web-` of `web-x7k2p`. Undefined for a name of its own, also where the object
 * has a prefix: the pods of a StatefulSet do.
 */
export function generatedPrefix({
  name = "",
  generateName = "",
}: Pick<ObjectMeta, "name" | "generateName">): string | undefined {
  const prefix = generateName.slice(0, longestPrefix);
  return prefix !== "" && name.startsWith(prefix) && suffix.test(name.slice(prefix.length)) ? generateName : undefined;
}
