/**
 * Uids that shadow made up: of the objects that a sync would have created, and that a later write of the same sync refers to. The owner's
 * objects have others, and the references to them other versions: the rest of a reference can be compared.
 */
import { isObject } from "../../api/json.ts";

/** What the owner did in place of what was meant, and the uids that were made up. */
interface Done {
  readonly did: unknown;
  readonly madeUp: ReadonlySet<string>;
}

/** `meant` with the owner's uid and version, from `did`, in each reference to an object that shadow would have created. */
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
