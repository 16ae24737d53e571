/**
 * The reconcile that a request belongs to, as stated by the request in the header `Reconcile`, or without an object in W3C's
 * `traceparent`. docs/exact.md describes the format for senders.
 */
import { objectKey, type ObjectKey } from "../api/key.ts";

/** The delta that triggered a reconcile. */
export interface StartedBy {
  readonly kind: string;
  readonly key: ObjectKey;
  readonly resourceVersion: string;
}

/** A reconcile, as stated by its requests. */
export interface ReconcileRef {
  /** Unique to the reconcile, and the same in all its requests. */
  readonly id: string;
  readonly controller?: string;
  /** The reconciled object; `kind` is empty if the request does not name it. */
  readonly object?: { readonly kind: string; readonly key: ObjectKey };
  readonly because?: StartedBy;
  /** Set if no delta triggered it: the previous reconcile failed, or requested a requeue. */
  readonly again?: Again;
}

/** Why a reconcile is repeated without a delta. */
export type Again = "retry" | "requeue";

/** The name of the header, in lower case. */
export const reconcileHeader = "reconcile";

/** `Site shop/web`, `shop/web`, `Node a`. */
const object = /^(?:(\w+) )?(?:([^\s/@]+)\/)?([^\s/@]+)$/;
/** `Pod shop/web-1@812`. */
const delta = /^(\w+) (?:([^\s/@]+)\/)?([^\s/@]+)@(\S+)$/;
const again: ReadonlySet<string> = new Set<Again>(["retry", "requeue"]);
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;
/** Longer headers are ignored. */
const maxHeaderLength = 2048;

/** Reads the reconcile from the headers of a request, whose names are in lower case. Undefined if they state none, or are malformed. */
export function readReconcile(headers: Readonly<Record<string, string>>): ReconcileRef | undefined {
  const own = headers[reconcileHeader];
  if (own !== undefined && own.length <= maxHeaderLength) return readHeader(own);
  const id = traceparent.exec(headers["traceparent"] ?? "")?.[1];
  return id === undefined ? undefined : { id };
}

function readHeader(text: string): ReconcileRef | undefined {
  const fields = new Map(
    text.split(";").map((part) => {
      const [name = "", ...value] = part.split("=");
      return [name.trim(), value.join("=").trim()];
    }),
  );
  const id = fields.get("id") ?? "";
  if (id === "") return undefined;
  const controller = fields.get("controller") ?? "";
  const named = object.exec(fields.get("object") ?? "");
  const because = fields.get("because") ?? "";
  const by = delta.exec(because);
  return {
    id,
    ...(controller !== "" && { controller }),
    ...(named !== null && { object: { kind: named[1] ?? "", key: objectKey(named[2], named[3] ?? "") } }),
    ...(isAgain(because) && { again: because }),
    ...(by !== null && {
      because: { kind: by[1] ?? "", key: objectKey(by[2], by[3] ?? ""), resourceVersion: by[4] ?? "" },
    }),
  };
}

function isAgain(text: string): text is Again {
  return again.has(text);
}

/** The value of the header: `controller=replicaset; object=shop/web; id=replicaset-12; because=Pod shop/web-1@812`. */
export function writeReconcile({ id, controller, object: named, because, again: why }: ReconcileRef): string {
  const fields = [
    ...(controller === undefined ? [] : [`controller=${controller}`]),
    ...(named === undefined ? [] : [`object=${named.kind === "" ? named.key : `${named.kind} ${named.key}`}`]),
    `id=${id}`,
    ...(because === undefined ? [] : [`because=${because.kind} ${because.key}@${because.resourceVersion}`]),
    ...(why === undefined ? [] : [`because=${why}`]),
  ];
  return fields.join("; ");
}
