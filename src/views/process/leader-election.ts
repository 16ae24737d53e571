/** Recognizes leader election, to keep it apart from other traffic: a Lease that is read by name or written. */
import type { ObjectKey } from "../../api/key.ts";
import type { RequestEvent, WriteEvent } from "../../trace/events.ts";
import type { KindName } from "../../trace/names.ts";

/** A Lease that a process holds or waits for, and how often it read and wrote it. */
export interface Election {
  readonly key: ObjectKey;
  readonly reads: number;
  readonly writes: number;
}

/** The Leases that a process has read by name or written. */
export class LeaderElection {
  readonly #leases = new Map<ObjectKey, { reads: number; writes: number }>();

  /** Whether an object is one of these Leases. */
  isAbout(of: KindName | undefined, key: ObjectKey): boolean {
    return of?.kind === "Lease" && of.group === "coordination.k8s.io" && this.#leases.has(key);
  }

  request({ verb, of, key }: RequestEvent): void {
    if (verb !== "get" || of?.kind !== "Lease") return;
    this.#of(key).reads++;
  }

  write({ of, key }: WriteEvent): void {
    if (of.kind !== "Lease") return;
    this.#of(key).writes++;
  }

  get found(): readonly Election[] {
    return [...this.#leases].map(([key, { reads, writes }]) => ({ key, reads, writes }));
  }

  #of(key: ObjectKey): { reads: number; writes: number } {
    return this.#leases.getOrInsertComputed(key, () => ({ reads: 0, writes: 0 }));
  }
}
