/** `watch -- COMMAND`: shows each delta that a program receives. The program runs against a fork, so its writes do not reach the cluster. */
import type { TraceBus } from "../../../src/trace/bus.ts";
import type { DeltaType } from "../../../src/trace/events.ts";
import { UsageFold } from "../../../src/views/process/usage.ts";
import type { Session } from "../../cli/session.ts";
import { styleOf } from "../../cli/style.ts";
import type { Connected } from "../../connections/connection.ts";
import { connectToFork } from "../../connections/fork-connection.ts";
import { connectionForProcess, type ProcessTarget } from "../../connections/process-connection.ts";
import { type ProcessRequest, ProcessRun } from "../../process/running.ts";
import type { ProcessScreen } from "../../process/screen.ts";
import { processPage, usageSummary } from "../../render/usage-text.ts";
import { WatchScreen } from "./screen.ts";

/** The request to watch a program. */
export interface WatchProgramRequest extends ProcessRequest {
  readonly flags: ProcessTarget;
  readonly shows: "text" | "wide" | "json";
  /** Undefined for deltas of every type. */
  readonly types: ReadonlySet<DeltaType> | undefined;
  readonly count: number | undefined;
}

/** @returns the exit code: the program's, if it ends by itself. @throws UserError. */
export async function watchProgram(request: WatchProgramRequest, session: Session): Promise<number> {
  const { flags } = request;
  const { io } = session;
  const open = (): Promise<Connected> =>
    flags.sandbox === true ? connectionForProcess(flags, io) : connectToFork({ flags, io });
  const behind = await session.unlessInterrupted(open);
  if (behind === undefined) return 0;
  try {
    if (flags.sandbox !== true) session.say("writes go to a fork: the cluster is only read");
    const screen = (bus: TraceBus): ProcessScreen => showDeltas(bus, { request, session });
    return await new ProcessRun({ behind, request, session, screen }).untilEnded();
  } finally {
    await behind.close();
  }
}

interface Shown {
  readonly request: WatchProgramRequest;
  readonly session: Session;
}

/** Prints a line for each delta that the program receives, and a final report. */
function showDeltas(bus: TraceBus, { request, session }: Shown): ProcessScreen {
  const { shows, types, sinceStart, count } = request;
  const { out, timeline } = session.io;
  const usage = new UsageFold();
  const screen = new WatchScreen({
    out,
    timeline,
    shows,
    namespaces: true,
    prints: (event) => event.stage !== "delta" || types === undefined || types.has(event.type),
    report: { controllersOf: () => [], ...(types !== undefined && { types }) },
    live: { controllers: [], informers: () => [] },
    onEnough: () => session.end(),
    ...(sinceStart && { sinceStartAt: session.startedAt }),
    ...(count !== undefined && { count }),
  });
  bus.listen((event) => {
    usage.accept(event);
    screen.listener(event);
  });
  screen.start();
  return {
    stop: () => screen.close(),
    end() {
      screen.close();
      const found = usage.usage;
      session.say(usageSummary(found, session.elapsedMs));
      if (shows !== "json")
        for (const text of ["", ...processPage({ usage: found, now: session.io.timeline.now() }, styleOf(out))])
          out.line(text);
    },
  };
}
