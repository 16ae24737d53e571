/** The cause of a reconcile, as text. */
import { splitKey } from "../../api/key.ts";
import { summarizeChanges } from "../field-interest.ts";
import type { Episode } from "./episodes.ts";
import type { NumberedDelta } from "./recent-deltas.ts";

/** `because Tenant acme Updated (.spec.size)`, `… or Pod acme-1 Deleted`. A delta that is only close in time is not called a cause. */
export function because({ cause, retryOf, subject: { key } }: Episode): string {
  if (retryOf !== undefined) return "because its last write was refused";
  if (cause === undefined) return "no delta before it";
  const { grade, delta, or } = cause;
  if (grade === "time") return `no related delta; the last one was ${deltaText(delta, key)}`;
  const [path] = summarizeChanges(delta.detail.changes, 1).shown.map((change) => change.path);
  const other = or === undefined ? "" : ` or ${deltaText(or.delta, key)}`;
  return `because ${deltaText(delta, key)}${path === undefined ? "" : ` (${path})`}${other}`;
}

/** `Tenant acme Updated`; the namespace is shown if it differs from that of the reconciled object. */
export function deltaText({ of, key, type }: NumberedDelta, reconciled: string): string {
  const { namespace, name } = splitKey(key);
  return `${of.kind} ${namespace === splitKey(reconciled).namespace ? name : key} ${type}`;
}
