/**
 * What led to the writes of a process that is seen from outside: a pure fold over stage events. Its queue cannot be seen, so its writes
 * are put together to reconciles, and each reconcile is given the delta that probably caused it. The evidence: whose the written object
 * is; which version of it the process had when it decided; when deltas were received, and when the reconcile before began and ended.
 */
import { objectKey, splitKey } from "../../api/key.ts";
import type { StageEvent } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import type { ReconcileRef } from "../../trace/reconcile-ref.ts";
import { causeOf, leastReaction, type Cause, type EarlierReconcile } from "./cause.ts";
import { type NumberedDelta, RecentDeltas } from "./recent-deltas.ts";
import { uidOf, type NumberedWrite, type Subject } from "./subject.ts";

/** The writes that one reconcile made. */
export interface Episode {
  /** From 1. */
  readonly number: number;
  readonly agent: string;
  readonly fieldManager: string;
  readonly subject: Subject;
  /** Undefined where no delta came before it, or where it repeats a reconcile that failed. */
  readonly cause: Cause | undefined;
  /** The reconcile that failed and is repeated. */
  readonly retryOf: number | undefined;
  /** At least one. */
  readonly writes: readonly NumberedWrite[];
}

interface OpenEpisode {
  readonly number: number;
  readonly writer: string;
  readonly subject: Subject;
  readonly first: NumberedWrite;
  readonly writes: NumberedWrite[];
  readonly last: EarlierReconcile | undefined;
  /** Set where its writes name it. */
  readonly exact: ReconcileRef | undefined;
  /** The delta that its first write names: looked up then, since of a busy object only the latest deltas are kept. */
  readonly named: NumberedDelta | undefined;
  endedAt: number;
}

/** Between two writes of one reconcile, however slow the process is. */
const mostPauseMs = 250;
/** The same where writes name their reconcile: nothing is guessed by the pause. */
const mostExactPauseMs = 1000;
/** After so many reconciles without a status, a writer is one that writes none. */
const untoldFrom = 3;
/** From a status to what else the same reconcile writes. */
const afterStatusMs = 5;
/** The same within what a reconcile does to other objects. */
const shortPauseMs = 50;
/** Subjects whose last reconcile is kept, at least. */
const mostSubjects = 20_000;

/** Takes events, and tells which reconcile made which writes once it is over. */
export class Episodes {
  readonly #deltas = new RecentDeltas();
  readonly #open = new Map<string, OpenEpisode>();
  readonly #last = new GenerationalCache<string, EarlierReconcile>(mostSubjects);
  /** Of each writer, the kinds that it reconciles: it owns what it creates, or writes its status. */
  readonly #reconciled = new Map<string, Set<string>>();
  /** Who wrote last for an object. */
  readonly #writers = new GenerationalCache<string, string>(mostSubjects);
  /** Of writers that have written no status yet, how many reconciles they made. */
  readonly #untold = new Map<string, number>();
  /** How long writers took from a delta to a write, where it could be told. */
  readonly #reactions: number[] = [];
  #count = 0;

  /** The reconciles that an event shows to be over. */
  accept(event: StageEvent): readonly Episode[] {
    if (event.stage === "delta" && event.agent !== undefined) this.#deltas.add(event);
    if (event.stage !== "write" || event.agent === undefined) return [];
    const over = this.flush(event.sentAt);
    const ended = this.#write(event);
    return ended === undefined ? over : [...over, ended];
  }

  /** Those that are over at a time: nothing was written for a while. */
  flush(now: number): readonly Episode[] {
    const over: Episode[] = [];
    for (const [name, open] of this.#open) {
      const pauseMs = open.exact === undefined ? mostPauseMs : mostExactPauseMs;
      if (now - open.endedAt > pauseMs) over.push(this.#close(name, open));
    }
    return over;
  }

  #write(write: NumberedWrite): Episode | undefined {
    const { reconcile: exact } = write;
    const subject = exact === undefined ? this.#subjectOf(write) : this.#exactSubject(write, exact);
    const writer = this.#writerFor(write, subject);
    const place = `${writer} ${subject.uid}`;
    const name = exact === undefined ? place : `${write.agent} reconcile ${exact.id}`;
    const open = this.#open.get(name);
    const isOver = open !== undefined && exact === undefined && !this.#continues(open, write);
    const ended = isOver ? this.#close(name, open) : undefined;
    const current = this.#open.getOrInsertComputed(name, () => ({
      number: ++this.#count,
      writer,
      subject,
      first: write,
      writes: [],
      last: this.#last.get(place),
      exact,
      named: exact?.because && this.#deltas.find(exact.because),
      endedAt: 0,
    }));
    current.writes.push(write);
    current.endedAt = Math.max(current.endedAt, write.sentAt + write.ms);
    return ended;
  }

  /** Controllers of one process differ by user agent or by field manager; a deletion carries none, so it is of who wrote here last. */
  #writerFor(write: NumberedWrite, { uid }: Subject): string {
    const place = `${write.agent} ${uid}`;
    if (write.verb === "delete") return this.#writers.get(place) ?? writerOf(write);
    this.#writers.set(place, writerOf(write));
    return writerOf(write);
  }

  /**
   * Whether a write belongs to the reconcile of the writes before it: it follows them at once, no delta came in between that could have
   * led to another one, and it is not based on what was received later.
   */
  #continues({ writer, subject: { uid }, first, writes, endedAt }: OpenEpisode, write: NumberedWrite): boolean {
    const pauseMs = write.sentAt - endedAt;
    if (pauseMs > mostPauseMs || isAnotherRound(writes, write)) return false;
    // An error ends a reconcile, unless the write was sent beside it.
    if (writes.some((one) => one.error !== undefined && one.sentAt + one.ms <= write.sentAt)) return false;
    const read = write.conditional
      ? this.#deltas.own(uidOf(write)).find(({ resourceVersion }) => resourceVersion === write.before)
      : undefined;
    if (read !== undefined && read.receivedAt > first.sentAt) return false;
    const hasStatus = writes.some(({ subresource }) => subresource === "status");
    if (hasStatus && write.subresource !== "status")
      return pauseMs <= afterStatusMs && !this.#hasNews(uid, { writes, since: first.sentAt, until: write.sentAt });
    // Writers that tell of their work in a status do so last: until then it is one reconcile.
    const tells = (this.#untold.get(writer) ?? 0) < untoldFrom;
    if (tells && (write.subresource === "status" || pauseMs <= shortPauseMs)) return true;
    return !this.#hasNews(uid, { writes, since: endedAt, until: write.sentAt - leastReaction(this.#reactions) });
  }

  /** Whether a delta came that is not the echo of one of these writes. */
  #hasNews(
    uid: string,
    {
      writes,
      since,
      until,
    }: { readonly writes: readonly NumberedWrite[]; readonly since: number; readonly until: number },
  ): boolean {
    const echoes = new Set(writes.map(({ resourceVersion }) => resourceVersion));
    return [...this.#deltas.own(uid), ...this.#deltas.owned(uid)].some(
      ({ receivedAt, resourceVersion }) => receivedAt > since && receivedAt <= until && !echoes.has(resourceVersion),
    );
  }

  #close(name: string, { number, writer, subject, first, writes, last, exact, named, endedAt }: OpenEpisode): Episode {
    this.#open.delete(name);
    const [deltas, reactions] = [this.#deltas, this.#reactions];
    const { cause, reactionMs } = causeOf({ subject, writes, last, exact, named, deltas, reactions });
    if (reactionMs !== undefined) {
      this.#reactions.push(reactionMs);
      if (this.#reactions.length > 64) this.#reactions.shift();
    }
    this.#untold.set(writer, (this.#untold.get(writer) ?? 0) + 1);
    const failed = writes.some(({ error }) => error !== undefined);
    const isGuessed = cause === undefined || cause.grade === "time" || cause.grade === "named";
    const isRetry = exact?.again === undefined ? last?.failed === true && isGuessed : exact.again === "retry";
    const place = `${writer} ${subject.uid}`;
    this.#last.set(place, {
      number,
      startedAt: first.sentAt,
      endedAt,
      failed,
      wokenAt: cause?.delta.receivedAt ?? last?.wokenAt ?? 0,
    });
    return {
      number,
      agent: first.agent ?? "",
      fieldManager: first.fieldManager,
      subject,
      cause: isRetry ? undefined : cause,
      retryOf: isRetry ? last?.number : undefined,
      writes,
    };
  }

  /** The object that a write says it is reconciled for; its kind may be left to what is known of the written object. */
  #exactSubject(write: NumberedWrite, { object }: ReconcileRef): Subject {
    const guessed = this.#subjectOf(write);
    if (object === undefined || (object.key === guessed.key && object.kind === "")) return guessed;
    const { kind, key } = object;
    const itself = key === write.key && (kind === "" || kind === write.of.kind) ? uidOf(write) : "";
    const uid = itself === "" ? this.#deltas.uidOf(kind, key) : itself;
    const of = itself === "" ? { group: "", kind: kind === "" ? "object" : kind } : write.of;
    return { uid: uid === "" ? `${of.kind} ${key}` : uid, of, key };
  }

  /** An object that has an owner is written for the owner, unless the writer reconciles its kind itself. */
  #subjectOf(write: NumberedWrite): Subject {
    const { of, key, subresource, detail, verb } = write;
    const writer = writerOf(write);
    const kinds = this.#reconciled.getOrInsertComputed(writer, () => new Set<string>());
    const uid = uidOf(write);
    const itself: Subject = { uid: uid === "" ? `${of.kind} ${key}` : uid, of, key };
    if (subresource === "status") {
      kinds.add(of.kind);
      this.#untold.set(writer, -Infinity);
    }
    const owner = detail?.owner;
    if (owner === undefined) return itself;
    if (kinds.has(of.kind) && verb !== "delete") return itself;
    // A kind that owns its own kind does not tell one from the other.
    if (verb !== "delete" && owner.kind !== of.kind) kinds.add(owner.kind);
    return { uid: owner.uid, of: { group: "", kind: owner.kind }, key: objectKey(splitKey(key).namespace, owner.name) };
  }
}

function writerOf({ agent, fieldManager }: NumberedWrite): string {
  return `${agent} ${fieldManager}`;
}

/** A reconcile writes an object again only from the state that it has read. */
function isAnotherRound(writes: readonly NumberedWrite[], write: NumberedWrite): boolean {
  const same = writes.filter(
    (one) =>
      one.of.kind === write.of.kind && one.key === write.key && (one.subresource ?? "") === (write.subresource ?? ""),
  );
  return same.some((one) => one.error !== undefined || !write.conditional || one.before !== write.before);
}
