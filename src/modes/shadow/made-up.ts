/**
 * Handles uids that shadow made up, for objects that a sync would have created and that a later write of the same sync refers to. The
 * owner's objects have other uids and resourceVersions; the rest of a reference can be compared.
 */
import { isObject } from "../../api/json.ts";

/** The object that the owner wrote, and the made-up uids. */
interface Done {
  readonly did: unknown;
  readonly madeUp: ReadonlySet<string>;
}

/** Returns `meant` with the uid and resourceVersion from the owner's object `did` in each reference to an object with a made-up uid. */
export function withRealUids(meant: unknown, { did, madeUp }: Done): unknown {
  if (Array.isArray(meant)) {
    const items: readonly unknown[] = Array.isArray(did) ? did : [];
    return meant.map((item, index) => withRealUids(item, { did: items[index], madeUp }));
  }
  if (!isObject(meant) || !isObject(did)) return meant;
  const isReference = typeof meant["uid"] === "string" && madeUp.has(meant["uid"]) && typeof did["uid"] === "string";
  return Object.fromEntries(
    Object.entries(meant).map(([key, item]) => [
      key,
      isReference && (key === "uid" || key === "resourceVersion")
        ? did[key]
        : withRealUids(item, { did: did[key], madeUp }),
    ]),
  );
}
