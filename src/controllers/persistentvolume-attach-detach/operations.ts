/**
 * Running attach and detach operations, and the back-off of failed ones: one per cluster for an exclusive volume, one per node for others.
 * Source: kubernetes v1.36 pkg/volume/util/nestedpendingoperations/nestedpendingoperations.go,
 * pkg/util/goroutinemap/exponentialbackoff/exponential_backoff.go.
 */
import type { Pod } from "../../api/types.ts";
import { type AttachableVolume, attachmentName, type CsiSource } from "./attachable.ts";

/** Where an operation runs: the volume, and the node unless the volume is exclusive. */
export interface Place {
  readonly unique: string;
  /** Undefined: any node. */
  readonly node: string | undefined;
}

/** What a driver is to attach or detach. */
export interface DriverRequest extends CsiSource {
  /** The name of the VolumeAttachment. */
  readonly attachment: string;
}

/** The request to attach the volume to the node, or to detach it. */
export function requestOf({ driver, handle }: CsiSource, node: string): DriverRequest {
  return { driver, handle, attachment: attachmentName({ driver, handle }, node) };
}

/** A running operation, until a driver has done its part. Times in ms since 1970. */
export interface Pending {
  readonly place: Place;
  readonly kind: "attach" | "detach";
  readonly node: string;
  /** Undefined: known only by its name in the status of a node. */
  readonly volume: AttachableVolume | undefined;
  /** Undefined for a volume that needs none. */
  readonly request: DriverRequest | undefined;
  /** The pods that get Events about it; none when it is detached. */
  readonly pods: readonly Pod[];
  readonly deadline: number;
}

interface Operation {
  place: Place;
  kind: Pending["kind"];
  isRunning: boolean;
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
  readonly #byVolume = new Map<string, readonly Operation[]>();
  readonly #running = new Map<Pending, Operation>();
  readonly #runningOn = new Map<string, Set<Pending>>();

  /** Undefined: it may start. A failed operation of the other kind does not block. */
  blocked(place: Place, { kind, now }: { readonly kind: Pending["kind"]; readonly now: number }): Blocked | undefined {
    const found = this.#at(place);
    if (found === undefined) return undefined;
    if (found.isRunning) return { by: "another" };
    const waits = found.kind === kind && now <= found.notBefore;
    return waits ? { by: "back-off", untilMs: found.notBefore } : undefined;
  }

  begin(pending: Pending, now: number): void {
    const { place, kind } = pending;
    const found = this.#at(place);
    if (found === undefined) {
      const operation = { place, kind, isRunning: true, notBefore: 0, waitMs: 0 };
      this.#byVolume.set(place.unique, [...this.#of(place.unique), operation]);
      this.#start(pending, operation);
      return;
    }
    // An operation of the other kind still in back-off has its failures reset.
    if (found.kind !== kind && now <= found.notBefore) Object.assign(found, { notBefore: 0, waitMs: 0 });
    Object.assign(found, { place, kind, isRunning: true });
    this.#start(pending, found);
  }

  #start(pending: Pending, operation: Operation): void {
    this.#running.set(pending, operation);
    const others = this.#runningOn.get(pending.node) ?? new Set<Pending>();
    this.#runningOn.set(pending.node, others.add(pending));
  }

  /** It has succeeded: its failures are reset. @throws RangeError if it is not running. */
  succeed(pending: Pending): void {
    const ended = this.#end(pending);
    const { unique } = pending.place;
    const left = this.#of(unique).filter((each) => each !== ended);
    if (left.length > 0) this.#byVolume.set(unique, left);
    else this.#byVolume.delete(unique);
  }

  /** It was not started after all. @throws RangeError if it is not running. */
  cancel(pending: Pending): void {
    this.#end(pending);
  }

  /** Returns after how many ms it may be retried. @throws RangeError if it is not running. */
  fail(pending: Pending, now: number): number {
    const failed = this.#end(pending);
    failed.waitMs = failed.waitMs === 0 ? firstWaitMs : Math.min(2 * failed.waitMs, longestWaitMs);
    failed.notBefore = now + failed.waitMs;
    return failed.waitMs;
  }

  /** The running operations on the node. */
  pendingOn(node: string): readonly Pending[] {
    return [...(this.#runningOn.get(node) ?? [])];
  }

  /** Running operations take precedence over failed ones, and among these an exact match of the place over others. */
  #at({ unique, node }: Place): Operation | undefined {
    const near = this.#of(unique).filter(
      ({ place }) => place.node === undefined || node === undefined || place.node === node,
    );
    return near.find(({ isRunning }) => isRunning) ?? near.find(({ place }) => place.node === node) ?? near[0];
  }

  #of(unique: string): readonly Operation[] {
    return this.#byVolume.get(unique) ?? [];
  }

  #end(pending: Pending): Operation {
    const ended = this.#running.get(pending);
    if (ended === undefined) throw new RangeError(`no operation on ${pending.place.unique} is running`);
    this.#running.delete(pending);
    const others = this.#runningOn.get(pending.node);
    others?.delete(pending);
    if (others?.size === 0) this.#runningOn.delete(pending.node);
    ended.isRunning = false;
    return ended;
  }
}
