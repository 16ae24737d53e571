/**
 * Questions about nodes: what happens if one falls silent, or is drained. Kubelets of a dry run report to the API server only if such a
 * question is asked; the rest is up to the controllers.
 */
import { nodeLeaseNamespace } from "../../api/node-lease.ts";
import type { ObjectKey } from "../../api/key.ts";
import { Nodes } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Node } from "../../api/types.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { nodeCondition } from "../../controller/workload/node-conditions.ts";
import { cronjob } from "../../controllers/cronjob/cronjob.ts";
import { keepLease } from "../../controllers/kubelet/heartbeat.ts";
import { nodeHeartbeat } from "../../controllers/kubelet/kubelet.ts";
import { labelsToSet } from "../../controllers/node-lifecycle/labels.ts";
import { nodeLifecycle } from "../../controllers/node-lifecycle/node-lifecycle.ts";
import { podGarbageCollector } from "../../controllers/pod-garbage-collector/pod-garbage-collector.ts";
import { taintEviction } from "../../controllers/taint-eviction/taint-eviction.ts";
import { ttlAfterFinished } from "../../controllers/ttl-after-finished/ttl-after-finished.ts";

/** What is asked about nodes, and the results so far. */
export class NodeQuestions {
  /** Nodes whose kubelets have fallen silent. */
  readonly silent: Set<string> = new Set<string>();
  /** Nodes that are being drained. */
  readonly drained: Set<string> = new Set<string>();
  /** The last refusal of each pod's eviction. */
  readonly refusals: Map<ObjectKey, string> = new Map<ObjectKey, string>();
}

/**
 * A run is steady after this long without changes: a silent node is detected after at most 55 s, and a pod of a missing node after at most
 * 60 s.
 */
export const idleMs = 120_000;

/**
 * Heartbeats of all nodes except silent ones, in this run or before. Node status is not touched: real kubelets report more than a simulated
 * one.
 */
export function dryRunHeartbeat({ silent }: NodeQuestions): ControllerDefinition {
  return {
    ...nodeHeartbeat,
    async sync(key, context) {
      const node = context.cache(Nodes).get(key);
      if (node === undefined || silent.has(key) || nodeCondition(node, "Ready")?.status === "Unknown") return;
      await keepLease(context, node);
    },
  };
}

/** Controllers that handle nodes always run, whichever others are selected. */
const always: readonly ControllerDefinition[] = [nodeLifecycle, taintEviction, podGarbageCollector];
/** What happens with time alone is no effect of a node. */
const byTime: ReadonlySet<string> = new Set([cronjob.name, ttlAfterFinished.name]);

/** The controllers that answer questions about nodes, besides the requested ones. */
export function controllersAboutNodes(requested: readonly ControllerDefinition[]): readonly ControllerDefinition[] {
  const added = always.filter(({ name }) => !requested.some((each) => each.name === name));
  return [...requested.filter(({ name }) => !byTime.has(name)), ...added];
}

/** Adds the namespace of heartbeats, and the labels that nodes of a running cluster have long had. */
export function withNodesAtWork(objects: readonly StoredObject[]): readonly StoredObject[] {
  const isThere = objects.some(({ kind, metadata }) => kind === "Namespace" && metadata.name === nodeLeaseNamespace);
  const made = isThere ? [] : [namespaceOfLeases(objects[0]?.metadata.creationTimestamp ?? "2026-01-01T00:00:00Z")];
  return [...objects.map((object) => (object.kind === Nodes.kind ? withOlderLabels(object) : object)), ...made];
}

function withOlderLabels(node: Node & StoredObject): StoredObject {
  const labels = { ...node.metadata.labels, ...labelsToSet(node) };
  return { ...node, metadata: { ...node.metadata, labels } };
}

function namespaceOfLeases(creationTimestamp: string): StoredObject {
  const labels = { "kubernetes.io/metadata.name": nodeLeaseNamespace };
  const metadata = {
    name: nodeLeaseNamespace,
    uid: `assumed-${nodeLeaseNamespace}`,
    resourceVersion: "1",
    creationTimestamp,
  };
  const status = { phase: "Active" };
  const made = { metadata: { ...metadata, labels }, spec: { finalizers: ["kubernetes"] }, status };
  return { apiVersion: "v1", kind: "Namespace", ...made };
}
