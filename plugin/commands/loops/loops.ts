import { type Kind, resourceOf } from "../../../src/api/kind.ts";
import { splitKey } from "../../../src/api/key.ts";
import { type DiscoveredKind, discover } from "../../../src/client/api/discovery.ts";
import { type Changes, watchChanges } from "../../../src/modes/watching/changes-only.ts";
import { sleep } from "../../../src/platform/timeline.ts";
import { cannotTellExitCode } from "../../../src/verdict/verdict.ts";
import { Coverage } from "../../../src/views/loops/coverage.ts";
import { type Acquittal, isFollower, isObjectLoop, type Loop, nameOf } from "../../../src/views/loops/loop.ts";
import { Loops } from "../../../src/views/loops/loops.ts";
import { loopsVerdict } from "../../../src/views/loops/verdict.ts";
import { reconcileAdvice } from "../../cli/advice.ts";
import { kindCandidates, namespaceCandidates } from "../../connections/cluster-candidates.ts";
import {
  choice,
  type Command,
  command,
  duration,
  flag,
  type Given,
  positiveNumber,
  text,
  texts,
} from "../../cli/command.ts";
import type { Globals } from "../../connections/globals.ts";
import type { Io } from "../../cli/io.ts";
import { namespaceExists } from "../../names/missing-namespace.ts";
import { kindNamed } from "../../names/object-names.ts";
import { type Reading, readingConnection } from "../../connections/reading-connection.ts";
import { unreadable } from "../../connections/reading-rights.ts";
import { acquittalText, foundText, loopsSummary, loopText } from "../../render/loop-text.ts";
import { counted, formatDuration, hung, styleOf } from "../../cli/style.ts";
import { refuseManifestsOnCluster, refuseTwoScopes } from "../../cli/scope.ts";
import { UserError } from "../../cli/user-error.ts";

const options = {
  namespace: text("-n, --namespace <name>", "look at the objects of this namespace", {
    default: "the context's",
    complete: namespaceCandidates,
  }),
  allNamespaces: flag("-A, --all-namespaces", "look at the objects of all namespaces, and at those that have none"),
  rate: positiveNumber("--rate <n>", "writes a minute from which on renewed values and a status that flips are loops", {
    default: "10",
  }),
  for: duration("--for <duration>", "end after this time"),
  failOn: choice("--fail-on <what>", "loop: end with exit code 3 if there was one, 5 if nobody can tell", ["loop"]),
  output: choice("-o, --output <format>", "text, or json: a line for each loop", ["text", "json"], { default: "text" }),
  sandbox: flag("--sandbox", "look at an embedded cluster of its own, in which the controllers act"),
  manifests: texts(
    "-f, --filename <path>",
    "with --sandbox: put these files, folders, URLs or - (standard input) into it",
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
  about: "Find objects that are rewritten or recreated again and again without getting anywhere, whoever does it",
  description:
    "Watches every kind that can be watched, or those named, and finds objects that go round in circles: a field of what is asked " +
    "for that returns to values it had before, at any rate; more often than --rate, a status that does so, a value that is renewed " +
    "with every write, writes that change nothing, or an object that is deleted and created again under its name (four times or " +
    "more, each counted as two writes). It names the fields, the values and the writers, and puts what only follows (the ReplicaSet " +
    "of a Deployment) under its cause. No controller of ours takes part: it serves operators in any language. Nothing is ever " +
    "written. What is there already is not read: only what changes from now on.\n\n" +
    "Exit codes: 0 ended as asked or by a signal; 2 wrong arguments or no connection; with --fail-on loop: 3 a loop was found, 5 " +
    "cannot tell, because something that matters could not be watched; 130 ended by a second signal.",
  arguments: {
    name: "[kind...]",
    about: "only these kinds, as kubectl names them (default: all but Leases and Events)",
  },
  completeArgument: (io, _, typing) => kindCandidates(io, typing),
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

/** What is watched, and what is not. */
interface Asked {
  readonly kinds: readonly Kind[];
  readonly refused: readonly Kind[];
  readonly undiscovered: readonly string[];
  /** False where the user may not ask whether the namespace is there. */
  readonly isThere: boolean;
}

/** One hunt, from the arguments to the report. */
class LoopHunt {
  readonly #words: readonly string[];
  readonly #flags: LoopsFlags;
  readonly #io: Io;
  readonly #view: Loops;
  readonly #coverage = new Coverage();
  readonly #stop = new AbortController();
  readonly #told = new Set<string>();

  constructor(words: readonly string[], flags: LoopsFlags, io: Io) {
    const { rate = defaultRate } = flags;
    // kubectl takes several kinds with commas.
    this.#words = words.flatMap((word) => word.split(",")).filter((word) => word !== "");
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
      const asked = await this.#asked(reading);
      reading.bus.listen((event) => {
        this.#view.accept(event);
        this.#coverage.accept(event);
      });
      changes = await this.#watch(reading, asked.kinds);
      const startedAt = timeline.now();
      await reading.begin();
      await this.#look(startedAt);
      return this.#report(asked, startedAt);
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
    for (const part of hung(line, this.#io.err.columns)) this.#io.err.line(part);
  }

  #stopSignal(signal: string, count: number): void {
    if (count > 1) this.#io.exit(130);
    if (signal === "SIGINT" && this.#io.err.columns !== undefined) this.#io.err.write("\n");
    this.#stop.abort(new Error("stopped by a signal"));
  }

  /**
   * What can be watched and may be.
   * @throws UserError for a word that is no kind, a namespace that is not there, or when nothing is left.
   */
  async #asked(reading: Reading): Promise<Asked> {
    const { namespace, context, client } = reading;
    const version = await reading.serverVersion();
    const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
    this.#say(`context ${context} · ${reading.server} (${version}) · ${where}`);
    const { kinds: found, unavailable } = await discover(client);
    const wanted =
      this.#words.length === 0
        ? everyKind(found, namespace)
        : this.#words.map((word) => watchable(kindNamed(word, found, `${this.#io.calledAs} loops`)));
    const isThere = namespace === undefined || (await namespaceExists(client, namespace));
    const missing = new Set((await unreadable(wanted, reading)).map(({ group, resource }) => `${resource}.${group}`));
    const kinds = wanted.filter(({ plural, group }) => !missing.has(`${plural}.${group}`));
    const refused = wanted.filter((kind) => !kinds.includes(kind));
    if (kinds.length === 0) {
      const who = reading.user === undefined ? "" : ` as user ${reading.user}`;
      throw new UserError(
        `not allowed to list and watch any kind ${where === "all namespaces" ? "in all namespaces" : `in ${where}`}${who}`,
        ["`kubectl auth can-i --list` shows what is allowed"],
      );
    }
    if (refused.length > 0)
      this.#say(`warning: not allowed to list and watch, and left out: ${refused.map(resourceOf).join(", ")}`);
    return { kinds, refused, undiscovered: unavailable.map(({ groupVersion }) => groupVersion), isThere };
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
    this.#say(
      `a loop   is an object that returns to where it was, or is written more than ${rate} times a minute and gets nowhere\n`,
    );
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
      for (const loop of this.#view.settled()) this.#tell(loop);
    }
  }

  /** Once each; what only follows stands in the report. */
  #tell(loop: Loop): void {
    if (!isObjectLoop(loop) || this.#told.has(`${loop.is} ${nameOf(loop)}`)) return;
    this.#told.add(`${loop.is} ${nameOf(loop)}`);
    this.#say(foundText(loop));
  }

  #report({ kinds, refused, undiscovered, isThere }: Asked, startedAt: number): number {
    const { out, timeline } = this.#io;
    const { output, failOn, namespace } = this.#flags;
    const now = timeline.now();
    const [loops, acquitted, deltas] = [this.#view.found(), this.#view.acquitted(), this.#view.deltas];
    const ms = now - startedAt;
    const verdict = loopsVerdict({
      loops,
      kinds,
      refused,
      named: this.#words.length > 0,
      gaps: this.#coverage.gaps(startedAt, now),
      undiscovered,
      // Nothing happens in a namespace that is not there either.
      unknownNamespace: !isThere && deltas === 0 ? namespace : undefined,
      deltas,
      ms,
    });
    if (output === "json") {
      for (const loop of loops) out.write(`${JSON.stringify({ v: 1, loop })}\n`);
      out.write(`${JSON.stringify({ v: 1, verdict: { ...verdict, findings: undefined }, acquitted })}\n`);
    } else if (loops.length > 0) {
      if (this.#told.size > 0 && out.columns !== undefined) out.write("\n");
      for (const [index, loop] of loops.entries()) {
        if (index > 0 && !isFollower(loop)) out.write("\n");
        const lines = loopText(loop, styleOf(out), { next: this.#watchLine(loop, kinds), now });
        for (const line of lines) out.line(line);
      }
    }
    this.#say(loopsSummary(verdict, { kinds: kinds.length, ms, deltas }));
    if (acquitted.length > 0) this.#say(acquittalLine(acquitted));
    if (failOn !== "loop") return 0;
    return verdict.is === "found" ? 3 : verdict.is === "well" ? 0 : cannotTellExitCode;
  }

  #watchLine(loop: Loop, kinds: readonly Kind[]): string {
    if (!isObjectLoop(loop) || isFollower(loop)) return "";
    const kind = kinds.find(({ group, kind: name }) => group === loop.of.group && name === loop.of.kind);
    if (kind === undefined) return "";
    const { namespace, name } = splitKey(loop.key);
    const where = namespace === "" ? "" : ` -n ${namespace}`;
    return reconcileAdvice(this.#io.calledAs, this.#flags, `watch ${resourceOf(kind)}/${name}${where} -o wide`);
  }
}

/** Objects written as often that are named; of more their number. */
const shownAcquittals = 5;

function acquittalLine(acquitted: readonly Acquittal[]): string {
  const more = acquitted.length - shownAcquittals;
  const named = acquitted.slice(0, shownAcquittals).map(acquittalText);
  return `no loop, though written as often: ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(", ")}`;
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

/** @throws UserError for a kind that the server offers no watch of. */
function watchable(kind: DiscoveredKind): DiscoveredKind {
  if (isWatchable(kind)) return kind;
  throw new UserError(`cannot watch ${resourceOf(kind)}: the server offers no watch of it`, [
    `its verbs are ${kind.verbs.join(", ")}`,
  ]);
}
