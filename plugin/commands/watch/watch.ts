import { parseSelector } from "../../../src/api/selector-parser.ts";
import type { DeltaType } from "../../../src/trace/events.ts";
import { choice, type Command, duration, flag, text, wholeNumber } from "../../cli/command.ts";
import { refuseManifestsOnCluster, refuseTwoScopes } from "../../cli/scope.ts";
import { sandboxManifests, sandboxState, sinceStart } from "../../cli/shared-options.ts";
import { UserError } from "../../cli/user-error.ts";
import { namespaceCandidates } from "../../connections/cluster-candidates.ts";
import { clusterCommand } from "../../connections/globals.ts";
import { readingConnection } from "../../connections/reading-connection.ts";
import { processOptions, processRequest, refuseForProgram, refuseWithoutProgram } from "../../process/options.ts";
import { watchProgram, type WatchProgramRequest } from "./program.ts";
import type { WatchRequest } from "./request.ts";
import { watchCandidates } from "./targets.ts";
import { Watching } from "./watching.ts";

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
    candidates: namespaceCandidates,
  }),
  allNamespaces: flag("-A, --all-namespaces", "watch the objects of all namespaces"),
  selector: text(
    "-l, --selector <selector>",
    "only objects with these labels; of other kinds that a controller watches, only deltas that enqueue a key",
  ),
  fieldSelector: text("--field-selector <selector>", "only objects with these fields, as in kubectl get"),
  type: text("--type <type,...>", "only deltas of these types: added, updated, deleted, replaced, sync"),
  live: flag("--live", "a table of queues and informers, redrawn, instead of lines"),
  resync: duration("--resync <duration>", "send controllers every object again after this time", {
    default: "12 to 24 h",
  }),
  once: flag("--once", "show the existing objects, then exit"),
  for: duration("--for <duration>", "exit after this time"),
  count: wholeNumber("--count <n>", "exit after N deltas", 1),
  output: choice(
    "-o, --output <format>",
    "text, wide (every changed field), or json: every stage event as a line",
    ["text", "wide", "json"],
    { default: "text" },
  ),
  sinceStart,
  sandbox: flag("--sandbox", "watch a new embedded cluster in which the controllers run"),
  manifests: sandboxManifests,
  load: sandboxState,
  ...processOptions,
} as const;

/** Options that make no sense for a program: it chooses what it watches. */
const ofKinds = ["allNamespaces", "selector", "fieldSelector", "live", "resync", "once"] as const;

/** `watch`. */
export const watch: Command = clusterCommand({
  name: "watch",
  about: "Show every delta: what changed, who changed it, and which keys it enqueues",
  description:
    "Prints a line for each delta of the kinds named: its type, the object, its version, the fields that changed and who changed " +
    "them, as far as managedFields record it. A word that names both a kind and a controller (deploy) means both: what the controller " +
    "watches is watched too, and each delta is followed by the keys that it enqueues and the depth of the queue. Nothing is ever " +
    "written: the connection only reads, and the syncs of a watched controller do nothing.\n\n" +
    "Exit codes: 0 ended as requested or by a signal; 2 wrong arguments, no connection, missing rights; 130 ended by a second " +
    "signal; with -- COMMAND its own exit code, if it ends by itself.",
  program: {
    name: "COMMAND",
    about:
      "instead of kinds, a program in any language: each delta as the program receives it, relists, and at the end what it asks for " +
      "again and again. It works against a fork: nothing that it writes reaches the cluster.",
  },
  arguments: { name: "[kind|controller...]", about: "kinds as kubectl names them, TYPE/NAME, or controllers" },
  argumentCandidates: (io, _, typing) => watchCandidates(io, typing),
  options,
  examples: [
    { comment: "Who changes what of the Deployments of a namespace", line: "watch deployments -n shop" },
    { comment: "What triggers the ReplicaSet controller", line: "watch replicaset -n shop" },
    { comment: "The kind and not the controller of the same name", line: "watch kind/replicaset -n shop" },
    { comment: "One object, every field", line: "watch deploy/web -n shop -o wide" },
    { comment: "How full the queues are", line: "watch replicaset deployment -A --live" },
    { comment: "What an operator receives", line: "watch -n shop -- ./manager" },
    { comment: "Without a cluster: from a manifest to running pods", line: "watch pods rs --sandbox -f web.yaml" },
  ],
  onSignal: "drain",
  complete({ arguments: words, options: flags, program }, io): WatchRequest | WatchProgramRequest {
    const { output = "text", live, once } = flags;
    if (program !== undefined) {
      refuseForProgram({
        controllers: words,
        program,
        given: ofKinds.filter((name) => flags[name] !== undefined).map((name) => options[name].flags),
      });
      const request = processRequest(program, { ...flags, output: output === "json" ? "json" : "text" });
      return { flags, ...request, shows: output, types: readTypes(flags.type), count: flags.count };
    }
    const { output: _ofWatch, ...others } = flags;
    refuseWithoutProgram(others);
    if (words.length === 0)
      throw new UserError("no kind given", [`\`${io.calledAs} watch --help\` shows what to give`]);
    return {
      words,
      flags,
      shows: live === true ? "live" : output,
      contradictsLive: once === true ? "--once" : flags.output === undefined ? undefined : "-o",
      types: readTypes(flags.type),
      selector: flags.selector === undefined ? undefined : parseSelector(flags.selector),
      selectors: {
        ...(flags.selector !== undefined && { labelSelector: flags.selector }),
        ...(flags.fieldSelector !== undefined && { fieldSelector: flags.fieldSelector }),
      },
      resyncMs: flags.resync,
      forMs: flags.for,
      count: flags.count,
      once: once === true,
      sinceStart: flags.sinceStart === true,
    };
  },
  validate(request, { out }) {
    const { flags } = request;
    refuseTwoScopes(flags);
    refuseManifestsOnCluster(flags, "watch writes nothing");
    if ("program" in request || request.shows !== "live") return;
    const { contradictsLive } = request;
    if (contradictsLive !== undefined) {
      throw new UserError(`--live and ${contradictsLive} are mutually exclusive`, ["use only one of them"]);
    }
    if (out.columns === undefined) {
      throw new UserError("--live redraws a table, and standard output is not a terminal", [
        "omit --live, or use -o json for a program",
      ]);
    }
  },
  async run(request, session) {
    if ("program" in request) return watchProgram(request, session);
    const reading = await session.unlessInterrupted(() =>
      readingConnection({ ...request.flags, isFilled: request.once }, session.io),
    );
    if (reading === undefined) return 0;
    const watching = new Watching({ request, session, reading });
    try {
      return await watching.untilEnded();
    } catch (error) {
      throw reading.translateError(error);
    } finally {
      await watching.stop();
      await reading.close();
    }
  },
});

/** `updated,deleted`. @throws UserError for a word that is no type. */
function readTypes(text: string | undefined): ReadonlySet<DeltaType> | undefined {
  if (text === undefined) return undefined;
  return new Set(
    text.split(",").map((word) => {
      const type = types[word.trim().toLowerCase()];
      if (type !== undefined) return type;
      throw new UserError(`--type ${JSON.stringify(word)}: no such type of delta`, [
        `types are ${Object.keys(types).join(", ")}`,
      ]);
    }),
  );
}
