import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { builtInControllers } from "../../../src/controllers/index.ts";
import { whyLeftOut } from "../../../src/modes/dry-run/scope.ts";
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
import { UserError } from "../../cli/user-error.ts";
import { namespaceCandidates, nodeCandidates } from "../../connections/cluster-candidates.ts";
import { clusterCommand, type Globals } from "../../connections/globals.ts";
import { controllerCandidates, controllersNamed, type Naming } from "../../names/controller-names.ts";
import { processOptions } from "../../process/options.ts";
import { runDryRun } from "./run-dry-run.ts";
import type { DryRunFlags, DryRunRequest } from "./flags.ts";
import { githubErrorLines, isPlaced } from "./report/github.ts";
import { failConditions, parseFailOn } from "./report/verdict.ts";
import { harmless } from "./report/workflow-commands.ts";
import { validateChangeFlags } from "./requested-changes.ts";

const options = {
  manifests: texts("-f, --filename <path>", "apply these files, folders, URLs, or - (standard input); repeatable"),
  kustomize: texts("-k, --kustomize <folder>", "apply the output of `kubectl kustomize` for this folder; repeatable"),
  recursive: flag("-R, --recursive", "read the folders of -f and --baseline with their sub-folders"),
  delete: texts("--delete <type/name>", "delete this object, after the manifests are applied; repeatable"),
  scale: texts("--scale <type/name=n>", "scale this object, after the manifests are applied; repeatable"),
  nodeDown: texts(
    "--node-down <name>",
    "simulate that this node's kubelet stops reporting, after all other changes; repeatable",
    {
      candidates: nodeCandidates,
    },
  ),
  drain: texts("--drain <name>", "simulate `kubectl drain` of this node, after all other changes; repeatable", {
    candidates: nodeCandidates,
  }),
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
  baselineCommand: text(
    "--baseline-command <command>",
    "with -- COMMAND: the program to compare with, such as the previous version: it runs first, then COMMAND in its place",
  ),
  prune: flag("--prune", "delete what is in the baseline and no longer in -f; either may be an empty folder"),
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
  failOn: texts(
    "--fail-on <what,...>",
    "exit with an error only for: delete, unavailable, dangling, held, never-steady",
    {
      choices: failConditions,
    },
  ),
  exitCode: choice(
    "--exit-code <when>",
    "never: do not exit with 1 only because something would change; 2 to 5 and --fail-on remain",
    ["never"],
  ),
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
    "simulated time after which the run stops; it did not converge if objects would still change",
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
  quiet: duration("--quiet <duration>", "with -- COMMAND: steady once nothing has changed for this long", {
    default: "2s",
  }),
  timeout: duration(
    "--timeout <duration>",
    "with -- COMMAND: how long to wait until it is steady, before the change and after it",
    { default: "1m" },
  ),
  quietChild: processOptions.quietChild,
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
    "Exit codes: 0 steady with no changes, or nothing to compare with (--from manifests without --baseline or a question about a node); 1 something would change, or what " +
    "--fail-on names was found (delete, dangling, held); 2 wrong arguments or manifests, no connection; 3 it never becomes steady; " +
    "4 something applied does not become available, or with --node-down or --drain something no longer is; 5 it cannot tell: no controller here reconciles a workload that was changed, " +
    "an object that it depends on could not be read, the last sync of an object failed (and did not fail in the same way before the changes), or a deleted namespace contains objects of unknown kinds.",
  program: {
    name: "COMMAND",
    about:
      "a program in any language, beside the controllers: it works on a fork of the cluster that stays as the cluster was, or with " +
      "--from manifests on an empty one. In real time: the changes are applied once the fork is steady, and the result is what differs " +
      "when it is steady again. Without -f, --delete and --scale, the program's start is the change. Definitions of custom " +
      "resources among the manifests are applied first.",
  },
  arguments: { name: "[controller...]", about: "only these controllers (default: all)" },
  argumentCandidates: () => controllerCandidates(),
  options,
  examples: [
    { comment: "What a folder of manifests would do to the cluster of the current context", line: "dry-run -f shop/" },
    {
      comment: "Without any cluster: from one version of the manifests to the next",
      line: "dry-run --from manifests --baseline before/ -f after/ --prune",
    },
    { comment: "What an operator would do with a change", line: "dry-run -f tenant.yaml -- ./manager" },
    {
      comment: "What a new version of an operator would change",
      line: "dry-run --baseline-command ./manager-v1 -- ./manager-v2",
    },
    { comment: "Every intermediate state of a rollout", line: "dry-run -f web.yaml --steps" },
    { comment: "What is deleted with a Deployment", line: "dry-run --delete deploy/web -n shop" },
    { comment: "What the cluster would do by itself", line: "dry-run --from cluster" },
    { comment: "What happens if a node fails", line: "dry-run --node-down worker-2" },
    {
      comment: "In CI: fail only on deletions, unavailability, dangling references or non-convergence",
      line: "dry-run -f shop/ -o github --fail-on delete,unavailable,dangling,never-steady",
    },
  ],
  onSignal: "exit",
  complete({ arguments: words, options: flags, program }, io): DryRunRequest {
    return {
      flags,
      program,
      controllers: chosenControllers(words, io),
      named: words.length > 0,
      failOn: parseFailOn(flags.failOn),
      output: flags.output ?? "diff",
    };
  },
  validate({ flags, program }) {
    refuseBesideProgram(flags, program);
    const { manifests = [], kustomize = [], baseline = [], delete: deletes = [], scale: scales = [] } = flags;
    const { nodeDown: nodesDown = [], drain: drains = [] } = flags;
    const changes = [manifests, kustomize, deletes, scales, nodesDown, drains];
    const isChanged = changes.some((each) => each.length > 0);
    if (!isChanged && program === undefined && flags.from !== "cluster") {
      throw new UserError("nothing to dry-run", [
        "give manifests with -f or -k, or --delete TYPE/NAME, or --scale TYPE/NAME=N, or --node-down NODE, or --drain NODE; or --from cluster, to let the cluster run as it is",
      ]);
    }
    if (flags.prune === true && (baseline.length === 0 || manifests.length + kustomize.length === 0)) {
      throw new UserError("--prune compares -f with --baseline", ["give both"]);
    }
    validateChangeFlags({ scales, deletes, nodesDown, drains });
    if (flags.serverValidate === true && nodesDown.length + drains.length > 0) {
      throw new UserError("--server-validate is for what is applied, and --node-down and --drain apply nothing", [
        "omit one of them",
      ]);
    }
  },
  async run(request, session) {
    const { io } = session;
    try {
      return await runDryRun(request, session);
    } catch (error) {
      if (request.output !== "github" || !(error instanceof UserError)) throw error;
      for (const line of githubErrorLines(error)) io.out.line(line);
      // The runner also reads workflow commands from standard error.
      const next = isPlaced(error) ? ["the annotations say where"] : error.next.map(harmless);
      throw new UserError(harmless(error.message), next, { cause: error });
    }
  },
});

/**
 * The controllers to run. The scheduler and kubelet always run, and namespaces always have their default account.
 * @throws UserError for a named controller that cannot take part in a dry run.
 */
function chosenControllers(words: readonly string[], io: Naming): readonly ControllerDefinition[] {
  const chosen = words.length === 0 ? builtInControllers : controllersNamed(words, io);
  const isNamed = words.length > 0 && !words.includes("all");
  const without = isNamed ? chosen.find((each) => whyLeftOut(each) !== undefined) : undefined;
  if (without !== undefined) {
    const { name, withKeys } = without;
    throw new UserError(`a dry run does not run ${name}: ${whyLeftOut(without)}`, [
      withKeys === undefined
        ? `see what it would do on the cluster: \`trace ${name}\``
        : `see what it does in a sandbox: \`trace ${name} --sandbox\``,
    ]);
  }
  return chosen.filter((each) => each.disabledByDefault !== true && whyLeftOut(each) === undefined);
}

/** Options that only make sense in virtual time, or for controllers alone. */
const withoutProgram = ["seed", "horizon", "serverValidate", "nodeDown", "drain"] as const;
/** Options that apply only to a program. */
const ofProgram = ["quiet", "timeout", "quietChild", "baselineCommand"] as const;

/** @throws UserError for options without effect, and if there is no program after `--`. */
function refuseBesideProgram(flags: DryRunFlags, program: readonly string[] | undefined): void {
  const without = (program === undefined ? ofProgram : withoutProgram).find((name) => flags[name] !== undefined);
  const long = without === undefined ? "" : (/--[\w-]+/.exec(options[without].flags)?.[0] ?? "");
  if (program === undefined) {
    if (without !== undefined) throw new UserError(`${long} is for a program after --`, ["add `-- COMMAND`"]);
    return;
  }
  if (program.length === 0) throw new UserError("no program after --", ["give one with its arguments: `-- ./manager`"]);
  if (without !== undefined)
    throw new UserError(`${long} has no effect on a program`, ["a program runs in real time, on a fork: omit it"]);
}
