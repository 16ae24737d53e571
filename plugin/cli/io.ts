/** A command's access to the outside world: injected, so tests can run commands without a process. */
import type { ControllerDefinition } from "../../src/controller/api/definition.ts";
import type { Random } from "../../src/platform/random.ts";
import type { Terminal } from "../../src/platform/terminal.ts";
import type { Timeline } from "../../src/platform/timeline.ts";

/** User-defined controllers, by the words that name their files. */
export type ControllerFiles = ReadonlyMap<string, readonly ControllerDefinition[]>;

/** The terminal, clock, random numbers, environment and signals of a command. */
export interface Io extends Terminal {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The controllers in files that the command line names, by the words that name them. */
  readonly controllerFiles: ControllerFiles;
  /** `kubectl reconcile`, or `kubectl-reconcile` if it was called by that name. */
  readonly calledAs: string;
  /** Calls `fn` for each stop signal; `count` is 1 for the first. Returns a function that unsubscribes. */
  readonly onStopSignal: (fn: (signal: string, count: number) => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
}
