/** The screen of a process behind the proxy: lines as things happen, and a final report. */
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

/** The output: lines and a final report, every event as JSON, or a Role at the end. */
export type ProcessOutput = "text" | "json" | "rbac";

/** Options of `showProcess`. */
export interface ProcessScreenOptions {
  readonly session: Session;
  readonly output: ProcessOutput;
  readonly sinceStartAt?: number;
}

/** How often to check for reconciles that are over, which are then shown. */
const flushEveryMs = 100;
/** Objects with more writes per minute are examined for loops. */
const loopsPerMinute = 10;

/** Ends a screen. */
export interface ProcessScreen {
  /** Prints the final report. Call it when everything has been reported. */
  end(): void;
  /** Stops printing. */
  stop(): void;
}

/** A name for the Role: `copier` for the user agent `copier/v1 (linux)`, `process` if there is no name. */
function roleName(agents: readonly string[]): string {
  const named = agents.map((agent) => agent.split("/")[0] ?? "").find((name) => name !== "");
  return named ?? "process";
}

/** Prints the events of the bus from now on. */
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
