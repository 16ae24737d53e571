/** Events about nodes. Source: kubernetes v1.36 pkg/controller/util/node/controller_utils.go RecordNodeEvent, RecordNodeStatusChange. */
import { Nodes } from "../../api/kinds.ts";
import type { Node } from "../../api/types.ts";
import type { WatchContext } from "../../controller/api/definition.ts";

/** Records what happens to a node: `Node NAME what`. As in upstream, the Event does not include the node's resourceVersion. */
export function recordAboutNode(
  context: Pick<WatchContext, "event">,
  { node, reason, what }: { readonly node: Node; readonly reason: string; readonly what: string },
): void {
  const about: Node = { metadata: { ...node.metadata, resourceVersion: "" } };
  context.event(Nodes, about, { type: "Normal", reason, message: `Node ${node.metadata.name} ${what}` });
}
