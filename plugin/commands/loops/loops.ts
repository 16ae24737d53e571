import { shortestLoop } from "../../../src/views/loops/loop.ts";
import { choice, type Command, duration, flag, positiveNumber, text } from "../../cli/command.ts";
import { refuseManifestsOnCluster, refuseTwoScopes } from "../../cli/scope.ts";
import { sandboxManifests, sandboxState } from "../../cli/shared-options.ts";
import { kindCandidates, namespaceCandidates } from "../../connections/cluster-candidates.ts";
import { clusterCommand } from "../../connections/globals.ts";
import { readingConnection } from "../../connections/reading-connection.ts";
import { processOptions, processRequest, refuseForProgram, refuseWithoutProgram } from "../../process/options.ts";
import { LoopSearch } from "./loop-search.ts";
import { loopsOfProgram } from "./program.ts";
import type { LoopsRequest, ProgramLoopsRequest } from "./request.ts";

const options = {
  namespace: text("-n, --namespace <name>", "watch the objects of this namespace", {
    default: "the context's",
    candidates: namespaceCandidates,
  }),
  allNamespaces: flag("-A, --all-namespaces", "watch the objects of all namespaces, and cluster-scoped ones"),
  rate: positiveNumber(
    "--rate <n>",
    "report a flipping status, or a value that changes with every write, as a loop only above this many writes a minute",
    {
      default: "10",
    },
  ),
  for: duration("--for <duration>", "exit after this time"),
  failOn: choice("--fail-on <what>", "loop: exit with code 3 if one was found, 5 if it cannot tell", ["loop"]),
  output: choice("-o, --output <format>", "text, or json: a line for each loop", ["text", "json"], { default: "text" }),
  sandbox: flag("--sandbox", "watch a new embedded cluster in which the controllers run"),
  manifests: sandboxManifests,
  load: sandboxState,
  ...processOptions,
} as const;

const defaultRate = 10;
/** `loops`. */
export const loops: Command = clusterCommand({
  name: "loops",
  about:
    "Find hot loops: objects that are rewritten or recreated over and over without converging, whichever controller does it",
  description:
    "Watches every kind that can be watched, or those named, and finds objects that do not converge for " +
    `${shortestLoop} or longer: a spec field that returns to earlier values, at any rate; or, more often than --rate, a status that does so, ` +
    "a value that changes on every write, writes that change nothing, or an object that is deleted and created again under its name " +
    "(four times or more, each counted as two writes). It names the fields, the values and the writers, and lists what only follows (the ReplicaSet of a Deployment) under " +
    "its cause. It runs no controller, so it works for operators in any language. Nothing is ever written. Only changes from now on " +
    "are seen.\n\n" +
    "Exit codes: 0 ended as requested or by a signal; 2 wrong arguments or no connection; with --fail-on loop: 3 a loop was found, 5 " +
    `cannot tell, because something that matters could not be watched, or not for ${shortestLoop}, or was still being rewritten at the end; ` +
    "130 ended by a second signal; with -- COMMAND its own exit code, if it ends by itself and --fail-on gives no other.",
  arguments: {
    name: "[kind...]",
    about: "only these kinds, as kubectl names them (default: all but Leases and Events)",
  },
  program: {
    name: "COMMAND",
    about:
      "a program in any language, against a fork of the cluster, which is only read: its own loops. Reports objects that do not " +
      "converge, with what triggered the writes, and writes that change nothing, writes that are refused and reads with the same response " +
      "if there are more of them than --rate. All namespaces, unless -n names one.",
  },
  argumentCandidates: (io, _, typing) => kindCandidates(io, typing),
  options,
  examples: [
    { comment: "Hot loops in the whole cluster", line: "loops -A --for 60s" },
    { comment: "In CI, after an operator was installed", line: "loops -A --for 2m --fail-on loop" },
    { comment: "The loops of one operator, without writing anything", line: "loops --for 60s -- ./manager" },
    { comment: "One kind of an operator of yours", line: "loops widgets.example.com -n shop" },
  ],
  onSignal: "drain",
  complete({ arguments: words, options: flags, program }): LoopsRequest | ProgramLoopsRequest {
    if (program !== undefined) refuseForProgram({ controllers: [], program, given: [] });
    else refuseWithoutProgram(flags);
    const process = program === undefined ? {} : { process: processRequest(program, { ...flags, output: "text" }) };
    return {
      ...process,
      // kubectl takes several kinds with commas.
      words: words.flatMap((word) => word.split(",")).filter((word) => word !== ""),
      flags,
      perMinute: flags.rate ?? defaultRate,
      forMs: flags.for,
      failOnLoop: flags.failOn === "loop",
      json: flags.output === "json",
    };
  },
  validate({ flags }) {
    refuseTwoScopes(flags);
    refuseManifestsOnCluster(flags, "loops writes nothing");
  },
  async run(request, session) {
    if ("process" in request) return loopsOfProgram(request, session);
    const reading = await session.unlessInterrupted(() => readingConnection(request.flags, session.io));
    if (reading === undefined) return 0;
    const search = new LoopSearch({ request, session, reading });
    try {
      return await search.untilEnded();
    } catch (error) {
      throw reading.translateError(error);
    } finally {
      await search.stop();
      await reading.close();
    }
  },
});
