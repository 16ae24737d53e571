import { choice, type Command, duration, flag, optionalDuration, text } from "../../cli/command.ts";
import { refuseManifestsOnCluster, refuseTwoScopes } from "../../cli/scope.ts";
import { sandboxManifests } from "../../cli/shared-options.ts";
import { UserError } from "../../cli/user-error.ts";
import { cannotTellExitCode } from "../../../src/verdict/verdict.ts";
import { namespaceCandidates, objectCandidates } from "../../connections/cluster-candidates.ts";
import { connectAs } from "../../connections/connection.ts";
import { clusterCommand } from "../../connections/globals.ts";
import { typesAndNames } from "../../names/object-names.ts";
import { outputs } from "./answer-printer.ts";
import { answerUntilOver } from "./answering.ts";
import type { WhyRequest } from "./request.ts";
import { settledSandbox } from "./sandbox.ts";
import { selectorFrom } from "./targets.ts";

/** `--wait` without a duration. */
const defaultWaitMs = 300_000;

const options = {
  namespace: text("-n, --namespace <name>", "the namespace of the objects", {
    default: "the context's",
    candidates: namespaceCandidates,
  }),
  allNamespaces: flag("-A, --all-namespaces", "ask about all namespaces, and about what is in none: nodes, volumes"),
  selector: text("-l, --selector <selector>", "only objects with these labels, as in app=web"),
  wait: optionalDuration("--wait [=duration]", "ask again until all is well or something has failed, so long at most", {
    bareMs: defaultWaitMs,
    default: "5m",
  }),
  sandbox: flag("--sandbox", "ask in an embedded cluster of its own, in which all controllers run"),
  manifests: sandboxManifests,
  for: duration("--for <duration>", "with --sandbox: ask after this time", {
    default: "when nothing is left to do, at most 10s",
  }),
  output: choice("-o, --output <format>", "json prints a line for each object", outputs, { default: "text" }),
} as const;

/** `why`. */
export const why: Command = clusterCommand({
  name: "why",
  about: "Say what an object waits for, what comes next, and who wrote it last",
  description:
    "Reads the object, what owns it, what it owns and what it names, down to the first cause, and answers: what it waits for, " +
    "what to do, what comes next, and who wrote it last. What could not be read is said. It writes nothing, and ends.\n\n" +
    "TYPE/NAME asks about one object, TYPE about all of a type; without either, everything in the namespace, or with -A in the " +
    "cluster, is asked about, worst first. Any kind can be asked about, custom resources too.\n\n" +
    "Exit codes: 0 all is as it should be; 1 something is not; 2 wrong arguments, no such object, or no connection; " +
    `${cannotTellExitCode} it cannot be told; 130 interrupted.`,
  arguments: { name: "[object...]", about: "TYPE/NAME, as in deploy/web, or TYPE; none: the namespace" },
  argumentCandidates: (io, _, typing) => objectCandidates(io, typing),
  options,
  examples: [
    { says: "Why a Deployment does not become ready", line: "why deploy/web -n shop" },
    { says: "Everything in a namespace that is not well", line: "why -n shop" },
    { says: "What is wrong in the whole cluster, nodes and volumes first", line: "why -A" },
    { says: "Why a namespace does not go away", line: "why ns/shop" },
    { says: "Wait for a rollout, and say why it fails", line: "why deploy/web --wait=2m" },
    { says: "What would become of a manifest, without a cluster", line: "why deploy/web --sandbox -f web.yaml" },
  ],
  onSignal: "exit",
  complete({ arguments: words, options: flags }): WhyRequest {
    return {
      words: typesAndNames(words),
      flags,
      selector: selectorFrom(flags.selector),
      waitMs: flags.wait ?? 0,
      sandbox: flags.sandbox === true,
      settleMs: flags.for,
      output: flags.output ?? "text",
    };
  },
  validate({ flags, sandbox, settleMs }) {
    refuseTwoScopes(flags);
    refuseManifestsOnCluster(flags, "why writes nothing");
    if (settleMs === undefined || sandbox) return;
    throw new UserError("--for is for --sandbox: a cluster is asked at once", ["omit it, or use --wait"]);
  },
  async run(request, { io }) {
    const { flags, settleMs } = request;
    const connected = request.sandbox
      ? await settledSandbox({ ...flags, settleMs }, io)
      : await connectAs(flags, io, { qps: 0, burst: 0, readOnly: true });
    try {
      return await answerUntilOver(request, connected, io);
    } catch (error) {
      throw connected.translateError(error);
    } finally {
      await connected.close();
    }
  },
});
