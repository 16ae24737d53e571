/** One sync as a whole: why it ran, what it saw, what it did, and its outcome. The data of a block of `trace`. */
import type { ObjectKey } from "../api/key.ts";
import type { AgreementEvent, DoneEvent, EventHead, RecordedEvent, UnseenWrites, WriteEvent } from "../trace/events.ts";
import type { DeltaType } from "../trace/names.ts";
import type { Trigger } from "../trace/triggers.ts";
import type { ChangeDetail, ChangeSummary } from "./field-interest.ts";

/** The sync that a delta goes back to: ours wrote it, or, in shadow, meant to write what the owner then wrote. */
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
      /** The `seq` of the delta; 0 where no listener was there yet. */
      readonly delta: number;
      /** What the delta changed; undefined where no listener was there yet. A block that is shown has a summary of it. */
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
  /** Shadow: the intention that it is, and since which sync it has been standing if it is not new. */
  readonly intention?: number;
  readonly standsSince?: number;
  /** Shadow: what became of the intention so far. */
  readonly agreement?: AgreementEvent;
  /** Its changes, as far as they say something. */
  readonly summary: ChangeSummary;
};

/** A decision of a sync, with the writes that it led to. */
export interface BlockDecision {
  readonly rule: string;
  readonly sentence: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly writes: readonly BlockWrite[];
}

/** A sync that a write of the block has woken; `sync` is absent while the key still waits. */
export interface Woken {
  readonly controller: string;
  readonly key: ObjectKey;
  readonly sync?: number;
  /** The first delta that did it, and how many more of this block's joined. */
  readonly kind: string;
  readonly type: DeltaType;
  readonly object: ObjectKey;
  readonly more: number;
}

/** A sync that has ended. An immutable value. */
export interface SyncBlock {
  readonly controller: string;
  readonly key: ObjectKey;
  readonly sync: number;
  /** When it began, in ms since 1970. */
  readonly at: number;
  readonly waitedMs: number;
  readonly ms: number;
  readonly depth: number;
  readonly inFlight: number;
  readonly delayed: number;
  readonly failures: number;
  /** Those that are known whole. */
  readonly causes: readonly BlockCause[];
  /** Triggers beyond those, only counted. */
  readonly moreCauses: number;
  readonly unseen?: UnseenWrites;
  /** It ran although its key was in backoff, until then (ms since 1970): another trigger added it. */
  readonly inBackoffUntil?: number;
  readonly decisions: readonly BlockDecision[];
  /** Writes that name no decision of this sync. */
  readonly otherWrites: readonly BlockWrite[];
  readonly recorded: readonly RecordedEvent[];
  readonly done: DoneEvent & EventHead;
  readonly woke: readonly Woken[];
}

/** All writes of a block. */
export function writesOf(block: Pick<SyncBlock, "decisions" | "otherWrites">): readonly BlockWrite[] {
  return [...block.decisions.flatMap(({ writes }) => writes), ...block.otherWrites];
}
