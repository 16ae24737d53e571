/** Finds loops that leave no trace in objects: repeated writes that change nothing or are refused, and repeated reads with the same response. */
import type { StageEvent } from "../../trace/events.ts";
import type { KindName } from "../../trace/names.ts";
import {
  type CauseShare,
  defaultMinMs,
  minWrites,
  type LoopsOptions,
  nameOf,
  type ObjectName,
  type ProcessLoop,
} from "../loops/loop.ts";
import { because } from "./because.ts";
import type { Episode } from "./episodes.ts";
import { LeaderElection } from "./leader-election.ts";
import { Polling } from "./polling.ts";
import { type ProcessLine, ProcessReport, type ShownWrite } from "./process-report.ts";
import { CauseCounts, WriteCauses } from "./write-causes.ts";

/** Writes to one object that all had no effect, or were all refused. */
interface History {
  readonly how: "without effect" | "refused";
  readonly controller: string;
  readonly of: KindName;
  readonly subresource: string | undefined;
  readonly key: string;
  readonly firstAt: number;
  lastAt: number;
  writes: number;
  /** The error of the last refusal. */
  error: string;
  readonly because: CauseCounts;
}

/** Histories kept; later objects are ignored. */
const maxHistories = 20_000;

/** Accepts every event of a proxy; `found` returns the loops so far. */
export class ProcessLoops {
  readonly #options: Required<LoopsOptions>;
  readonly #report = new ProcessReport();
  readonly #polling = new Polling();
  readonly #elections = new LeaderElection();
  readonly #histories = new Map<string, History>();
  readonly #causes = new WriteCauses();

  constructor({ perMinute, minMs = defaultMinMs }: LoopsOptions) {
    this.#options = { perMinute, minMs };
  }

  accept(event: StageEvent): void {
    if (event.stage === "request") {
      this.#elections.request(event);
      this.#polling.request(event);
    }
    if (event.stage === "write" && event.agent !== undefined) this.#elections.write(event);
    this.#take(this.#report.accept(event));
  }

  /** Also counts the reconciles that are over at `now`, in ms since 1970; `Infinity` for all. */
  flush(now: number): void {
    this.#take(this.#report.flush(now));
  }

  #take(lines: readonly ProcessLine[]): void {
    for (const line of lines) {
      if (line.is === "reconcile") for (const write of line.writes) this.#write(line.episode, write);
    }
  }

  #write(episode: Episode, { write, effect }: ShownWrite): void {
    const { of, key, subresource, sentAt, error = "" } = write;
    const why = because(episode);
    this.#causes.add(write, why);
    if (effect !== "nothing changed" && effect !== "refused") return;
    const how = effect === "refused" ? "refused" : "without effect";
    const name = `${how} ${subresource ?? ""} ${nameOf(write)}`;
    if (this.#histories.size >= maxHistories && !this.#histories.has(name)) return;
    const history = this.#histories.getOrInsertComputed(name, () => ({
      how,
      controller: episode.agent.split("/")[0] ?? episode.agent,
      of,
      subresource,
      key,
      firstAt: sentAt,
      lastAt: sentAt,
      writes: 0,
      error,
      because: new CauseCounts(),
    }));
    history.writes++;
    history.lastAt = sentAt;
    history.error = error;
    history.because.add(why);
  }

  /** The loops so far, the busiest first. */
  found(): readonly ProcessLoop[] {
    return this.#repeated((ms) => ms >= this.#options.minMs);
  }

  /** What would be loops if they had lasted, the busiest first. */
  tooShort(): readonly ProcessLoop[] {
    return this.#repeated((ms) => ms < this.#options.minMs);
  }

  #repeated(isWanted: (ms: number) => boolean): readonly ProcessLoop[] {
    const written = [...this.#histories.values()].flatMap((history): readonly ProcessLoop[] => {
      const { how, controller, of, subresource, key, firstAt, lastAt, writes, error } = history;
      const ms = lastAt - firstAt;
      if (!isWanted(ms) || !this.#isBusy(writes, ms)) return [];
      const sub = subresource === undefined ? {} : { subresource };
      const loop = { controller, of, ...sub, key, writes, ms, lastAt, because: history.because.shares };
      return [how === "refused" ? { is: how, ...loop, error } : { is: how, ...loop }];
    });
    const read = this.#polling.found(this.#elections).flatMap((poll): readonly ProcessLoop[] => {
      const { agent, uri, unchanged, everyMs, firstAt, lastAt } = poll;
      const ms = lastAt - firstAt;
      if (!isWanted(ms) || !this.#isBusy(unchanged, ms)) return [];
      return [{ is: "read again", controller: agent, key: uri, reads: unchanged, ms, lastAt, everyMs }];
    });
    const size = (loop: ProcessLoop): number => (loop.is === "read again" ? loop.reads : loop.writes);
    return [...written, ...read].toSorted((a, b) => size(b) - size(a));
  }

  /** Why the process wrote the object, the most frequent cause first; empty if it did not. */
  causesOf(object: ObjectName): readonly CauseShare[] {
    return this.#causes.of(object);
  }

  #isBusy(times: number, ms: number): boolean {
    return times >= minWrites && (times - 1) * 60_000 >= this.#options.perMinute * ms;
  }
}
