/** An in-memory host: files by absolute path, programs as functions. */
import type { Host } from "../../src/platform/host.ts";
import { folderOf, pathFrom } from "../../src/platform/files.ts";
import type { Program, ProgramEnd } from "../../src/platform/subprocess.ts";

export interface FakeHost extends Host {
  readonly files: Map<string, string>;
  readonly runs: Program[];
}

export function fakeHost(
  files: Readonly<Record<string, string>>,
  options: Partial<Pick<Host, "env" | "stdinIsTerminal">> & {
    readonly program?: (program: Program) => ProgramEnd | Promise<ProgramEnd>;
  } = {},
): FakeHost {
  const map = new Map(Object.entries(files));
  const runs: Program[] = [];
  return {
    files: map,
    runs,
    env: options.env ?? {},
    home: "/home/me",
    pathListSeparator: ":",
    stdinIsTerminal: options.stdinIsTerminal ?? false,
    readFile: (path) => Promise.resolve(map.get(path)),
    folderOf,
    pathFrom,
    run(program) {
      runs.push(program);
      return Promise.resolve(options.program?.(program) ?? { is: "missing" });
    },
  };
}
