/** Other names for a program, and programs by their names. */
import { constants } from "node:fs";
import { access, copyFile, link, lstat, realpath, rm, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import process from "node:process";

const isWindows = process.platform === "win32";

/** A file that is to be another name of a program. */
export interface ProgramLink {
  /** The program's file, an absolute path. */
  readonly program: string;
  readonly folder: string;
  /** Without `.exe`. */
  readonly name: string;
}

/** What was found where the link is to be. */
export type LinkOutcome =
  | { readonly is: "made"; readonly path: string }
  /** Something that is no link: it stays as it is. */
  | { readonly is: "taken"; readonly path: string };

/**
 * Gives a program another name in a folder: a symbolic link; on Windows, where links need a right of their own, a hard link or a copy. A
 * link that is there is replaced, so that a new release can be linked; on Windows a file is.
 * @throws Error with the system's `code`.
 */
export async function linkProgram({ program, folder, name }: ProgramLink): Promise<LinkOutcome> {
  const path = join(folder, isWindows ? `${name}.exe` : name);
  const there = await lstat(path).catch(() => undefined);
  if (there !== undefined && !there.isSymbolicLink() && !isWindows) return { is: "taken", path };
  await rm(path, { force: true });
  if (isWindows) await link(program, path).catch(() => copyFile(program, path));
  else await symlink(program, path);
  return { is: "made", path };
}

/** A program that is looked for. */
export interface WantedProgram {
  /** Without `.exe`. */
  readonly name: string;
  /** The value of PATH. */
  readonly path: string;
  /** The file that is not meant, whatever link leads there. */
  readonly own: string;
}

/** The first program of a name on PATH that is not `own`; undefined if there is none. */
export async function programOnPath({ name, path, own }: WantedProgram): Promise<string | undefined> {
  const self = await realpath(own).catch(() => own);
  for (const folder of path.split(delimiter).filter((each) => each !== "")) {
    const file = join(folder, isWindows ? `${name}.exe` : name);
    const runs = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs && (await realpath(file)) !== self) return file;
  }
  return undefined;
}
