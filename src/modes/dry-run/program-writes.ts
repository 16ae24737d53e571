/** The writes of a program behind a proxy, as part of an attribution: each is explained by the delta that caused it. */
import type { TraceBus } from "../../trace/bus.ts";
import { because } from "../../views/process/because.ts";
import { type ProcessLine, ProcessReport, processStages } from "../../views/process/process-report.ts";
import type { WriteAttribution } from "../../views/write-attribution.ts";

/** Adds the program's writes from now until the returned function is called, when its last reconcile counts as finished. */
export function addProgramWrites(bus: TraceBus, attribution: WriteAttribution): () => void {
  const report = new ProcessReport();
  const add = (lines: readonly ProcessLine[]): void => {
    for (const line of lines) {
      if (line.is !== "reconcile") continue;
      const { agent, writes } = line.episode;
      attribution.reconciled(agent.split("/")[0] ?? agent, { sentence: because(line.episode), writes });
    }
  };
  const end = bus.listen((event) => add(report.accept(event)), { stages: processStages });
  return () => {
    end();
    add(report.flush(Infinity));
  };
}
