/** `sandbox --assets DIR`: provides the programs that envtest starts. */
import { compiledProgram } from "../../../src/platform/process.ts";
import { UserError } from "../../cli/user-error.ts";
import type { Io } from "../../cli/io.ts";
import { installStandIns } from "../../stand-ins/install.ts";
import { standIns } from "../../stand-ins/stand-in.ts";

/** @throws UserError for other options with `--assets`, because they would have no effect. */
export function refuseOthers(flags: Readonly<Record<string, unknown>>): void {
  // Negatable options are true by default.
  const others = Object.entries(flags).filter(([name, value]) => name !== "assets" && value !== true);
  if (others.length === 0 && flags["rbac"] === undefined) return;
  throw new UserError("--assets cannot be combined with other options", [
    "give options to the programs as flags of kube-apiserver, as envtest does",
  ]);
}

/** Fills the folder and prints how to use it. @returns the exit code. @throws UserError. */
export async function fillAssets(folder: string, { out }: Io): Promise<number> {
  const program = compiledProgram();
  if (program === undefined)
    throw new UserError("--assets needs the compiled program: its files are links to it", [
      "make it with `npm run build`",
    ]);
  const { absolute } = await installStandIns({ folder, program });
  out.line(`${absolute} has ${standIns.join(", ")}: links to ${program}`);
  out.write(`\nexport KUBEBUILDER_ASSETS=${absolute}\n`);
  return 0;
}
