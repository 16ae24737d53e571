import type { Io } from "../cli/io.ts";

/** Resolves on the first stop signal; the second one exits at once. */
export function untilSignal({ onStopSignal, exit }: Pick<Io, "onStopSignal" | "exit">): Promise<void> {
  return new Promise((resolve) => {
    onStopSignal((_signal, count) => {
      if (count > 1) exit(1);
      resolve();
    });
  });
}
