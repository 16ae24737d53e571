/** Objects by their kind. */
import type { Kind } from "../api/kind.ts";
import type { StoredObject } from "../api/object.ts";

/** Whether both are the same kind, in any version. */
export function isKind(kind: Kind, other: Kind): boolean {
  return kind.kind === other.kind && kind.group === other.group;
}

/** The object typed as one of the kind; undefined if the item is of another kind. */
export function asKind<T extends StoredObject>(
  item: { readonly kind: Kind; readonly object: StoredObject },
  kind: Kind<T>,
): T | undefined {
  // The kind determines the type of its objects.
  return isKind(item.kind, kind) ? (item.object as T) : undefined;
}
