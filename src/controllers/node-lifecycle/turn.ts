/** The order in which the nodes of a zone get their NoExecute taint. Source: node_lifecycle_controller.go doNoExecuteTaintingPass. */
import type { Node } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { nodeCondition } from "../../controller/workload/node-conditions.ts";
import { memory } from "./memory.ts";
import { executeTaint } from "./rules.ts";
import type { Tainter } from "./tainter.ts";
import { hasTaint, notReady, unreachable } from "./taints.ts";
import { writeTaints } from "./write-taints.ts";
import { zoneOf } from "./zone.ts";

/**
 * Taints the node if it is its turn and the zone's rate allows it; the turn of a node that is ready again is used up.
 * @throws the API server's refusal: the node gets another turn after those that wait.
 */
export async function taintInTurn(context: SyncContext, node: Node): Promise<void> {
  const { name } = node.metadata;
  const tainter = context.state(memory).tainters.get(zoneOf(node));
  if (tainter === undefined || tainter.next !== name) return;
  if (!tainter.take(name, context.now())) {
    wakeNext(context, tainter);
    return;
  }
  try {
    await taint(context, node);
  } catch (error) {
    tainter.putBack(name);
    throw error;
  } finally {
    wakeNext(context, tainter);
  }
}

async function taint(context: SyncContext, node: Node): Promise<void> {
  const ready = nodeCondition(node, "Ready")?.status;
  if (ready !== "False" && ready !== "Unknown") return;
  const [add, other] = ready === "False" ? [notReady, unreachable] : [unreachable, notReady];
  const because = context.decide(executeTaint, { ready, taint: `${add.key}:NoExecute`, zone: zoneOf(node) });
  await writeTaints(context, { node, add: [add], remove: hasTaint(node, other) ? [other] : [], because });
}

/** A node that is gone waits for its turn as others do, and uses it up. Source: rate_limited_queue.go Try. */
export function leaveTurns(context: SyncContext): void {
  for (const tainter of context.state(memory).tainters.values()) {
    if (tainter.next !== context.key) continue;
    tainter.take(context.key, context.now());
    wakeNext(context, tainter);
  }
}

function wakeNext(context: SyncContext, tainter: Tainter): void {
  const waitMs = tainter.waitMs(context.now());
  if (tainter.next !== undefined && waitMs < Infinity)
    context.enqueue(tainter.next, "it is its turn to be tainted", waitMs);
}
