/** Something that works against a fork, and how what it writes compares with the cluster. */
import type { Fork, ForkOptions } from "../../src/modes/fork/fork.ts";
import type { TraceBus } from "../../src/trace/bus.ts";
import type { Session } from "../cli/session.ts";
import { styleOf } from "../cli/style.ts";
import { differenceLine, ForkComparison, type ForkVerdict, verdictLine } from "./fork-comparison.ts";

/** A connection to a fork. */
interface Forked {
  readonly fork: Fork;
  readonly bus: TraceBus;
  close(): void | Promise<void>;
}

/** What works against the fork, and how it is shown. */
export interface ForkRun<C extends Forked, T> {
  readonly session: Session;
  /** Makes the fork, which reports to these. @throws UserError, KubeconfigError. */
  readonly open: (listeners: Pick<ForkOptions, "listener" | "inStep">) => Promise<C>;
  /** Differences are printed as they are seen, and at the end. */
  readonly printsText: boolean;
  /** Until it ends. */
  readonly work: (connected: C) => Promise<T>;
}

/** Undefined where it was interrupted before it began. @throws UserError, KubeconfigError. */
export async function runOnFork<C extends Forked, T>({
  session,
  open,
  printsText,
  work,
}: ForkRun<C, T>): Promise<{ readonly result: T; readonly verdict: ForkVerdict } | undefined> {
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
    const verdict = comparison.verdict(connected.fork.divergences.list(), io.timeline.now());
    if (printsText && verdict.differences.length > 0) {
      io.out.line("");
      for (const difference of verdict.differences) io.out.line(differenceLine(difference));
    }
    session.say(verdictLine(verdict));
    return { result, verdict };
  } finally {
    await connected.close();
  }
}
