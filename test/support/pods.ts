/** Pods and nodes for tests of the scheduler and the kubelet. */
import type { CreateInput } from "../../src/api/object.ts";
import type { Node, Pod, PodSpec } from "../../src/api/types.ts";
import { simulatedNode } from "../../src/controllers/kubelet/node.ts";

export interface PodParts {
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations by name, without the prefix. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
  readonly requests?: Readonly<Record<string, string>>;
  readonly ownerReferences?: NonNullable<Pod["metadata"]["ownerReferences"]>;
}

export function annotation(name: string): string {
  return `sandbox.kubectl-reconcile.io/${name}`;
}

/** A pod in the namespace `default` with one container, `c`. */
export function podOf(name: string, parts: PodParts = {}): CreateInput<Pod> {
  const { labels = {}, annotations = {}, requests, ownerReferences } = parts;
  return {
    metadata: {
      namespace: "default",
      name,
      labels,
      annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [annotation(key), value])),
      ...(ownerReferences !== undefined && { ownerReferences }),
    },
    spec: {
      containers: [{ name: "c", image: "i", ...(requests !== undefined && { resources: { requests } }) }],
      ...parts.spec,
    },
  };
}

export interface NodeParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: NonNullable<NonNullable<Node["spec"]>["taints"]>;
  readonly unschedulable?: boolean;
  readonly allocatable?: Readonly<Record<string, string>>;
}

/** A simulated node with the given name and allocatable resources; otherwise as the embedded cluster creates its nodes. */
export function nodeOf(name: string, parts: NodeParts = {}): CreateInput<Node> {
  const plain = simulatedNode(0);
  const allocatable = { cpu: "4", memory: "8Gi", pods: "10", ...parts.allocatable };
  return {
    ...plain,
    metadata: { ...plain.metadata, name, labels: { "kubernetes.io/hostname": name, ...parts.labels } },
    spec: {
      ...plain.spec,
      ...(parts.taints !== undefined && { taints: parts.taints }),
      ...(parts.unschedulable === true && { unschedulable: true }),
    },
    status: { allocatable, capacity: allocatable },
  };
}
