/** `dry-run -- COMMAND`: what a program and the controllers would make of changes, on a copy of the cluster, in real time. */
import { formatDuration } from "../../../src/api/duration.ts";
import type { RequestedChange } from "../../../src/modes/dry-run/apply.ts";
import { playOn, type PlayOptions } from "../../../src/modes/dry-run/play.ts";
import type { Reconcilers } from "../../../src/modes/dry-run/reconciled-kinds.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { ProcessBehindDoor } from "../../../src/modes/process/process.ts";
import { createRehearsal, ProgramEndedError, type Rehearsal } from "../../../src/modes/rehearsal/world.ts";
import type { Session } from "../../cli/session.ts";
import { UserError } from "../../cli/user-error.ts";
import { cannotStart } from "../../process/running.ts";
import type { DryRunFlags } from "./flags.ts";
import type { ProgramSource } from "./program-source.ts";

/** A program that is rehearsed. */
export interface RehearsedProgram {
  /** The program and its arguments. */
  readonly program: readonly string[];
  readonly source: ProgramSource;
  readonly flags: Pick<DryRunFlags, "quiet" | "timeout" | "quietChild">;
  readonly session: Session;
}

const defaultQuietMs = 2000;
const defaultTimeoutMs = 60_000;

/** Plays the changes beside the program. @throws UserError where it cannot be started, ends by itself or never connects. */
export async function rehearse(
  { program, source, flags, session }: RehearsedProgram,
  play: Omit<PlayOptions, "scope" | "controllers">,
): Promise<Reconcilers & { readonly run: DryRun }> {
  const [command = "", ...args] = program;
  const { timeoutMs, quietMs } = {
    timeoutMs: flags.timeout ?? defaultTimeoutMs,
    quietMs: flags.quiet ?? defaultQuietMs,
  };
  const { timeline, random, environment, err } = session.io;
  const onLine = (line: string): void => (flags.quietChild === true ? undefined : err.line(`| ${line}`));
  const { namespace, controllers } = source;
  const world = await createRehearsal({
    place: source.place,
    controllers,
    prepare: (behind) =>
      ProcessBehindDoor.prepare({ command, args, environment, namespace, onLine, timeline, random, ...behind }),
    timeline,
    random,
    quietMs,
    timeoutMs,
    onStarted: (pid) => session.say(`started ${program.join(" ")} as process ${pid}`),
  });
  session.beforeExit(() => world.abandon());
  try {
    const asked = { ...play, ...definitionsAhead(play) };
    const run = await playOn(world, { ...asked, controllers, scope: world.scope });
    refuseSilent(world, { command, timeoutMs });
    return { run, controllers, follows: (of) => world.follows(of) };
  } catch (error) {
    throw inWords(error, command);
  } finally {
    await world.stop();
  }
}

/** Of a program that was never heard of, nothing was found out. */
function refuseSilent(
  { hasConnected }: Rehearsal,
  { command, timeoutMs }: { readonly command: string; readonly timeoutMs: number },
): void {
  if (hasConnected) return;
  throw new UserError(`${command} has sent no request within ${formatDuration(timeoutMs)}`, [
    "does it use the kubeconfig that KUBECONFIG names? --timeout gives it more time",
  ]);
}

function inWords(error: unknown, command: string): unknown {
  if (error instanceof UserError) return error;
  if (error instanceof ProgramEndedError)
    return new UserError(`${command} ended by itself with exit code ${error.code}, before nothing moved any more`, [
      "its own output says why; its changes are applied to a program that keeps running",
    ]);
  // Errors of the system have a code.
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^E[A-Z]+$/.test(code) ? cannotStart(command, error) : error;
}

/** The program looks for the kinds that it is for as it starts. */
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
