/** What a command may touch of the world: handed in, so that tests run commands without a process. */
import type { ControllerDefinition } from "../../src/controller/api/definition.ts";
import type { Random } from "../../src/platform/random.ts";
import type { Terminal } from "../../src/platform/terminal.ts";
import type { Timeline } from "../../src/platform/timeline.ts";

/** Controllers of the user's own, by the words that name their files. */
export type ControllerFiles = ReadonlyMap<string, readonly ControllerDefinition[]>;

/** The terminal, the clock, random numbers, the environment and signals, as a command is given them. */
export interface Io extends Terminal {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The controllers in files that the command line names, by the words that name them. */
  readonly controllerFiles: ControllerFiles;
  /** `kubectl reconcile`, or `kubectl-reconcile` when it was called so. */
  readonly calledAs: string;
  /** Calls back for each signal that asks to end; `count` is 1 for the first. Returns what ends it. */
  readonly onStopSignal: (fn: (signal: string, count: number) => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
}
