/**
 * How long a failed pod stays before it is deleted: without a delay, a kubelet that rejects pods would get new ones as fast as it rejects
 * them. 1 s · 2ⁿ after the n-th failure on a node, at most 15 minutes; reset after half an hour without one, and by each new generation of
 * the set.
 * Source: client-go v0.36 util/flowcontrol/backoff.go; kubernetes v1.36 cmd/kube-controller-manager/app/apps.go.
 */
import type { DaemonSet } from "../../api/types.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";

const firstDelayMs = 1000;
const longestDelayMs = 900_000;
const forgottenAfterMs = 2 * longestDelayMs;
const pruneEveryMs = 60_000;

interface Entry {
  readonly delayMs: number;
  readonly since: number;
}

/** The delays of all nodes and sets. Times are milliseconds since 1970. */
export class FailedPodsBackoff {
  #entries = new Map<string, Entry>();
  #prunedAt = 0;

  /** The full delay, if it has not passed since the last deletion; otherwise undefined: a failed pod may be deleted. */
  delayOf(id: string, now: number): number | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined || isForgotten(entry, now)) return undefined;
    return now - entry.since < entry.delayMs ? entry.delayMs : undefined;
  }

  /** A failed pod is deleted: the next one waits twice as long as this one. */
  deleted(id: string, now: number): void {
    this.#prune(now);
    const entry = this.#entries.get(id);
    const isFirst = entry === undefined || isForgotten(entry, now);
    const delayMs = isFirst ? firstDelayMs : Math.min(2 * entry.delayMs, longestDelayMs);
    this.#entries.set(id, { delayMs, since: now });
  }

  /** How many delays are stored. */
  get size(): number {
    return this.#entries.size;
  }

  #prune(now: number): void {
    if (now - this.#prunedAt < pruneEveryMs) return;
    this.#prunedAt = now;
    for (const [id, entry] of this.#entries) if (isForgotten(entry, now)) this.#entries.delete(id);
  }
}

function isForgotten({ since }: Entry, now: number): boolean {
  return now - since > forgottenAfterMs;
}

/** The id of a delay: each observed generation starts a new one. */
export function backoffId({ metadata, status }: DaemonSet, node: string): string {
  return `${metadata.uid}/${status?.observedGeneration ?? 0}/${node}`;
}

/** The delays of one run. */
export const failedPodsBackoff: RunState<FailedPodsBackoff> = runState(() => new FailedPodsBackoff());
