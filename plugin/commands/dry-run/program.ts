/** `dry-run -- COMMAND`: shows what a program and the controllers would do after changes, on a copy of the cluster, in real time. */
import { formatDuration } from "../../../src/api/duration.ts";
import type { RequestedChange } from "../../../src/modes/dry-run/apply.ts";
import { playOn, type PlayOptions } from "../../../src/modes/dry-run/play.ts";
import type { Reconcilers } from "../../../src/modes/dry-run/reconciled-kinds.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { ProcessBehindProxy } from "../../../src/modes/process/process.ts";
import { ProgramEndedError, type ProgramPlan, ProgramStartError } from "../../../src/modes/rehearsal/program.ts";
import { createRehearsal, type Rehearsal } from "../../../src/modes/rehearsal/world.ts";
import type { Session } from "../../cli/session.ts";
import { UserError } from "../../cli/user-error.ts";
import { cannotStart } from "../../process/running.ts";
import type { DryRunFlags } from "./flags.ts";
import type { ProgramSource } from "./program-source.ts";

/** A program to run in a dry run. */
export interface RehearsedProgram {
  /** The program and its arguments. */
  readonly program: readonly string[];
  readonly source: ProgramSource;
  readonly flags: Pick<DryRunFlags, "quiet" | "timeout" | "quietChild" | "baselineCommand">;
  readonly session: Session;
}

type Asked = Omit<PlayOptions, "scope" | "controllers">;

const defaultQuietMs = 2000;
const defaultTimeoutMs = 60_000;

/** Applies the changes while the program runs. @throws UserError if it cannot be started, ends by itself or never connects. */
export async function rehearse(
  options: RehearsedProgram,
  play: Asked,
): Promise<Reconcilers & { readonly run: DryRun }> {
  const { source, flags, session } = options;
  const timeoutMs = flags.timeout ?? defaultTimeoutMs;
  const { timeline, random } = session.io;
  const { controllers } = source;
  try {
    const world = await createRehearsal({
      place: source.place,
      controllers,
      ...(source.serverVersion !== undefined && { serverVersion: source.serverVersion }),
      ...programsOf(options, play),
      timeline,
      random,
      quietMs: flags.quiet ?? defaultQuietMs,
      timeoutMs,
      onStarted: (name, pid) => session.say(`started ${name} as process ${pid}`),
    });
    session.beforeExit(() => world.abandon());
    try {
      const run = await playOn(world, { ...play, ...definitionsAhead(play), controllers, scope: world.scope });
      refuseSilent(world, timeoutMs);
      return { run, controllers, follows: (of) => world.follows(of) };
    } finally {
      await world.stop();
    }
  } catch (error) {
    throw inWords(error);
  }
}

/**
 * The programs before and after the changes. Normally the same program runs before and after; with `--baseline-command`, or if there are no
 * other changes, the program itself is the change.
 */
function programsOf(
  { program, source, flags, session }: RehearsedProgram,
  { requestedChanges }: Pick<Asked, "requestedChanges">,
): { readonly first?: ProgramPlan; readonly later?: ProgramPlan } {
  const { timeline, random, environment, err } = session.io;
  const onLine = (line: string): void => (flags.quietChild === true ? undefined : err.line(`| ${line}`));
  const { namespace } = source;
  const planOf = (name: string, [command = "", ...args]: readonly string[]): ProgramPlan => ({
    name,
    prepare: (behind) =>
      ProcessBehindProxy.prepare({ command, args, environment, namespace, onLine, timeline, random, ...behind }),
  });
  const plan = planOf(program.join(" "), program);
  const earlier = flags.baselineCommand;
  if (earlier !== undefined) return { first: planOf(earlier, ["sh", "-c", `exec ${earlier}`]), later: plan };
  return requestedChanges.length === 0 ? { later: plan } : { first: plan };
}

/** @throws UserError for a program that sent no request, since nothing is known about it. */
function refuseSilent({ silent }: Rehearsal, timeoutMs: number): void {
  if (silent === undefined) return;
  throw new UserError(`${silent} has sent no request within ${formatDuration(timeoutMs)}`, [
    "does it use the kubeconfig that KUBECONFIG names? --timeout gives it more time",
  ]);
}

/** The exit codes of a shell that could not start what it was given. */
const notStarted: ReadonlySet<number> = new Set([126, 127]);

function inWords(error: unknown): unknown {
  if (error instanceof ProgramStartError) return cannotStart(error.program.split(" ")[0] ?? "", error.cause);
  if (!(error instanceof ProgramEndedError)) return error;
  const { program, code } = error;
  return new UserError(`${program} exited with code ${code} before the cluster was steady`, [
    notStarted.has(code)
      ? "its own output says why; is its path right, and may it be executed?"
      : "its own output says why; COMMAND has to keep running, as a controller does",
  ]);
}

/** Definitions to apply before the program starts, because it looks for its kinds then. */
function definitionsAhead({
  requestedChanges,
  baseline,
}: Pick<PlayOptions, "requestedChanges" | "baseline">): Required<
  Pick<PlayOptions, "ahead" | "requestedChanges" | "baseline">
> {
  const defines = (change: RequestedChange): boolean =>
    change.is === "apply" && change.object.kind === "CustomResourceDefinition";
  return {
    ahead: [...baseline, ...requestedChanges].filter(defines),
    requestedChanges: requestedChanges.filter((change) => !defines(change)),
    baseline: baseline.filter((change) => !defines(change)),
  };
}
