/** A write of a sync in shadow mode: simulated, and never sent to the cluster. */
import type { ObjectKey } from "../../api/key.ts";
import type { ObjectMeta, StoredObject } from "../../api/object.ts";
import type { ApiRequest } from "../../api/transport.ts";
import type { MadeUp } from "./made-up.ts";

/** A would-be write, with the object before and after it. */
export interface WouldBeWrite {
  readonly request: ApiRequest;
  readonly group: string;
  readonly kind: string;
  readonly subresource: string;
  readonly target: ObjectKey;
  readonly verb: "create" | "update" | "patch" | "delete";
  /** The request body of a create, without what the server would add. */
  readonly sent: unknown;
  readonly before: StoredObject | undefined;
  /** Undefined if the object would no longer exist. */
  readonly after: StoredObject | undefined;
  /** Uids and names of objects created earlier in the sync; the owner's objects have others. Unset if there are none. */
  readonly madeUp?: MadeUp;
}

/** Whether a create leaves the name to the server (generateName). */
export function isGenerated({ verb, sent }: Pick<WouldBeWrite, "verb" | "sent">): boolean {
  const { metadata } = (sent ?? {}) as { readonly metadata?: ObjectMeta };
  return verb === "create" && (metadata?.name ?? "") === "";
}

/** Whether a write changes an object, rather than creating or deleting it. */
export function isChange({ verb }: Pick<WouldBeWrite, "verb">): boolean {
  return verb === "update" || verb === "patch";
}
