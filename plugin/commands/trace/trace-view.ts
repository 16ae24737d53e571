/** Turns the stage events into the output of `trace`: blocks, loops and the summary. */
import type { StageEvent } from "../../../src/trace/events.ts";
import { linkedStages, Linker } from "../../../src/trace/linker.ts";
import type { KindName } from "../../../src/trace/names.ts";
import { AgreementReport, agreementVerdict } from "../../../src/views/agreement.ts";
import { cannotTellExitCode } from "../../../src/verdict/verdict.ts";
import { Coverage, type Gap } from "../../../src/views/coverage.ts";
import { isObjectLoop, type Loop } from "../../../src/views/loops/loop.ts";
import { Loops } from "../../../src/views/loops/loops.ts";
import { tooLittle } from "../../../src/views/loops/verdict.ts";
import { type RunLine, RunReport } from "../../../src/views/run-report.ts";
import { tracedStages } from "../../../src/views/sync-trace.ts";
import type { Session } from "../../cli/session.ts";
import { styleOf, wrapHanging } from "../../cli/style.ts";
import { connectionText, isConnectionLine } from "../../render/connection-text.ts";
import { loopText } from "../../render/loop-text.ts";
import { summaryLine } from "../../render/run-lines.ts";
import type { TraceRequest } from "./request.ts";
import { type Failure, TraceScreen } from "./screen.ts";
import { agreementLine } from "./shadow-text.ts";
import { type Shows, shownSyncs } from "./shown-syncs.ts";
import type { TraceTarget } from "./target.ts";

/** How long a block is held back: in a sandbox for the deltas that its writes cause, in shadow mode for the owner's writes. */
const holdMs = { sandbox: 100, shadow: 400 } as const;

/** Objects with more writes or syncs per minute are examined for loops. */
const loopsPerMinute = 10;
const loopsEveryMs = 1000;

/** For how long was looked, in ms; when that ended, in ms since 1970; and what was not watched, meanwhile or at the end. */
interface Looked {
  readonly ms: number;
  readonly endedAt: number;
  readonly gaps: readonly Gap[];
  readonly broken: readonly Gap[];
}

/** Listens to a target from its construction on. */
export class TraceView {
  readonly #request: TraceRequest;
  readonly #session: Session;
  readonly #screen: TraceScreen;
  readonly #shows: Shows;
  readonly #named: ReadonlySet<string>;
  readonly #withoutOwner: TraceTarget["withoutOwner"];
  readonly #report = new RunReport();
  readonly #agreement = new AgreementReport();
  readonly #loops = new Loops({ perMinute: loopsPerMinute });
  readonly #coverage = new Coverage();
  readonly #announced = new Set<string>();
  #failure: Failure | undefined;
  /** When the search for loops began, in ms since 1970. */
  #lookingSince: number | undefined;
  #looked: Looked | undefined;

  /** @throws UserError for an object of an unknown type. */
  constructor(request: TraceRequest, session: Session, target: TraceTarget) {
    const { bus, place, find } = target;
    const { json, everySync, why, failOn, sinceStart, count } = request;
    const { out, timeline } = session.io;
    this.#request = request;
    this.#session = session;
    this.#shows = shownSyncs(request, place, find);
    this.#named = new Set(request.controllers.map(({ name }) => name));
    this.#withoutOwner = () => target.withoutOwner();
    this.#screen = new TraceScreen({
      out,
      timeline,
      json,
      shadow: place.mode === "shadow",
      holdMs: holdMs[place.mode],
      all: everySync,
      origins: why !== undefined,
      shows: this.#shows,
      failOn: new Set(failOn === undefined ? [] : [failOn]),
      onEnd: (met) => this.#end(met),
      ...(sinceStart && { sinceStartAt: session.startedAt }),
      ...(count !== undefined && { count }),
    });
    bus.listen(new Linker(bus).listener, { stages: linkedStages });
    bus.listen(this.#listener, { stages: json ? undefined : tracedStages });
  }

  /** Reports loops from now on, until the session ends. */
  lookForLoops(): void {
    const { timeline } = this.#session.io;
    this.#lookingSince ??= timeline.now();
    const look = (): void => {
      if (this.#session.isOver) return;
      this.#announceAll();
      this.lookForLoops();
    };
    timeline.after(loopsEveryMs, "trace loops", look, { background: true });
  }

  /** Call before the target is stopped: what follows is no longer evidence. */
  endLooking(): void {
    if (this.#lookingSince === undefined) return;
    const endedAt = this.#session.io.timeline.now();
    const gaps = this.#coverage.gaps(this.#lookingSince, endedAt);
    this.#looked = { ms: endedAt - this.#lookingSince, endedAt, gaps, broken: this.#coverage.broken(endedAt) };
  }

  /**
   * Prints what is still held back, and the summary. At rest, the controllers have nothing left to do, so there is no loop.
   * @returns the exit code.
   */
  close({ isAtRest }: { readonly isAtRest: boolean }): number {
    const session = this.#session;
    this.#screen.close();
    this.#announceAll();
    if (this.#request.failOn === "loop" && this.#announced.size > 0) this.#failure = "loop";
    const { summary } = this.#report;
    // The would-be writes of shadow mode are not writes.
    session.say(summaryLine(this.#request.sandbox ? summary : { ...summary, writes: 0 }, session.elapsedMs));
    const agreed = this.#request.sandbox ? undefined : agreementLine(this.#agreement.summary);
    if (agreed !== undefined) session.say(agreed);
    if (this.#failure === undefined && isAtRest) return 0;
    if (this.#failure === undefined)
      return this.#request.failOn === "differs" ? this.#codeWithoutDifference(summary.syncs) : this.#codeWithoutLoop();
    session.warn(`ended by --fail-on ${this.#failure}`);
    return this.#failure === "loop" ? 3 : 1;
  }

  /** "No loop" takes as long to say as a loop takes to show. */
  #codeWithoutLoop(): number {
    if (this.#request.failOn !== "loop" || this.#looked === undefined) return 0;
    const tooShort = this.#loops.tooShort().filter((loop) => this.#isNamed(loop));
    const gaps = this.#looked.gaps.map(({ of, why }) => `${of.kind}: ${why}`);
    const doubts = [...tooLittle({ tooShort, ...this.#looked }), ...gaps];
    if (doubts.length === 0) return 0;
    this.#session.warn(`cannot tell whether there is a loop: ${doubts.join("; ")}`);
    return cannotTellExitCode;
  }

  #codeWithoutDifference(syncs: number): number {
    const broken = this.#looked?.broken ?? [];
    const evidence = { summary: this.#agreement.summary, syncs, withoutOwner: this.#withoutOwner(), broken };
    const verdict = agreementVerdict(evidence);
    if (verdict.is !== "cannot tell") return 0;
    this.#session.warn(`cannot tell whether anything differs: ${verdict.because}`);
    return cannotTellExitCode;
  }

  readonly #listener = (event: StageEvent): void => {
    // A chain must see the object when its sync starts; it may be deleted at the end.
    if (event.stage === "get") this.#shows(event);
    this.#screen.listener(event);
    this.#coverage.accept(event);
    if (event.stage === "list" || event.stage === "watch") this.#printConnection(this.#report.accept(event));
    if ("controller" in event && event.controller !== undefined && this.#named.has(event.controller))
      this.#report.accept(event);
    this.#agreement.accept(event);
    // Avoids computing the changed fields for other kinds.
    if (event.stage !== "delta" || this.#reconciles(event.of)) this.#loops.accept(event);
  };

  /** While a kind cannot be listed or watched, nothing that happens to its objects triggers a sync. */
  #printConnection(lines: readonly RunLine[]): void {
    if (this.#request.json) return;
    const { out } = this.#session.io;
    for (const line of lines.filter(isConnectionLine)) {
      const { label, text } = connectionText(line);
      for (const each of wrapHanging(`${styleOf(out).colour.yellow(label)} ${text}`, out.columns)) out.line(each);
      out.line("");
    }
  }

  #announceAll(): void {
    for (const loop of this.#loops.found()) this.#announce(loop);
  }

  /** Whether it is a loop of a key of the named controllers, or of an object that they reconcile. */
  #isNamed(loop: Loop): boolean {
    return isObjectLoop(loop) ? this.#reconciles(loop.of) : this.#named.has(loop.controller);
  }

  /** Announces a loop once. */
  #announce(loop: Loop): void {
    const name = `${loop.is} ${isObjectLoop(loop) ? loop.of.kind : loop.controller} ${loop.key}`;
    if (!this.#isNamed(loop) || this.#announced.has(name)) return;
    this.#announced.add(name);
    const { out, timeline } = this.#session.io;
    if (!this.#request.json) {
      for (const line of [...loopText(loop, styleOf(out), { next: "", now: timeline.now() }), ""]) out.line(line);
    }
    if (this.#request.failOn === "loop") this.#end("loop");
  }

  /** Whether the kind is the primary kind of a named controller. */
  #reconciles({ group, kind }: KindName): boolean {
    return this.#request.controllers.some(
      (definition) => definition.for?.kind === kind && definition.for.group === group,
    );
  }

  /** Ends the session and records the failure, unless it has already ended. */
  #end(failure: Failure | undefined): void {
    if (!this.#session.isOver) this.#failure = failure;
    this.#session.end();
  }
}
