/** One run of `loops`, from the kinds to the report. */
import { endedBeforeStart } from "../../cli/ended-early.ts";
import { splitKey } from "../../../src/api/key.ts";
import { type Kind, resourceOf } from "../../../src/api/kind.ts";
import { type Changes, watchChanges } from "../../../src/modes/watching/changes-only.ts";
import { cannotTellExitCode, type Verdict } from "../../../src/verdict/verdict.ts";
import { Coverage } from "../../../src/views/coverage.ts";
import {
  type Acquittal,
  type CauseShare,
  isFollower,
  isObjectLoop,
  type Loop,
  nameOf,
  shortestLoop,
} from "../../../src/views/loops/loop.ts";
import { Loops } from "../../../src/views/loops/loops.ts";
import { isUnderWay, loopsVerdict, tooShortText } from "../../../src/views/loops/verdict.ts";
import type { ProcessLoops } from "../../../src/views/process/process-loops.ts";
import { reconcileAdvice } from "../../cli/advice.ts";
import type { Session } from "../../cli/session.ts";
import { formatDuration } from "../../../src/api/duration.ts";
import { pluralize, styleOf } from "../../cli/style.ts";
import type { Reading } from "../../connections/reading-connection.ts";
import { namespaceExists } from "../../names/missing-namespace.ts";
import { acquittalText, foundText, loopsSummary, loopText } from "../../render/loop-text.ts";
import { kindsToWatch, type WatchedKinds } from "./kinds.ts";
import type { LoopsRequest } from "./request.ts";

/** The parts of a `LoopSearch`. The caller closes the connection. */
export interface LoopSearchParts {
  readonly request: LoopsRequest;
  readonly session: Session;
  readonly reading: Reading;
  /** Loops in the traffic of a program, as seen by the proxy. */
  readonly program?: ProcessLoops;
}

/** The interval at which new loops are announced. */
const lookEveryMs = 1000;

interface Started {
  readonly watched: WatchedKinds;
  /** False if the user may not check whether the namespace exists. */
  readonly namespaceExists: boolean;
  /** When all watches were open, in ms since 1970. */
  readonly at: number;
  /** When the program under watch sent its first request; without a program, the same as `at`. */
  readonly begunAt: number;
}

/** Searches for loops among all changes. */
export class LoopSearch {
  readonly #request: LoopsRequest;
  readonly #session: Session;
  readonly #reading: Reading;
  readonly #program: ProcessLoops | undefined;
  readonly #view: Loops;
  readonly #coverage = new Coverage();
  readonly #announced = new Set<string>();
  #changes: Changes | undefined;

  constructor({ request, session, reading, program }: LoopSearchParts) {
    this.#request = request;
    this.#session = session;
    this.#reading = reading;
    this.#program = program;
    this.#view = new Loops({ perMinute: request.perMinute });
  }

  /** Announces loops until the session ends, then reports. @returns the exit code. @throws UserError, StatusError, TransportError. */
  async untilEnded(): Promise<number> {
    const started = await this.#session.unlessInterrupted(() => this.#start());
    if (started === undefined) return endedBeforeStart(this.#request.failOnLoop ? "loop" : undefined, this.#session);
    this.#session.endAfter(this.#request.forMs);
    this.#lookAgain();
    await this.#session.ended;
    this.#announce();
    return this.#report(started);
  }

  /** Ends the watches; no-op before `untilEnded`. */
  async stop(): Promise<void> {
    await this.#changes?.stop();
  }

  async #start(): Promise<Started> {
    const { bus, client, context, server, namespace } = this.#reading;
    const { words, forMs, perMinute } = this.#request;
    const session = this.#session;
    const { timeline, random, calledAs } = session.io;
    const version = await this.#reading.serverVersion();
    const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
    session.say(`context ${context} · ${server} (${version.gitVersion}) · ${where}`);
    const exists = namespace === undefined || (await namespaceExists(client, namespace));
    const watched = await kindsToWatch(words, this.#reading, calledAs);
    const { kinds, refused } = watched;
    if (refused.length > 0)
      session.say(`warning: not allowed to list and watch, and left out: ${refused.map(resourceOf).join(", ")}`);
    bus.listen((event) => {
      this.#view.accept(event);
      this.#coverage.accept(event);
    });
    const startedAt = timeline.now();
    this.#changes = await watchChanges(
      { kinds, client, bus, timeline, random, ...(namespace !== undefined && { namespace }) },
      session.signal,
    );
    const end = forMs === undefined ? "Ctrl-C ends it with the report" : `for ${formatDuration(forMs)}`;
    session.say(
      `watching ${pluralize(kinds.length, "kind")} after ${formatDuration(timeline.now() - startedAt)}, ${end}`,
    );
    session.say(
      `loop    an object that for ${shortestLoop} or longer returns to earlier values, or is written more than ${perMinute} times a minute without converging`,
    );
    session.say("");
    const at = timeline.now();
    await this.#reading.begin();
    return { watched, namespaceExists: exists, at, begunAt: timeline.now() };
  }

  #lookAgain(): void {
    const look = (): void => {
      if (this.#session.isOver) return;
      this.#announce();
      this.#lookAgain();
    };
    this.#session.io.timeline.after(lookEveryMs, "loops", look, { background: true });
  }

  /** Announces each loop once; loops that follow from others are only in the report. */
  #announce(): void {
    this.#program?.flush(this.#session.io.timeline.now());
    for (const loop of [...this.#view.settled().filter(isObjectLoop), ...(this.#program?.found() ?? [])]) {
      const name = `${loop.is} ${"of" in loop ? nameOf(loop) : loop.key}`;
      if (this.#announced.has(name)) continue;
      this.#announced.add(name);
      this.#session.say(foundText(loop));
    }
  }

  #report({ watched, namespaceExists: exists, at: startedAt, begunAt }: Started): number {
    const { kinds, refused, undiscovered } = watched;
    const { words, flags, failOnLoop } = this.#request;
    const now = this.#session.io.timeline.now();
    this.#program?.flush(Infinity);
    const loops = [...this.#view.found(), ...(this.#program?.found() ?? [])];
    const [acquitted, deltas] = [this.#view.acquitted(), this.#view.deltas];
    const tooShort = [...this.#view.tooShort(), ...(this.#program?.tooShort() ?? [])];
    const ms = now - begunAt;
    const verdict = loopsVerdict({
      loops,
      tooShort,
      kinds,
      refused,
      named: words.length > 0,
      gaps: this.#coverage.gaps(startedAt, now),
      undiscovered,
      // A namespace without changes may also be one that does not exist.
      unknownNamespace: !exists && deltas === 0 ? flags.namespace : undefined,
      deltas,
      ms,
      endedAt: now,
    });
    if (this.#request.json) this.#printJson(verdict, { acquitted, tooShort });
    else this.#printLoops(loops, kinds, now);
    this.#session.say(loopsSummary(verdict, { kinds: kinds.length, ms, deltas }));
    // Those under way are part of the verdict.
    const atRest = tooShort.filter((loop) => !isUnderWay(loop, now)).slice(0, shownAcquittals);
    if (verdict.is !== "found") for (const loop of atRest) this.#session.say(tooShortText(loop));
    if (acquitted.length > 0) this.#session.say(acquittalLine(acquitted));
    if (!failOnLoop) return 0;
    return verdict.is === "found" ? 3 : verdict.is === "well" ? 0 : cannotTellExitCode;
  }

  #printJson(verdict: Verdict<Loop>, others: NoLoops): void {
    const { out } = this.#session.io;
    for (const loop of verdict.is === "found" ? verdict.findings : []) {
      out.write(`${JSON.stringify({ v: 1, loop })}\n`);
    }
    out.write(`${JSON.stringify({ v: 1, verdict: { ...verdict, findings: undefined }, ...others })}\n`);
  }

  #printLoops(loops: readonly Loop[], kinds: readonly Kind[], now: number): void {
    const { out } = this.#session.io;
    if (loops.length > 0 && this.#announced.size > 0 && out.columns !== undefined) out.write("\n");
    for (const [index, loop] of loops.entries()) {
      if (index > 0 && !isFollower(loop)) out.write("\n");
      const lines = loopText(loop, styleOf(out), {
        next: this.#watchCommand(loop, kinds),
        now,
        causes: this.#causesOf(loop),
      });
      for (const line of lines) out.line(line);
    }
  }

  #causesOf(loop: Loop): readonly CauseShare[] {
    return isObjectLoop(loop) ? (this.#program?.causesOf(loop) ?? []) : [];
  }

  #watchCommand(loop: Loop, kinds: readonly Kind[]): string {
    if (!isObjectLoop(loop) || isFollower(loop)) return "";
    const kind = kinds.find(({ group, kind: name }) => group === loop.of.group && name === loop.of.kind);
    if (kind === undefined) return "";
    const { namespace, name } = splitKey(loop.key);
    const where = namespace === "" ? "" : ` -n ${namespace}`;
    const words = `watch ${resourceOf(kind)}/${name}${where} -o wide`;
    return reconcileAdvice(this.#session.io.calledAs, this.#request.flags, words);
  }
}

/** What is no loop, in the JSON output. */
interface NoLoops {
  readonly acquitted: readonly Acquittal[];
  /** What would be a loop if it had lasted. */
  readonly tooShort: readonly Loop[];
}

/** How many objects that were written often, but are not in a loop, are shown; the rest is counted. */
const shownAcquittals = 5;

function acquittalLine(acquitted: readonly Acquittal[]): string {
  const more = acquitted.length - shownAcquittals;
  const named = acquitted.slice(0, shownAcquittals).map(acquittalText);
  return `no loop, though written as often: ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(", ")}`;
}
