/** Small text files and paths. */
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";

/**
 * The text of a file; undefined if there is none.
 * @throws Error with the system's `code` (`EACCES`, `EISDIR`, …) when it is there and cannot be read.
 */
export async function readTextFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The folder that a file stands in, as an absolute path. */
export function folderOf(path: string): string {
  return dirname(resolve(path));
}

/** An absolute path as it is, a relative one seen from `folder`. */
export function pathFrom(folder: string, path: string): string {
  return isAbsolute(path) ? path : resolve(folder, path);
}
