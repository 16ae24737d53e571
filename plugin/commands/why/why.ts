import { createClient } from "../../../src/client/api/client.ts";
import { discover } from "../../../src/client/api/discovery.ts";
import { sleep } from "../../../src/platform/timeline.ts";
import { cannotTellExitCode } from "../../../src/verdict/verdict.ts";
import { kubectlAdvice } from "../../cli/advice.ts";
import { namespaceCandidates, objectCandidates } from "../../connections/cluster-candidates.ts";
import {
  choice,
  type Command,
  command,
  duration,
  flag,
  type Given,
  readDuration,
  text,
  texts,
} from "../../cli/command.ts";
import { type Connected, connectAs } from "../../connections/connection.ts";
import type { Globals } from "../../connections/globals.ts";
import type { Io } from "../../cli/io.ts";
import { typesAndNames } from "../../names/object-names.ts";
import { answerPrinter, outputs } from "./answer-printer.ts";
import { refuseManifestsOnCluster, refuseTwoScopes } from "../../cli/scope.ts";
import { UserError } from "../../cli/user-error.ts";
import { settledSandbox } from "./sandbox.ts";
import { ask } from "./ask.ts";
import { type Asked, selectorFrom } from "./targets.ts";

/** `--wait` without a duration. */
const defaultWaitMs = 300_000;
const waitPollMs = 1000;

const options = {
  namespace: text("-n, --namespace <name>", "the namespace of the objects", {
    default: "the context's",
    complete: namespaceCandidates,
  }),
  allNamespaces: flag("-A, --all-namespaces", "ask about all namespaces, and about what is in none: nodes, volumes"),
  selector: text("-l, --selector <selector>", "only objects with these labels, as in app=web"),
  wait: {
    flags: "--wait [=duration]",
    about: "ask again until all is well or something has failed, so long at most (default 5m)",
    read: (value: string) => (value === "" ? defaultWaitMs : readDuration(value)),
  },
  sandbox: flag("--sandbox", "ask in an embedded cluster of its own, in which all controllers run"),
  manifests: texts(
    "-f, --filename <path>",
    "with --sandbox: put these files, folders, URLs or - (standard input) into it",
    {},
  ),
  for: duration("--for <duration>", "with --sandbox: ask after this time", {
    default: "when nothing is left to do, at most 10s",
  }),
  output: choice("-o, --output <format>", "json prints a line for each object", outputs, { default: "text" }),
} as const;

type WhyOptions = Given<typeof options> & Globals & { readonly wait?: number };

export const why: Command = command({
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
  completeArgument: (io, _, typing) => objectCandidates(io, typing),
  options,
  examples: [
    { says: "Why a Deployment does not become ready", line: "why deploy/web -n shop" },
    { says: "Everything in a namespace that is not well", line: "why -n shop" },
    { says: "What is wrong in the whole cluster, nodes and volumes first", line: "why -A" },
    { says: "Why a namespace does not go away", line: "why ns/shop" },
    { says: "Wait for a rollout, and say why it fails", line: "why deploy/web --wait=2m" },
    { says: "What would become of a manifest, without a cluster", line: "why deploy/web --sandbox -f web.yaml" },
  ],
  async run({ arguments: words, options: given }, io) {
    const options = given as WhyOptions;
    const named = typesAndNames(words);
    const selector = selectorFrom(options.selector);
    refuseTwoScopes(options);
    refuseManifestsOnCluster(options, "why writes nothing");
    if (options.for !== undefined && options.sandbox !== true) {
      throw new UserError("--for is for --sandbox: a cluster is asked at once", ["omit it, or use --wait"]);
    }
    const offSignals = io.onStopSignal(() => io.exit(130));
    const connected = await connectionFor(options, io);
    const asked: Asked = {
      words: named,
      namespace: options.allNamespaces === true ? "" : (options.namespace ?? connected.namespace),
      selector,
      calledAs: io.calledAs,
      context: connected.context,
      isSandbox: options.sandbox === true,
      kubectl: (text) => kubectlAdvice(options, text),
    };
    try {
      return await askUntil(asked, options, io, connected);
    } catch (error) {
      throw connected.explain(error);
    } finally {
      offSignals();
      await connected.close();
    }
  },
});

function connectionFor(options: WhyOptions, io: Io): Promise<Connected> {
  return options.sandbox === true
    ? settledSandbox(options, io)
    : connectAs(options, io, { qps: 0, burst: 0, readOnly: true });
}

/** One reading, and with `--wait` more of them, until there is nothing to wait for. */
async function askUntil(asked: Asked, options: WhyOptions, io: Io, connected: Connected): Promise<number> {
  const { timeline } = io;
  const client = createClient({ transport: connected.unlimited, bus: connected.bus, timeline });
  const discovery = await discover(client);
  const until = timeline.now() + (options.wait ?? 0);
  for (;;) {
    const whole = await ask(asked, { io, connected, discovery });
    const isOver = whole.verdict.is === "well" || whole.answers.some(({ is }) => is === "failed");
    if (isOver || timeline.now() + waitPollMs > until) {
      const print = answerPrinter({ ...options, namespace: asked.namespace }, io, whole.now);
      print(whole);
      return { well: 0, found: 1, "cannot tell": cannotTellExitCode }[whole.verdict.is];
    }
    await sleep(timeline, waitPollMs, "why --wait");
  }
}
