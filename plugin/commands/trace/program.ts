/** `trace -- COMMAND`: runs a program against a fork of the cluster and compares it with the copy that runs on the cluster. */
import { connectToFork } from "../../connections/fork-connection.ts";
import { connectionForProcess, type ProcessTarget } from "../../connections/process-connection.ts";
import type { Session } from "../../cli/session.ts";
import { cannotTellExitCode } from "../../../src/verdict/verdict.ts";
import { forkVerdict } from "../../process/fork-comparison.ts";
import { runOnFork } from "../../process/fork-run.ts";
import { type ProcessRequest, ProcessRun } from "../../process/running.ts";

/** The request to trace a program. */
export interface TraceProgramRequest extends ProcessRequest {
  readonly flags: ProcessTarget;
  /** Exit with 1 if anything differs, and with 5 if the program succeeds and that cannot be told. */
  readonly failOnDiffers: boolean;
}

const differsExitCode = 1;

/** @returns the exit code: the program's, if it ends by itself and `--fail-on` gives no other. @throws UserError. */
export async function traceProgram(request: TraceProgramRequest, session: Session): Promise<number> {
  const { flags } = request;
  if (flags.sandbox === true) return traceInSandbox(request, session);
  const ran = await runOnFork({
    session,
    open: (listeners) => connectToFork({ flags, io: session.io, ...listeners }),
    printsText: request.output === "text",
    work: (behind) => new ProcessRun({ behind, request, session }).untilEnded(),
  });
  if (ran === undefined) return 0;
  const { result: code, compared } = ran;
  if (!request.failOnDiffers) return code;
  const verdict = forkVerdict(compared);
  if (verdict.is === "found") return differsExitCode;
  if (verdict.is === "well" || code !== 0) return code;
  session.warn(`cannot tell whether anything differs: ${verdict.because}`);
  return cannotTellExitCode;
}

async function traceInSandbox(request: TraceProgramRequest, session: Session): Promise<number> {
  const connected = await session.unlessInterrupted(() => connectionForProcess(request.flags, session.io));
  if (connected === undefined) return 0;
  try {
    return await new ProcessRun({ behind: connected, request, session }).untilEnded();
  } finally {
    await connected.close();
  }
}
