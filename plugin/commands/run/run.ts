import { matchesEverything, type Selector } from "../../../src/api/labels.ts";
import { parseSelector } from "../../../src/api/selector-parser.ts";
import { LeaseFence } from "../../../src/controller/runtime/lease-fence.ts";
import { choice, type Command, duration, flag, positiveNumber, text, wholeNumber } from "../../cli/command.ts";
import { refuseManifestsOnCluster, refuseTwoScopes } from "../../cli/scope.ts";
import type { Session } from "../../cli/session.ts";
import { once, sandboxManifests, sandboxState, sinceStart } from "../../cli/shared-options.ts";
import { namespaceCandidates } from "../../connections/cluster-candidates.ts";
import { clusterCommand } from "../../connections/globals.ts";
import { connectionFor } from "../../connections/run-connection.ts";
import { controllerCandidates, controllersNamed } from "../../names/controller-names.ts";
import { UserError } from "../../cli/user-error.ts";
import { connectionForProcess } from "../../connections/process-connection.ts";
import { processOptions, processRequest, refuseForProgram, refuseWithoutProgram } from "../../process/options.ts";
import { ProcessRun } from "../../process/running.ts";
import { Run } from "./live-run.ts";
import type { ProgramRequest, RunRequest } from "./request.ts";

const options = {
  namespace: text("-n, --namespace <name>", "reconcile the objects of this namespace", {
    default: "the context's",
    candidates: namespaceCandidates,
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
  qps: positiveNumber(
    "--kube-api-qps <n>",
    "requests a second to the API server; controller namespace: 20 times as many",
    {
      default: "20",
    },
  ),
  burst: wholeNumber(
    "--kube-api-burst <n>",
    "burst size before --kube-api-qps throttling applies; controller namespace: 100 times as much",
    1,
    { default: "30" },
  ),
  once,
  for: duration("--for <duration>", "exit after this time"),
  output: choice(
    "-o, --output <format>",
    "text; json: every stage event as a line; with -- COMMAND also rbac: at the end, the Role for what it did",
    ["text", "json", "rbac"],
    { default: "text" },
  ),
  sinceStart,
  sandbox: flag("--sandbox", "run against an embedded cluster of its own: API server, scheduler, simulated nodes"),
  manifests: sandboxManifests,
  load: sandboxState,
  force: flag("--force", "run even if something else reconciles the same objects"),
  debugFreeze: flag("--debug-freeze", "for authors of controllers: a sync that changes a cached object throws"),
  ...processOptions,
} as const;

/** Options that a program has flags of its own for, or that make no sense for one. */
const ofControllers = [
  "allNamespaces",
  "selector",
  "workers",
  "resync",
  "qps",
  "burst",
  "once",
  "force",
  "debugFreeze",
] as const;

/** `run`. */
export const run: Command = clusterCommand({
  name: "run",
  about: "Run controllers here, against the cluster of the current context",
  description:
    "Runs controllers in this process, against the cluster of the current context, and prints what they decide and write.\n\n" +
    "Before anything is written it asks for the rights it needs, and whether something else reconciles the same objects: " +
    "then it refuses. The first Ctrl-C lets syncs in flight finish, the second ends at once.\n\n" +
    "Exit codes: 0 stopped by a signal, or --once and all is synced; 1 --once and some objects kept failing; " +
    "2 wrong arguments, no connection, missing rights, or refused; 130 ended by a second signal; with -- COMMAND its own exit code, " +
    "where it ends by itself.",
  arguments: { name: "[controller...]", about: "which controllers: names, short names, or all" },
  program: {
    name: "COMMAND",
    about:
      "instead of controllers, a program in any language. It gets KUBECONFIG with a server that passes all requests on with your " +
      "credentials, and what it does is shown: each write with what probably woke it, refusals, conflicts, and at the end a page " +
      "worth acting on.",
  },
  argumentCandidates: () => controllerCandidates(),
  options,
  examples: [
    { says: "Run the ReplicaSet controller in one namespace", line: "run replicaset -n shop" },
    { says: "Bring everything up to date, then end: for scripts", line: "run replicaset -A --once" },
    { says: "Without a cluster: an embedded one, with your manifests in it", line: "run rs --sandbox -f web.yaml" },
    { says: "Every stage event as a JSON line", line: "run rs -n shop -o json" },
    { says: "A controller in any language", line: "run -n shop -- ./manager --leader-elect=false" },
  ],
  onSignal: "drain",
  complete({ arguments: words, options: flags, program }, io): RunRequest | ProgramRequest {
    if (program !== undefined) {
      refuseForProgram({
        controllers: words,
        program,
        given: ofControllers.filter((name) => flags[name] !== undefined).map((name) => options[name].flags),
      });
      return { flags, ...processRequest(program, flags) };
    }
    if (words.length === 0)
      throw new UserError("no controller given", [`\`${io.calledAs} run --help\` shows what to give`]);
    refuseWithoutProgram(flags);
    return {
      controllers: controllersNamed(words, io),
      isAll: words.includes("all"),
      flags,
      selector: readSelector(flags.selector),
      workers: flags.workers,
      resyncMs: flags.resync,
      once: flags.once === true,
      forMs: flags.for,
      json: flags.output === "json",
      sinceStart: flags.sinceStart === true,
      force: flags.force === true,
      freeze: flags.debugFreeze === true,
    };
  },
  validate({ flags }) {
    refuseTwoScopes(flags);
  },
  // With `-o json` standard output belongs to the events.
  statusOnOutput: (request) => ("program" in request ? request.output === "text" : !request.json),
  async run(request, session) {
    if ("program" in request) return runProgram(request, session);
    const fence = new LeaseFence();
    const { controllers, flags } = request;
    const connected = await session.unlessInterrupted(() =>
      connectionFor(controllers, { ...flags, fence }, session.io),
    );
    if (connected === undefined) return 0;
    try {
      return await new Run({ request, session, connected, fence }).untilEnded();
    } finally {
      await connected.close();
    }
  },
});

async function runProgram(request: ProgramRequest, session: Session): Promise<number> {
  refuseManifestsOnCluster(request.flags, "run changes no more than its program does");
  const connected = await session.unlessInterrupted(() => connectionForProcess(request.flags, session.io));
  if (connected === undefined) return 0;
  try {
    return await new ProcessRun({ behind: connected, request, session }).untilEnded();
  } finally {
    await connected.close();
  }
}

function readSelector(text: string | undefined): Selector | undefined {
  if (text === undefined) return undefined;
  const selector = parseSelector(text);
  return matchesEverything(selector) ? undefined : selector;
}
