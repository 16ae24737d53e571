import { choice, type Command, duration, flag, optionalDuration, text } from "../../cli/command.ts";
import { refuseManifestsOnCluster, refuseTwoScopes } from "../../cli/scope.ts";
import { sandboxManifests, sandboxState } from "../../cli/shared-options.ts";
import { UserError } from "../../cli/user-error.ts";
import { controllersEnabledByDefault, controllersOfEmbedded } from "../../../src/controllers/index.ts";
import { cannotTellExitCode } from "../../../src/verdict/verdict.ts";
import { namespaceCandidates, objectCandidates } from "../../connections/cluster-candidates.ts";
import { connectAs } from "../../connections/connection.ts";
import { clusterCommand } from "../../connections/globals.ts";
import { typesAndNames } from "../../names/object-names.ts";
import { answerUntilOver } from "./answering.ts";
import { outputs, type WhyRequest } from "./request.ts";
import { settledSandbox } from "./sandbox.ts";
import { selectorFrom } from "./targets.ts";

/** `--wait` without a duration. */
const defaultWaitMs = 300_000;

const options = {
  namespace: text("-n, --namespace <name>", "the namespace of the objects", {
    default: "the context's",
    candidates: namespaceCandidates,
  }),
  allNamespaces: flag("-A, --all-namespaces", "all namespaces, and cluster-scoped objects such as nodes and volumes"),
  selector: text("-l, --selector <selector>", "only objects with these labels, as in app=web"),
  wait: optionalDuration("--wait [=duration]", "repeat until all is well or something has failed, at most this long", {
    bareMs: defaultWaitMs,
    default: "5m",
  }),
  sandbox: flag("--sandbox", "use a new embedded cluster in which all controllers run"),
  manifests: sandboxManifests,
  load: sandboxState,
  for: duration("--for <duration>", "with --sandbox: look after this time", {
    default: "when nothing is left to do, at most 10s",
  }),
  output: choice("-o, --output <format>", "json prints a line for each object", outputs, { default: "text" }),
} as const;

/** `why`. */
export const why: Command = clusterCommand({
  name: "why",
  about: "Explain what an object is waiting for, what happens next, and who wrote it last",
  description:
    "Reads the object, its owners, what it owns and what it refers to, down to the first cause. Explains what it is waiting for, what " +
    "to do, what happens next, and who wrote it last. Lists what could not be read. It writes nothing, and exits.\n\n" +
    "TYPE/NAME is one object, TYPE all objects of a type; without either it covers everything in the namespace, or with -A in the " +
    "cluster, worst first. It works for any kind, custom resources included.\n\n" +
    "Exit codes: 0 all is as it should be; 1 something is not; 2 wrong arguments, no such object, or no connection; " +
    `${cannotTellExitCode} it cannot tell; 130 interrupted.`,
  arguments: {
    name: "[object...]",
    about:
      "TYPE/NAME, as in deploy/web, or TYPE; none: the namespace. With a controller's file, also what that controller would do",
  },
  argumentCandidates: (io, _, typing) => objectCandidates(io, typing),
  options,
  examples: [
    { comment: "Why a Deployment does not become ready", line: "why deploy/web -n shop" },
    { comment: "Everything that is wrong in a namespace", line: "why -n shop" },
    { comment: "What is wrong in the whole cluster, nodes and volumes first", line: "why -A" },
    { comment: "Why a namespace is not deleted", line: "why ns/shop" },
    { comment: "Wait for a rollout, and explain why it fails", line: "why deploy/web --wait=2m" },
    {
      comment: "What a controller of your own would do with an object now",
      line: "why ./tenant.ts tenant/acme -n shop",
    },
    {
      comment: "What would happen to the objects of a manifest, without a cluster",
      line: "why deploy/web --sandbox -f web.yaml",
    },
  ],
  onSignal: "exit",
  complete({ arguments: words, options: flags }, { controllerFiles }): WhyRequest {
    const files = words.filter((word) => controllerFiles.has(word));
    const own = files.flatMap((word) => (controllerFiles.get(word) ?? []).map((definition) => ({ word, definition })));
    const builtIn = controllersEnabledByDefault.map((definition) => ({ word: definition.name, definition }));
    return {
      words: typesAndNames(words.filter((word) => !files.includes(word))),
      controllers: [...builtIn, ...own],
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
    throw new UserError("--for is for --sandbox: a cluster is read at once", ["omit it, or use --wait"]);
  },
  async run(request, { io }) {
    const { flags, settleMs } = request;
    const own = request.controllers.map(({ definition }) => definition);
    const connected = request.sandbox
      ? await settledSandbox({ ...flags, settleMs, controllers: [...new Set([...controllersOfEmbedded, ...own])] }, io)
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
