import { matchesEverything, parseSelector, type Selector } from "../../../src/api/labels.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { LeaseHeldError } from "../../../src/controller/runtime/lease.ts";
import { LeaseFence } from "../../../src/controller/runtime/lease-fence.ts";
import { type ControllerDefinition, isNamespaced } from "../../../src/controller/api/definition.ts";
import { fieldManagerOf, leaseNamespace, type LiveRun, startLive } from "../../../src/modes/run/live.ts";
import { ownersUnnoticed } from "../../../src/modes/preflight/owner-watch.ts";
import { preflight } from "../../../src/modes/preflight/preflight.ts";
import { hostName, isAlive, processId } from "../../../src/platform/process.ts";
import { randomSuffix } from "../../../src/platform/random.ts";
import { giveUp, untilQuiet } from "../../cli/quiet.ts";
import type { TraceBus } from "../../../src/trace/bus.ts";
import type { StageEvent } from "../../../src/trace/events.ts";
import { linkedStages, Linker } from "../../../src/trace/linker.ts";
import { reportedStages, RunReport } from "../../../src/views/run-report.ts";
import { quoted, reconcileAdvice } from "../../cli/advice.ts";
import { namespaceCandidates } from "../../connections/cluster-candidates.ts";
import {
  choice,
  type Command,
  command,
  duration,
  flag,
  type Given,
  text,
  wholeNumber,
  positiveNumber,
  texts,
} from "../../cli/command.ts";
import type { Connected } from "../../connections/connection.ts";
import { controllerCandidates, controllersNamed } from "../../names/controller-names.ts";
import type { Globals } from "../../connections/globals.ts";
import type { Io } from "../../cli/io.ts";
import { jsonLines } from "../../render/json-lines.ts";
import { cachesText, overridden, preflightLine, refuseOrPass } from "../../render/preflight-text.ts";
import { RunLines, summaryLine } from "../../render/run-lines.ts";
import { counted, formatDuration, hung, styleOf } from "../../cli/style.ts";
import { connectionFor } from "../../connections/run-connection.ts";
import { refuseTwoScopes } from "../../cli/scope.ts";
import { UserError } from "../../cli/user-error.ts";

const options = {
  namespace: text("-n, --namespace <name>", "reconcile the objects of this namespace", {
    default: "the context's",
    complete: namespaceCandidates,
  }),
  allNamespaces: flag("-A, --all-namespaces", "reconcile the objects of all namespaces"),
  selector: text(
    "-l, --selector <selector>",
    "reconcile only primary objects with these labels; what they own is always seen",
  ),
  workers: wholeNumber("--workers <n>", "syncs at the same time, for each controller", 1, {
    default: "as kube-controller-manager",
  }),
  resync: duration("--resync <duration>", "sync every object again after this time", { default: "12 to 24 h" }),
  qps: positiveNumber("--kube-api-qps <n>", "requests a second to the API server; namespace: 20 times as many", {
    default: "20",
  }),
  burst: wholeNumber(
    "--kube-api-burst <n>",
    "requests at once before --kube-api-qps holds; namespace: 100 times as many",
    1,
    { default: "30" },
  ),
  once: flag("--once", "end when every object has been synced and nothing is left to do"),
  output: choice("-o, --output <format>", "text, or json: every stage event as a line", ["text", "json"], {
    default: "text",
  }),
  sinceStart: flag("--since-start", "show times as seconds since the start"),
  sandbox: flag("--sandbox", "run against an embedded cluster of its own: API server, scheduler, simulated nodes"),
  manifests: texts(
    "-f, --filename <path>",
    "with --sandbox: put these files, folders, URLs or - (standard input) into it",
    {},
  ),
  force: flag("--force", "run even if something else reconciles the same objects"),
  debugFreeze: flag("--debug-freeze", "for authors of controllers: a sync that changes a cached object throws"),
} as const;

type RunOptions = Given<typeof options> & Globals;

export const run: Command = command({
  name: "run",
  about: "Run controllers here, against the cluster of the current context",
  description:
    "Runs controllers in this process, against the cluster of the current context, and prints what they decide and write.\n\n" +
    "Before anything is written it asks for the rights it needs, and whether something else reconciles the same objects: " +
    "then it refuses. The first Ctrl-C lets syncs in flight finish, the second ends at once.\n\n" +
    "Exit codes: 0 stopped by a signal, or --once and all is synced; 1 --once and some objects kept failing; " +
    "2 wrong arguments, no connection, missing rights, or refused; 130 ended by a second signal.",
  arguments: { name: "<controller...>", about: "which controllers: names, short names, or all" },
  completeArgument: () => controllerCandidates(),
  options,
  examples: [
    { says: "Run the ReplicaSet controller in one namespace", line: "run replicaset -n shop" },
    { says: "Bring everything up to date, then end: for scripts", line: "run replicaset -A --once" },
    { says: "Without a cluster: an embedded one, with your manifests in it", line: "run rs --sandbox -f web.yaml" },
    { says: "Every stage event as a JSON line", line: "run rs -n shop -o json" },
  ],
  async run({ arguments: words, options: given }, io) {
    const options = given as RunOptions;
    const chosen = controllersNamed(words, io.calledAs);
    const selector = readSelector(options.selector);
    refuseTwoScopes(options);
    const fence = new LeaseFence();
    const connected = await connectionFor(chosen, { ...options, fence }, io);
    const namespace = options.allNamespaces === true ? undefined : (options.namespace ?? connected.namespace);
    const run = words.includes("all") && namespace !== undefined ? narrowed(chosen, namespace, io) : chosen;
    return new Run({ controllers: run, options, io, connected, namespace, selector, fence }).toItsEnd();
  },
});

/** Of all controllers, those that can be run in one namespace; says which are left out. */
function narrowed(all: readonly ControllerDefinition[], namespace: string, io: Io): readonly ControllerDefinition[] {
  const wide = all.filter((definition) => !isNamespaced(definition)).map(({ name }) => name);
  if (wide.length > 0) {
    io.err.line(`left out, since they work beyond namespace ${namespace}: ${wide.join(", ")}; -A runs them too`);
  }
  return all.filter(isNamespaced);
}

/** Of a sandbox's own controllers these work where nobody looks. */
const inBackground = new Set(["node-heartbeat", "serviceaccount"]);

function readSelector(text: string | undefined): Selector | undefined {
  if (text === undefined) return undefined;
  const selector = parseSelector(text);
  return matchesEverything(selector) ? undefined : selector;
}

/** Whether the holder of a Lease was a process of this host that is gone. */
function isDeadHere(identity: string): boolean {
  const [host, pid = ""] = identity.split("_");
  return host === hostName() && /^\d+$/.test(pid) && !isAlive(Number(pid));
}

interface RunParts {
  readonly controllers: readonly ControllerDefinition[];
  readonly options: RunOptions;
  readonly io: Io;
  readonly connected: Connected;
  readonly namespace: string | undefined;
  readonly selector: Selector | undefined;
  readonly fence: LeaseFence;
}

/** One run, from the preflight to the summary. */
class Run {
  readonly #controllers: readonly ControllerDefinition[];
  readonly #options: RunOptions;
  readonly #io: Io;
  readonly #connected: Connected;
  readonly #namespace: string | undefined;
  readonly #selector: Selector | undefined;
  readonly #fence: LeaseFence;
  readonly #bus: TraceBus;
  readonly #report = new RunReport();
  #eventsLost = 0;
  #isRunning = false;
  readonly #starting = new AbortController();
  /** Why the run is to end; resolves once. */
  readonly #ended = Promise.withResolvers<{ readonly refused?: string; readonly hints?: readonly string[] }>();

  constructor({ controllers, options, io, connected, namespace, selector, fence }: RunParts) {
    this.#controllers = controllers;
    this.#options = options;
    this.#io = io;
    this.#connected = connected;
    this.#namespace = namespace;
    this.#selector = selector;
    this.#fence = fence;
    this.#bus = connected.bus;
  }

  async toItsEnd(): Promise<number> {
    const { timeline } = this.#io;
    const started = timeline.clocks();
    this.#listen(timeline.now());
    const offSignals = this.#io.onStopSignal((signal, count) => this.#stopSignal(signal, count));
    try {
      const live = await this.#start();
      if (live === undefined) return 0;
      if (this.#options.once === true) void this.#watchForQuiet(live);
      const { refused, hints = [] } = await this.#ended.promise;
      const dropped = await live.stop();
      this.#say(summaryLine(this.#report.summary, timeline.clocks().steady - started.steady));
      if (this.#eventsLost > 1) this.#warn(`${this.#eventsLost} Events were not written in all`);
      if (dropped > 0 && this.#options.once !== true)
        this.#warn(
          `${counted(dropped, "object")} had changed or failed since the last sync; the next run syncs each at its start`,
        );
      if (refused !== undefined) throw new UserError(refused, hints);
      return this.#options.once === true ? this.#failures(live) : 0;
    } finally {
      offSignals();
      await this.#connected.close();
    }
  }

  /** Text goes to standard output; with `-o json` that belongs to the events. */
  #say(line: string): void {
    const to = this.#options.output === "json" ? this.#io.err : this.#io.out;
    for (const text of hung(line, to.columns)) to.line(text);
  }

  #warn(line: string): void {
    this.#io.err.line(line);
  }

  #listen(startedAt: number): void {
    const { out } = this.#io;
    const json = this.#options.output === "json" ? jsonLines(out) : undefined;
    const lines = new RunLines({
      style: styleOf(out),
      controllers: this.#controllers.map(({ name }) => name),
      ...(this.#options.sinceStart === true && { sinceStartAt: startedAt }),
    });
    if (json !== undefined) this.#bus.listen(new Linker(this.#bus).listener, { stages: linkedStages });
    const named = new Set(this.#controllers.map(({ name }) => name));
    const isQuiet = (name: string | undefined): boolean =>
      name !== undefined && inBackground.has(name) && !named.has(name);
    const show = (event: StageEvent): void => {
      json?.(event);
      if ("controller" in event && isQuiet(event.controller)) return;
      for (const line of this.#report.accept(event)) {
        if (json === undefined) for (const text of lines.text(line)) out.line(text);
      }
    };
    this.#bus.listen(show, { stages: json === undefined ? reportedStages : undefined });
  }

  /** The first is told, the others are counted: there may be hundreds. */
  #eventLost(why: string): void {
    if (++this.#eventsLost === 1) this.#warn(`warning: an Event was not written: ${why}`);
  }

  /** It does what a controller here does: the two would do everything twice. */
  #otherOwner(controller: string, says: string): void {
    if (this.#options.force === true) {
      this.#warn(`warning: ${says}: it does the same as our ${controller}, and --force goes on`);
      return;
    }
    const hints = [
      "To look on without writing anything:",
      `  ${this.#toLookOn()}`,
      "To go on all the same, add --force.",
    ];
    this.#ended.resolve({ refused: `stopped: ${says}, which our ${controller} does here as well`, hints });
  }

  #stopSignal(signal: string, count: number): void {
    if (count > 1) this.#io.exit(130);
    // The terminal has just written ^C.
    if (signal === "SIGINT" && this.#io.out.columns !== undefined) this.#io.out.write("\n");
    this.#starting.abort(new Error("stopped by a signal"));
    this.#ended.resolve({});
  }

  /** Undefined when a signal came before everything had started. */
  async #start(): Promise<LiveRun | undefined> {
    const { io, options, controllers, namespace } = {
      io: this.#io,
      options: this.#options,
      controllers: this.#controllers,
      namespace: this.#namespace,
    };
    try {
      const live = await startLive(
        {
          controllers,
          clientFor: (fieldManager, own) => this.#connected.clientFor(fieldManager, own),
          readingClient: createClient({
            transport: this.#connected.unlimited,
            bus: this.#connected.bus,
            timeline: io.timeline,
          }),
          bus: this.#bus,
          timeline: io.timeline,
          random: io.random,
          lease: this.#lease(),
          preflight: () => this.#preflight(),
          onEarlyStart: () => this.#sayRunning("each as soon as it has its caches, "),
          onLeaseLost: (why) => this.#ended.resolve({ refused: `stopped: ${why}` }),
          onLeaseLate: (why) => this.#warn(`warning: ${why}; nothing is written from the 15th second on until it is`),
          onLeasesRenewed: (ms) => this.#warn(`renewed after ${formatDuration(ms)}: the run goes on`),
          fence: this.#fence,
          onEventLost: (why) => this.#eventLost(why),
          onDiscoveryFailed: (controller, why) =>
            this.#warn(
              `warning: ${controller} cannot ask which kinds the server has, and goes on with those it knows: ${why}`,
            ),
          ...(options.sandbox !== true && { onOtherOwner: (controller, says) => this.#otherOwner(controller, says) }),
          // The lines of text name no writers.
          writers: options.output === "json",
          ...(namespace !== undefined && { namespace }),
          ...(this.#selector !== undefined && { selector: this.#selector }),
          ...(options.workers !== undefined && { workers: options.workers }),
          ...(options.resync !== undefined && { resyncMs: options.resync }),
          ...(options.debugFreeze === true && { freeze: true }),
        },
        this.#starting.signal,
      );
      const caches = cachesText(live.caches);
      this.#say(`caches  ${caches} · ${formatDuration(live.cachesMs)}`);
      this.#sayRunning();
      return live;
    } catch (error) {
      if (this.#starting.signal.aborted) return undefined;
      if (error instanceof LeaseHeldError) throw this.#heldByACopy(error);
      throw this.#connected.explain(error);
    }
  }

  /** Once, and before any block of a sync. */
  #sayRunning(how = ""): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const workers = this.#controllers.map(
      (controller) => `${controller.name} with ${counted(this.#options.workers ?? controller.workers, "worker")}`,
    );
    const until = this.#options.once === true ? "until all is synced" : "Ctrl-C stops";
    this.#say(`running ${workers.join(", ")}, ${how}${until}`);
    this.#say("");
  }

  async #preflight(): Promise<void> {
    const { connected, namespace, io } = { connected: this.#connected, namespace: this.#namespace, io: this.#io };
    const asked = preflight({
      controllers: this.#controllers,
      transport: connected.unlimited,
      client: createClient({ transport: connected.unlimited, bus: connected.bus, timeline: io.timeline }),
      namespace,
      leaseNamespace: leaseNamespace(namespace),
      leaseNameOf: fieldManagerOf,
      isDead: isDeadHere,
      timeline: io.timeline,
      signal: this.#starting.signal,
      isForced: this.#options.force === true,
      onSecondLook: (ms) =>
        this.#say(`owner   waiting ${formatDuration(ms)} for a trace of another one: what is so new shows none yet`),
      isOwnSandbox: this.#options.sandbox === true,
    });
    // The server's version comes first: when it cannot be reached, that is what is to be said.
    asked.catch(() => undefined);
    const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
    this.#say(`context ${connected.context} · ${connected.server} (${await connected.serverVersion()}) · ${where}`);
    const found = await asked;
    const force = this.#options.force === true;
    refuseOrPass(found, {
      calledAs: io.calledAs,
      who: connected.user === undefined ? "" : ` as user ${connected.user}`,
      namespace,
      columns: io.err.columns,
      force,
      toLookOn: this.#toLookOn(),
    });
    if (force) for (const line of overridden(found)) this.#warn(line);
    this.#say(preflightLine(found));
    const unnoticed = ownersUnnoticed(this.#controllers);
    if (unnoticed.length > 0 && this.#options.once !== true && this.#options.sandbox !== true) {
      this.#say(`owner   not noticed while it runs: another ${unnoticed.join(" or ")}, whose work bears no name`);
    }
  }

  #toLookOn(): string {
    const names = this.#controllers
      .filter(({ companionOf }) => companionOf === undefined)
      .map(({ name }) => name)
      .join(" ");
    const where = this.#namespace === undefined ? "-A" : `-n ${quoted(this.#namespace)}`;
    return reconcileAdvice(this.#io.calledAs, this.#options, `trace ${names} ${where}`);
  }

  #lease(): Parameters<typeof startLive>[0]["lease"] {
    return {
      identity: `${hostName()}_${processId()}_${randomSuffix(this.#io.random)}`,
      isDead: isDeadHere,
      force: this.#options.force === true,
      onWait: (controller, holder, atMostMs) =>
        this.#warn(
          `${holder} holds the Lease for ${controller} here; looking whether it still renews it (at most ${formatDuration(atMostMs)})`,
        ),
    };
  }

  #heldByACopy(error: LeaseHeldError): UserError {
    return new UserError(`refused: another kubectl reconcile does this here (${error.message}).`, [
      "Stop that one first, or add --force to take over from it.",
    ]);
  }

  async #watchForQuiet(live: LiveRun): Promise<void> {
    await untilQuiet(this.#io.timeline, "run --once", () => live.manager.isIdle(giveUp));
    this.#ended.resolve({});
  }

  #failures(live: LiveRun): number {
    const failing = live.manager.controllers.flatMap(({ definition, failing }) =>
      [...failing].map(
        ([key, error]) => `${definition.name} ${key}: ${error instanceof Error ? error.message : String(error)}`,
      ),
    );
    for (const line of failing) this.#warn(`not synced: ${line}`);
    return failing.length === 0 ? 0 : 1;
  }
}
