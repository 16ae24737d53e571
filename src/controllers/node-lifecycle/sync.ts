/** One sync of a node: what the last check of all nodes planned for it, and what its conditions require. */
import { Nodes } from "../../api/kinds.ts";
import type { Node } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { runIndependent } from "../../controller/workload/run-independent.ts";
import { labelsToSet } from "./labels.ts";
import { type Lift, memory, type Plan } from "./memory.ts";
import type { NodeLifecycleOptions } from "./options.ts";
import { lift, relabel, scheduleTaints, swap } from "./rules.ts";
import { becomeUnknown } from "./silence.ts";
import { notReady, scheduleTaintChanges, unreachable } from "./taints.ts";
import { leaveTurns, taintInTurn } from "./turn.ts";
import { writeTaints } from "./write-taints.ts";

/**
 * Carries out the node's plan, corrects its NoSchedule taints and its labels, and taints it with NoExecute if it is its turn. These do not
 * depend on each other: in upstream they are separate loops.
 * @throws the API server's refusals, as one.
 */
export async function syncNode(context: SyncContext, options: NodeLifecycleOptions): Promise<void> {
  const { plans, lifts } = context.state(memory);
  const [plan, why] = [plans.get(context.key) ?? {}, lifts.get(context.key)];
  plans.delete(context.key);
  lifts.delete(context.key);
  // Each starts from the node as it is by then.
  const withNode = (step: (node: Node) => Promise<void>) => async (): Promise<void> => {
    const node = context.cache(Nodes).get(context.key);
    if (node !== undefined) await step(node);
  };
  let hasWritten = false;
  await runIndependent([
    withNode((node) => liftTaints(context, { node, why })),
    withNode(async (node) => {
      hasWritten = plan.isSilent === true && (await becomeUnknown(context, { node, options }));
      await swapTaints(context, { node, plan });
    }),
    withNode((node) => followConditions(context, node)),
    withNode((node) => followLabels(context, node)),
    // A status written above is not in the cache yet: its delta requeues the key.
    withNode((node) => (hasWritten ? Promise.resolve() : taintInTurn(context, node))),
  ]);
  if (context.cache(Nodes).get(context.key) === undefined) leaveTurns(context);
}

interface Lifting {
  readonly node: Node;
  readonly why: Lift | undefined;
}

/** As in upstream, a refusal leaves the taints of a new node, and those that are there when no node is ready any more. */
async function liftTaints(context: SyncContext, { node, why }: Lifting): Promise<void> {
  if (why === undefined) return;
  const because = context.decide(lift, { why });
  // One at a time, as in upstream.
  for (const taint of [unreachable, notReady]) await writeTaints(context, { node, add: [], remove: [taint], because });
}

interface Planned {
  readonly node: Node;
  readonly plan: Plan;
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
