/** One run of `trace`, whatever it traces: what was asked, the screen, and the end. */
import { splitKey } from "../../../src/api/key.ts";
import type { Kind } from "../../../src/api/kind.ts";
import type { ControllerManager } from "../../../src/controller/runtime/controller-manager.ts";
import { objectOf } from "../../../src/controller/api/definition.ts";
import { untilQuiet } from "../../cli/quiet.ts";
import type { TraceBus } from "../../../src/trace/bus.ts";
import type { StageEvent } from "../../../src/trace/events.ts";
import { linkedStages, Linker } from "../../../src/trace/linker.ts";
import type { KindName } from "../../../src/trace/names.ts";
import { AgreementReport } from "../../../src/views/agreement.ts";
import { Chain, type FindObject } from "../../../src/views/chains.ts";
import { isObjectLoop, type Loop } from "../../../src/views/loops/loop.ts";
import { Loops } from "../../../src/views/loops/loops.ts";
import { RunReport } from "../../../src/views/run-report.ts";
import type { SyncBlock } from "../../../src/views/sync-block.ts";
import { tracedStages } from "../../../src/views/sync-trace.ts";
import type { Io } from "../../cli/io.ts";
import { type NamedObject, objectNamed } from "../../names/object-names.ts";
import { loopText } from "../../render/loop-text.ts";
import { summaryLine } from "../../render/run-lines.ts";
import { agreementLine } from "./shadow-text.ts";
import { hung, styleOf } from "../../cli/style.ts";
import { type Asked, kindsKnown, type TraceOptions } from "./asked.ts";
import { type Failure, TraceScreen } from "./screen.ts";
import { UserError } from "../../cli/user-error.ts";

/** What is traced, once it runs. */
export interface Target {
  readonly manager: ControllerManager;
  /** Whether nothing is left to do. */
  isIdle(): boolean;
  stop(): Promise<void>;
}

/** In a sandbox a block waits so long for the deltas that its writes cause; beside an owner so long for the owner. */
const holdMs = { sandbox: 100, shadow: 400 } as const;

/** Above this many writes or syncs a minute an object is looked at; a loop takes seconds to be one. */
const loopsPerMinute = 10;
const loopsEveryMs = 1000;

export interface ListenOptions {
  /** Where `TYPE/NAME` is. */
  readonly namespace: string;
  /** Syncs of objects in other namespaces are not shown. */
  readonly only?: boolean;
  readonly mode: "sandbox" | "shadow";
  /** What `TYPE` may mean, beyond the kinds that the controllers watch. */
  readonly kinds: readonly Kind[];
}

export class TraceRun {
  readonly asked: Asked;
  readonly options: TraceOptions;
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly #startedAt: number;
  readonly #starting = new AbortController();
  readonly #report = new RunReport();
  readonly #agreement = new AgreementReport();
  readonly #loops = new Loops({ perMinute: loopsPerMinute });
  readonly #loopsTold = new Set<string>();
  readonly #ended = Promise.withResolvers<Failure | undefined>();
  #over = false;
  #screen: TraceScreen | undefined;
  #manager: ControllerManager | undefined;

  constructor(asked: Asked, options: TraceOptions, io: Io) {
    this.asked = asked;
    this.options = options;
    this.io = io;
    this.signal = this.#starting.signal;
    this.#startedAt = io.timeline.now();
  }

  /** Starts what is to be traced, waits for the end, and says how it went; the exit code. */
  async toItsEnd(start: () => Promise<Target>): Promise<number> {
    const { io } = this;
    const offSignals = io.onStopSignal((signal, count) => this.#stopSignal(signal, count));
    try {
      const target = await this.#start(start);
      if (target === undefined) return 0;
      this.#endWhenAsked(target);
      this.#lookForLoops();
      const met = await this.#ended.promise;
      this.#over = true;
      await target.stop();
      this.#screen?.close();
      this.#summary();
      if (met !== undefined) this.warn(`ended by --fail-on ${met}`);
      if (met === undefined) return 0;
      return met === "loop" ? 3 : 1;
    } finally {
      offSignals();
    }
  }

  /** Undefined when a signal came before everything had started. */
  async #start(start: () => Promise<Target>): Promise<Target | undefined> {
    try {
      const target = await start();
      this.#manager = target.manager;
      return target;
    } catch (error) {
      if (this.signal.aborted) return undefined;
      throw error;
    }
  }

  /** Text goes to standard output; with `-o json` that belongs to the events. */
  say(line: string): void {
    const to = this.options.output === "json" ? this.io.err : this.io.out;
    for (const text of hung(line, to.columns)) to.line(text);
  }

  warn(line: string): void {
    this.io.err.line(line);
  }

  /**
   * Shows what the bus tells from now on.
   * @throws UserError for an object of a type that is not known.
   */
  listen(bus: TraceBus, { namespace, mode, kinds, only }: ListenOptions): void {
    const { output, sinceStart, count, failOn, why, all } = this.options;
    const shows = this.#filter(namespace, kinds, only === true);
    const screen = new TraceScreen({
      out: this.io.out,
      timeline: this.io.timeline,
      json: output === "json",
      shadow: mode === "shadow",
      holdMs: holdMs[mode],
      all: all === true,
      origins: why !== undefined,
      shows,
      failOn: new Set(failOn === undefined ? [] : [failOn]),
      onEnd: (met) => this.#ended.resolve(met),
      ...(sinceStart === true && { sinceStartAt: this.#startedAt }),
      ...(count !== undefined && { count }),
    });
    this.#screen = screen;
    const named = new Set(this.asked.controllers.map(({ name }) => name));
    bus.listen(new Linker(bus).listener, { stages: linkedStages });
    const show = (event: StageEvent): void => {
      // What a chain takes in is seen when its sync begins: when it has ended the object may be gone.
      if (event.stage === "get") shows(event);
      screen.listener(event);
      if ("controller" in event && event.controller !== undefined && named.has(event.controller))
        this.#report.accept(event);
      this.#agreement.accept(event);
      // Of other kinds the changed fields need not be worked out.
      if (event.stage !== "delta" || this.#reconciles(event.of)) this.#loops.accept(event);
    };
    bus.listen(show, { stages: output === "json" ? undefined : tracedStages });
  }

  #lookForLoops(): void {
    const look = (): void => {
      if (this.#over) return;
      for (const loop of this.#loops.found()) this.#tellLoop(loop);
      this.#lookForLoops();
    };
    this.io.timeline.after(loopsEveryMs, "trace loops", look, { background: true });
  }

  /** Once each: keys of the named controllers, and objects that they reconcile. */
  #tellLoop(loop: Loop): void {
    const isNamed = isObjectLoop(loop)
      ? this.#reconciles(loop.of)
      : this.asked.controllers.some(({ name }) => name === loop.controller);
    const name = `${loop.is} ${isObjectLoop(loop) ? loop.of.kind : loop.controller} ${loop.key}`;
    if (!isNamed || this.#loopsTold.has(name)) return;
    this.#loopsTold.add(name);
    if (this.options.output !== "json") {
      for (const line of [...loopText(loop, styleOf(this.io.out), { next: "", now: this.io.timeline.now() }), ""])
        this.io.out.line(line);
    }
    if (this.options.failOn === "loop") this.#ended.resolve("loop");
  }

  /** Whether objects of the kind are what a named controller is for. */
  #reconciles({ group, kind }: KindName): boolean {
    return this.asked.controllers.some((definition) => definition.for?.kind === kind && definition.for.group === group);
  }

  #summary(): void {
    const { summary } = this.#report;
    const agreed = this.#agreement.summary;
    const took = this.io.timeline.now() - this.#startedAt;
    // Of shadow's would-be writes none is a write.
    const told = this.options.sandbox === true ? summary : { ...summary, writes: 0 };
    this.say(summaryLine(told, took));
    const line = this.options.sandbox === true ? undefined : agreementLine(agreed);
    if (line !== undefined) this.say(line);
  }

  #stopSignal(signal: string, count: number): void {
    if (count > 1) this.io.exit(130);
    if (signal === "SIGINT" && this.io.out.columns !== undefined) this.io.out.write("\n");
    this.#starting.abort(new Error("stopped by a signal"));
    this.#ended.resolve(undefined);
  }

  /** Blocks of the named controllers, of the named object, of the chain asked for. */
  #filter(namespace: string, kinds: readonly Kind[], only: boolean): Shows {
    const definitions = new Map(this.asked.controllers.map((definition) => [definition.name, definition]));
    const object = this.#object(this.asked.object, namespace, kinds);
    const wanted = this.#object(this.options.why, namespace, kinds) ?? (this.asked.chain ? object : undefined);
    const find: FindObject = (name) => findIn(this.#manager, name.kind)?.get(name.key);
    const chain =
      wanted === undefined ? undefined : new Chain({ kind: wanted.kind?.kind ?? "", key: wanted.key }, find);
    return ({ controller, key }) => {
      const definition = definitions.get(controller);
      if (definition === undefined) return false;
      const about = objectOf(definition, key);
      if (only && chain === undefined && object === undefined) {
        const { namespace: where } = splitKey(about?.key ?? key);
        if (where !== "" && where !== namespace) return false;
      }
      if (chain !== undefined) return about !== undefined && chain.has(about);
      if (object !== undefined && object.key !== (about?.key ?? key)) return false;
      return object?.kind === undefined || object.kind.kind === about?.kind;
    };
  }

  #object(word: string | undefined, namespace: string, others: readonly Kind[]): NamedObject | undefined {
    if (word === undefined) return undefined;
    const kinds = kindsKnown(this.asked.controllers, others);
    const named = objectNamed(word, kinds, namespace);
    if (named.kind === undefined && word === this.options.why) {
      const known = this.asked.controllers.flatMap(({ watches }) => watches.map(({ kind }) => kind.kind));
      throw new UserError(`--why ${word}: none of these controllers knows a type ${word.split("/")[0]}`, [
        known.length === 0 ? "`kubectl api-resources` lists the types" : `they know ${[...new Set(known)].join(", ")}`,
      ]);
    }
    return named;
  }

  #endWhenAsked(target: Target): void {
    const { for: forMs, once } = this.options;
    if (forMs !== undefined) {
      this.io.timeline.after(forMs, "trace --for", () => this.#ended.resolve(undefined), { background: true });
    }
    if (once === true) void this.#watchForQuiet(target);
  }

  async #watchForQuiet(target: Target): Promise<void> {
    await untilQuiet(
      this.io.timeline,
      "trace --once",
      () => target.isIdle(),
      () => this.#over,
    );
    this.#ended.resolve(undefined);
  }
}

type Shows = (sync: Pick<SyncBlock, "controller" | "key">) => boolean;

/** The cache of a kind, of whoever watches it. */
function findIn(manager: ControllerManager | undefined, kind: string): ReturnType<FindCache> {
  for (const running of manager?.controllers ?? []) {
    const named = running.definition.watches.map((watch) => watch.kind);
    const all: readonly Kind[] = [...named, ...(running.discovered?.kinds ?? [])];
    const watched = all.find((each) => each.kind === kind);
    if (watched !== undefined) return running.cache(watched);
  }
  return undefined;
}

type FindCache = () => { get(key: string): ReturnType<FindObject> } | undefined;
