/**
 * Which nodes a pod can run on: filters in upstream's order; the first one to reject the node gives the reason.
 * Source: kubernetes v1.36 pkg/scheduler/apis/config/v1/default_plugins.go and framework/plugins/*; the texts are those that upstream shows
 * to users. Differs: no volume limits, no preemption.
 */
import type { Node, Pod } from "../../api/types.ts";
import type { DevicesView } from "./devices.ts";
import { hostPortsOf, type NodeLoad } from "./node-usage-cache.ts";
import { nodeSelected } from "../../api/node-fit/node-affinity.ts";
import type { PodAffinityView } from "./pod-affinity.ts";
import { requestsOf, resourcesOf, type Resources } from "./requests.ts";
import type { SpreadView } from "./topology-spread.ts";
import type { VolumesView } from "./volumes.ts";
import { unschedulableTaint, untoleratedTaint } from "../../api/node-fit/taints.ts";
import { tolerates } from "../../api/taints.ts";

/** A node as filters see it. */
export interface Candidate {
  readonly node: Node;
  readonly load: NodeLoad;
  readonly allocatable: Resources;
}

/** Computed once per pod, for all nodes. */
export interface Views {
  readonly affinity: PodAffinityView;
  readonly spread: SpreadView;
  readonly volumes: VolumesView;
  readonly devices: DevicesView;
}

interface Filter {
  readonly name: string;
  /** Why the pod cannot run there; empty if this filter allows it. */
  objections(pod: Pod, candidate: Candidate, views: Views): readonly string[];
}

const fits: readonly string[] = [];
const unless = (ok: boolean, why: string): readonly string[] => (ok ? fits : [why]);

const devicesFilter: Filter = {
  name: "DynamicResources",
  objections(_pod, { node }, { devices }) {
    const why = devices.obstacleOn(node);
    return why === undefined ? fits : [why];
  },
};

/** In upstream's order. */
export const filters: readonly Filter[] = [
  {
    name: "NodeUnschedulable",
    objections: (pod, { node }) =>
      unless(
        node.spec?.unschedulable !== true ||
          (pod.spec?.tolerations ?? []).some((toleration) => tolerates(toleration, unschedulableTaint)),
        "node(s) were unschedulable",
      ),
  },
  {
    name: "TaintToleration",
    objections: (pod, { node }) =>
      unless(untoleratedTaint(pod, node) === undefined, "node(s) had untolerated taint(s)"),
  },
  {
    name: "NodeAffinity",
    objections: (pod, { node }) => unless(nodeSelected(pod, node), "node(s) didn't match Pod's node affinity/selector"),
  },
  {
    name: "NodePorts",
    objections: (pod, { load }) =>
      unless(
        !hostPortsOf(pod).some((port) => portTaken(port, load)),
        "node(s) didn't have free ports for the requested pod ports",
      ),
  },
  { name: "NodeResourcesFit", objections: insufficientResources },
  {
    name: "VolumeBinding",
    objections(_pod, { node }, { volumes }) {
      const why = volumes.obstacleOn(node);
      return why === undefined ? fits : [why];
    },
  },
  {
    name: "PodTopologySpread",
    objections(_pod, { node }, { spread }) {
      const why = spread.obstacleOn(node);
      return why === undefined ? fits : [why];
    },
  },
  {
    name: "InterPodAffinity",
    objections(_pod, { node }, { affinity }) {
      const why = affinity.obstacleOn(node);
      return why === undefined ? fits : [why];
    },
  },
  devicesFilter,
];

function portTaken(port: string, { hostPorts }: NodeLoad): boolean {
  const [protocol, address, number] = port.split(" ");
  for (const taken of hostPorts.keys()) {
    const [otherProtocol, otherAddress, otherNumber] = taken.split(" ");
    if (protocol !== otherProtocol || number !== otherNumber) continue;
    // The wildcard address conflicts with every other.
    if (address === otherAddress || address === "0.0.0.0" || otherAddress === "0.0.0.0") return true;
  }
  return false;
}

function insufficientResources(pod: Pod, { load, allocatable }: Candidate): readonly string[] {
  const missing: string[] = [];
  if (load.pods.size + 1 > (allocatable.get("pods") ?? 0)) missing.push("Too many pods");
  for (const [resource, amount] of requestsOf(pod).requested) {
    if (amount === 0) continue;
    if (amount > (allocatable.get(resource) ?? 0) - (load.requested.get(resource) ?? 0)) {
      missing.push(`Insufficient ${resource}`);
    }
  }
  return missing;
}

/** The nodes that passed all filters, and why the others did not. */
export interface Feasible {
  readonly candidates: readonly Candidate[];
  /** How many nodes each reason rules out. */
  readonly reasons: ReadonlyMap<string, number>;
  /** Nodes that only device claims rule out. */
  readonly withoutDevices: readonly Node[];
}

const allocatables = new WeakMap<Node, Resources>();

/** `status.allocatable` as amounts; parsed once per object. */
function allocatableOf(node: Node): Resources {
  let resources = allocatables.get(node);
  if (resources === undefined) {
    resources = resourcesOf(node.status?.allocatable);
    allocatables.set(node, resources);
  }
  return resources;
}

/** Applies every filter to every node. */
export function feasibleNodes(
  pod: Pod,
  nodes: readonly Node[],
  loadOf: (node: string) => NodeLoad,
  views: Views,
): Feasible {
  const candidates: Candidate[] = [];
  const reasons = new Map<string, number>();
  const withoutDevices: Node[] = [];
  for (const node of nodes) {
    const candidate = { node, load: loadOf(node.metadata.name), allocatable: allocatableOf(node) };
    const objecting = firstObjecting(pod, candidate, views);
    if (objecting === undefined) candidates.push(candidate);
    if (objecting?.filter === devicesFilter) withoutDevices.push(node);
    for (const why of objecting?.objections ?? []) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  }
  return { candidates, reasons, withoutDevices };
}

interface Objecting {
  readonly filter: Filter;
  readonly objections: readonly string[];
}

function firstObjecting(pod: Pod, candidate: Candidate, views: Views): Objecting | undefined {
  for (const filter of filters) {
    const objections = filter.objections(pod, candidate, views);
    if (objections.length > 0) return { filter, objections };
  }
  return undefined;
}

/** `0/3 nodes are available: persistentvolumeclaim "data" not found.`, for obstacles that rule out every node up front. */
export function obstacleMessage(nodes: number, obstacle: string): string {
  return nodes === 0 ? noNodes : `0/${nodes} nodes are available: ${obstacle}.`;
}

const noNodes = "no nodes available to schedule pods";

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.`, in upstream's words. */
export function unschedulableMessage(nodes: number, reasons: ReadonlyMap<string, number>): string {
  if (nodes === 0) return noNodes;
  const counted = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${counted.join(", ")}.`;
}
