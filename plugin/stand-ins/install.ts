/** Installs the stand-ins in a folder. */
import { messageOf } from "../../src/api/error-message.ts";
import { absolutePath, makeFolder } from "../../src/platform/files.ts";
import { linkProgram } from "../../src/platform/program-links.ts";
import { UserError } from "../cli/user-error.ts";
import { standIns } from "./stand-in.ts";

/** Where to install the stand-ins, and what they link to. */
export interface Installation {
  readonly folder: string;
  /** The file of the compiled program, which must not be moved. */
  readonly program: string;
}

/**
 * Fills the folder, creating it if necessary; existing links are renewed.
 * @returns the folder's absolute path.
 * @throws UserError if the folder contains other programs with these names, such as envtest's own, or cannot be written.
 */
export async function installStandIns({ folder, program }: Installation): Promise<{ readonly absolute: string }> {
  const absolute = absolutePath(folder);
  for (const name of standIns) {
    const made = await link({ folder: absolute, program, name });
    if (made.is === "taken")
      throw new UserError(`--assets: ${made.path} exists and is not a link: it is left alone`, [
        "give another folder, or remove the file",
      ]);
  }
  return { absolute };
}

async function link(wanted: Parameters<typeof linkProgram>[0]): ReturnType<typeof linkProgram> {
  try {
    await makeFolder(wanted.folder);
    return await linkProgram(wanted);
  } catch (error) {
    throw new UserError(`--assets: cannot write to ${wanted.folder}: ${messageOf(error)}`, [], { cause: error });
  }
}
