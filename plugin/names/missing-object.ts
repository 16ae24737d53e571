/** Whether an object that was named exists: nothing is shown of one that does not, and its absence should be said. */
import { splitKey, type ObjectKey } from "../../src/api/key.ts";
import type { Kind } from "../../src/api/kind.ts";
import { isForbidden } from "../../src/api/status-error.ts";
import type { Client } from "../../src/client/api/verbs.ts";

/** An object that may not exist. */
export interface Sought {
  readonly kind: Kind;
  /** Without a namespace: in any. */
  readonly key: ObjectKey;
}

/** Asks the server. False if the user may not list it. @throws StatusError, TransportError. */
export async function isMissing(client: Client, { kind, key }: Sought): Promise<boolean> {
  const { namespace, name } = splitKey(key);
  const where = namespace === "" ? {} : { namespace };
  try {
    const { items } = await client.list(kind, { ...where, fieldSelector: `metadata.name=${name}`, limit: 1 });
    return items.length === 0;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}

/** An object that does not exist. */
export interface MissingObject {
  /** The kinds that it may have. */
  readonly kinds: readonly string[];
  readonly key: ObjectKey;
  /** What is shown once it exists; undefined if the command does not wait for that. */
  readonly shown: "syncs" | "deltas" | undefined;
}

/** `there is no Deployment shop/web; its syncs are shown as soon as it exists`. */
export function missingText({ kinds, key, shown }: MissingObject): string {
  const later = shown === undefined ? "" : `; its ${shown} are shown as soon as it exists`;
  return `there is no ${kinds.join(" or ")} ${key}${later}`;
}
