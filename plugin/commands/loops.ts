import { type Kind, resourceOf } from "../../src/api/kind.ts";
import { splitKey } from "../../src/api/key.ts";
import { type DiscoveredKind, discover, findKind } from "../../src/client/discovery.ts";
import { type Changes, watchChanges } from "../../src/modes/watching/changes-only.ts";
import { sleep } from "../../src/platform/timeline.ts";
import { type Loop, Loops } from "../../src/views/loops.ts";
import { namespaceCandidates } from "../cluster-candidates.ts";
import { choice, type Command, command, duration, flag, type Given, positiveNumber, text, texts } from "../command.ts";
import type { Globals } from "../globals.ts";
import type { Io } from "../io.ts";
import { type Reading, readingConnection } from "../reading-connection.ts";
import { unreadable } from "../reading-rights.ts";
import { loopsSummaryLine, loopText } from "../render/loop-text.ts";
import { counted, formatDuration, hung, styleOf } from "../render/style.ts";
import { refuseManifestsOnCluster, refuseTwoScopes } from "../scope.ts";
import { UserError } from "../user-error.ts";

const options = {
  namespace: text("-n, --namespace <name>", "look at the objects of this namespace", {
    default: "the context's",
    complete: namespaceCandidates,
  }),
  allNamespaces: flag("-A, --all-namespaces", "look at the objects of all namespaces, and at those that have none"),
  rate: positiveNumber("--rate <n>", "an object that is written more often in a minute is looked at", {
    default: "10",
  }),
  for: duration("--for <duration>", "end after this time"),
  failOn: choice("--fail-on <what>", "loop: end with exit code 3 if there was one", ["loop"]),
  output: choice("-o, --output <format>", "text, or json: a line for each loop", ["text", "json"], { default: "text" }),
  sandbox: flag("--sandbox", "look at an embedded cluster of its own, in which the controllers act"),
  manifests: texts(
    "-f, --filename <path>",
    "with --sandbox: put these files, folders or - (standard input) into it",
    {},
  ),
} as const;

type LoopsFlags = Given<typeof options> & Globals;

const defaultRate = 10;
/** How often new loops are looked for. */
const lookEveryMs = 1000;
/** Rewritten by design: elections and heartbeats, and Events that are counted up. */
const byDesign = new Set(["leases.coordination.k8s.io", "events", "events.events.k8s.io"]);

export const loops: Command = command({
  name: "loops",
  about: "Find objects that are rewritten again and again without getting anywhere, whoever does it",
  description:
    "Watches every kind that can be watched, or those named, and finds objects that are written more often than --rate and go round " +
    "in circles: a field that comes back to values it had before, one that is renewed with every write, or writes that change " +
    "nothing. It names the fields, the values and the writers. No controller of ours takes part: it serves operators in any language. " +
    "Nothing is ever written. What is there already is not read: only what changes from now on.\n\n" +
    "Exit codes: 0 ended as asked or by a signal; 2 wrong arguments or no connection; 3 a loop was found and --fail-on loop; 130 ended " +
    "by a second signal.",
  arguments: {
    name: "[kind...]",
    about: "only these kinds, as kubectl names them (default: all but Leases and Events)",
  },
  options,
  examples: [
    { says: "Whatever goes round in circles in the whole cluster", line: "loops -A --for 60s" },
    { says: "In CI, after an operator was installed", line: "loops -A --for 2m --fail-on loop" },
    { says: "One kind of an operator of yours", line: "loops widgets.example.com -n shop" },
  ],
  async run({ arguments: words, options: given }, io) {
    return new LoopHunt(words, given as LoopsFlags, io).toItsEnd();
  },
});

/** One hunt, from the arguments to the report. */
class LoopHunt {
  readonly #words: readonly string[];
  readonly #flags: LoopsFlags;
  readonly #io: Io;
  readonly #view: Loops;
  readonly #stop = new AbortController();
  readonly #told = new Set<string>();

  constructor(words: readonly string[], flags: LoopsFlags, io: Io) {
    const { rate = defaultRate } = flags;
    this.#words = words;
    this.#flags = flags;
    this.#io = io;
    this.#view = new Loops({ perMinute: rate });
    refuseTwoScopes(flags);
    refuseManifestsOnCluster(flags, "loops writes nothing");
  }

  async toItsEnd(): Promise<number> {
    const { timeline } = this.#io;
    const offSignals = this.#io.onStopSignal((signal, count) => this.#stopSignal(signal, count));
    const reading = await readingConnection(this.#flags, this.#io);
    let changes: Changes | undefined;
    try {
      const kinds = await this.#kinds(reading);
      reading.bus.listen((event) => this.#view.accept(event));
      changes = await this.#watch(reading, kinds);
      const startedAt = timeline.now();
      await reading.begin();
      await this.#look(startedAt);
      return this.#report(kinds, timeline.now() - startedAt);
    } catch (error) {
      if (this.#stop.signal.aborted) return 0;
      throw reading.explain(error);
    } finally {
      offSignals();
      await changes?.stop();
      await reading.close();
    }
  }

  #say(line: string): void {
    for (const part of hung(line, this.#io.err.columns)) this.#io.err.write(`${part}\n`);
  }

  #stopSignal(signal: string, count: number): void {
    if (count > 1) this.#io.exit(130);
    if (signal === "SIGINT" && this.#io.err.columns !== undefined) this.#io.err.write("\n");
    this.#stop.abort(new Error("stopped by a signal"));
  }

  /** What can be watched and may be. @throws UserError for a word that is no kind, or when nothing is left. */
  async #kinds(reading: Reading): Promise<readonly Kind[]> {
    const version = await reading.serverVersion();
    const where = reading.namespace === undefined ? "all namespaces" : `namespace ${reading.namespace}`;
    this.#say(`context ${reading.context} · ${reading.server} (${version}) · ${where}`);
    const found = (await discover(reading.client)).kinds;
    const wanted =
      this.#words.length === 0
        ? everyKind(found, reading.namespace)
        : this.#words.map((word) => kindNamed(word, found));
    const missing = new Set((await unreadable(wanted, reading)).map(({ group, resource }) => `${resource}.${group}`));
    const allowed = wanted.filter(({ plural, group }) => !missing.has(`${plural}.${group}`));
    const refused = wanted.filter((kind) => !allowed.includes(kind)).map(resourceOf);
    if (allowed.length === 0) {
      const who = reading.user === undefined ? "" : ` as user ${reading.user}`;
      throw new UserError(
        `not allowed to list and watch any kind ${where === "all namespaces" ? "in all namespaces" : `in ${where}`}${who}`,
        ["`kubectl auth can-i --list` shows what is allowed"],
      );
    }
    if (refused.length > 0) this.#say(`warning: not allowed to list and watch, and left out: ${refused.join(", ")}`);
    return allowed;
  }

  async #watch(reading: Reading, kinds: readonly Kind[]): Promise<Changes> {
    const { timeline, random } = this.#io;
    const { namespace, client, bus } = reading;
    const startedAt = timeline.now();
    const changes = await watchChanges(
      { kinds, client, bus, timeline, random, ...(namespace !== undefined && { namespace }) },
      this.#stop.signal,
    );
    const { for: forMs, rate = defaultRate } = this.#flags;
    const end = forMs === undefined ? "Ctrl-C ends it with the report" : `for ${formatDuration(forMs)}`;
    this.#say(`watching ${counted(kinds.length, "kind")} after ${formatDuration(timeline.now() - startedAt)}, ${end}`);
    this.#say(`a loop   is an object written more than ${rate} times a minute that gets nowhere\n`);
    return changes;
  }

  /** Tells of loops as they are found, until the end. */
  async #look(startedAt: number): Promise<void> {
    const { timeline } = this.#io;
    const endsAt = startedAt + (this.#flags.for ?? Infinity);
    const { signal } = this.#stop;
    while (!signal.aborted && timeline.now() < endsAt) {
      const ms = Math.min(lookEveryMs, endsAt - timeline.now());
      await sleep(timeline, ms, "loops", { signal }).catch(() => undefined);
      for (const loop of this.#view.found()) this.#tell(loop);
    }
  }

  #tell(loop: Loop): void {
    if (loop.is !== "rewritten") return;
    const name = `${loop.of.kind} ${loop.key}`;
    if (this.#told.has(name)) return;
    this.#told.add(name);
    this.#say(`found   ${name}: ${loop.fields[0]?.path ?? "no field changes"}`);
  }

  #report(kinds: readonly Kind[], ms: number): number {
    const { out } = this.#io;
    const { output, failOn } = this.#flags;
    const found = this.#view.found();
    if (output === "json") for (const loop of found) out.write(`${JSON.stringify({ v: 1, loop })}\n`);
    else if (found.length > 0) {
      if (this.#told.size > 0 && out.columns !== undefined) out.write("\n");
      const blocks = found.map((loop) => loopText(loop, styleOf(out), this.#watchLine(loop, kinds)).join("\n"));
      out.write(`${blocks.join("\n\n")}\n`);
    }
    this.#say(loopsSummaryLine({ kinds: kinds.length, ms, loops: found.length, busy: this.#view.busy() }));
    return found.length > 0 && failOn === "loop" ? 3 : 0;
  }

  #watchLine(loop: Loop, kinds: readonly Kind[]): string {
    const kind =
      loop.is === "rewritten"
        ? kinds.find((each) => each.group === loop.of.group && each.kind === loop.of.kind)
        : undefined;
    if (kind === undefined) return "";
    const { namespace, name } = splitKey(loop.key);
    const where = namespace === "" ? "" : ` -n ${namespace}`;
    return `${this.#io.calledAs} watch ${resourceOf(kind)}/${name}${where} -o wide`;
  }
}

/** Each resource once, at the version its group prefers; in one namespace only what is in namespaces. */
function everyKind(found: readonly DiscoveredKind[], namespace: string | undefined): readonly Kind[] {
  const seen = new Set<string>(byDesign);
  return found.filter((kind) => {
    const name = resourceOf(kind);
    if (seen.has(name) || !isWatchable(kind) || (namespace !== undefined && !kind.namespaced)) return false;
    seen.add(name);
    return true;
  });
}

function isWatchable({ verbs }: DiscoveredKind): boolean {
  return verbs.includes("list") && verbs.includes("watch");
}

function kindNamed(word: string, found: readonly DiscoveredKind[]): Kind {
  const kind = findKind(found, word);
  if (kind === undefined) {
    throw new UserError(`${JSON.stringify(word)} is no kind that the server has`, [
      "`kubectl api-resources` lists them",
    ]);
  }
  if (isWatchable(kind)) return kind;
  throw new UserError(`cannot watch ${resourceOf(kind)}: the server offers no watch of it`, [
    `its verbs are ${kind.verbs.join(", ")}`,
  ]);
}
