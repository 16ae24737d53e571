/** DaemonSets, nodes and pods for unit tests, with only the relevant fields. */
import { DaemonSets } from "../../../src/api/kinds.ts";
import { controllerReference } from "../../../src/api/owner-references.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { ControllerRevision, DaemonSet, Node, Pod, Taint, Toleration } from "../../../src/api/types.ts";
import { revisionData } from "../../../src/controller/workload/controller-revision/data.ts";
import { podTemplateHash } from "../../../src/controller/workload/pod-template/hash.ts";
import { groupedByNode } from "../../../src/controllers/daemonset/daemon-pods.ts";
import { nodeFits } from "../../../src/api/node-fit/daemon-fit.ts";
import type { NodesInput } from "../../../src/controllers/daemonset/plan-nodes.ts";
import type { RolloutInput } from "../../../src/controllers/daemonset/plan-rollout.ts";
import { sceneStart } from "../../support/sync-context.ts";
import { type PodParts, podOf } from "../../support/workloads.ts";

export const labels = { app: "agent" } as const;

export interface DaemonSetParts {
  readonly meta?: object;
  readonly image?: string;
  /** Fields of the template's spec. */
  readonly pod?: object;
  readonly rolling?: object;
  readonly spec?: object;
  readonly status?: object;
}

/** The DaemonSet `agent`, by default with a rolling update of one node at a time. */
export function daemonSetOf(parts: DaemonSetParts = {}): DaemonSet {
  const { meta, image = "agent:1", pod, rolling = { maxUnavailable: 1, maxSurge: 0 }, spec, status } = parts;
  return {
    metadata: {
      name: "agent",
      namespace: "shop",
      uid: "uid-agent",
      resourceVersion: "10",
      creationTimestamp: formatTime(sceneStart - 3_600_000),
      generation: 1,
      ...meta,
    },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: rolling },
      template: { metadata: { labels }, spec: { containers: [{ name: "agent", image }], ...pod } },
      ...spec,
    },
    status: {
      currentNumberScheduled: 0,
      desiredNumberScheduled: 0,
      numberMisscheduled: 0,
      numberReady: 0,
      ...status,
    },
  };
}

/** A rolling update with a surge of one node. */
export const surging = { maxUnavailable: 0, maxSurge: 1 } as const;

/** The hash label of the pods that the set creates. */
export function hashOf(set: DaemonSet): string {
  return podTemplateHash(set.spec?.template, { collisionCount: set.status?.collisionCount });
}

/** The revision of the set's template. */
export function revisionFor(set: DaemonSet, revision = 1, meta: object = {}): ControllerRevision {
  const hash = hashOf(set);
  const name = `agent-${hash}`;
  return {
    metadata: {
      name,
      namespace: "shop",
      uid: `uid-${name}`,
      resourceVersion: "10",
      creationTimestamp: formatTime(sceneStart - 3_600_000),
      labels: { ...labels, "controller-revision-hash": hash },
      ownerReferences: [controllerReference(DaemonSets, set)],
      ...meta,
    },
    data: revisionData(set.spec?.template),
    revision,
  };
}

export interface NodeParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
}

export function nodeOf(name: string, { labels = {}, taints }: NodeParts = {}): Node {
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: "10",
      creationTimestamp: formatTime(sceneStart - 3_600_000),
      labels: { "kubernetes.io/hostname": name, ...labels },
    },
    spec: { ...(taints !== undefined && { taints }) },
  };
}

export function nodesOf(count: number): Node[] {
  return Array.from({ length: count }, (_, n) => nodeOf(`node-${n + 1}`));
}

export const gpu: Taint = { key: "dedicated", value: "gpu", effect: "NoSchedule" };
export const toleratingGpu: Toleration = { key: "dedicated", operator: "Equal", value: "gpu", effect: "NoSchedule" };

export interface DaemonPodParts extends PodParts {
  /** The hash label of the pod; by default that of the set's template. */
  readonly hash?: string;
  /** How long the pod has been ready, in ms; an hour by default. */
  readonly readyForMs?: number;
}

/** A pod that is bound to the node, running and ready, and matches the set's template by default. */
export function podOn(set: DaemonSet, node: string, parts: DaemonPodParts & { readonly name?: string } = {}): Pod {
  const { name = `agent-on-${node}`, hash = hashOf(set), readyForMs = 3_600_000, ready = true, ...rest } = parts;
  return podOf(name, {
    owner: set,
    ownerKind: DaemonSets,
    labels: { ...labels, "controller-revision-hash": hash },
    node,
    ready,
    readyAt: sceneStart - readyForMs,
    ...rest,
  });
}

/** The node affinity with which the controller pins a pod to a node. */
export function pinned(node: string): object {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } };
}

/** A pending pod that is not bound yet. */
export function pendingPod(set: DaemonSet, node: string, name = `agent-for-${node}`): Pod {
  const { spec, ...pod } = podOn(set, node, { name, phase: "Pending", ready: false });
  const { nodeName: _, ...unbound } = spec ?? { containers: [] };
  return { ...pod, spec: { ...unbound, ...pinned(node) } };
}

/** Metadata of a pod that is being deleted. */
export const going: { readonly deletionTimestamp: string } = { deletionTimestamp: formatTime(sceneStart - 60_000) };

/** The input of the planning functions, at `sceneStart`. */
export function inputFor(
  set: DaemonSet,
  { nodes, pods = [] }: { readonly nodes: readonly Node[]; readonly pods?: readonly Pod[] },
): NodesInput & RolloutInput {
  return {
    set,
    nodes,
    pods: groupedByNode(pods),
    fitOf: nodeFits(set),
    hash: hashOf(set),
    now: sceneStart,
    node: (name) => nodes.find(({ metadata }) => metadata.name === name),
  };
}
