/** The screen of a process behind a door: lines as things happen, and a page at the end. */
import type { Cancel } from "../../src/platform/timeline.ts";
import type { TraceBus } from "../../src/trace/bus.ts";
import { causeEvents, ProcessReport, processStages, type ProcessLine } from "../../src/views/process/process-report.ts";
import { RightsFold } from "../../src/views/process/rights.ts";
import { UsageFold } from "../../src/views/process/usage.ts";
import { WrittenLoops } from "../../src/views/process/written-loops.ts";
import type { Session } from "../cli/session.ts";
import { styleOf } from "../cli/style.ts";
import { jsonLines } from "../render/json-lines.ts";
import { ProcessLines } from "../render/process-lines.ts";
import { rightsManifest } from "../render/rights-manifest.ts";
import { processPage, usageSummary } from "../render/usage-text.ts";

/** What is printed: lines and a page, every event, or a Role at the end. */
export type ProcessOutput = "text" | "json" | "rbac";

/** What is shown, and how. */
export interface ProcessScreenOptions {
  readonly session: Session;
  readonly output: ProcessOutput;
  readonly sinceStartAt?: number;
}

/** A reconcile is shown when it is over: it is looked for so often. */
const flushEveryMs = 100;
/** An object that is written more often than this is examined. */
const loopsPerMinute = 10;

/** What ends the screen. */
export interface ProcessScreen {
  /** Prints the page: everything has been reported. */
  end(): void;
  /** Prints nothing more. */
  stop(): void;
}

/** `copier` of `copier/v1 (linux)`; `process` where none names itself. */
function roleName(agents: readonly string[]): string {
  const named = agents.map((agent) => agent.split("/")[0] ?? "").find((name) => name !== "");
  return named ?? "process";
}

/** Prints what the bus carries from now on. */
export function showProcess(bus: TraceBus, { session, output, sinceStartAt }: ProcessScreenOptions): ProcessScreen {
  const { out } = session.io;
  const style = styleOf(out);
  const [report, usage, rights] = [new ProcessReport(), new UsageFold(), new RightsFold()];
  const lines = new ProcessLines({ style, ...(sinceStartAt !== undefined && { sinceStartAt }) });
  const loops = new WrittenLoops({ perMinute: loopsPerMinute });
  const print = (some: readonly ProcessLine[]): void => {
    loops.take(some);
    for (const line of some) {
      if (output === "text") for (const text of lines.text(line)) out.line(text);
      if (output === "json" && line.is === "reconcile") for (const event of causeEvents(line.episode)) bus.emit(event);
    }
  };
  const printEvent = output === "json" ? jsonLines(out) : undefined;
  bus.listen(
    (event) => {
      printEvent?.(event);
      usage.accept(event);
      rights.accept(event);
      loops.accept(event);
      print(report.accept(event));
    },
    { stages: output === "json" ? undefined : processStages },
  );
  const { timeline } = session.io;
  let timer: Cancel = () => undefined;
  const tick = (): void => {
    print(report.flush(timeline.now()));
    timer = timeline.after(flushEveryMs, "process screen", tick, { background: true });
  };
  tick();
  return {
    stop() {
      timer();
    },
    end() {
      print(report.flush(Infinity));
      const found = usage.usage;
      if (output === "rbac") out.write(rightsManifest(rights.rights, roleName(found.agents)));
      session.say(usageSummary(found, session.elapsedMs));
      if (output !== "text") return;
      const page = { usage: found, loops: loops.found(), now: timeline.now() };
      for (const text of ["", ...processPage(page, style)]) out.line(text);
    },
  };
}
