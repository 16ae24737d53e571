import { matchesEverything, type Selector } from "../../../src/api/labels.ts";
import { parseSelector } from "../../../src/api/selector-parser.ts";
import { type ControllerDefinition, isNamespaced } from "../../../src/controller/api/definition.ts";
import { LeaseFence } from "../../../src/controller/runtime/lease-fence.ts";
import { choice, type Command, duration, flag, positiveNumber, text, wholeNumber } from "../../cli/command.ts";
import { refuseManifestsOnCluster, refuseTwoScopes } from "../../cli/scope.ts";
import type { Session } from "../../cli/session.ts";
import { once, sandboxManifests, sandboxState, sinceStart } from "../../cli/shared-options.ts";
import { withKeys } from "../../../src/controller/runtime/with-keys.ts";
import { namespaceCandidates } from "../../connections/cluster-candidates.ts";
import { clusterCommand } from "../../connections/globals.ts";
import { connectionFor } from "../../connections/run-connection.ts";
import { controllerCandidates, controllersNamed, refuseKeyless } from "../../names/controller-names.ts";
import { pluralize } from "../../cli/style.ts";
import { UserError } from "../../cli/user-error.ts";
import { connectionForProcess } from "../../connections/process-connection.ts";
import { version } from "../../cli/version.ts";
import { MetricsEndpoint, readBindAddress } from "../../telemetry/endpoint.ts";
import { RunSpans, spansEndpoint } from "../../telemetry/spans.ts";
import { processOptions, processRequest, refuseForProgram, refuseWithoutProgram } from "../../process/options.ts";
import { ProcessRun } from "../../process/running.ts";
import { leaderElectOf, leaderElectOptions } from "./leader-elect.ts";
import { Run } from "./live-run.ts";
import type { ProgramRequest, RunRequest } from "./request.ts";
import { unhandledText } from "./unhandled.ts";

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
    "requests a second to the API server, for each controller; 20 times as many for the namespace controller",
    {
      default: "20",
    },
  ),
  burst: wholeNumber(
    "--kube-api-burst <n>",
    "burst size of each controller before --kube-api-qps throttling applies; 100 times as much for the namespace controller",
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
  sandbox: flag("--sandbox", "run against a new embedded cluster: API server, scheduler, simulated nodes"),
  manifests: sandboxManifests,
  load: sandboxState,
  force: flag("--force", "run even if something else reconciles the same objects"),
  metricsBindAddress: text(
    "--metrics-bind-address <host:port>",
    "serve /metrics (for Prometheus), /healthz and /readyz there; :PORT is 127.0.0.1:PORT",
  ),
  otel: flag(
    "--otel",
    "send each sync with its decisions and writes as an OpenTelemetry span, by OTLP over HTTP to OTEL_EXPORTER_OTLP_ENDPOINT (default http://localhost:4318)",
  ),
  reload: flag("--reload", "reload a controller's file when it is saved, and keep the caches"),
  debugFreeze: flag("--debug-freeze", "for authors of controllers: a sync that changes a cached object throws"),
  ...leaderElectOptions,
  ...processOptions,
} as const;

/** Options that have no effect on a program. */
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
  "metricsBindAddress",
  "otel",
  "reload",
  "leaderElect",
  "leaderElectLeaseDuration",
  "leaderElectRenewDeadline",
  "leaderElectRetryPeriod",
  "leaderElectResourceName",
  "leaderElectResourceNamespace",
] as const;

/** `run`. */
export const run: Command = clusterCommand({
  name: "run",
  about: "Run controllers here, against the cluster of the current context",
  description:
    "Runs controllers in this process, against the cluster of the current context, and prints what they decide and write.\n\n" +
    "Before it writes anything, it checks that it has the rights it needs and that nothing else reconciles the same objects; " +
    "otherwise it refuses to run. The first Ctrl-C lets syncs in flight finish, the second ends at once.\n\n" +
    "Exit codes: 0 stopped by a signal or by --for, or --once and all is synced; 1 --once and some objects kept failing; " +
    "2 wrong arguments, no connection, missing rights, or refused; 3 --leader-elect, and it no longer leads; 130 ended by a second signal; with -- COMMAND its own exit code, " +
    "if it ends by itself.",
  arguments: { name: "[controller...]", about: "which controllers: names, short names, or all" },
  program: {
    name: "COMMAND",
    about:
      "instead of controllers, a program in any language. It gets KUBECONFIG with a server that passes all requests on with your " +
      "credentials, and what it does is shown: each write with what probably triggered it, refusals, conflicts, and at the end " +
      "a summary of what is worth acting on.",
  },
  argumentCandidates: () => controllerCandidates(),
  options,
  examples: [
    { comment: "Run the ReplicaSet controller in one namespace", line: "run replicaset -n shop" },
    { comment: "Bring everything up to date, then end: for scripts", line: "run replicaset -A --once" },
    {
      comment: "Without a cluster: an embedded one, with your manifests in it",
      line: "run deploy rs --sandbox -f web.yaml",
    },
    { comment: "Two copies, of which one works at a time", line: "run ./tenant.ts -A --leader-elect" },
    { comment: "Every stage event as a JSON line", line: "run rs -n shop -o json" },
    { comment: "A controller in any language", line: "run -n shop -- ./manager --leader-elect=false" },
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
    if (flags.reload === true && io.controllerFiles.size === 0)
      throw new UserError("--reload is for controllers in files", ["give one, such as ./tenant.ts"]);
    const controllers = controllersNamed(words, io);
    const isAll = words.includes("all");
    return {
      controllers,
      isAll,
      flags: isAll ? flags : inSandbox(flags, controllers),
      selector: readSelector(flags.selector),
      workers: flags.workers,
      resyncMs: flags.resync,
      once: flags.once === true,
      forMs: flags.for,
      json: flags.output === "json",
      sinceStart: flags.sinceStart === true,
      force: flags.force === true,
      freeze: flags.debugFreeze === true,
      leaderElect: leaderElectOf(flags),
      sendsSpans: flags.otel === true,
      reloads: flags.reload === true,
      metrics:
        flags.metricsBindAddress === undefined
          ? undefined
          : readBindAddress("--metrics-bind-address", flags.metricsBindAddress),
    };
  },
  validate({ flags }) {
    refuseTwoScopes(flags);
  },
  // With `-o json`, standard output contains only events.
  statusOnOutput: (request) => ("program" in request ? request.output === "text" : !request.json),
  async run(request, session) {
    if ("program" in request) return runProgram(request, session);
    const endpoint = await openEndpoint(request, session);
    const spans = await openSpans(request, session);
    try {
      return await runControllers({ request, session, endpoint, spans });
    } finally {
      await endpoint?.close();
      if (spans !== undefined) await closeSpans(spans, session);
    }
  },
});

interface ControllerRun {
  readonly request: RunRequest;
  readonly session: Session;
  readonly endpoint: MetricsEndpoint | undefined;
  readonly spans: RunSpans | undefined;
}

async function runControllers({ request, session, endpoint, spans }: ControllerRun): Promise<number> {
  const fence = new LeaseFence();
  const { controllers, flags } = request;
  if (flags.sandbox !== true) refuseKeyless(controllers);
  const target = { ...flags, fence, ...(endpoint !== undefined && { onCompleted: endpoint.metrics.request }) };
  const connected = await session.unlessInterrupted(() => connectionFor(controllers, target, session.io));
  if (connected === undefined) return 0;
  const applied = connected.applied?.map(({ manifest }) => manifest) ?? [];
  const unhandled = unhandledText({ applied, controllers, namespace: connected.namespace });
  if (unhandled !== undefined) session.warn(`warning: ${unhandled}`);
  try {
    const keyed = { ...request, controllers: withKeys(controllers, connected.keys) };
    return await new Run({ request: keyed, session, connected, fence, endpoint, spans }).untilEnded();
  } finally {
    await connected.close();
  }
}

/** In a sandbox, controllers that cannot be restricted to a namespace run in all of them, unless `-n` names one: there is nothing else. */
function inSandbox<F extends RunRequest["flags"]>(flags: F, controllers: readonly ControllerDefinition[]): F {
  const isWide = flags.sandbox === true && flags.namespace === undefined && !controllers.every(isNamespaced);
  return isWide ? { ...flags, allNamespaces: true } : flags;
}

/** Opens the metrics endpoint; undefined if not requested. @throws UserError if it cannot listen. */
async function openEndpoint(
  { metrics, workers }: RunRequest,
  { io: { timeline } }: Session,
): Promise<MetricsEndpoint | undefined> {
  if (metrics === undefined) return undefined;
  return await MetricsEndpoint.open(metrics, { now: () => timeline.clocks().steady, workers });
}

/** Creates the sender of spans; undefined if not requested. */
async function openSpans({ sendsSpans }: RunRequest, session: Session): Promise<RunSpans | undefined> {
  if (!sendsSpans) return undefined;
  const { environment: env } = session.io;
  const onUndelivered = (why: string): void => session.warn(`cannot send spans to ${spansEndpoint(env)}: ${why}`);
  return await RunSpans.open({ version, env, onUndelivered });
}

async function closeSpans(spans: RunSpans, session: Session): Promise<void> {
  const { undelivered, made } = await spans.close(session.io.timeline);
  if (undelivered > 0) session.warn(`${undelivered} of ${pluralize(made, "span")} were not delivered`);
}

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
