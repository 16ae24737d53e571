/**
 * Handles uids and generated names that shadow made up, for objects that a sync would have created and that a later write of the same sync
 * refers to. The owner's objects have others, and other resourceVersions; the rest of a reference can be compared.
 */
import { isObject } from "../../api/json.ts";

/** What shadow made up in a sync. */
export interface MadeUp {
  readonly uids: ReadonlySet<string>;
  /** The `generateName` of each made-up name. */
  readonly names: ReadonlyMap<string, string>;
}

/** The object that the owner wrote, and what was made up. */
interface Done {
  readonly did: unknown;
  readonly madeUp: MadeUp;
}

/**
 * Returns `meant` with what the owner's object `did` has instead of what was made up: in a reference its uid and resourceVersion, and each
 * name that was generated from the same `generateName`.
 */
export function withReal(meant: unknown, { did, madeUp }: Done): unknown {
  if (typeof meant === "string") {
    const prefix = madeUp.names.get(meant);
    return prefix !== undefined && typeof did === "string" && did.startsWith(prefix) ? did : meant;
  }
  if (Array.isArray(meant)) {
    const items: readonly unknown[] = Array.isArray(did) ? did : [];
    return meant.map((item, index) => withReal(item, { did: items[index], madeUp }));
  }
  if (!isObject(meant) || !isObject(did)) return meant;
  const { uids } = madeUp;
  const isReference = typeof meant["uid"] === "string" && uids.has(meant["uid"]) && typeof did["uid"] === "string";
  return Object.fromEntries(
    Object.entries(meant).map(([key, item]) => [
      key,
      isReference && (key === "uid" || key === "resourceVersion")
        ? did[key]
        : withReal(item, { did: did[key], madeUp }),
    ]),
  );
}
