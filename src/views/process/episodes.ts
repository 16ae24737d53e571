/**
 * Reconstructs the reconciles of a process observed from outside: a pure fold over stage events. The work queue of the process cannot
 * be seen, so its writes are grouped into reconciles (rounds.ts), and each reconcile is matched with the delta that probably triggered
 * it (cause.ts). The evidence: who owns the written object; which version of it the process had when it decided; when deltas were
 * received; when the previous reconcile started and ended; and what this writer usually does.
 */
import type { StageEvent } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import type { ReconcileRef } from "../../trace/reconcile-ref.ts";
import { causeOf, type Cause, type CauseResult } from "./cause.ts";
import { type NumberedDelta, RecentDeltas } from "./recent-deltas.ts";
import { RecentReads } from "./recent-reads.ts";
import { continuesReconcile, maxPauseMs, stepsOf } from "./rounds.ts";
import { uidOf, type NumberedWrite, type Subject } from "./subject.ts";
import type { PreviousReconcile } from "./waiting.ts";
import { Writers } from "./writers.ts";

/** One reconcile, as seen through its writes. */
export interface Episode {
  /** Counted from 1. */
  readonly number: number;
  readonly agent: string;
  readonly fieldManager: string;
  readonly subject: Subject;
  /** Undefined if no delta preceded it, or if it retries a failed reconcile. */
  readonly cause: Cause | undefined;
  /** The number of the failed reconcile that this one retries. */
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
  readonly previous: PreviousReconcile | undefined;
  /** Set if its writes name the reconcile. */
  readonly exact: ReconcileRef | undefined;
  /** The delta that its first write names. Looked up at once, because only the latest deltas of an object are kept. */
  readonly named: NumberedDelta | undefined;
  endedAt: number;
}

/** Longest pause between two writes that name the same reconcile. */
const maxExactPauseMs = 1000;
/** The last reconcile of at least this many subjects is kept. */
const maxSubjects = 20_000;

/** Accepts stage events and returns each reconcile once it is over. */
export class Episodes {
  readonly #deltas = new RecentDeltas();
  readonly #reads = new RecentReads();
  readonly #writers = new Writers(this.#deltas);
  readonly #open = new Map<string, OpenEpisode>();
  readonly #last = new GenerationalCache<string, PreviousReconcile>(maxSubjects);
  #count = 0;

  /** Returns the reconciles that this event shows to be over. */
  accept(event: StageEvent): readonly Episode[] {
    if (event.stage === "delta" && event.agent !== undefined) this.#deltas.add(event);
    if (event.stage === "request") this.#reads.add(event);
    if (event.stage !== "write" || event.agent === undefined) return [];
    const over = this.flush(event.sentAt);
    const ended = this.#write(event);
    return ended === undefined ? over : [...over, ended];
  }

  /** Returns the reconciles that are over at `now`, in ms since 1970, because they have written nothing for a while. */
  flush(now: number): readonly Episode[] {
    const over: Episode[] = [];
    for (const [name, open] of this.#open) {
      const pauseMs = open.exact === undefined ? maxPauseMs : maxExactPauseMs;
      if (now - open.endedAt <= pauseMs) continue;
      const { writer, writes } = open;
      if (writes.at(-1)?.subresource === "status") this.#writers.habitsOf(writer).recordEnd(stepsOf(writes));
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
    const isOver = open !== undefined && exact === undefined && !this.#continues(open, write);
    const ended = isOver ? this.#close(name, open) : undefined;
    const current = this.#open.getOrInsertComputed(name, () => ({
      number: ++this.#count,
      writer,
      subject,
      first: write,
      writes: [],
      previous: this.#last.get(place),
      exact,
      named: exact?.because && this.#deltas.find(exact.because),
      endedAt: 0,
    }));
    current.writes.push(write);
    current.endedAt = Math.max(current.endedAt, write.sentAt + write.ms);
    this.#writers.recordWrite(writer, write);
    return ended;
  }

  #continues({ writer, subject: { uid }, writes, endedAt }: OpenEpisode, write: NumberedWrite): boolean {
    const [deltas, reads] = [this.#deltas, this.#reads];
    const [habits, reportsStatus] = [this.#writers.habitsOf(writer), this.#writers.reportsStatus(writer)];
    return continuesReconcile({ write, writes, uid, endedAt, deltas, reads, habits, reportsStatus });
  }

  #close(name: string, open: OpenEpisode): Episode {
    this.#open.delete(name);
    const { number, writer, subject, first, writes, previous, exact } = open;
    const found = this.#causeOf(open);
    const { cause } = found;
    this.#writers.recordReconcile(writer);
    const isGuessed = cause === undefined || cause.grade === "time" || cause.grade === "named";
    const isRetry = exact?.again === undefined ? previous?.failed === true && isGuessed : exact.again === "retry";
    this.#last.set(`${writer} ${subject.uid}`, asPrevious(open, found));
    return {
      number,
      agent: first.agent ?? "",
      fieldManager: first.fieldManager,
      subject,
      cause: isRetry ? undefined : cause,
      retryOf: isRetry ? previous?.number : undefined,
      writes,
    };
  }

  #causeOf({ writer, subject, writes, previous, exact, named }: OpenEpisode): CauseResult {
    const sentAt = Math.min(...writes.map((write) => write.sentAt));
    return causeOf({
      subject,
      writes,
      sentAt,
      previous,
      exact,
      named,
      deltas: this.#deltas,
      habits: this.#writers.habitsOf(writer),
      isEcho: (delta) => this.#writers.isEcho(writer, delta),
    });
  }
}

/** The part of a finished reconcile that helps to interpret the next one of the same subject. */
function asPrevious(
  { number, subject, writes, endedAt }: OpenEpisode,
  { latestStart, earliestStart }: CauseResult,
): PreviousReconcile {
  const own = writes.filter((write) => uidOf(write) === subject.uid);
  const end = writes.at(-1);
  const isStatus = end?.subresource === "status";
  return {
    number,
    latestStart,
    earliestStart,
    endedAt,
    failed: writes.some(({ error }) => error !== undefined),
    ownVersions: new Set(own.map(({ resourceVersion }) => resourceVersion)),
    status: isStatus ? { before: end.before, steps: stepsOf(writes) } : undefined,
  };
}
