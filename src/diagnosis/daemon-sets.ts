/** What a DaemonSet waits for: by its counts and its pods; and why nodes have none. */
import { Nodes, Pods } from "../api/kinds.ts";
import { type NodeFits, nodeFits } from "../api/node-fit/daemon-fit.ts";
import { pluralize } from "../api/pluralize.ts";
import type { DaemonSet, Node, Pod } from "../api/types.ts";
import { type Examined, type Finding, inNamespace, type Item, kubectl } from "./diagnosis.ts";
import { unseenGeneration } from "./generations.ts";
import { aside, type Look } from "./look.ts";
import { isServing } from "./pods.ts";
import { controlledPods, onDeleteNote, withPods } from "./replicas.ts";
import { ofAll } from "./spans.ts";

/** By its counts, its pods, and the nodes. */
export function examineDaemonSet(look: Look, item: Item<DaemonSet>): Examined {
  const { spec, status } = item.object;
  const desired = status?.desiredNumberScheduled ?? 0;
  const ready = status?.numberReady ?? 0;
  const unseenSpec = unseenGeneration(look, item);
  const updated = status?.updatedNumberScheduled ?? 0;
  const isRolling = spec?.updateStrategy?.type !== "OnDelete" && updated < desired;
  const misplaced = status?.numberMisscheduled ?? 0;
  const reached =
    unseenSpec.length === 0 &&
    ready === desired &&
    (status?.numberAvailable ?? 0) === desired &&
    (status?.currentNumberScheduled ?? 0) === desired &&
    !isRolling &&
    misplaced === 0;
  const parts = [
    desired === 0 && misplaced === 0 ? "no node should run its pods" : ofAll(ready, desired, "pod", "ready"),
    ...(isRolling ? [ofAll(updated, desired, "pod", "up to date")] : []),
    ...(misplaced > 0
      ? [`${pluralize(misplaced, "node")} ${misplaced === 1 ? "runs" : "run"} one but should not`]
      : []),
  ];
  const says = unseenSpec[0]?.why ?? parts.join(", ");
  const nodes = look.list(Nodes, "");
  const pods = controlledPods(look, item);
  const isKnown = nodes.unseen.length === 0 && pods.unseen.length === 0;
  const placed: Placed = {
    fits: nodeFits(item.object),
    nodes: nodes.objects,
    podsByNode: Map.groupBy(pods.objects.filter(isServing), (pod) => pod.spec?.nodeName ?? ""),
  };
  const uncountedNodes = unseenSpec.length === 0 ? uncountedNote(placed, desired) : [];
  const notes = isKnown
    ? [...outdatedNote(item.object, desired - updated), ...uncountedNodes, ...nodesWithout(placed)]
    : [];
  const wrong = isKnown ? misplacedPods(placed) : [];
  const first = misplaced > 0 ? [...unseenSpec, ...wrong] : unseenSpec;
  // The controller has yet to count these.
  const uncounted = misplaced > 0 ? [] : wrong.map(({ at, why }) => `${at.name} ${why}`);
  const examined = withPods(look, item, {
    says,
    reached,
    counted: status?.currentNumberScheduled ?? 0,
    first,
    notes: [...notes, ...uncounted],
  });
  const seen = nodes.unseen.length > 0 ? [] : [pluralize(nodes.objects.length, "Node")];
  return { ...examined, seen: [...examined.seen, ...seen], unseen: [...examined.unseen, ...aside(nodes.unseen)] };
}

/** How many nodes are named for one reason. */
const namedAtMost = 3;

/** The cluster's nodes, which of them a DaemonSet fits, and its pods that neither ended nor are being deleted. */
interface Placed {
  readonly fits: NodeFits;
  readonly nodes: readonly Node[];
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
}

/** The pods on nodes that would get none now: they stay until they are deleted, unless the taint evicts them. */
function misplacedPods({ fits, nodes, podsByNode }: Placed): readonly Finding[] {
  return nodes.flatMap((node) => {
    const { name } = node.metadata;
    const { why, mayStay } = fits(node);
    if (why === undefined) return [];
    const until = mayStay ? "it stays until it is deleted" : "its controller has to delete it";
    return (podsByNode.get(name) ?? []).map(({ metadata }): Finding => {
      const at = { kind: Pods, namespace: metadata.namespace ?? "", name: metadata.name };
      const advice = mayStay ? [kubectl(`delete pod ${metadata.name}${inNamespace(metadata.namespace)}`)] : [];
      return { at, why: `runs on node ${name}, which would get no new pod, because of ${why}; ${until}`, advice };
    });
  });
}

/**
 * Nodes that should run a pod and do, but that the status lacks.
 * Source: kubernetes v1.36 pkg/controller/daemon/daemon_controller.go syncNodeUpdate: a node wakes a set only if it lacks a pod
 * or has a wrong one.
 */
function uncountedNote({ fits, nodes, podsByNode }: Placed, counted: number): readonly string[] {
  const meant = nodes.filter((node) => fits(node).shouldRun);
  if (meant.length <= counted || meant.some(({ metadata }) => !podsByNode.has(metadata.name))) return [];
  const run = meant.length === 1 ? "1 node runs" : `${meant.length} nodes run`;
  return [
    `${run} its pods, and its status counts ${counted}: a node that comes back under its pod does not wake the controller, any change of the DaemonSet does`,
  ];
}

/** With OnDelete, pods of an earlier template stay until somebody deletes them. */
function outdatedNote({ spec }: DaemonSet, outdated: number): readonly string[] {
  return spec?.updateStrategy?.type === "OnDelete" && outdated > 0 ? [onDeleteNote(outdated)] : [];
}

/** `not on 2 nodes (a, b): the template's node selector or affinity does not match`, one line for each reason. */
function nodesWithout({ fits, nodes, podsByNode }: Placed): string[] {
  if (nodes.length === 0) return ["there are no nodes"];
  const names = new Map<string, string[]>();
  for (const node of nodes) {
    const { why } = fits(node);
    if (why !== undefined && !podsByNode.has(node.metadata.name))
      names.set(why, [...(names.get(why) ?? []), node.metadata.name]);
  }
  return [...names].map(([why, those]) => {
    const more = those.length - namedAtMost;
    const named = [...those.slice(0, namedAtMost), ...(more > 0 ? [`${more} more`] : [])].join(", ");
    return `not on ${pluralize(those.length, "node")} (${named}): ${why}`;
  });
}
