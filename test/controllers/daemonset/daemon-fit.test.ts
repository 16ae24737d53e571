import { describe, expect, test } from "bun:test";
import { nodeFits } from "../../../src/api/node-fit/daemon-fit.ts";
import { daemonSetOf, gpu, nodeOf, type NodeParts, toleratingGpu } from "./objects.ts";

interface Row {
  readonly name: string;
  /** Fields of the template's spec. */
  readonly pod?: object;
  readonly node?: NodeParts;
  readonly fits: "should run" | "may stay" | "neither";
}

function required(...terms: readonly object[]): object {
  return {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  };
}

const onSsd = { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] };
const onlyNode1 = { matchFields: [{ key: "metadata.name", operator: "In", values: ["node-1"] }] };
const ssd: NodeParts = { labels: { disk: "ssd" } };
const taintOf = (key: string, effect: string): NodeParts => ({
  taints: [{ key: `node.kubernetes.io/${key}`, effect }],
});

const rows: readonly Row[] = [
  { name: "a node without taints should run a pod", fits: "should run" },
  { name: "the node that the template names should run a pod", pod: { nodeName: "node-1" }, fits: "should run" },
  {
    name: "another node than the one that the template names should not",
    pod: { nodeName: "node-2" },
    fits: "neither",
  },
  {
    name: "a label of the node selector matches",
    pod: { nodeSelector: { disk: "ssd" } },
    node: ssd,
    fits: "should run",
  },
  { name: "a label of the node selector is missing", pod: { nodeSelector: { disk: "ssd" } }, fits: "neither" },
  {
    name: "a label of the node selector has another value",
    pod: { nodeSelector: { disk: "ssd" } },
    node: { labels: { disk: "hdd" } },
    fits: "neither",
  },
  {
    name: "the name fits but the selector does not",
    pod: { nodeName: "node-1", nodeSelector: { disk: "ssd" } },
    fits: "neither",
  },
  { name: "a required term matches by label", pod: required(onSsd), node: ssd, fits: "should run" },
  { name: "no required term matches by label", pod: required(onSsd), fits: "neither" },
  { name: "one of two required terms matches", pod: required(onSsd, onlyNode1), fits: "should run" },
  { name: "a required term matches by the node's name", pod: required(onlyNode1), fits: "should run" },
  {
    name: "a required term excludes the node by its name",
    pod: required({ matchFields: [{ key: "metadata.name", operator: "NotIn", values: ["node-1"] }] }),
    fits: "neither",
  },
  { name: "a term must match by label and by name", pod: required({ ...onSsd, ...onlyNode1 }), fits: "neither" },
  { name: "an empty term matches no node", pod: required({}), fits: "neither" },
  { name: "no term at all matches no node", pod: required(), fits: "neither" },
  {
    name: "a term with an unknown operator matches no node",
    pod: required({ matchExpressions: [{ key: "disk", operator: "Is", values: ["ssd"] }] }),
    node: ssd,
    fits: "neither",
  },
  {
    name: "a preferred term excludes no node",
    pod: {
      affinity: {
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: onSsd }] },
      },
    },
    fits: "should run",
  },
  { name: "a NoSchedule taint excludes new pods, but existing ones stay", node: { taints: [gpu] }, fits: "may stay" },
  {
    name: "a NoExecute taint excludes existing pods, too",
    node: { taints: [{ key: "dedicated", effect: "NoExecute" }] },
    fits: "neither",
  },
  {
    name: "a PreferNoSchedule taint excludes no pod",
    node: { taints: [{ ...gpu, effect: "PreferNoSchedule" }] },
    fits: "should run",
  },
  {
    name: "a tolerated taint excludes no pod",
    pod: { tolerations: [toleratingGpu] },
    node: { taints: [gpu] },
    fits: "should run",
  },
  {
    name: "of two taints both must be tolerated",
    pod: { tolerations: [toleratingGpu] },
    node: { taints: [gpu, { key: "full", effect: "NoExecute" }] },
    fits: "neither",
  },
  {
    name: "a toleration of everything tolerates any taint",
    pod: { tolerations: [{ operator: "Exists" }] },
    node: { taints: [gpu, { key: "full", effect: "NoExecute" }] },
    fits: "should run",
  },
  {
    name: "the operators Gt and Lt tolerate nothing: their feature gate is off",
    pod: { tolerations: [{ key: "size", operator: "Gt", value: "1", effect: "NoSchedule" }] },
    node: { taints: [{ key: "size", value: "2", effect: "NoSchedule" }] },
    fits: "may stay",
  },
  { name: "a node that is not ready", node: taintOf("not-ready", "NoExecute"), fits: "should run" },
  { name: "an unreachable node", node: taintOf("unreachable", "NoExecute"), fits: "should run" },
  { name: "a node with disk pressure", node: taintOf("disk-pressure", "NoSchedule"), fits: "should run" },
  { name: "a node with memory pressure", node: taintOf("memory-pressure", "NoSchedule"), fits: "should run" },
  { name: "a node with PID pressure", node: taintOf("pid-pressure", "NoSchedule"), fits: "should run" },
  { name: "a cordoned node", node: taintOf("unschedulable", "NoSchedule"), fits: "should run" },
  { name: "a node without network", node: taintOf("network-unavailable", "NoSchedule"), fits: "may stay" },
  {
    name: "a node without network, for pods on the host network",
    pod: { hostNetwork: true },
    node: taintOf("network-unavailable", "NoSchedule"),
    fits: "should run",
  },
  { name: "a node that is not ready, by NoSchedule", node: taintOf("not-ready", "NoSchedule"), fits: "may stay" },
];

const inWords = ({ shouldRun, mayStay }: { shouldRun: boolean; mayStay: boolean }): Row["fits"] =>
  shouldRun ? "should run" : mayStay ? "may stay" : "neither";

describe("which nodes should run a pod", () => {
  test.each(rows)("$name", ({ pod = {}, node = {}, fits }) => {
    const fit = nodeFits(daemonSetOf({ pod }))(nodeOf("node-1", node));
    expect(inWords(fit)).toBe(fits);
    expect(fit.mayStay || !fit.shouldRun).toBe(true);
  });

  test("the reason why a node is excluded", () => {
    const why = (pod: object, node: NodeParts = {}): string | undefined =>
      nodeFits(daemonSetOf({ pod }))(nodeOf("node-1", node)).why;
    expect(why({})).toBeUndefined();
    expect(why({ nodeName: "node-2" })).toBe("the template names the node node-2");
    expect(why({ nodeSelector: { disk: "ssd" } })).toBe("the template's node selector or affinity does not match");
    expect(why({}, { taints: [gpu] })).toBe("a taint that the template does not tolerate, dedicated=gpu:NoSchedule");
    expect(why({}, { taints: [{ key: "full", effect: "NoExecute" }] })).toBe(
      "a taint that the template does not tolerate, full:NoExecute",
    );
  });
});
