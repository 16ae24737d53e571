/** The files of `sandbox --load` and `--save`: a sandbox's state between two runs. */
import { messageOf } from "../../src/api/error-message.ts";
import { absolutePath, checkWritable, readTextFile, writePrivateFile } from "../../src/platform/files.ts";
import { readState, type SandboxState, StateProblem } from "../../src/sandbox/state/document.ts";
import type { SavedState } from "../../src/sandbox/state/saving.ts";
import { UserError } from "../cli/user-error.ts";
import { cannotWrite } from "./file-errors.ts";

/** Where a state is read from, and written to at the end. */
export interface StateFiles {
  readonly load?: string | undefined;
  readonly save?: string | undefined;
}

/**
 * The initial state; undefined for a new cluster: without `load`, and if the file to save to is also the one to load and does not exist
 * yet.
 * @throws UserError for a file that cannot be read or contains no state, and for one that could not be written at the end.
 */
export async function stateToBeginWith({ load, save }: StateFiles): Promise<SandboxState | undefined> {
  if (save !== undefined)
    await checkWritable(save).catch((error: unknown) => {
      throw cannotWrite(save, error);
    });
  if (load === undefined) return undefined;
  const text = await readTextFile(load).catch((error: unknown) => {
    throw new UserError(`--load: cannot read ${load}: ${messageOf(error)}`, [], { cause: error });
  });
  try {
    if (text !== undefined) return readState(text);
  } catch (error) {
    throw aboutFile(load, error);
  }
  if (save !== undefined && absolutePath(save) === absolutePath(load)) return undefined;
  throw new UserError(`--load: ${load} does not exist`, ["write it with `sandbox --save`"]);
}

/** Turns an error about a state into one about its file; returns any other unchanged. */
export function aboutFile(path: string, error: unknown): unknown {
  if (!(error instanceof StateProblem)) return error;
  const next = ["`sandbox --save` writes such files; manifests are given with -f"];
  return new UserError(`--load: ${path} ${error.message}`, next, { cause: error });
}

/** Writes a state; an existing file is kept until the new one is complete. @throws UserError. */
export async function writeState(path: string, { text }: SavedState): Promise<void> {
  try {
    await writePrivateFile(path, text);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}
