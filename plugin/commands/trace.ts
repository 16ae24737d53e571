import type { Kind } from "../../src/api/kind.ts";
import { type ControllerDefinition, objectOf } from "../../src/controller/definition.ts";
import type { ControllerManager } from "../../src/controller/controller-manager.ts";
import { catalogue } from "../../src/controllers/index.ts";
import { sleep } from "../../src/platform/timeline.ts";
import type { TraceBus } from "../../src/trace/bus.ts";
import { Linker } from "../../src/trace/linker.ts";
import { Chain, type FindObject } from "../../src/views/chains.ts";
import { RunReport } from "../../src/views/run-report.ts";
import type { SyncBlock } from "../../src/views/sync-block.ts";
import { namespaceCandidates } from "../cluster-candidates.ts";
import { choice, type Command, command, duration, flag, type Given, text, texts, wholeNumber } from "../command.ts";
import { controllerCandidates, controllersNamed } from "../controller-names.ts";
import type { Globals } from "../globals.ts";
import type { Io } from "../io.ts";
import { type NamedObject, namesObject, objectNamed } from "../object-names.ts";
import { summaryLine } from "../render/run-lines.ts";
import { connectToSandbox } from "../sandbox-connection.ts";
import { type Failure, failures, TraceScreen } from "../trace-screen.ts";
import { UserError } from "../user-error.ts";

const options = {
  namespace: text("-n, --namespace <name>", "trace the objects of this namespace", {
    default: "the context's",
    complete: namespaceCandidates,
  }),
  allNamespaces: flag("-A, --all-namespaces", "trace the objects of all namespaces"),
  why: text(
    "--why <type/name>",
    "show one chain only: this object, its owners and what it owns, each back to its first cause",
  ),
  sandbox: flag("--sandbox", "trace controllers that act, in an embedded cluster of its own"),
  manifests: texts(
    "-f, --filename <path>",
    "with --sandbox: put these files, folders or - (standard input) into it",
    {},
  ),
  once: flag("--once", "end when every object has been synced and nothing is left to do"),
  for: duration("--for <duration>", "end after this time"),
  count: wholeNumber("--count <n>", "end after so many syncs", 1),
  failOn: choice(
    "--fail-on <what>",
    "end with exit code 1 at the first: error, conflict, or differs (shadow)",
    failures,
  ),
  output: choice("-o, --output <format>", "text, or json: every stage event as a line", ["text", "json"], {
    default: "text",
  }),
  sinceStart: flag("--since-start", "show times as seconds since the start"),
} as const;

type TraceOptions = Given<typeof options> & Globals;

/** So long a block waits for the deltas that its writes cause. */
const holdMs = 100;
/** How often `--once` looks, and how long nothing must happen before it ends. */
const oncePollMs = 50;
const onceQuietMs = 300;
const onceFailures = 5;

export const trace: Command = command({
  name: "trace",
  about: "Show each sync of a controller: why it ran, what it saw, decided and wrote",
  description:
    "Prints a block for each sync: the deltas that woke it with the fields that changed and who changed them, how long the key " +
    "waited, the decisions with their facts, the writes with what they change, the Events, and what came of it: done, a conflict, " +
    "backoff with its next try, and the syncs that its own writes woke.\n\n" +
    "With --sandbox it traces controllers that act, in an embedded cluster.\n\n" +
    "Exit codes: 0 ended as asked or by a signal; 1 --fail-on was met; 2 wrong arguments or no connection; 130 ended by a second " +
    "signal.",
  arguments: { name: "<controller...>", about: "which controllers, and [TYPE/NAME] for one object only" },
  completeArgument: () => controllerCandidates(),
  options,
  examples: [
    { says: "A ReplicaSet, from its manifest to ready pods", line: "trace rs --sandbox -f web.yaml --once" },
    { says: "One chain: Deployment, ReplicaSets and Pods", line: "trace all --sandbox -f web.yaml --why deploy/web" },
  ],
  async run({ arguments: words, options: given }, io) {
    return new Trace(words, given as TraceOptions, io).toItsEnd();
  },
});

/** One trace, from the arguments to the summary. */
class Trace {
  readonly #options: TraceOptions;
  readonly #io: Io;
  readonly #controllers: readonly ControllerDefinition[];
  readonly #named: readonly string[];
  readonly #report = new RunReport();
  readonly #ended = Promise.withResolvers<Failure | undefined>();
  #over = false;
  /** Once its caches are there. */
  #manager: ControllerManager | undefined;

  constructor(words: readonly string[], options: TraceOptions, io: Io) {
    const names = words.filter((word) => !namesObject(word));
    this.#named = words.filter(namesObject);
    this.#options = options;
    this.#io = io;
    if (this.#named.length > 1) {
      throw new UserError("more than one object named", ["trace follows one: leave the others away, or name none"]);
    }
    if (options.allNamespaces === true && options.namespace !== undefined) {
      throw new UserError("-A and -n contradict each other", ["leave one of them away"]);
    }
    if (options.manifests !== undefined && options.sandbox !== true) {
      throw new UserError("-f is for --sandbox: against a cluster trace writes nothing", [
        "add --sandbox, or use kubectl apply -f",
      ]);
    }
    const all = names.length === 0 && (options.why !== undefined || this.#named.length > 0);
    this.#controllers = controllersNamed(all ? ["all"] : names, io.calledAs);
  }

  async toItsEnd(): Promise<number> {
    const { timeline } = this.#io;
    const startedAt = timeline.now();
    const offSignals = this.#io.onStopSignal((signal, count) => this.#stopSignal(signal, count));
    try {
      const stop = await this.#start(startedAt);
      const met = await this.#ended.promise;
      this.#over = true;
      await stop();
      this.#say(summaryLine(this.#report.summary, timeline.now() - startedAt));
      if (met !== undefined) this.#warn(`ended by --fail-on ${met}`);
      return met === undefined ? 0 : 1;
    } finally {
      offSignals();
    }
  }

  #say(line: string): void {
    const to = this.#options.output === "json" ? this.#io.err : this.#io.out;
    to.write(`${line}\n`);
  }

  #warn(line: string): void {
    this.#io.err.write(`${line}\n`);
  }

  #stopSignal(signal: string, count: number): void {
    if (count > 1) this.#io.exit(130);
    if (signal === "SIGINT" && this.#io.out.columns !== undefined) this.#io.out.write("\n");
    this.#ended.resolve(undefined);
  }

  async #start(startedAt: number): Promise<() => Promise<void>> {
    if (this.#options.sandbox !== true) {
      throw new UserError("trace of a cluster is not there yet", ["add --sandbox to trace an embedded one"]);
    }
    return this.#startSandbox(startedAt);
  }

  async #startSandbox(startedAt: number): Promise<() => Promise<void>> {
    const { namespace = "default", manifests = [] } = this.#options;
    const screen = this.#screen(startedAt, namespace, false);
    const everyone = catalogue.filter((definition) => definition.onlyByName !== true);
    const controllers = [...new Set([...everyone, ...this.#controllers])];
    const connected = await connectToSandbox({ manifests, namespace, controllers }, this.#io, (bus) =>
      this.#listen(bus, screen),
    );
    this.#manager = connected.cluster.manager;
    this.#endWhenAsked(this.#manager);
    return async () => {
      screen.close();
      await connected.close();
    };
  }

  #listen(bus: TraceBus, screen: TraceScreen): void {
    bus.listen(new Linker(bus).listener);
    const named = new Set(this.#controllers.map(({ name }) => name));
    bus.listen((event) => {
      screen.listener(event);
      if ("controller" in event && event.controller !== undefined && named.has(event.controller))
        this.#report.accept(event);
    });
  }

  #screen(startedAt: number, namespace: string, shadow: boolean): TraceScreen {
    const { output, sinceStart, count, failOn, why } = this.#options;
    return new TraceScreen({
      out: this.#io.out,
      timeline: this.#io.timeline,
      json: output === "json",
      shadow,
      holdMs,
      origins: why !== undefined,
      shows: this.#filter(namespace),
      failOn: new Set(failOn === undefined ? [] : [failOn]),
      onEnd: (met) => this.#ended.resolve(met),
      ...(sinceStart === true && { sinceStartAt: startedAt }),
      ...(count !== undefined && { count }),
    });
  }

  /** Blocks of the named controllers, of the named object, of the chain asked for. */
  #filter(namespace: string): (block: SyncBlock) => boolean {
    const definitions = new Map(this.#controllers.map((definition) => [definition.name, definition]));
    const object = this.#object(this.#named[0], namespace);
    const wanted = this.#object(this.#options.why, namespace);
    const find = finder(() => this.#manager);
    const chain =
      wanted === undefined ? undefined : new Chain({ kind: wanted.kind?.kind ?? "", key: wanted.key }, find);
    return ({ controller, key }) => {
      const definition = definitions.get(controller);
      if (definition === undefined) return false;
      const about = objectOf(definition, key);
      if (object !== undefined && object.key !== (about?.key ?? key)) return false;
      if (object?.kind !== undefined && object.kind.kind !== about?.kind) return false;
      return chain === undefined || (about !== undefined && chain.has(about));
    };
  }

  #object(word: string | undefined, namespace: string): NamedObject | undefined {
    if (word === undefined) return undefined;
    const kinds = this.#controllers.flatMap(({ watches }) => watches.map(({ kind }) => kind));
    const named = objectNamed(word, kinds, namespace);
    if (named.kind === undefined && word === this.#options.why) {
      throw new UserError(`--why ${word}: none of these controllers knows a type ${word.split("/")[0]}`, [
        `they know ${[...new Set(kinds.map(({ kind }) => kind))].join(", ")}`,
      ]);
    }
    return named;
  }

  #endWhenAsked(manager: ControllerManager): void {
    const { timeline } = this.#io;
    const { for: forMs, once } = this.#options;
    if (forMs !== undefined) {
      timeline.after(forMs, "trace --for", () => this.#ended.resolve(undefined), { background: true });
    }
    if (once === true) void this.#watchForQuiet(manager);
  }

  async #watchForQuiet(manager: ControllerManager): Promise<void> {
    for (let quietMs = 0; quietMs < onceQuietMs && !this.#over;) {
      await sleep(this.#io.timeline, oncePollMs, "trace --once");
      quietMs = manager.isIdle({ failures: onceFailures }) ? quietMs + oncePollMs : 0;
    }
    this.#ended.resolve(undefined);
  }
}

/** Looks an object up in the caches of whoever watches its kind. */
function finder(manager: () => ControllerManager | undefined): FindObject {
  return ({ kind, key }) => {
    for (const running of manager()?.controllers ?? []) {
      const watched: Kind | undefined = running.definition.watches.find((watch) => watch.kind.kind === kind)?.kind;
      if (watched !== undefined) return running.cache(watched).get(key);
    }
    return undefined;
  };
}
