import { DaemonSets, Nodes } from "../../api/kinds.ts";
import type { DaemonSet } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { type DaemonSync, recordEvent } from "./daemon-sync.ts";
import { cleanUp, constructHistory, type History } from "./history.ts";
import { managePods } from "./manage.ts";
import { nodeFits } from "../../api/node-fit/daemon-fit.ts";
import { rollOut } from "./rollout.ts";
import { beingDeleted, selectingAll, wait } from "./rules.ts";
import { selectorFor, selectsAll } from "./spec.ts";
import { updateStatus } from "./write-status.ts";

/**
 * Puts the pods of one DaemonSet on the nodes that should run one, rolls out its template, and brings its status up to date with what the
 * cache then shows.
 *
 * Source: kubernetes v1.36 pkg/controller/daemon/daemon_controller.go syncDaemonSet, updateDaemonSet.
 */
export async function syncDaemonSet(context: SyncContext): Promise<void> {
  const { key, consistency, expectations } = context;
  consistency.ensureReady(key);
  const set = context.cache(DaemonSets).get(key);
  if (set === undefined) {
    expectations.forget(key);
    consistency.forget(key);
    return;
  }
  const nodes = context.cache(Nodes).list();
  if (isLeftAlone(context, set)) return;
  const sync: DaemonSync = {
    context,
    set,
    selector: selectorFor(set),
    nodes,
    fitOf: nodeFits(set),
    claimed: new Map(),
  };
  const history = await constructHistory(sync);
  const { hash } = history;
  if (!expectations.satisfied(key)) {
    const expected = expectations.of(key);
    const creations = Math.max(0, expected?.creations ?? 0);
    context.decide(wait, { creations, deletions: expected?.deletions.size ?? 0 });
    await updateStatus(sync, { hash, isObserved: false });
    return;
  }
  // The status is written even if creating or deleting pods fails; then that failure is thrown.
  let failure: { readonly error: unknown } | undefined;
  try {
    await updatePods(sync, history);
  } catch (error) {
    failure = { error };
  }
  try {
    await updateStatus(sync, { hash, isObserved: true });
  } catch (error) {
    failure ??= { error };
  }
  if (failure !== undefined) throw failure.error;
}

function isLeftAlone(context: SyncContext, set: DaemonSet): boolean {
  if (selectsAll(set)) {
    const message = "This daemon set is selecting all pods. A non-empty selector is required.";
    recordEvent({ context, set }, { type: "Warning", reason: "SelectingAll", message });
    context.decide(selectingAll, {});
    return true;
  }
  if (set.metadata.deletionTimestamp === undefined) return false;
  context.decide(beingDeleted, {});
  return true;
}

/** A rollout continues once no pods are missing or excess. */
async function updatePods(sync: DaemonSync, history: History): Promise<void> {
  const { key, expectations } = sync.context;
  await managePods(sync, history.hash);
  if (expectations.satisfied(key)) await rollOut(sync, history.hash);
  await cleanUp(sync, history);
}
