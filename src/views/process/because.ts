/** Why a process reconciled, in words. */
import { splitKey } from "../../api/key.ts";
import { summarizeChanges } from "../field-interest.ts";
import type { Cause } from "./cause.ts";
import type { Episode } from "./episodes.ts";

/** `because Tenant acme Updated (.spec.size)`; what is only near in time is not called a cause. */
export function because({ cause, retryOf, subject: { key } }: Episode): string {
  if (retryOf !== undefined) return "because its last write was refused";
  if (cause === undefined) return "no delta before it";
  if (cause.grade === "time") return `no related delta; the last one was ${deltaText(cause, key)}`;
  const [path] = summarizeChanges(cause.delta.detail.changes, 1).shown.map((change) => change.path);
  return `because ${deltaText(cause, key)}${path === undefined ? "" : ` (${path})`}`;
}

/** `Tenant acme Updated`; with its namespace where that is not the one of the reconciled object. */
export function deltaText({ delta: { of, key, type } }: Cause, reconciled: string): string {
  const { namespace, name } = splitKey(key);
  return `${of.kind} ${namespace === splitKey(reconciled).namespace ? name : key} ${type}`;
}
