/**
 * What led to the writes of a process that is seen from outside: a pure fold over stage events. Its queue cannot be seen, so its writes
 * are put together to reconciles (rounds.ts), and each reconcile is given the delta that probably led to it (cause.ts). The evidence:
 * whose the written object is; which version of it the process had when it decided; when deltas were received; when the reconcile before
 * began and ended; and what this writer usually does.
 */
import type { StageEvent } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import type { ReconcileRef } from "../../trace/reconcile-ref.ts";
import { causeOf, type Cause, type Found } from "./cause.ts";
import { type NumberedDelta, RecentDeltas } from "./recent-deltas.ts";
import { RecentReads } from "./recent-reads.ts";
import { beginningOf, goesOn, mostPauseMs } from "./rounds.ts";
import { uidOf, type NumberedWrite, type Subject } from "./subject.ts";
import type { EarlierReconcile } from "./waiting.ts";
import { Writers } from "./writers.ts";

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

/** Between two writes of one reconcile that both name it: nothing is guessed by the pause. */
const mostExactPauseMs = 1000;
/** Subjects whose last reconcile is kept, at least. */
const mostSubjects = 20_000;

/** Takes events, and tells which reconcile made which writes once it is over. */
export class Episodes {
  readonly #deltas = new RecentDeltas();
  readonly #reads = new RecentReads();
  readonly #writers = new Writers(this.#deltas);
  readonly #open = new Map<string, OpenEpisode>();
  readonly #last = new GenerationalCache<string, EarlierReconcile>(mostSubjects);
  #count = 0;

  /** The reconciles that an event shows to be over. */
  accept(event: StageEvent): readonly Episode[] {
    if (event.stage === "delta" && event.agent !== undefined) this.#deltas.add(event);
    if (event.stage === "request") this.#reads.add(event);
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
      if (now - open.endedAt <= pauseMs) continue;
      const { writer, writes } = open;
      if (writes.at(-1)?.subresource === "status") this.#writers.habitsOf(writer).ended(beginningOf(writes));
      over.push(this.#close(name, open));
    }
    return over;
  }

  #write(write: NumberedWrite): Episode | undefined {
    const { reconcile: exact } = write;
    const subject = this.#writers.subjectOf(write);
    const writer = this.#writers.of(write, subject);
    const place = `${writer} ${subject.uid}`;
    const name = exact === undefined ? place : `${write.agent} reconcile ${exact.id}`;
    const open = this.#open.get(name);
    const isOver = open !== undefined && exact === undefined && !this.#goesOn(open, write);
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
    this.#writers.wrote(writer, write);
    return ended;
  }

  #goesOn({ writer, subject: { uid }, writes, endedAt }: OpenEpisode, write: NumberedWrite): boolean {
    const [deltas, reads] = [this.#deltas, this.#reads];
    const [habits, tells] = [this.#writers.habitsOf(writer), this.#writers.tells(writer)];
    return goesOn({ write, writes, uid, endedAt, deltas, reads, habits, tells });
  }

  #close(name: string, open: OpenEpisode): Episode {
    this.#open.delete(name);
    const { number, writer, subject, first, writes, last, exact } = open;
    const found = this.#causeOf(open);
    const { cause } = found;
    this.#writers.reconciled(writer);
    const isGuessed = cause === undefined || cause.grade === "time" || cause.grade === "named";
    const isRetry = exact?.again === undefined ? last?.failed === true && isGuessed : exact.again === "retry";
    this.#last.set(`${writer} ${subject.uid}`, earlier(open, found));
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

  #causeOf({ writer, subject, writes, last, exact, named }: OpenEpisode): Found {
    const sentAt = Math.min(...writes.map((write) => write.sentAt));
    return causeOf({
      subject,
      writes,
      sentAt,
      last,
      exact,
      named,
      deltas: this.#deltas,
      habits: this.#writers.habitsOf(writer),
      isEcho: (delta) => this.#writers.isEcho(writer, delta),
    });
  }
}

/** What is kept of a reconcile for the next one. */
function earlier({ number, subject, writes, endedAt }: OpenEpisode, { begunBy, begunAfter }: Found): EarlierReconcile {
  const own = writes.filter((write) => uidOf(write) === subject.uid);
  const end = writes.at(-1);
  const isStatus = end?.subresource === "status";
  return {
    number,
    begunBy,
    begunAfter,
    endedAt,
    failed: writes.some(({ error }) => error !== undefined),
    wrote: new Set(own.map(({ resourceVersion }) => resourceVersion)),
    status: isStatus ? { before: end.before, beginning: beginningOf(writes) } : undefined,
  };
}
