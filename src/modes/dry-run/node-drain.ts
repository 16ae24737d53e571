/**
 * `kubectl drain --ignore-daemonsets --force --delete-emptydir-data`, once the node is cordoned: it evicts the pods of the node, and
 * retries every 5 s what budgets refuse. Source: kubectl v0.36 pkg/drain/{drain,filters}.go; differs: it never gives up.
 */
import { keyOf, splitKey } from "../../api/key.ts";
import { DaemonSets, Nodes, Pods } from "../../api/kinds.ts";
import { controllerOf } from "../../api/owner-references.ts";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import type { DaemonSet, Node, Pod } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import { type Rule, rule } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import { indexByNodeName, nodeNameIndex, podsOfNode } from "../../controller/workload/pods-of-node.ts";
import type { NodeQuestions } from "./node-questions.ts";

const evictRule: Rule<{ readonly node: string }> = rule<{ readonly node: string }>({
  id: "evict",
  looksAt: ["the pods of the node: their owners, their annotations, their phase"],
  chooses:
    "Pods are evicted, except static pods and those of DaemonSets; evictions that a budget refuses are requested again after 5 s.",
  sentence: ({ node }) => `${node} is drained → evict it`,
  example: { node: "node-1" },
  source: "kubectl pkg/drain/drain.go evictPods",
});

const mirrorAnnotation = "kubernetes.io/config.mirror";
const retryAfterMs = 5000;

/** Whether it is a mirror pod: the API object for a pod that the kubelet reads from a file. */
export function isStaticPod({ metadata }: Pod): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}

/** Evicts the pods of the nodes that are drained. */
export function drainOf(questions: NodeQuestions): ControllerDefinition {
  return defineController<Pod>({
    name: "kubectl-drain",
    purpose: "evicts the pods of a node, as kubectl drain does",
    for: Pods,
    watches: [
      watch<Pod>({ kind: Pods, indexes: { [nodeNameIndex]: indexByNodeName }, on() {} }),
      watch<DaemonSet>({ kind: DaemonSets, on() {} }),
      watch<Node>({
        kind: Nodes,
        on({ type, object: node }, context) {
          const { name } = node.metadata;
          if (type === "deleted" || node.spec?.unschedulable !== true || !questions.drained.has(name)) return;
          for (const pod of podsOfNode(context.cache(Pods), name)) context.enqueue(keyOf(pod));
        },
      }),
    ],
    workers: 8,
    recordsEvents: false,
    rules: [evictRule],
    sync: (_key, context) => evict(context, questions),
  });
}

async function evict(context: SyncContext, { drained, refusals }: NodeQuestions): Promise<void> {
  const pod = context.cache(Pods).get(context.key);
  const node = pod?.spec?.nodeName ?? "";
  if (pod === undefined || !drained.has(node) || pod.metadata.deletionTimestamp !== undefined) return;
  if (isStaticPod(pod) || isOfDaemonSet(context, pod)) return;
  const because = context.decide(evictRule, { node });
  try {
    await context.client.evict(splitKey(context.key), { because, basedOn: pod, signal: context.signal });
    refusals.delete(context.key);
  } catch (error) {
    if (isNotFound(error)) return;
    if (!(error instanceof StatusError) || ![403, 429, 500].includes(error.code)) throw error;
    refusals.set(context.key, refusalOf(error));
    // kubectl gives up on a pod covered by more than one budget.
    if (error.code !== 500) context.enqueueAfter(retryAfterMs, "kubectl drain tries again", { background: true });
  }
}

/** A pod whose DaemonSet is gone is evicted, as with `--force`; so is a terminated one. */
function isOfDaemonSet(context: SyncContext, pod: Pod): boolean {
  const owner = controllerOf(pod);
  if (owner?.kind !== DaemonSets.kind || isPodTerminal(pod)) return false;
  return context.cache(DaemonSets).getNamespaced(pod.metadata.namespace ?? "", owner.name) !== undefined;
}

/** `PodDisruptionBudget web: …` if the error names the budget. */
function refusalOf(error: StatusError): string {
  const [cause] = error.status.details?.causes ?? [];
  return cause?.message ?? error.message;
}
