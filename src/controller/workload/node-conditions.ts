/** Conditions of nodes. Source: kubernetes v1.36 pkg/util/node/node.go IsNodeReady. */
import type { Node, NodeCondition } from "../../api/types.ts";
import { findCondition } from "./conditions.ts";

/** The node's condition of a type; undefined if it has none. */
export function nodeCondition(node: Node, type: string): NodeCondition | undefined {
  return findCondition(node.status?.conditions, type);
}

/** Whether its condition Ready is True. */
export function isNodeReady(node: Node): boolean {
  return nodeCondition(node, "Ready")?.status === "True";
}
