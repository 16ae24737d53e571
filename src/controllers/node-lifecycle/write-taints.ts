/**
 * Adds and removes taints of a node.
 * Source: kubernetes v1.36 pkg/controller/controller_utils.go AddOrUpdateTaintOnNode, RemoveTaintOffNode, PatchNodeTaints.
 */
import { Nodes } from "../../api/kinds.ts";
import { formatTime } from "../../api/time.ts";
import type { Node, Taint } from "../../api/types.ts";
import { type ConflictBackoff, retryOnConflict } from "../../controller/api/retry-on-conflict.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { hasTaint, isSameTaint, type TaintChanges } from "./taints.ts";

const backoff: ConflictBackoff = { attempts: 5, firstDelayMs: 100, factor: 1 };

/** What is written, and why. */
export interface TaintWrite extends TaintChanges {
  readonly node: Node;
  readonly because: Decision;
}

/**
 * Adds with timestamps, then removes what the cached node has. Works on the live node's taints: a list is written as a whole.
 * @throws StatusError: 404 if the node is gone, 409 if it changed meanwhile five times.
 */
export async function writeTaints(context: SyncContext, { node, add, remove, because }: TaintWrite): Promise<void> {
  const timeAdded = formatTime(context.now());
  const added = add.map((taint) => ({ ...taint, timeAdded }));
  const name = node.metadata.name;
  if (added.length > 0) await change(context, { name, because, to: (taints) => withTaints(taints, added) });
  if (!remove.some((taint) => hasTaint(node, taint))) return;
  await change(context, { name, because, to: (taints) => withoutTaints(taints, remove) });
}

/** Each takes the position of the one it replaces; otherwise appended. */
function withTaints(taints: readonly Taint[], added: readonly Taint[]): readonly Taint[] {
  const replaced = taints.map((taint) => added.find((each) => isSameTaint(each, taint)) ?? taint);
  return [...replaced, ...added.filter((taint) => !taints.some((each) => isSameTaint(each, taint)))];
}

function withoutTaints(taints: readonly Taint[], removed: readonly Taint[]): readonly Taint[] {
  return taints.filter((taint) => !removed.some((each) => isSameTaint(each, taint)));
}

interface Change {
  readonly name: string;
  readonly because: Decision;
  readonly to: (taints: readonly Taint[]) => readonly Taint[];
}

function change(context: SyncContext, { name, because, to }: Change): Promise<void> {
  const { client, signal } = context;
  const at = { namespace: "", name };
  const write = async (): Promise<void> => {
    const live = await client.get(Nodes, at, { signal });
    const before = live.spec?.taints ?? [];
    const taints = to(before);
    if (taints.length === before.length && taints.every((taint) => before.includes(taint))) return;
    const { resourceVersion } = live.metadata;
    const body = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
    await client.patch(Nodes, at, { type: "strategic", body }, { because, basedOn: live, signal });
  };
  return retryOnConflict(write, { context, backoff });
}
