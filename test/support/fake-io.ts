/** An Io that keeps all output, with a terminal of the requested width. */
import type { Io } from "../../plugin/cli/io.ts";
import { seededRandom } from "../../src/platform/random.ts";
import type { Output } from "../../src/platform/terminal.ts";
import { oneLine } from "../../src/platform/visible-text.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";

export interface FakeIo extends Io {
  /** Everything written to standard output so far. */
  readonly outText: () => string;
  readonly errText: () => string;
}

export function fakeIo(options: { readonly columns?: number; readonly calledAs?: string } = {}): FakeIo {
  const written = { out: "", err: "" };
  const output = (name: "out" | "err"): Output => ({
    write: (text) => void (written[name] += text),
    line: (text) => void (written[name] += `${oneLine(text)}\n`),
    columns: options.columns,
    rows: options.columns === undefined ? undefined : 24,
    colours: false,
    pendingBytes: 0,
    flush: () => Promise.resolve(),
  });
  return {
    out: output("out"),
    err: output("err"),
    onBroken: () => undefined,
    timeline: virtualTimeline(0, seededRandom(1)),
    random: seededRandom(1),
    environment: {},
    controllerFiles: new Map(),
    calledAs: options.calledAs ?? "kubectl reconcile",
    onStopSignal: () => () => undefined,
    exit: (code) => {
      throw new Error(`exit ${code}`);
    },
    outText: () => written.out,
    errText: () => written.err,
  };
}
