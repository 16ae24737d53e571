/** The state of the simulated kubelet: its containers, and the status that it last wrote for each pod. */
import type { ObjectKey } from "../../api/key.ts";
import type { Node, PodStatus } from "../../api/types.ts";
import { runState, type RunState } from "../../controller/api/run-state.ts";
import { AddressRange } from "./addresses.ts";
import type { PodLife } from "./life.ts";

/** What the kubelet knows about a pod. */
export interface PodRecord {
  readonly life: PodLife;
  readonly node: string;
  podIP: string | undefined;
  /** The status as last written, with the resulting resourceVersion. */
  written: { readonly status: PodStatus; readonly resourceVersion: string } | undefined;
  /** The API server has confirmed its deletion; the cache may still have the pod. */
  removed: boolean;
}

/** The state of one run. */
export interface Memory {
  readonly pods: Map<ObjectKey, PodRecord>;
  readonly ranges: Map<string, AddressRange>;
}

/** Its state, created with the run. */
export const memory: RunState<Memory> = runState(() => ({ pods: new Map(), ranges: new Map() }));

/** The node's address range; created on first use. */
export function rangeOf({ ranges }: Memory, node: Node): AddressRange {
  const { name } = node.metadata;
  const range = ranges.get(name) ?? new AddressRange(node);
  ranges.set(name, range);
  return range;
}

/** Forgets a pod and releases its address. */
export function forget(memory: Memory, key: ObjectKey): void {
  const known = memory.pods.get(key);
  if (known === undefined) return;
  memory.pods.delete(key);
  if (known.podIP !== undefined) memory.ranges.get(known.node)?.release(known.podIP);
}
