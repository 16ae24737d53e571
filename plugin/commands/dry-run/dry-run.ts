import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { builtInControllers } from "../../../src/controllers/index.ts";
import { withRefusals } from "../../../src/modes/dry-run/availability.ts";
import { verdictsOf } from "../../../src/modes/dry-run/verdicts.ts";
import { realHost } from "../../../src/platform/host.ts";
import { type Validation, validateOnServer } from "../../../src/modes/dry-run/server-validate.ts";
import { type DryRun, dryRun, type DryRunOptions } from "../../../src/modes/dry-run/dry-run.ts";
import {
  choice,
  type Command,
  duration,
  flag,
  negation,
  type OptionsFor,
  text,
  texts,
  wholeNumber,
} from "../../cli/command.ts";
import { namespaceCandidates } from "../../connections/cluster-candidates.ts";
import { controllerCandidates, controllersNamed, type Naming } from "../../names/controller-names.ts";
import { type DryRunSource, sourceFor } from "./source.ts";
import { exitCodeOf, failConditions, parseFailOn } from "./report/verdict.ts";
import { validateChangeFlags, refuseRejectedChanges, type ChangeFlags, requestedChanges } from "./requested-changes.ts";
import type { DryRunFlags, DryRunRequest } from "./flags.ts";
import { clusterCommand, type Globals } from "../../connections/globals.ts";
import type { Io } from "../../cli/io.ts";
import { readKustomization, readManifests } from "../../manifests/manifests.ts";
import { githubErrorLines } from "./report/github.ts";
import { printReport } from "./report/print.ts";
import type { DryRunReport } from "./report/report.ts";
import { harmless } from "./report/workflow-commands.ts";
import { pluralize, wrapHanging } from "../../cli/style.ts";
import { UserError } from "../../cli/user-error.ts";

const options = {
  manifests: texts("-f, --filename <path>", "apply these files, folders, URLs, or - (standard input); repeatable"),
  kustomize: texts("-k, --kustomize <folder>", "apply the output of `kubectl kustomize` for this folder; repeatable"),
  recursive: flag("-R, --recursive", "read the folders of -f and --baseline with their sub-folders"),
  delete: texts("--delete <type/name>", "delete this object, after the manifests are applied; repeatable"),
  scale: texts("--scale <type/name=n>", "scale this object, after the manifests are applied; repeatable"),
  from: choice(
    "--from <source>",
    "manifests: apply -f to an empty cluster; cluster: let the cluster run as it is, without -f; both: apply -f to a copy of the cluster",
    ["manifests", "cluster", "both"],
    {
      default: "both with a context, otherwise manifests",
    },
  ),
  baseline: texts(
    "--baseline <path>",
    "compare with the cluster after these manifests: files, folders or URLs; repeatable",
  ),
  prune: flag("--prune", "delete what is in the baseline and no longer in -f"),
  nodes: wholeNumber("--nodes <n>", "how many nodes an empty cluster has, of 8 CPUs, 16 GiB and 110 pods each", 0, {
    most: 5000,
    default: "3, or the Nodes among the manifests",
  }),
  namespace: text("-n, --namespace <name>", "the namespace of objects that name none", {
    default: "the context's, or default",
    candidates: namespaceCandidates,
  }),
  output: choice(
    "-o, --output <format>",
    "diff, yaml, json (a line each), markdown, github (annotations), or junit",
    ["diff", "yaml", "json", "markdown", "github", "junit"],
    { default: "diff" },
  ),
  steps: flag("--steps", "print each intermediate state of a rollout"),
  fold: negation("--no-fold", "print equal new objects one by one"),
  failOn: texts("--fail-on <what,...>", "exit with an error only for: delete, unavailable, dangling, never-steady", {
    choices: failConditions,
  }),
  exitCode: choice("--exit-code <when>", "never: exit with 0 even where something would change", ["never"]),
  serverValidate: flag(
    "--server-validate",
    "send each write to the API server as a dry run, and mark what it refuses or changes",
  ),
  seed: wholeNumber(
    "--seed <n>",
    "seed for scheduling order and random names: the same seed gives the same result",
    0,
    { default: "1" },
  ),
  horizon: duration(
    "--horizon <duration>",
    "simulated time after which the run stops, and reports that it did not converge",
    {
      default: "1h",
    },
  ),
  showGenerated: flag(
    "--show-generated",
    "also print the diffs of objects that controllers create, such as pods and ReplicaSets",
  ),
  showManagedFields: flag("--show-managed-fields", "show metadata.managedFields and the last-applied annotation"),
  showIds: flag("--show-ids", "show uid, resourceVersion, generation, addresses and nodes"),
  showTimes: flag("--show-times", "show creationTimestamp and the times in status"),
} as const satisfies OptionsFor<Omit<DryRunFlags, Exclude<keyof Globals, "namespace">>>;

/** `dry-run`. */
export const dryRunCommand: Command = clusterCommand({
  name: "dry-run",
  about: "Show what controllers would do with manifests, before anything is applied",
  description:
    "Applies manifests to a copy of the cluster in this process, runs the controllers on it until nothing changes any more, " +
    "and prints the diff, each object with the decision behind it. Nothing is written to the cluster. Pods are " +
    "assumed to start and become ready, unless a ConfigMap, Secret or claim that they need is missing; the scheduler and the " +
    "kubelet are simulated.\n\n" +
    "Exit codes: 0 steady with no changes, or --from manifests (nothing to compare with); 1 something would change, or what " +
    "--fail-on names was found (delete, dangling); 2 wrong arguments or manifests, no connection; 3 it never becomes steady; " +
    "4 something applied does not become available; 5 it cannot tell: no controller here reconciles a workload that was changed, " +
    "or an object that it depends on could not be read.",
  arguments: { name: "[controller...]", about: "only these controllers (default: all)" },
  argumentCandidates: () => controllerCandidates(),
  options,
  examples: [
    { says: "What a folder of manifests would do to the cluster of the current context", line: "dry-run -f shop/" },
    {
      says: "Without any cluster: from one version of the manifests to the next",
      line: "dry-run --from manifests --baseline before/ -f after/ --prune",
    },
    { says: "Every intermediate state of a rollout", line: "dry-run -f web.yaml --steps" },
    { says: "What is deleted with a Deployment", line: "dry-run --delete deploy/web -n shop" },
    {
      says: "In CI: fail only on deletions, unavailability, dangling references or non-convergence",
      line: "dry-run -f shop/ -o github --fail-on delete,unavailable,dangling,never-steady",
    },
  ],
  complete({ arguments: words, options: flags }, io): DryRunRequest {
    return {
      flags,
      controllers: chosenControllers(words, io),
      named: words.length > 0,
      failOn: parseFailOn(flags.failOn),
      output: flags.output ?? "diff",
    };
  },
  validate({ flags }) {
    const { manifests = [], kustomize = [], baseline = [], delete: deletes = [], scale: scales = [] } = flags;
    if (manifests.length + kustomize.length + deletes.length + scales.length === 0) {
      throw new UserError("nothing to dry-run", [
        "give manifests with -f or -k, or --delete TYPE/NAME, or --scale TYPE/NAME=N",
      ]);
    }
    if (flags.prune === true && (baseline.length === 0 || manifests.length + kustomize.length === 0)) {
      throw new UserError("--prune compares -f with --baseline", ["give both"]);
    }
    validateChangeFlags({ scales, deletes });
  },
  async run(request, { io }) {
    try {
      return await report(request, io);
    } catch (error) {
      if (request.output !== "github" || !(error instanceof UserError)) throw error;
      for (const line of githubErrorLines(error)) io.out.line(line);
      // Standard error is read for workflow commands too.
      throw new UserError(harmless(error.message), ["the annotations say where"], { cause: error });
    }
  },
});

/** Runs it and prints the report. @returns the exit code. */
async function report(request: DryRunRequest, io: Io): Promise<number> {
  const { flags, controllers, named, failOn, output } = request;
  const notes: string[] = [];
  const changeFlags = await readChangeFlags(flags, io, (note) => notes.push(note));
  const source = await sourceFor(flags, { controllers, named, changeFlags }, io);
  try {
    const sourceLine = `source  ${source.words}`;
    const shown = output === "github" ? harmless(sourceLine) : sourceLine;
    for (const line of wrapHanging(shown, io.err.columns)) io.err.line(line);
    const played = await reportFrom(flags, { source, changeFlags, notes });
    const exitCode = exitCodeOf(played.run, played.verdicts, {
      failOn,
      never: flags.exitCode === "never",
      hasBaseline: source.hasBaseline,
    });
    await printReport({ ...played, failOn, exitCode }, output, io);
    return exitCode;
  } finally {
    await source.close();
  }
}

/** The scheduler and the kubelet act in any case; namespaces have their default account anyway. */
function chosenControllers(words: readonly string[], io: Naming): readonly ControllerDefinition[] {
  const chosen = words.length === 0 ? builtInControllers : controllersNamed(words, io);
  return chosen.filter(({ disabledByDefault }) => disabledByDefault !== true);
}

async function readChangeFlags(flags: DryRunFlags, io: Io, onNote: (text: string) => void): Promise<ChangeFlags> {
  const { manifests = [], kustomize = [], baseline = [], delete: deletes = [], scale: scales = [] } = flags;
  const reading = { io, recursive: flags.recursive === true, onNote };
  const read = [];
  if (manifests.length > 0) read.push(...(await readManifests(manifests, reading)));
  for (const folder of kustomize) read.push(...(await readKustomization(folder, realHost())));
  return {
    manifests: read,
    baseline: baseline.length === 0 ? [] : await readManifests(baseline, reading),
    deletes,
    scales,
    prune: flags.prune === true,
  };
}

interface ReportInputs {
  readonly source: DryRunSource;
  readonly changeFlags: ChangeFlags;
  readonly notes: readonly string[];
}

async function reportFrom(
  flags: DryRunFlags,
  { source, changeFlags, notes }: ReportInputs,
): Promise<Omit<DryRunReport, "exitCode" | "failOn">> {
  const shown = {
    managedFields: flags.showManagedFields === true,
    ids: flags.showIds === true,
    times: flags.showTimes === true,
  };
  const { changes, baseline, notes: changeNotes } = requestedChanges(changeFlags, source);
  const asked: DryRunOptions = {
    initialState: source.beginning,
    baseline,
    requestedChanges: changes,
    controllers: source.controllers,
    seed: flags.seed ?? 1,
    ...(flags.horizon !== undefined && { horizonMs: flags.horizon }),
    shown,
    fold: flags.fold !== false,
    keepWrites: flags.serverValidate === true,
  };
  const played: DryRun = await dryRun(asked);
  refuseRejectedChanges(played.refused, changeFlags);
  const validations = await validationsOf(played, source);
  const run = { ...played, availability: withRefusals(played.availability, played.state, validations) };
  return {
    source: source.words,
    run,
    notes: [...notes, ...source.notes, ...changeNotes, ...crowdedNotes(run, source)],
    validations,
    manifests: changeFlags.manifests,
    shown,
    steps: flags.steps === true,
    showGenerated: flags.showGenerated === true,
    verdicts: verdictsOf({
      ...run,
      controllers: source.controllers,
      changes: run.groups.flatMap(({ changes }) => changes),
      liveRefusals: source.beginning.liveRefusals,
    }),
  };
}

/** Default nodes that are too small are no finding about the manifests. */
function crowdedNotes({ availability }: DryRun, { assumedNodes }: DryRunSource): readonly string[] {
  const isCrowded = availability.some(({ why = "" }) => /Too many pods|Insufficient /.test(why));
  if (assumedNodes === undefined || !isCrowded) return [];
  const nodes = pluralize(assumedNodes, "node");
  return [
    `the empty cluster has ${nodes} of 8 CPUs, 16 GiB and room for 110 pods each: --nodes gives it another number`,
  ];
}

/** With `--server-validate`; nothing otherwise. */
function validationsOf(run: DryRun, { transport, beginning }: DryRunSource): Promise<readonly Validation[]> {
  if (transport === undefined || run.writes.length === 0) return Promise.resolve([]);
  const objects = [...beginning.objects, ...beginning.customResources.objects];
  const there = new Set(objects.map(({ metadata }) => metadata.uid));
  return validateOnServer(transport, run.writes, (uid) => there.has(uid));
}
