/** The deltas that a process received of late, by the objects that they are about. */
import { type ObjectKey, splitKey } from "../../api/key.ts";
import type { DeltaEvent, EventHead } from "../../trace/events.ts";
import type { StartedBy } from "../../trace/reconcile-ref.ts";

/** A delta with its number. */
export type NumberedDelta = EventHead & DeltaEvent;

/** Kept of one object, and of the objects that one controls. */
const keptEach = 16;
/** Objects of which deltas are kept: the latest. */
const mostObjects = 20_000;
/** Kept in order, whatever they are about. */
const keptInOrder = 256;

/** A few of the latest deltas, oldest first. */
export class RecentDeltas {
  readonly #own = new LatestOf();
  readonly #owned = new LatestOf();
  readonly #byKey = new LatestOf();
  #inOrder: NumberedDelta[] = [];

  /** Adds one. A process with two informers of a kind receives a change twice; the first is kept. */
  add(delta: NumberedDelta): void {
    const { uid, detail } = delta;
    if (isKnown(this.#own.of(uid), delta)) return;
    this.#own.add(uid, delta);
    this.#byKey.add(`${delta.of.kind} ${delta.key}`, delta);
    if (detail.owner !== undefined) this.#owned.add(detail.owner, delta);
    this.#inOrder.push(delta);
    if (this.#inOrder.length > keptInOrder * 2) this.#inOrder = this.#inOrder.slice(-keptInOrder);
  }

  /** Of the object itself. */
  own(uid: string): readonly NumberedDelta[] {
    return this.#own.of(uid);
  }

  /** Of the objects that it controls. */
  owned(uid: string): readonly NumberedDelta[] {
    return this.#owned.of(uid);
  }

  /** Of objects with one of these names or uids; newest first. */
  *named(names: ReadonlySet<string>): Generator<NumberedDelta> {
    for (const delta of this.#inOrder.toReversed())
      if (names.has(delta.uid) || names.has(splitKey(delta.key).name)) yield delta;
  }

  /** Exactly this one; undefined if it is not among the latest. */
  find({ kind, key, resourceVersion }: StartedBy): NumberedDelta | undefined {
    return this.#byKey
      .of(`${kind} ${key}`)
      .findLast((delta) => delta.resourceVersion === resourceVersion && delta.key === key);
  }

  /** The uid that an object was last known with; empty if nothing was received of it. */
  uidOf(kind: string, key: ObjectKey): string {
    return this.#byKey.of(`${kind} ${key}`).at(-1)?.uid ?? "";
  }

  /** The latest before a time. */
  latest(before: number): NumberedDelta | undefined {
    return this.#inOrder.findLast(({ receivedAt }) => receivedAt < before);
  }
}

function isKnown(kept: readonly NumberedDelta[], { resourceVersion, type }: NumberedDelta): boolean {
  return kept.some((one) => one.resourceVersion === resourceVersion && one.type === type);
}

/** The latest deltas of each of many objects. */
class LatestOf {
  readonly #kept = new Map<string, NumberedDelta[]>();

  of(uid: string): readonly NumberedDelta[] {
    return this.#kept.get(uid) ?? [];
  }

  add(uid: string, delta: NumberedDelta): void {
    const kept = this.#kept.get(uid) ?? [];
    kept.push(delta);
    if (kept.length > keptEach) kept.shift();
    // Moves it to the end: the first is the one that has been quiet longest.
    this.#kept.delete(uid);
    this.#kept.set(uid, kept);
    const [quiet] = this.#kept.keys();
    if (this.#kept.size > mostObjects && quiet !== undefined) this.#kept.delete(quiet);
  }
}
