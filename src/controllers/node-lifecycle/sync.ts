/** One sync of a node: what the last check of all nodes planned for it, and what its conditions require. */
import { Nodes } from "../../api/kinds.ts";
import type { Node } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { labelsToSet } from "./labels.ts";
import { memory, type Plan } from "./memory.ts";
import type { NodeLifecycleOptions } from "./options.ts";
import { lift, relabel, scheduleTaints, swap } from "./rules.ts";
import { becomeUnknown, markPodsLeft } from "./silence.ts";
import { notReady, scheduleTaintChanges, unreachable } from "./taints.ts";
import { leaveTurns, taintInTurn } from "./turn.ts";
import { writeTaints } from "./write-taints.ts";

/**
 * Carries out the node's plan, then corrects its NoSchedule taints and its labels, then taints it with NoExecute if it is its turn.
 * @throws the API server's refusal; the next check plans again.
 */
export async function syncNode(context: SyncContext, options: NodeLifecycleOptions): Promise<void> {
  const remembered = context.state(memory);
  const node = context.cache(Nodes).get(context.key);
  const plan = remembered.plans.get(context.key) ?? {};
  remembered.plans.delete(context.key);
  if (node === undefined) {
    remembered.unmarked.delete(context.key);
    leaveTurns(context);
    return;
  }
  await liftTaints(context, { node, plan });
  const hasWritten = plan.isSilent === true && (await becomeUnknown(context, { node, options }));
  await swapTaints(context, { node, plan });
  await markPodsLeft(context, node);
  await followConditions(context, node);
  await followLabels(context, node);
  // A status written above is not in the cache yet: its delta requeues the key.
  if (!hasWritten) await taintInTurn(context, node);
}

interface Planned {
  readonly node: Node;
  readonly plan: Plan;
}

async function liftTaints(context: SyncContext, { node, plan }: Planned): Promise<void> {
  if (plan.lift === undefined) return;
  const because = context.decide(lift, { why: plan.lift });
  // One at a time, as in upstream.
  for (const taint of [unreachable, notReady]) await writeTaints(context, { node, add: [], remove: [taint], because });
}

async function swapTaints(context: SyncContext, { node, plan }: Planned): Promise<void> {
  if (plan.swapTo === undefined) return;
  const [add, remove] = plan.swapTo === "not-ready" ? [notReady, unreachable] : [unreachable, notReady];
  const ready = plan.swapTo === "not-ready" ? "False" : "Unknown";
  const because = context.decide(swap, { ready, taint: `${add.key}:NoExecute` });
  await writeTaints(context, { node, add: [add], remove: [remove], because });
}

async function followConditions(context: SyncContext, node: Node): Promise<void> {
  const { add, remove } = scheduleTaintChanges(node);
  if (add.length === 0 && remove.length === 0) return;
  const facts = { add: add.map(({ key }) => key), remove: remove.map(({ key }) => key) };
  await writeTaints(context, { node, add, remove, because: context.decide(scheduleTaints, facts) });
}

async function followLabels(context: SyncContext, node: Node): Promise<void> {
  const labels = labelsToSet(node);
  const texts = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  if (texts.length === 0) return;
  const because = context.decide(relabel, { labels: texts });
  const at = { namespace: "", name: node.metadata.name };
  const body = { metadata: { labels } };
  const options = { because, basedOn: node, signal: context.signal };
  await context.client.patch(Nodes, at, { type: "strategic", body }, options);
}
