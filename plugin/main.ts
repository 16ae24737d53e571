/** The program: arguments in, exit code out. */
import { environment } from "../src/platform/environment.ts";
import {
  calledName,
  compiledProgram,
  exit,
  onStopSignal,
  programArguments,
  stayUntilExit,
} from "../src/platform/process.ts";
import { realRandom } from "../src/platform/random.ts";
import { realTimeline } from "../src/platform/real-timeline.ts";
import { openTerminal } from "../src/platform/terminal.ts";
import type { Command } from "./cli/command.ts";
import { type CommandLine, runCommandLine } from "./cli/command-line.ts";
import { completion } from "./commands/completion/completion.ts";
import { loops } from "./commands/loops/loops.ts";
import { controllers } from "./commands/controllers/controllers.ts";
import { dryRunCommand } from "./commands/dry-run/dry-run.ts";
import { explainCommand } from "./commands/explain/explain.ts";
import { fork } from "./commands/fork/fork.ts";
import { proxy } from "./commands/proxy/proxy.ts";
import { optionsCommand } from "./commands/options/options.ts";
import { run } from "./commands/run/run.ts";
import { sandbox } from "./commands/sandbox/sandbox.ts";
import { types } from "./commands/types/types.ts";
import { trace } from "./commands/trace/trace.ts";
import { watch } from "./commands/watch/watch.ts";
import { versionCommand } from "./commands/version/version.ts";
import { why } from "./commands/why/why.ts";
import { complete } from "./cli/completion.ts";
import { reportError } from "./cli/report-error.ts";
import { UserError } from "./cli/user-error.ts";
import { globals } from "./connections/globals.ts";
import type { Io } from "./cli/io.ts";
import { version } from "./cli/version.ts";
import { loadControllerFiles } from "./cli/controller-files.ts";
import { runStandIn } from "./stand-ins/run-stand-in.ts";
import { standInOf } from "./stand-ins/stand-in.ts";

const commands: readonly Command[] = [
  why,
  loops,
  trace,
  dryRunCommand,
  watch,
  run,
  sandbox,
  proxy,
  fork,
  controllers,
  explainCommand,
  types,
  optionsCommand,
  versionCommand,
  completion,
];

const line: CommandLine = {
  about:
    "The debugger for Kubernetes controllers: runs them here, against your cluster, and shows what they decide and why.",
  version,
  commands,
  globals,
  examples: [
    { comment: "What is it waiting for, and why?", line: "why deploy/web -n shop" },
    { comment: "What does a controller decide, and because of what?", line: "trace replicaset -n shop" },
    { comment: "Without a cluster: run controllers in an embedded one", line: "run deploy rs --sandbox -f web.yaml" },
  ],
};

/** kubectl replaces its process with the plugin, so only the shell's `_` variable has the name by which we were called. */
function calledAs(started: string | undefined): string {
  return /(^|\/)kubectl-reconcile$/.test(started ?? "") ? "kubectl-reconcile" : "kubectl reconcile";
}

stayUntilExit();
const env = environment();
const io: Io = {
  ...openTerminal(),
  timeline: realTimeline(),
  random: realRandom(),
  environment: env,
  controllerFiles: new Map(),
  calledAs: calledAs(env["_"]),
  onStopSignal,
  exit,
};
/** The exit code if output was lost, whatever the command. */
let lost: number | undefined;
// If the reader is gone, as in `… | head`, the program exits silently.
io.onBroken((broken) => {
  if (broken.is === "closed") exit(0);
  const code = reportError(new UserError(`cannot write the output: ${broken.why}`, []), io);
  lost = code;
  void io.err.flush().then(() => exit(code));
});

const args = programArguments();
const program = compiledProgram();
const standIn = program === undefined ? undefined : standInOf(calledName());
let code: number;
try {
  if (program !== undefined && standIn !== undefined) {
    code = await runStandIn({ name: standIn, args, program }, io);
  } else if (args[0] === "complete" && args[1] === "--") {
    await complete(line, args.slice(2), io);
    code = 0;
  } else {
    const end = args.indexOf("--");
    const controllerFiles = await loadControllerFiles(end === -1 ? args : args.slice(0, end));
    code = await runCommandLine(line, args, { ...io, controllerFiles });
  }
} catch (error) {
  code = reportError(error, io);
}
await Promise.all([io.out.flush(), io.err.flush()]);
exit(lost ?? code);
