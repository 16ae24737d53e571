/** The state of the simulated scheduler. */
import type { ObjectKey } from "../../api/key.ts";
import { runState, type RunState } from "../../controller/api/run-state.ts";
import { NodeUsageCache } from "./node-usage-cache.ts";

/** A pod that fits on no node, or that waits for its claims. */
export interface Waiting {
  readonly attempts: number;
  /** Not retried before this time, in ms since 1970. */
  readonly until: number;
  /** Something has changed since: its key is queued for a retry. */
  readonly woken: boolean;
  /** The node that its volumes were bound for, or its devices are being prepared on. */
  readonly node?: string;
}

/** The state of one run. */
export interface Memory {
  readonly nodeUsage: NodeUsageCache;
  readonly waiting: Map<ObjectKey, Waiting>;
  /** Whether the caches of device claims are filled; `unasked` until the first pod with such claims. */
  deviceCaches: "unasked" | "filling" | "filled";
}

/** Its state, created with the run. */
export const memory: RunState<Memory> = runState(() => ({
  nodeUsage: new NodeUsageCache(),
  waiting: new Map(),
  deviceCaches: "unasked",
}));

const firstBackoffMs = 1000;
const longestBackoffMs = 10_000;

/** 1 s · 2ⁿ⁻¹, at most 10 s. Source: kubernetes v1.36 pkg/scheduler/backend/queue/backoff_queue.go. */
export function backoffMs(attempts: number): number {
  return Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(attempts - 1, 10));
}
