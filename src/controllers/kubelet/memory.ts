/** What the kubelet remembers while it runs: the containers, and what it wrote of them last. */
import type { ObjectKey } from "../../api/key.ts";
import type { Node, PodStatus } from "../../api/types.ts";
import { runState, type RunState } from "../../controller/api/run-state.ts";
import { AddressRange } from "./addresses.ts";
import type { PodLife } from "./life.ts";

export interface PodRecord {
  readonly life: PodLife;
  readonly node: string;
  podIP: string | undefined;
  /** The status as it was last written, with the version that came of it. */
  written: { readonly status: PodStatus; readonly resourceVersion: string } | undefined;
  /** Its deletion was answered: the cache has not shown it yet. */
  removed: boolean;
}

export interface Memory {
  readonly pods: Map<ObjectKey, PodRecord>;
  readonly ranges: Map<string, AddressRange>;
}

export const memory: RunState<Memory> = runState(() => ({ pods: new Map(), ranges: new Map() }));

export function rangeOf({ ranges }: Memory, node: Node): AddressRange {
  const { name } = node.metadata;
  const range = ranges.get(name) ?? new AddressRange(node);
  ranges.set(name, range);
  return range;
}

export function forget(memory: Memory, key: ObjectKey): void {
  const known = memory.pods.get(key);
  if (known === undefined) return;
  memory.pods.delete(key);
  if (known.podIP !== undefined) memory.ranges.get(known.node)?.release(known.podIP);
}
