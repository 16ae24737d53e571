/**
 * Running attach and detach operations, and the back-off of failed ones: one per cluster for an exclusive volume, one per node for others.
 * Source: kubernetes v1.36 pkg/volume/util/nestedpendingoperations/nestedpendingoperations.go,
 * pkg/util/goroutinemap/exponentialbackoff/exponential_backoff.go.
 */
import type { Pod } from "../../api/types.ts";
import type { AttachableVolume } from "./attachable.ts";

/** Where an operation runs: the volume, and the node unless the volume is exclusive. */
export interface Place {
  readonly unique: string;
  /** Undefined: any node. */
  readonly node: string | undefined;
}

/** A running operation, until a driver has done its part. Times in ms since 1970. */
export interface Pending {
  readonly place: Place;
  readonly kind: "attach" | "detach";
  readonly node: string;
  /** Undefined: known only by its name in the status of a node. */
  readonly volume: AttachableVolume | undefined;
  /** The name of the VolumeAttachment; undefined for a volume that needs none. */
  readonly attachment: string | undefined;
  /** The pods that get Events about it. */
  readonly pods: readonly Pod[];
  readonly deadline: number;
}

interface Operation {
  readonly place: Place;
  kind: Pending["kind"];
  pending: Pending | undefined;
  /** Not retried before this time, in ms since 1970. */
  notBefore: number;
  waitMs: number;
}

const firstWaitMs = 500;
/** 2 min 2 s */
const longestWaitMs = 122_000;

/** What keeps an operation from being started. */
export type Blocked = { readonly by: "another" } | { readonly by: "back-off"; readonly untilMs: number };

/** All operations of a run. Atomic. */
export class Operations {
  #byVolume = new Map<string, readonly Operation[]>();
  #pending = new Map<string, Set<Pending>>();

  /** Undefined: it may start. A failed operation of the other kind does not block. */
  blocked(place: Place, { kind, now }: { readonly kind: Pending["kind"]; readonly now: number }): Blocked | undefined {
    const found = this.#at(place);
    if (found === undefined) return undefined;
    if (found.pending !== undefined) return { by: "another" };
    const waits = found.kind === kind && now <= found.notBefore;
    return waits ? { by: "back-off", untilMs: found.notBefore } : undefined;
  }

  begin(pending: Pending, now: number): void {
    const { place, kind, node } = pending;
    this.#pending.set(node, (this.#pending.get(node) ?? new Set<Pending>()).add(pending));
    const found = this.#at(place);
    if (found === undefined) {
      this.#byVolume.set(place.unique, [...this.#of(place.unique), { place, kind, pending, notBefore: 0, waitMs: 0 }]);
      return;
    }
    // An operation of the other kind still in back-off has its failures reset.
    if (found.kind !== kind && now <= found.notBefore) found.waitMs = 0;
    found.kind = kind;
    found.pending = pending;
  }

  /** It has succeeded: its failures are reset. */
  succeed(pending: Pending): void {
    this.#end(pending);
    const { unique } = pending.place;
    const left = this.#of(unique).filter((each) => each.pending !== pending);
    if (left.length > 0) this.#byVolume.set(unique, left);
    else this.#byVolume.delete(unique);
  }

  /** It was not started after all. */
  cancel(pending: Pending): void {
    const found = this.#of(pending.place.unique).find((each) => each.pending === pending);
    if (found?.waitMs === 0) return this.succeed(pending);
    this.#end(pending);
    if (found !== undefined) found.pending = undefined;
  }

  /** Returns after how many ms it may be retried. */
  fail(pending: Pending, now: number): number {
    this.#end(pending);
    const found = this.#of(pending.place.unique).find((each) => each.pending === pending);
    if (found === undefined) return 0;
    found.waitMs = found.waitMs === 0 ? firstWaitMs : Math.min(2 * found.waitMs, longestWaitMs);
    found.notBefore = now + found.waitMs;
    found.pending = undefined;
    return found.waitMs;
  }

  /** The running operations on the node. */
  pendingOn(node: string): readonly Pending[] {
    return [...(this.#pending.get(node) ?? [])];
  }

  /** Running operations take precedence over failed ones, and among these an exact match of the place over others. */
  #at({ unique, node }: Place): Operation | undefined {
    const near = this.#of(unique).filter(
      ({ place }) => place.node === undefined || node === undefined || place.node === node,
    );
    return (
      near.find(({ pending }) => pending !== undefined) ?? near.findLast(({ place }) => place.node === node) ?? near[0]
    );
  }

  #of(unique: string): readonly Operation[] {
    return this.#byVolume.get(unique) ?? [];
  }

  #end(pending: Pending): void {
    const there = this.#pending.get(pending.node);
    there?.delete(pending);
    if (there?.size === 0) this.#pending.delete(pending.node);
  }
}
