/** Links to a program under other names, and finding programs by name. */
import { constants } from "node:fs";
import { access, copyFile, link, lstat, realpath, rm, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import process from "node:process";

const isWindows = process.platform === "win32";

/** A link that gives a program another name. */
export interface ProgramLink {
  /** The program's file, an absolute path. */
  readonly program: string;
  readonly folder: string;
  /** Without `.exe`. */
  readonly name: string;
}

/** What was found at the link's path. */
export type LinkOutcome =
  | { readonly is: "made"; readonly path: string }
  /** Something that is not a link: it is left alone. */
  | { readonly is: "taken"; readonly path: string };

/**
 * Gives a program another name in a folder: a symbolic link; on Windows, where links need a special right, a hard link or a copy. An
 * existing link is replaced, so that a new release can be linked; on Windows, an existing file is.
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

/** A program to find. */
export interface WantedProgram {
  /** Without `.exe`. */
  readonly name: string;
  /** The value of PATH. */
  readonly path: string;
  /** The file to exclude, through whatever link. */
  readonly own: string;
}

/** The first program of this name on PATH that is not `own`; undefined if there is none. */
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
