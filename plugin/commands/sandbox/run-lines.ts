/** The lines of the controllers that run in a sandbox. */
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { TraceBus } from "../../../src/trace/bus.ts";
import { RunReport } from "../../../src/views/run-report.ts";
import type { Io } from "../../cli/io.ts";
import { styleOf } from "../../cli/style.ts";
import { RunLines } from "../../render/run-lines.ts";

/** Prints what the controllers of `--run` do, like `run`. */
export function printRun(
  bus: TraceBus,
  controllers: readonly ControllerDefinition[],
  { out }: Io,
  write: (line: string) => void,
): void {
  if (controllers.length === 0) return;
  const names = new Set(controllers.map(({ name }) => name));
  const report = new RunReport();
  const lines = new RunLines({ style: styleOf(out), controllers: [...names] });
  bus.listen((event) => {
    if (!("controller" in event) || event.controller === undefined || !names.has(event.controller)) return;
    for (const line of report.accept(event)) for (const each of lines.text(line)) write(each);
  });
}

/** Keeps lines back until the sandbox has introduced itself. */
export function heldLines({ out }: Io): { readonly write: (line: string) => void; readonly release: () => void } {
  const held: string[] = [];
  let released = false;
  return {
    write(line) {
      if (released) out.line(line);
      else held.push(line);
    },
    release() {
      released = true;
      for (const line of held.splice(0)) out.line(line);
    },
  };
}
