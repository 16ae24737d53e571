/** `loops -- COMMAND`: runs a program against a fork and finds loops in what it does. */
import { createClient } from "../../../src/client/api/client.ts";
import { readOnly } from "../../../src/client/http/read-only.ts";
import { sleep } from "../../../src/platform/timeline.ts";
import { ProcessLoops } from "../../../src/views/process/process-loops.ts";
import type { Session } from "../../cli/session.ts";
import type { Connected } from "../../connections/connection.ts";
import { connectToFork } from "../../connections/fork-connection.ts";
import { connectionForProcess } from "../../connections/process-connection.ts";
import type { Reading } from "../../connections/reading-connection.ts";
import { openBus } from "../../connections/trace-bus.ts";
import { ProcessRun } from "../../process/running.ts";
import type { ProcessScreen } from "../../process/screen.ts";
import { LoopSearch } from "./loop-search.ts";
import type { ProgramLoopsRequest } from "./request.ts";

/** The search starts with the first request of the program, or after this time at the latest. */
const patienceMs = 10_000;

/** @returns the exit code: the program's, unless `--fail-on` requires another. @throws UserError. */
export async function loopsOfProgram(request: ProgramLoopsRequest, session: Session): Promise<number> {
  const { flags, perMinute, failOnLoop } = request;
  const { io } = session;
  const behind = await session.unlessInterrupted((): Promise<Connected> =>
    flags.sandbox === true ? connectionForProcess(flags, io) : connectToFork({ flags, io }),
  );
  if (behind === undefined) return 0;
  if (flags.sandbox !== true) session.say("writes go to a fork: the cluster is only read");
  const program = new ProcessLoops({ perMinute });
  behind.bus.listen((event) => program.accept(event));
  const running = new RunningProgram(request, { behind, session });
  const search = new LoopSearch({ request, session, reading: running.reading, program });
  try {
    const code = await search.untilEnded();
    const ended = await running.ended;
    return failOnLoop && code !== 0 ? code : ended;
  } finally {
    await search.stop();
    await behind.close();
  }
}

/** A program that is started when all watches are open. */
class RunningProgram {
  readonly reading: Reading;
  /** Its exit code; 0 if it was never started. */
  ended: Promise<number> = Promise.resolve(0);

  constructor(
    { flags, process }: ProgramLoopsRequest,
    { behind, session }: { readonly behind: Connected; readonly session: Session },
  ) {
    const { timeline } = session.io;
    const bus = openBus(session.io);
    this.reading = {
      ...behind,
      bus,
      client: createClient({ transport: readOnly(behind.passThrough()), bus, timeline }),
      namespace: flags.namespace,
      begin: async () => {
        const { promise: connected, resolve: onConnected } = Promise.withResolvers<void>();
        const run = new ProcessRun({
          behind,
          request: process,
          session,
          screen: () => silentScreen,
          isIntroduced: true,
          onConnected,
        });
        this.ended = run.untilEnded().finally(() => session.end());
        // If the program cannot be started, `start` throws.
        await Promise.race([this.ended, connected, sleep(timeline, patienceMs, "loops", { background: true })]);
      },
      close: () => Promise.resolve(),
    };
  }
}

const nothing = (): void => undefined;
/** Prints nothing while the program runs. */
const silentScreen: ProcessScreen = { stop: nothing, end: nothing };
