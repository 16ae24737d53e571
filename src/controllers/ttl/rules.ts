/** The rules of the TTL controller of nodes. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

/** Times in seconds. */
interface SizeFacts extends Facts {
  readonly nodes: number;
  readonly seconds: number;
}

const ofNodes = (nodes: number): string => `the cluster has ${nodes} ${nodes === 1 ? "node" : "nodes"}`;

const looksAt = ["metadata.annotations of the node", "the number of nodes"];
const source = "ttl_controller.go updateNodeIfNeeded";

/** A node's TTL does not match the cluster's size. */
export const annotate: Rule<SizeFacts> = rule<SizeFacts>({
  id: "annotate",
  looksAt,
  chooses:
    "Kubelets cache Secrets and ConfigMaps for the time in the annotation node.alpha.kubernetes.io/ttl: 0 s up to 100 nodes, 15 s up to 500, 30 s up to 1,000, 60 s up to 2,000, 300 s beyond. When the cluster shrinks, the shorter time returns at a tenth fewer nodes.",
  sentence: ({ nodes, seconds }) => `${ofNodes(nodes)} → node.alpha.kubernetes.io/ttl: ${seconds}`,
  example: { nodes: 120, seconds: 15 },
  source,
});

/** A node's TTL is correct. */
export const asItShouldBe: Rule<SizeFacts> = rule<SizeFacts>({
  id: "as-it-should-be",
  looksAt,
  chooses: "A node whose annotation has the time for the cluster's size is left alone.",
  sentence: ({ nodes, seconds }) => `${ofNodes(nodes)}, and the annotation says ${seconds} → nothing`,
  example: { nodes: 3, seconds: 0 },
  source,
});

/** All of them. */
export const rules: readonly Rule[] = [annotate, asItShouldBe];
