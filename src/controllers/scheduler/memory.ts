/** What the scheduler remembers while it runs. */
import type { ObjectKey } from "../../api/key.ts";
import { runState, type RunState } from "../../controller/api/run-state.ts";
import { NodeUsageCache } from "./node-usage-cache.ts";

/** A pod that no node would take. */
export interface Waiting {
  readonly attempts: number;
  /** Not looked at again before this time, in ms since 1970. */
  readonly until: number;
  /** Something has changed since: it is on its way to the next try. */
  readonly woken: boolean;
}

export interface Memory {
  readonly ledger: NodeUsageCache;
  readonly waiting: Map<ObjectKey, Waiting>;
}

export const memory: RunState<Memory> = runState(() => ({ ledger: new NodeUsageCache(), waiting: new Map() }));

const firstBackoffMs = 1000;
const longestBackoffMs = 10_000;

/** 1 s · 2ⁿ⁻¹, at most 10 s. Source: kubernetes v1.36 pkg/scheduler/backend/queue/backoff_queue.go. */
export function backoffMs(attempts: number): number {
  return Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(attempts - 1, 10));
}
