/** Nodes and their pods as stored by a server, for tests of the node controllers. */
import type { StoredMeta } from "../../src/api/object.ts";
import { formatTime } from "../../src/api/time.ts";
import type { Node, NodeCondition, Pod, PodCondition, Taint, Toleration } from "../../src/api/types.ts";
import { sceneStart } from "./sync-context.ts";

type Meta = Partial<StoredMeta>;

function metaOf(name: string, more: Meta): StoredMeta {
  const creationTimestamp = formatTime(sceneStart);
  return { name, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp, ...more };
}

/** Parts of a test's pod, which runs on `node-1` in the namespace `shop` by default. */
export interface StoredPodParts {
  readonly meta?: Meta;
  /** Default `node-1`; empty for a pod without a node. */
  readonly node?: string;
  readonly phase?: string;
  readonly reason?: string;
  readonly conditions?: readonly PodCondition[];
  readonly tolerations?: readonly Toleration[];
}

export function storedPod(name: string, parts: StoredPodParts = {}): Pod {
  const { meta = {}, node = "node-1", phase = "Running", reason, conditions, tolerations } = parts;
  return {
    metadata: metaOf(name, { namespace: "shop", generation: 2, ...meta }),
    spec: {
      containers: [{ name: "c" }],
      ...(node !== "" && { nodeName: node }),
      ...(tolerations !== undefined && { tolerations }),
    },
    status: { phase, ...(reason !== undefined && { reason }), ...(conditions !== undefined && { conditions }) },
  };
}

/** Metadata of a pod that is being deleted. */
export const beingDeleted: Meta = { deletionTimestamp: formatTime(sceneStart), deletionGracePeriodSeconds: 30 };

export interface StoredNodeParts {
  readonly meta?: Meta;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: true;
  /** Status of the condition Ready; undefined for a node without that condition. */
  readonly ready?: "True" | "False" | "Unknown" | undefined;
  /** Time of the last report and the last change of the condition Ready, in ms since 1970. */
  readonly reportedAt?: number;
  readonly conditions?: readonly NodeCondition[];
}

export function storedNode(name: string, parts: StoredNodeParts = {}): Node {
  const { meta = {}, taints, unschedulable, conditions = [], reportedAt = sceneStart } = parts;
  const ready = "ready" in parts ? parts.ready : "True";
  const time = formatTime(reportedAt);
  const condition = { type: "Ready", status: ready ?? "", lastHeartbeatTime: time, lastTransitionTime: time };
  return {
    metadata: metaOf(name, meta),
    spec: { ...(taints !== undefined && { taints }), ...(unschedulable !== undefined && { unschedulable }) },
    status: { conditions: [...(ready === undefined ? [] : [condition]), ...conditions] },
  };
}
