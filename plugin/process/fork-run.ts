/** Runs something against a fork and compares its writes with the cluster. */
import type { Fork, ForkOptions } from "../../src/modes/fork/fork.ts";
import type { TraceBus } from "../../src/trace/bus.ts";
import type { Coverage } from "../../src/views/coverage.ts";
import type { Session } from "../cli/session.ts";
import { styleOf } from "../cli/style.ts";
import { differenceLine, ForkComparison, type ForkComparisonResult, comparisonLine } from "./fork-comparison.ts";

/** A connection to a fork. */
interface Forked {
  readonly fork: Fork;
  readonly coverage: Coverage;
  readonly bus: TraceBus;
  close(): void | Promise<void>;
}

/** Options of `runOnFork`. */
export interface ForkRun<C extends Forked, T> {
  readonly session: Session;
  /** Creates the fork with these listeners. @throws UserError, KubeconfigError. */
  readonly open: (listeners: Pick<ForkOptions, "listener" | "inStep">) => Promise<C>;
  /** Whether to print differences as they are seen, and at the end. */
  readonly printsText: boolean;
  /** The work; the fork is closed when it resolves. */
  readonly work: (connected: C) => Promise<T>;
}

/** Returns the result of the work; undefined if it was interrupted before it started. @throws UserError, KubeconfigError. */
export async function runOnFork<C extends Forked, T>({
  session,
  open,
  printsText,
  work,
}: ForkRun<C, T>): Promise<{ readonly result: T; readonly compared: ForkComparisonResult } | undefined> {
  const { io } = session;
  const { colour } = styleOf(io.out);
  const comparison = new ForkComparison((line) => {
    if (printsText) io.out.line(colour.yellow(line));
  });
  const connected = await session.unlessInterrupted(() =>
    open({ listener: comparison, inStep: { onMissed: comparison.onMissed } }),
  );
  if (connected === undefined) return undefined;
  try {
    comparison.attach(connected.bus);
    session.say("writes go to a fork: the cluster is only read");
    if (connected.fork.definitions === "unlistable")
      session.warn("warning: not allowed to list customresourcedefinitions: custom resources can only be read");
    const result = await work(connected);
    const compared = comparison.result(connected.fork.divergences.list(), {
      now: io.timeline.now(),
      coverage: connected.coverage,
    });
    if (printsText && compared.differences.length > 0) {
      io.out.line("");
      for (const difference of compared.differences) io.out.line(differenceLine(difference));
    }
    session.say(comparisonLine(compared));
    return { result, compared };
  } finally {
    await connected.close();
  }
}
