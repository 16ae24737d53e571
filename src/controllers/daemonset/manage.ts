/**
 * Ensures one pod on each node that should run one, rollouts aside.
 * Source: kubernetes v1.36 pkg/controller/daemon/daemon_controller.go manage, podsShouldBeOnNode.
 */
import type { Decision } from "../../controller/api/rule.ts";
import { podsByNode } from "./daemon-pods.ts";
import { type DaemonSync, recordEvent } from "./daemon-sync.ts";
import { backoffId, failedPodsBackoff } from "./failed-pods-backoff.ts";
import { planNodes, type PodToRemove, type Removal } from "./plan-nodes.ts";
import {
  createPods,
  deleteExcess,
  deleteFailed,
  deleteMisplaced,
  deleteSucceeded,
  deleteWithoutNode,
  keepFailed,
  type LeftOut,
  steady,
} from "./pod-rules.ts";
import { deleteSuperseded } from "./rollout-rules.ts";
import { burstReplicas, writePods } from "./write-pods.ts";

const namedInFacts = 8;

/** Creates missing pods and deletes unwanted ones. @throws the errors of the writes, as one. */
export async function managePods(sync: DaemonSync, hash: string): Promise<void> {
  const { context, set, nodes, fitOf } = sync;
  const plan = planNodes({ set, nodes, pods: await podsByNode(sync), fitOf, hash, now: context.now() });
  const toRemove = withoutThoseInBackoff(sync, plan.remove).slice(0, burstReplicas);
  const toCreate = plan.create.slice(0, burstReplicas);
  const because = decideOnRemovals(sync, toRemove);
  const remove = toRemove.flatMap(({ pod, why }) => {
    const decision = because.get(why);
    return decision === undefined ? [] : [{ pod, because: decision }];
  });
  const facts = { desired: nodes.filter((node) => fitOf(node).shouldRun).length, leftOut: leftOut(sync) };
  const isSteady = plan.create.length === 0 && plan.remove.length === 0;
  if (isSteady) context.decide(steady, facts);
  const create =
    toCreate.length === 0
      ? undefined
      : {
          nodes: toCreate,
          because: context.decide(createPods, { ...namesOf(toCreate), missing: plan.create.length, ...facts }),
        };
  await writePods(sync, { create, remove, hash });
}

/** The first few names, and how many there are. */
export function namesOf(names: readonly string[]): { readonly names: readonly string[]; readonly count: number } {
  return { names: names.slice(0, namedInFacts), count: names.length };
}

/** Why nodes are excluded, and how many for each reason. */
function leftOut({ nodes, fitOf }: DaemonSync): readonly LeftOut[] {
  const reasons = new Map<string, LeftOut>();
  for (const node of nodes) {
    const { why } = fitOf(node);
    if (why === undefined) continue;
    const known = reasons.get(why);
    reasons.set(why, { why, nodes: (known?.nodes ?? 0) + 1, first: known?.first ?? node.metadata.name });
  }
  return [...reasons.values()].sort((a, b) => b.nodes - a.nodes);
}

/** Reports each terminated pod, and leaves out failed ones whose node is in back-off: the key is requeued for them. */
function withoutThoseInBackoff(sync: DaemonSync, all: readonly PodToRemove[]): readonly PodToRemove[] {
  const { context, set } = sync;
  const backoff = context.state(failedPodsBackoff);
  return all.filter(({ pod, node, why }) => {
    const { namespace = "", name } = pod.metadata;
    if (why === "succeeded") {
      const message = `Found succeeded daemon pod ${namespace}/${name} on node ${node}, will try to delete it`;
      recordEvent(sync, { type: "Normal", reason: "SucceededDaemonPod", message });
    }
    if (why !== "failed") return true;
    const [id, now] = [backoffId(set, node), context.now()];
    const inMs = backoff.delayOf(id, now);
    if (inMs !== undefined) {
      const { sentence } = context.decide(keepFailed, { ...namesOf([name]), inMs });
      context.enqueueAfter(inMs, sentence);
      return false;
    }
    backoff.deleted(id, now);
    const message = `Found failed daemon pod ${namespace}/${name} on node ${node}, will try to kill it`;
    recordEvent(sync, { type: "Warning", reason: "FailedDaemonPod", message });
    return true;
  });
}

/** One decision for each reason. */
function decideOnRemovals(sync: DaemonSync, all: readonly PodToRemove[]): ReadonlyMap<Removal, Decision> {
  const reasons = new Set(all.map(({ why }) => why));
  return new Map(
    [...reasons].map((why) => [why, decideOn(sync, { why, some: all.filter((each) => each.why === why) })]),
  );
}

function decideOn(
  { context, nodes, fitOf }: DaemonSync,
  { why, some }: { readonly why: Removal; readonly some: readonly PodToRemove[] },
): Decision {
  const names = namesOf(some.map(({ pod }) => pod.metadata.name));
  const node = some[0]?.node ?? "";
  switch (why) {
    case "failed":
      return context.decide(deleteFailed, names);
    case "succeeded":
      return context.decide(deleteSucceeded, names);
    case "excess":
      return context.decide(deleteExcess, names);
    case "superseded":
      return context.decide(deleteSuperseded, names);
    case "no node":
      return context.decide(deleteWithoutNode, { ...names, node });
    case "misplaced": {
      const found = nodes.find(({ metadata }) => metadata.name === node);
      return context.decide(deleteMisplaced, { ...names, node, why: found && (fitOf(found).why ?? "") });
    }
  }
}
