/** One sync: why it ran, what it decided and wrote, and its outcome. The data of a block of `trace`. */
import type { ObjectKey } from "../api/key.ts";
import type { AgreementEvent, DoneEvent, EventHead, RecordedEvent, UnseenWrites, WriteEvent } from "../trace/events.ts";
import type { DeltaType } from "../trace/names.ts";
import type { Trigger } from "../trace/triggers.ts";
import type { ChangeDetail, ChangeSummary } from "./field-interest.ts";

/** The sync that caused a delta: it made the write, or, in shadow mode, intended the write that the owner then made. */
export interface SyncName {
  readonly controller: string;
  readonly sync: number;
}

/** One trigger of a sync. */
export type BlockCause =
  | {
      readonly is: "delta";
      readonly kind: string;
      readonly type: DeltaType;
      readonly key: ObjectKey;
      readonly resourceVersion: string;
      /** The `seq` of the delta; 0 if nothing listened to the bus yet. */
      readonly delta: number;
      /** The changes of the delta; undefined if nothing listened yet. A `ShownBlock` has a summary instead. */
      readonly detail: ChangeDetail | undefined;
      readonly tombstone?: true;
      readonly relist?: true;
      readonly by?: SyncName;
    }
  | { readonly is: "other"; readonly trigger: Exclude<Trigger, { readonly cause: "delta" }> };

/** The chain from a sync back to its first cause. */
export interface Origin {
  /** From the nearest sync to the furthest. */
  readonly steps: readonly SyncName[];
  readonly first: BlockCause | undefined;
}

/** A write of a sync. */
export type BlockWrite = WriteEvent & {
  readonly seq: number;
  /** Shadow mode: the number of the intention, and the sync that first had it if it is not new. */
  readonly intention?: number;
  readonly standsSince?: number;
  /** Shadow mode: the outcome of the intention so far. */
  readonly agreement?: AgreementEvent;
  /** Its most telling changes. */
  readonly summary: ChangeSummary;
};

/** A decision of a sync, with the writes that it led to. */
export interface BlockDecision {
  readonly rule: string;
  readonly sentence: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly writes: readonly BlockWrite[];
}

/** A sync that a write of this block triggered; `sync` is absent while the key is still waiting. */
export interface Woken {
  readonly controller: string;
  readonly key: ObjectKey;
  readonly sync?: number;
  /** The first delta that triggered it, and how many further deltas of this block did so too. */
  readonly kind: string;
  readonly type: DeltaType;
  readonly object: ObjectKey;
  readonly more: number;
}

/** A finished sync. Immutable. */
export interface SyncBlock {
  readonly controller: string;
  readonly key: ObjectKey;
  readonly sync: number;
  /** When it started, in ms since 1970. */
  readonly at: number;
  readonly waitedMs: number;
  readonly ms: number;
  readonly depth: number;
  readonly inFlight: number;
  readonly delayed: number;
  readonly failures: number;
  /** The triggers that were kept in full. */
  readonly causes: readonly BlockCause[];
  /** The number of further triggers. */
  readonly moreCauses: number;
  readonly unseen?: UnseenWrites;
  /** Set if another trigger made it run while its key was in backoff: when the backoff would have ended, in ms since 1970. */
  readonly inBackoffUntil?: number;
  readonly decisions: readonly BlockDecision[];
  /** Writes that do not belong to a decision of this sync. */
  readonly otherWrites: readonly BlockWrite[];
  readonly recorded: readonly RecordedEvent[];
  readonly done: DoneEvent & EventHead;
  readonly woke: readonly Woken[];
}

/** All writes of a block, those of decisions first. */
export function writesOf(block: Pick<SyncBlock, "decisions" | "otherWrites">): readonly BlockWrite[] {
  return [...block.decisions.flatMap(({ writes }) => writes), ...block.otherWrites];
}
