/** The kubectl on PATH, for programs that expect one in envtest's assets. */
import { programOnPath } from "../../src/platform/program-links.ts";
import { runAttached } from "../../src/platform/subprocess.ts";
import type { Io } from "../cli/io.ts";
import { UserError } from "../cli/user-error.ts";

/** How it is called. */
export interface KubectlCall {
  readonly args: readonly string[];
  /** The file of this program, which may be on PATH under the name kubectl. */
  readonly program: string;
}

/** Runs it with the same arguments. @returns its exit code. @throws UserError if there is none. */
export async function runKubectl({ args, program }: KubectlCall, { environment }: Io): Promise<number> {
  const command = await programOnPath({ name: "kubectl", path: environment["PATH"] ?? "", own: program });
  if (command === undefined)
    throw new UserError("kubectl: there is no kubectl on PATH, and this one only runs it", [
      "install kubectl, or set TEST_ASSET_KUBECTL to one",
    ]);
  return await runAttached({ command, args, env: environment });
}
