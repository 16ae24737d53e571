import { matches, matchesEverything, parseSelector, type Selector } from "../../../src/api/labels.ts";
import type { Selectors } from "../../../src/client/api/lister-watcher.ts";
import { type Observation, observe } from "../../../src/modes/watching/observe.ts";
import { isNamespaced } from "../../../src/controller/api/definition.ts";
import type { DeltaType } from "../../../src/trace/events.ts";
import { namespaceCandidates } from "../../connections/cluster-candidates.ts";
import {
  choice,
  type Command,
  command,
  duration,
  flag,
  type Given,
  text,
  texts,
  wholeNumber,
} from "../../cli/command.ts";
import type { Globals } from "../../connections/globals.ts";
import type { Io } from "../../cli/io.ts";
import { counted, formatDuration, hung } from "../../cli/style.ts";
import type { DeltaReportOptions } from "../../../src/views/delta-report.ts";
import { watchSummaryLine } from "./watch-lines.ts";
import { cachesText } from "../../render/preflight-text.ts";
import { refuseManifestsOnCluster, refuseTwoScopes } from "../../cli/scope.ts";
import { UserError } from "../../cli/user-error.ts";
import { type Reading, readingConnection } from "../../connections/reading-connection.ts";
import { refuseUnreadable } from "../../connections/reading-rights.ts";
import { WatchScreen } from "./screen.ts";
import { watchCandidates, type WatchTargets, watchTargets } from "./targets.ts";

const types: Readonly<Record<string, DeltaType>> = {
  added: "Added",
  updated: "Updated",
  deleted: "Deleted",
  replaced: "Replaced",
  sync: "Sync",
};

const options = {
  namespace: text("-n, --namespace <name>", "watch the objects of this namespace", {
    default: "the context's",
    complete: namespaceCandidates,
  }),
  allNamespaces: flag("-A, --all-namespaces", "watch the objects of all namespaces"),
  selector: text(
    "-l, --selector <selector>",
    "only objects with these labels; of what a controller watches beyond its own kind, only what makes keys",
  ),
  fieldSelector: text("--field-selector <selector>", "only objects with these fields, as kubectl get has it"),
  type: text("--type <type,...>", "only deltas of these types: added, updated, deleted, replaced, sync"),
  live: flag("--live", "a table of queues and informers, redrawn, instead of lines"),
  resync: duration("--resync <duration>", "send controllers every object again after this time", {
    default: "12 to 24 h",
  }),
  once: flag("--once", "show the objects there are, then end"),
  for: duration("--for <duration>", "end after this time"),
  count: wholeNumber("--count <n>", "end after so many deltas", 1),
  output: choice(
    "-o, --output <format>",
    "text, wide (every changed field), or json: every stage event as a line",
    ["text", "wide", "json"],
    { default: "text" },
  ),
  sinceStart: flag("--since-start", "show times as seconds since the start"),
  sandbox: flag("--sandbox", "watch an embedded cluster of its own, in which the controllers act"),
  manifests: texts(
    "-f, --filename <path>",
    "with --sandbox: put these files, folders, URLs or - (standard input) into it",
    {},
  ),
} as const;

type WatchOptions = Given<typeof options> & Globals;

export const watch: Command = command({
  name: "watch",
  about: "Show every delta: what changed, who changed it, and the keys that controllers make of it",
  description:
    "Prints a line for each delta of the kinds named: its type, the object, its version, the fields that changed and who changed " +
    "them, as far as managedFields can tell. A word that is a kind and a controller too (deploy) means both: beside the kind it watches " +
    "what the controller watches, and prints under each delta the " +
    "keys that came of it and how full the queue is. Nothing is ever written: the connection only reads, and the syncs of a " +
    "watched controller do nothing.\n\n" +
    "Exit codes: 0 ended as asked or by a signal; 2 wrong arguments, no connection, missing rights; 130 ended by a second signal.",
  arguments: { name: "<kind|controller...>", about: "kinds as kubectl names them, TYPE/NAME, or controllers" },
  completeArgument: (io, _, typing) => watchCandidates(io, typing),
  options,
  examples: [
    { says: "Who changes what of the Deployments of a namespace", line: "watch deployments -n shop" },
    { says: "What wakes the ReplicaSet controller", line: "watch replicaset -n shop" },
    { says: "The kind and not the controller of the same name", line: "watch kind/replicaset -n shop" },
    { says: "One object, every field", line: "watch deploy/web -n shop -o wide" },
    { says: "How full the queues are", line: "watch replicaset deployment -A --live" },
    { says: "Without a cluster: from a manifest to running pods", line: "watch pods rs --sandbox -f web.yaml" },
  ],
  async run({ arguments: words, options: given }, io) {
    return new Watch(words, given as WatchOptions, io).toItsEnd();
  },
});

/** One watch, from the arguments to the summary. */
class Watch {
  readonly #words: readonly string[];
  readonly #options: WatchOptions;
  readonly #io: Io;
  readonly #startedAt: number;
  readonly #types: ReadonlySet<DeltaType> | undefined;
  readonly #selector: Selector | undefined;
  readonly #starting = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #observation: Observation | undefined;

  constructor(words: readonly string[], options: WatchOptions, io: Io) {
    this.#words = words;
    this.#options = options;
    this.#io = io;
    this.#startedAt = io.timeline.now();
    this.#checkOptions();
    this.#types = readTypes(options.type);
    this.#selector = options.selector === undefined ? undefined : parseSelector(options.selector);
  }

  #checkOptions(): void {
    const { live, output, once } = this.#options;
    refuseTwoScopes(this.#options);
    refuseManifestsOnCluster(this.#options, "watch writes nothing");
    if (live !== true) return;
    if (output !== undefined || once === true) {
      throw new UserError(`--live and ${once === true ? "--once" : "-o"} contradict each other`, ["use one of them"]);
    }
    if (this.#io.out.columns === undefined) {
      throw new UserError("--live redraws a table, and standard output is no terminal", [
        "omit --live, or use -o json for a program",
      ]);
    }
  }

  async toItsEnd(): Promise<number> {
    const { timeline } = this.#io;
    const offSignals = this.#io.onStopSignal((signal, count) => this.#stopSignal(signal, count));
    let reading = await readingConnection(this.#options, this.#io);
    try {
      const { targets, namespace } = await this.#targets(reading);
      reading = { ...reading, namespace };
      const screen = this.#screen(reading, targets);
      reading.bus.listen(screen.listener);
      await this.#start(reading, targets, screen);
      if (this.#options.once !== true) await this.#ended.promise;
      screen.close();
      const after = timeline.now() - this.#startedAt;
      this.#say(watchSummaryLine(screen.report.summary, after, targets.controllers.length > 0));
      return 0;
    } catch (error) {
      if (this.#starting.signal.aborted) return 0;
      throw reading.explain(error);
    } finally {
      offSignals();
      await this.#observation?.stop();
      await reading.close();
    }
  }

  /** What is not the answer goes to standard error. */
  #say(line: string): void {
    for (const part of hung(line, this.#io.err.columns)) this.#io.err.line(part);
  }

  #stopSignal(signal: string, count: number): void {
    if (count > 1) this.#io.exit(130);
    if (signal === "SIGINT" && this.#io.err.columns !== undefined) this.#io.err.write("\n");
    this.#starting.abort(new Error("stopped by a signal"));
    this.#ended.resolve();
  }

  async #targets(reading: Reading): Promise<Scoped> {
    const { fieldSelector } = this.#options;
    const version = await reading.serverVersion();
    const found = await watchTargets(this.#words, reading.client, this.#io.calledAs);
    const { targets, namespace, note } = inScope(found, this.#words, reading.namespace);
    if (fieldSelector !== undefined && targets.controllers.length > 0) {
      throw new UserError("--field-selector is for kinds: a controller must see all of its objects", [
        "omit it, or name the kind, as in kind/replicaset",
      ]);
    }
    const kinds = [...targets.kinds.map(({ kind }) => kind), ...watchedBy(targets)];
    await refuseUnreadable(kinds, { ...reading, namespace, columns: this.#io.err.columns });
    await this.#tryFields(reading, targets);
    const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
    this.#say(`context ${reading.context} · ${reading.server} (${version}) · ${where}`);
    if (note !== undefined) this.#say(note);
    return { targets, namespace };
  }

  /** A field selector that the server does not know would otherwise be tried for ever. @throws StatusError. */
  async #tryFields({ client, namespace }: Reading, { kinds }: WatchTargets): Promise<void> {
    if (this.#options.fieldSelector === undefined) return;
    const where = namespace === undefined ? {} : { namespace };
    await Promise.all(
      kinds.map(({ kind, name }) => client.list(kind, { ...where, ...this.#selectors(name), limit: 1 })),
    );
  }

  #screen(reading: Reading, targets: WatchTargets): WatchScreen {
    const { output = "text", live, sinceStart, count, once } = this.#options;
    const only = this.#types;
    const { controllers } = targets;
    return new WatchScreen({
      out: this.#io.out,
      timeline: this.#io.timeline,
      shows: live === true ? "live" : output,
      namespaces: reading.namespace === undefined,
      prints: (event) => event.stage !== "delta" || only === undefined || only.has(event.type),
      report: {
        initial: once === true,
        ...this.#wanted(targets),
        controllersOf: (of) => this.#observation?.toldOf(of) ?? [],
        ...(only !== undefined && { types: only }),
      },
      live: { controllers: controllers.map(({ name }) => name), informers: () => this.#observation?.states() ?? [] },
      onEnough: () => this.#ended.resolve(),
      ...(sinceStart === true && { sinceStartAt: this.#startedAt }),
      ...(count !== undefined && { count }),
    });
  }

  /** With a selector: of the kinds that are named, or that a controller is for, what has the labels; of others what makes keys. */
  #wanted({ kinds, controllers }: WatchTargets): Pick<DeltaReportOptions, "wanted"> {
    const selector = this.#selector;
    if (selector === undefined) return {};
    const named = [...kinds.map(({ kind }) => kind), ...controllers.flatMap((each) => each.for ?? [])];
    return {
      wanted: ({ of, detail }) =>
        named.some(({ group, kind }) => group === of.group && kind === of.kind) && matches(selector, detail.labels),
    };
  }

  async #start(reading: Reading, targets: WatchTargets, screen: WatchScreen): Promise<void> {
    const { timeline, random } = this.#io;
    const { for: forMs, once, resync } = this.#options;
    const selector = this.#selector;
    this.#observation = observe({
      kinds: targets.kinds.map(({ kind, name }) => ({ kind, selectors: this.#selectors(name) })),
      controllers: targets.controllers,
      client: reading.client,
      bus: reading.bus,
      timeline,
      random,
      ...(reading.namespace !== undefined && { namespace: reading.namespace }),
      ...(selector !== undefined && !matchesEverything(selector) && { selector }),
      ...(resync !== undefined && { resyncMs: resync }),
    });
    const startedAt = timeline.now();
    await this.#observation.start(this.#starting.signal);
    const caches = this.#observation.states();
    this.#say(`caches  ${cachesText(caches)} · ${formatDuration(timeline.now() - startedAt)}`);
    if (targets.controllers.length > 0) {
      const names = targets.controllers.map(({ name }) => name).join(", ");
      this.#say(`queues  of a copy of ${names} here, whose syncs do nothing; nothing is written`);
    }
    if (once === true) return;
    this.#say(`watching ${counted(caches.length, "kind")}, ${this.#end()}`);
    this.#say("");
    screen.start();
    await reading.begin();
    if (forMs !== undefined) timeline.after(forMs, "watch --for", () => this.#ended.resolve(), { background: true });
  }

  #end(): string {
    const { for: forMs, count } = this.#options;
    const ends = [
      ...(forMs === undefined ? [] : [`for ${formatDuration(forMs)}`]),
      ...(count === undefined ? [] : [`until ${counted(count, "delta")} came`]),
    ];
    return ends.length === 0 ? "Ctrl-C stops" : ends.join(" or ");
  }

  #selectors(name: string | undefined): Selectors {
    const { selector, fieldSelector } = this.#options;
    const fields = [
      ...(name === undefined ? [] : [`metadata.name=${name}`]),
      ...(fieldSelector === undefined ? [] : [fieldSelector]),
    ];
    return {
      ...(selector !== undefined && { labelSelector: selector }),
      ...(fields.length > 0 && { fieldSelector: fields.join(",") }),
    };
  }
}

interface Scoped {
  readonly targets: WatchTargets;
  /** Undefined: all of them. */
  readonly namespace: string | undefined;
  readonly note?: string;
}

/** Controllers that work beyond one namespace: of `all` they are left out, and with one that is named all namespaces are watched. */
function inScope(targets: WatchTargets, words: readonly string[], namespace: string | undefined): Scoped {
  const wide = targets.controllers.filter((each) => !isNamespaced(each));
  if (namespace === undefined || wide.length === 0) return { targets, namespace };
  const names = wide.map(({ name }) => name).join(", ");
  if (!words.includes("all")) {
    const note = `${names} works beyond namespace ${namespace}: all namespaces are watched`;
    return { targets, namespace: undefined, note };
  }
  const controllers = targets.controllers.filter(isNamespaced);
  const note = `left out, since they work beyond namespace ${namespace}: ${names}; -A watches them too`;
  return { targets: { ...targets, controllers }, namespace, note };
}

function watchedBy({ controllers }: WatchTargets): WatchTargets["kinds"][number]["kind"][] {
  return controllers.flatMap(({ watches }) => watches.map(({ kind }) => kind));
}

/** `updated,deleted`. @throws UserError for a word that is no type. */
function readTypes(text: string | undefined): ReadonlySet<DeltaType> | undefined {
  if (text === undefined) return undefined;
  return new Set(
    text.split(",").map((word) => {
      const type = types[word.trim().toLowerCase()];
      if (type !== undefined) return type;
      throw new UserError(`--type ${JSON.stringify(word)}: there is no such type of delta`, [
        `types are ${Object.keys(types).join(", ")}`,
      ]);
    }),
  );
}
