/** Decides which syncs of a trace are shown as blocks; those that wrote nothing or repeat the previous one are only counted. */
import type { ObjectKey } from "../api/key.ts";
import { shownBlock, type ShownBlock } from "./shown-block.ts";
import { type SyncBlock, writesOf } from "./sync-block.ts";

/** The number of syncs of one controller that wrote nothing, and of their keys. */
export interface Quiet {
  readonly controller: string;
  readonly syncs: number;
  readonly keys: number;
}

/** What is shown for one or more finished syncs. */
export type Folded =
  | { readonly is: "block"; readonly block: ShownBlock }
  /** Syncs that wrote nothing. `only`: the sync, if it was a single one. */
  | { readonly is: "quiet"; readonly counts: readonly Quiet[]; readonly only: SyncBlock | undefined }
  /** Further syncs of a key that equal the block shown last. */
  | {
      readonly is: "alike";
      readonly controller: string;
      readonly key: ObjectKey;
      readonly count: number;
      readonly perSecond: number;
      /** Each was triggered by the requeue of the previous one. */
      readonly requeued: boolean;
      readonly last: SyncBlock;
    };

/** Options of a `BlockFold`. */
export interface BlockFoldOptions {
  /** Show every sync as a block. */
  readonly all: boolean;
}

/** Quiet syncs are reported once none has ended for `lullMs`, and at the latest after `maxQuietMs`. */
const lullMs = 1000;
const maxQuietMs = 10_000;
/** Repetitions are reported after this long, then after twice as long, and so on up to the last. */
const repeatMs = 10_000;
const rarestRepeatMs = 300_000;
/** A key that is requeued sooner is not quiet. */
const hotRequeueMs = 1000;

interface Repeated {
  likeness: string;
  lastAt: number;
  /** Repetitions that have not been reported yet. */
  waiting: { count: number; sinceAt: number; last: SyncBlock; requeued: boolean } | undefined;
  everyMs: number;
}

interface QuietSoFar {
  readonly byController: Map<string, { syncs: number; readonly keys: Set<ObjectKey> }>;
  readonly sinceAt: number;
  lastAt: number;
  last: SyncBlock;
}

/** Accepts blocks in the order in which they are shown. All times in ms since 1970. */
export class BlockFold {
  #all: boolean;
  #quiet: QuietSoFar | undefined;
  #repeated = new Map<string, Repeated>();

  constructor({ all }: BlockFoldOptions) {
    this.#all = all;
  }

  /** Returns what is to be shown now; `release` returns the rest when it is due. */
  accept(block: SyncBlock): readonly Folded[] {
    if (this.#all) return [{ is: "block", block: shownBlock(block) }];
    const at = block.done.at;
    const due = this.release(at);
    if (isQuiet(block)) {
      this.#addQuiet(block);
      return due;
    }
    const name = `${block.controller} ${block.key}`;
    const likeness = likenessOf(block);
    const known = this.#repeated.get(name);
    if (known?.likeness === likeness && (isOwnDoing(block) || at - known.lastAt < repeatMs)) {
      known.lastAt = at;
      const { count = 0, sinceAt = at, requeued = true } = known.waiting ?? {};
      known.waiting = { count: count + 1, sinceAt, last: block, requeued: requeued && isRequeued(block) };
      return due;
    }
    this.#repeated.delete(name);
    this.#repeated.set(name, { likeness, lastAt: at, waiting: undefined, everyMs: repeatMs });
    this.#forgetOld(at);
    return [...due, ...repeatsOf(known), { is: "block", block: shownBlock(block) }];
  }

  /** When `release` will have something to report, in ms since 1970; undefined if nothing is held back. */
  get dueAt(): number | undefined {
    let due = Infinity;
    for (const repeated of this.#repeated.values()) due = Math.min(due, repeatDueAt(repeated));
    if (this.#quiet !== undefined) due = Math.min(due, this.#quiet.lastAt + lullMs, this.#quiet.sinceAt + maxQuietMs);
    return due === Infinity ? undefined : due;
  }

  /** Returns what is due at `now`; `Infinity` for everything. */
  release(now: number): readonly Folded[] {
    const folded: Folded[] = [];
    for (const repeated of this.#repeated.values()) {
      if (repeatDueAt(repeated) > now) continue;
      folded.push(...repeatsOf(repeated));
      repeated.waiting = undefined;
      repeated.everyMs = Math.min(2 * repeated.everyMs, rarestRepeatMs);
    }
    const quiet = this.#quiet;
    if (quiet !== undefined && Math.min(quiet.lastAt + lullMs, quiet.sinceAt + maxQuietMs) <= now) {
      this.#quiet = undefined;
      const counts = [...quiet.byController].map(([controller, { syncs, keys }]) => {
        return { controller, syncs, keys: keys.size };
      });
      const isOne = counts.length === 1 && counts[0]?.syncs === 1;
      folded.push({ is: "quiet", counts, only: isOne ? quiet.last : undefined });
    }
    return folded;
  }

  #addQuiet(block: SyncBlock): void {
    const { at } = block.done;
    this.#quiet ??= { byController: new Map(), sinceAt: at, lastAt: at, last: block };
    const of = this.#quiet.byController.get(block.controller) ?? { syncs: 0, keys: new Set<ObjectKey>() };
    this.#quiet.byController.set(block.controller, of);
    of.syncs++;
    of.keys.add(block.key);
    this.#quiet.lastAt = at;
    this.#quiet.last = block;
  }

  /** Relies on insertion order: the keys whose last sync is longest ago come first. */
  #forgetOld(now: number): void {
    for (const [name, { lastAt, waiting }] of this.#repeated) {
      if (now - lastAt < rarestRepeatMs || waiting !== undefined) return;
      this.#repeated.delete(name);
    }
  }
}

function repeatDueAt({ waiting, everyMs }: Repeated): number {
  return waiting === undefined ? Infinity : waiting.sinceAt + everyMs;
}

/** A single repetition is shown as a block, which shows more than a count of one. */
function repeatsOf(repeated: Repeated | undefined): readonly Folded[] {
  if (repeated?.waiting === undefined) return [];
  const { count, sinceAt, last, requeued } = repeated.waiting;
  if (count === 1) return [{ is: "block", block: shownBlock(last) }];
  const { controller, key } = last;
  const perSecond = (count - 1) / Math.max(0.001, (last.done.at - sinceAt) / 1000);
  return [{ is: "alike", controller, key, count, perSecond, requeued, last }];
}

/** Whether a sync wrote or intended nothing new, and did not fail. */
function isQuiet(block: SyncBlock): boolean {
  const { outcome, error } = block.done;
  if (error !== undefined || writesOf(block).some(({ standsSince }) => standsSince === undefined)) return false;
  if (outcome.is === "requeued") return outcome.delayMs >= hotRequeueMs;
  return outcome.is === "forgotten";
}

/** Whether only the key's own retry or requeue triggered the sync. */
function isOwnDoing({ causes, moreCauses }: SyncBlock): boolean {
  return (
    moreCauses === 0 && causes.length > 0 && causes.every((cause) => cause.is === "other" && isOwn(cause.trigger.cause))
  );
}

function isOwn(cause: string): boolean {
  return cause === "retry" || cause === "requeue";
}

function isRequeued(block: SyncBlock): boolean {
  return isOwnDoing(block) && block.causes.every((cause) => cause.is === "other" && cause.trigger.cause === "requeue");
}

/** A text that is equal for two syncs with the same decisions, writes and outcome, apart from times and generated names. */
function likenessOf(block: SyncBlock): string {
  const { decisions, done, recorded } = block;
  const parts = [
    decisions.map(({ rule, sentence }) => [rule, withoutChance(sentence)]),
    writesOf(block).map(({ verb, of, subresource, status, error = "", agreement }) => {
      return [verb, of.kind, subresource, status, withoutChance(error), agreement?.is];
    }),
    recorded.map(({ type, reason }) => [type, reason]),
    [done.outcome.is, withoutChance(done.error ?? "")],
  ];
  return JSON.stringify(parts);
}

/** A suffix generated by the API server: five characters of its alphabet for names. */
const madeUpSuffix = /-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9-])/g;
const durations = /-?\d+(\.\d+)? ?(ms|s|m|h)\b/g;

function withoutChance(text: string): string {
  return text.replace(madeUpSuffix, "-…").replace(durations, "…");
}
