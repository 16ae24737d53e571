/**
 * The reconcile that a request belongs to, as the request itself says it: by the header `Reconcile` or, without an object, by W3C's
 * `traceparent`. docs/exact.md has the format for those who send it.
 */
import { objectKey, type ObjectKey } from "../api/key.ts";

/** The delta that a reconcile was started by. */
export interface StartedBy {
  readonly kind: string;
  readonly key: ObjectKey;
  readonly resourceVersion: string;
}

/** A reconcile, as its requests name it. */
export interface ReconcileRef {
  /** The same in all requests of one reconcile, and in those of no other. */
  readonly id: string;
  readonly controller?: string;
  /** What is reconciled; the kind where the request names it. */
  readonly object?: { readonly kind: string; readonly key: ObjectKey };
  readonly because?: StartedBy;
  /** No delta started it: the one before failed, or asked for another. */
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
const longest = 2048;

/** What the headers of a request say, names in lower case. Undefined where they say nothing, or nothing that can be read. */
export function readReconcile(headers: Readonly<Record<string, string>>): ReconcileRef | undefined {
  const own = headers[reconcileHeader];
  if (own !== undefined && own.length <= longest) return readHeader(own);
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
