/** The file that `sandbox --write-kubeconfig` leaves: never over a kubeconfig that somebody else wrote. */
import { folderOf, readTextFile, writePrivateFile } from "../src/platform/files.ts";
import { UserError } from "./user-error.ts";

/** The first line of the files that are ours to write over. */
const mark = "# written by kubectl reconcile sandbox";

/** @throws UserError for a file that is there already, unless a sandbox wrote it: the clusters in it would be lost. */
export async function refuseToOverwrite(path: string): Promise<void> {
  const text = await readTextFile(path).catch((error: unknown) => {
    throw cannotWrite(path, error);
  });
  if (text === undefined || text === "" || text.startsWith(`${mark}\n`)) return;
  throw new UserError(`${path} is there already, and no sandbox wrote it: what is in it would be lost`, [
    "give another file, or remove this one",
  ]);
}

/** Mode 0600: it holds the token. @throws UserError where it cannot be written. */
export async function writeKubeconfig(path: string, kubeconfig: string): Promise<void> {
  try {
    await writePrivateFile(path, `${mark}\n${kubeconfig}`);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function cannotWrite(path: string, error: unknown): UserError {
  const { code, message } = error as Error & { readonly code?: string };
  return new UserError(`cannot write ${path}: ${reasons[code ?? ""]?.(path) ?? message}`, [], { cause: error });
}

const reasons: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is no folder ${folderOf(path)}`,
  ENOTDIR: (path) => `${folderOf(path)} is no folder`,
  EISDIR: () => "it is a folder",
  EACCES: () => "permission denied",
  EROFS: () => "the file system is read-only",
};
