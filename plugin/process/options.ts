/** The options of commands that take `-- COMMAND`. */
import { flag, type OptionsFor } from "../cli/command.ts";
import { UserError } from "../cli/user-error.ts";
import type { ProcessRequest } from "./running.ts";
import type { ProcessOutput } from "./screen.ts";

/** The values of the options for a program. */
export interface ProcessFlags {
  readonly quietChild?: true;
  readonly restart?: true;
}

/** The options that apply only to a program. */
export const processOptions: OptionsFor<ProcessFlags> = {
  quietChild: flag(
    "--quiet-child",
    "with -- COMMAND: do not print its own output (by default on standard error, each line prefixed with |)",
  ),
  restart: flag("--restart", "with -- COMMAND: restart it when it exits"),
};

/** The options that apply to controllers as well. */
interface SharedFlags {
  readonly output?: ProcessOutput;
  readonly sinceStart?: true;
  readonly for?: number;
}

/** The request for a program. @throws UserError if there is no program after `--`. */
export function processRequest(program: readonly string[], flags: ProcessFlags & SharedFlags): ProcessRequest {
  return {
    program,
    output: flags.output ?? "text",
    sinceStart: flags.sinceStart === true,
    quiet: flags.quietChild === true,
    restart: flags.restart === true,
    forMs: flags.for,
  };
}

/** @throws UserError for an empty program, for a program together with controllers, and for options that have no effect on a program. */
export function refuseForProgram({
  controllers,
  program,
  given,
}: {
  readonly controllers: readonly string[];
  readonly program: readonly string[];
  /** The flags of options that have no effect on a program: `--workers <n>`. */
  readonly given: readonly string[];
}): void {
  if (program.length === 0) throw new UserError("no program after --", ["give one with its arguments: `-- ./manager`"]);
  if (controllers.length > 0)
    throw new UserError(`controllers (${controllers.join(", ")}) and a program after -- are mutually exclusive`, [
      "run them in two terminals",
    ]);
  const [first] = given;
  if (first !== undefined)
    throw new UserError(`${/--[\w-]+/.exec(first)?.[0] ?? first} has no effect on a program`, [
      "use the program's own options, after --",
    ]);
}

/** @throws UserError for options of a program if there is no program. */
export function refuseWithoutProgram(flags: ProcessFlags & SharedFlags): void {
  const given = flags.quietChild === true ? "--quiet-child" : flags.restart === true ? "--restart" : undefined;
  if (given !== undefined) throw new UserError(`${given} is for a program after --`, ["add `-- COMMAND`"]);
  if (flags.output === "rbac")
    throw new UserError("-o rbac is for a program after --", [
      "`controllers NAME -o rbac` prints the Role of a controller",
    ]);
}
