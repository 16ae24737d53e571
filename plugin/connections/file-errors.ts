/** Why files cannot be written, in the user's terms. */
import { folderOf } from "../../src/platform/files.ts";
import { UserError } from "../cli/user-error.ts";

/** The error for a file that cannot be written; `error` has the system's `code`. */
export function cannotWrite(path: string, error: unknown): UserError {
  const { code, message } = error as Error & { readonly code?: string };
  return new UserError(`cannot write ${path}: ${reasons[code ?? ""]?.(path) ?? message}`, [], { cause: error });
}

const reasons: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is not a folder ${folderOf(path)}`,
  ENOTDIR: (path) => `${folderOf(path)} is not a folder`,
  EISDIR: () => "it is a folder",
  EACCES: () => "permission denied",
  EROFS: () => "the file system is read-only",
};
