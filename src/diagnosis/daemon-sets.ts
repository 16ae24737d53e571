/** What a DaemonSet waits for: by its counts and its pods; and why nodes have none. */
import { Nodes } from "../api/kinds.ts";
import { nodeFits } from "../api/node-fit/daemon-fit.ts";
import { pluralize } from "../api/pluralize.ts";
import type { DaemonSet, Node } from "../api/types.ts";
import type { Examined, Item } from "./diagnosis.ts";
import { unseenGeneration } from "./generations.ts";
import { aside, type Look } from "./look.ts";
import { withPods } from "./replicas.ts";
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
    ...(misplaced > 0 ? [`${pluralize(misplaced, "node")} run one but should not`] : []),
  ];
  const says = unseenSpec[0]?.why ?? parts.join(", ");
  const nodes = look.list(Nodes, "");
  const notes = nodes.unseen.length > 0 ? [] : nodesWithout(item.object, nodes.objects);
  const examined = withPods(look, item, { says, reached, first: unseenSpec, notes });
  const seen = nodes.unseen.length > 0 ? [] : [pluralize(nodes.objects.length, "Node")];
  return { ...examined, seen: [...examined.seen, ...seen], unseen: [...examined.unseen, ...aside(nodes.unseen)] };
}

/** How many nodes are named for one reason. */
const namedAtMost = 3;

/** `not on 2 nodes (a, b): the template's node selector or affinity does not match`, one line for each reason. */
function nodesWithout(set: DaemonSet, nodes: readonly Node[]): string[] {
  if (nodes.length === 0) return ["there are no nodes"];
  const fits = nodeFits(set);
  const names = new Map<string, string[]>();
  for (const node of nodes) {
    const { why } = fits(node);
    if (why !== undefined) names.set(why, [...(names.get(why) ?? []), node.metadata.name]);
  }
  return [...names].map(([why, those]) => {
    const more = those.length - namedAtMost;
    const named = [...those.slice(0, namedAtMost), ...(more > 0 ? [`${more} more`] : [])].join(", ");
    return `not on ${pluralize(those.length, "node")} (${named}): ${why}`;
  });
}
