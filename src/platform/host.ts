/** The machine, as far as a kubeconfig depends on it: injected, so that tests can provide their own. */
import { homedir } from "node:os";
import { delimiter } from "node:path";
import process from "node:process";
import { environment } from "./environment.ts";
import { folderOf, pathFrom, readTextFile } from "./files.ts";
import { runProgram, type Program, type ProgramEnd } from "./subprocess.ts";

/** A machine: its environment, home folder and files. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; empty if there is none. */
  readonly home: string;
  /** Between paths in an environment variable: `:`, on Windows `;`. */
  readonly pathListSeparator: string;
  readonly stdinIsTerminal: boolean;
  /** Undefined for a file that does not exist. @throws Error if it cannot be read. */
  readFile(path: string): Promise<string | undefined>;
  folderOf(path: string): string;
  /** Resolves a path relative to `folder`. */
  pathFrom(folder: string, path: string): string;
  run(program: Program): Promise<ProgramEnd>;
}

/** This machine, with the environment of this process. */
export function realHost(): Host {
  return {
    env: environment(),
    home: environment()["HOME"] ?? homedir(),
    pathListSeparator: delimiter,
    stdinIsTerminal: process.stdin.isTTY,
    readFile: readTextFile,
    folderOf,
    pathFrom,
    run: runProgram,
  };
}
