/** The output of `run`: lines of text, or each event as JSON. */
import type { TraceBus } from "../../../src/trace/bus.ts";
import type { StageEvent } from "../../../src/trace/events.ts";
import { linkedStages, Linker } from "../../../src/trace/linker.ts";
import { reportedStages, RunReport } from "../../../src/views/run-report.ts";
import { styleOf } from "../../cli/style.ts";
import type { Output } from "../../../src/platform/terminal.ts";
import { jsonLines } from "../../render/json-lines.ts";
import { RunLines } from "../../render/run-lines.ts";

/** Options of `showRun`. */
export interface RunScreenOptions {
  readonly out: Output;
  readonly json: boolean;
  /** The names of the running controllers. */
  readonly controllers: readonly string[];
  /** Show times relative to this one, in ms since 1970. Unset: show clock times. */
  readonly sinceStartAt?: number;
}

/** A screen that prints from `begin` on. */
export interface RunScreen {
  /** For the summary. */
  readonly report: RunReport;
  /**
   * The server has been reached: prints the lines so far, and each further one at once. Before, an informer may have failed only because
   * the server cannot be reached, which ends the run with an error of its own.
   */
  begin(): void;
}

/** Controllers of a sandbox that are always active, and are shown only if they were named. */
const inBackground = new Set(["node-heartbeat", "serviceaccount"]);

/** Shows the events of the bus from now on: as JSON at once, as text from `begin` on. */
export function showRun(bus: TraceBus, { out, json, controllers, sinceStartAt }: RunScreenOptions): RunScreen {
  const report = new RunReport();
  const printEvent = json ? jsonLines(out) : undefined;
  const lines = new RunLines({
    style: styleOf(out),
    controllers,
    ...(sinceStartAt !== undefined && { sinceStartAt }),
  });
  const named = new Set(controllers);
  const isQuiet = (name: string | undefined): boolean =>
    name !== undefined && inBackground.has(name) && !named.has(name);
  if (json) bus.listen(new Linker(bus).listener, { stages: linkedStages });
  let held: string[] | undefined = [];
  const show = (event: StageEvent): void => {
    printEvent?.(event);
    if ("controller" in event && isQuiet(event.controller)) return;
    for (const line of report.accept(event)) {
      if (json) continue;
      const texts = lines.text(line);
      if (held === undefined) for (const text of texts) out.line(text);
      else held.push(...texts);
    }
  };
  bus.listen(show, { stages: json ? undefined : reportedStages });
  return {
    report,
    begin() {
      for (const text of held ?? []) out.line(text);
      held = undefined;
    },
  };
}
