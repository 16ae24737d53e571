import type { Io } from "../cli/io.ts";

/** Resolves at the first signal that asks to end; the second one ends the process at once. */
export function untilSignal({ onStopSignal, exit }: Pick<Io, "onStopSignal" | "exit">): Promise<void> {
  return new Promise((resolve) => {
    onStopSignal((_signal, count) => {
      if (count > 1) exit(1);
      resolve();
    });
  });
}
