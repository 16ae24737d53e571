/** The kubeconfig of a process behind a proxy. */
import { parse } from "yaml";
import { readTextFile, writePrivateFile } from "../../src/platform/files.ts";
import { UserError } from "../cli/user-error.ts";
import { cannotWrite } from "./file-errors.ts";

/** The extension that marks a file as ours. */
const extensionName = "kubectl-reconcile.io/proxy";
const extension = `extensions:
  - name: ${extensionName}
    extension: {}
`;

/** @throws UserError for a file that something else wrote, and for one that cannot be read: it would be overwritten. */
export async function refuseOtherKubeconfig(path: string): Promise<void> {
  const text = await readTextFile(path).catch((error: unknown) => {
    throw cannotWrite(path, error);
  });
  if (text === undefined || text.trim() === "" || isOurs(text)) return;
  throw new UserError(`${path} exists, and \`proxy\` did not write it: its contents would be lost`, [
    "give another file, or remove this one",
  ]);
}

function isOurs(text: string): boolean {
  try {
    // An existing file may have any shape: every field is checked.
    const config = parse(text) as { readonly extensions?: readonly { readonly name?: unknown }[] } | null;
    return config?.extensions?.some(({ name }) => name === extensionName) === true;
  } catch {
    return false;
  }
}

/** Mode 0600: it contains the proxy's token. @throws UserError if it cannot be written. */
export async function writeProcessKubeconfig(path: string, kubeconfig: string): Promise<void> {
  await writePrivateFile(path, kubeconfig + extension).catch((error: unknown) => {
    throw cannotWrite(path, error);
  });
}
