/** Completion, from the data of the commands, in the protocol that kubectl and cobra's shell scripts speak. */
import { RootCommand } from "@bomb.sh/tab";
import type { Candidate, Command, Option, Options } from "./command.ts";
import { type CommandLine, globalsOf } from "./command-line.ts";
import type { Io } from "./io.ts";

/** `-n, --namespace <name>` → `namespace`, `n`, and whether it takes a value. */
function readFlags(flags: string): {
  readonly long: string;
  readonly short: string | undefined;
  readonly hasValue: boolean;
} {
  const long = /--([\w-]+)/.exec(flags)?.[1] ?? "";
  return { long, short: /(?:^|\s)-(\w)\b/.exec(flags)?.[1], hasValue: flags.includes("<") };
}

/** What is offered for an option's value; nothing is looked up for an option that is not the one being typed. */
async function candidatesOf(option: Option<unknown>, args: readonly string[], io: Io): Promise<readonly Candidate[]> {
  const { long, short } = readFlags(option.flags);
  const [before = "", typed = ""] = args.slice(-2);
  if (before !== `--${long}` && before !== `-${short}` && !typed.startsWith(`--${long}=`)) return [];
  if (option.choices !== undefined) return option.choices.map((value) => ({ value, about: "" }));
  // Completion never fails: what cannot be found out is not offered.
  return (await Promise.resolve(option.complete?.(io)).catch(() => [])) ?? [];
}

async function addOptions(
  parser: ReturnType<RootCommand["command"]>,
  options: Options,
  args: readonly string[],
  io: Io,
): Promise<void> {
  for (const option of Object.values(options)) {
    const { long, short, hasValue } = readFlags(option.flags);
    if (!hasValue) {
      if (short === undefined) parser.option(long, option.about);
      else parser.option(long, option.about, short);
      continue;
    }
    const candidates = await candidatesOf(option, args, io);
    parser.option(
      long,
      option.about,
      (complete) => candidates.forEach(({ value, about }) => complete(value, about)),
      short,
    );
  }
}

async function rootFor(line: CommandLine, args: readonly string[], io: Io): Promise<RootCommand> {
  const root = new RootCommand();
  for (const command of line.commands.filter((candidate) => candidate.hidden !== true)) {
    const parser = root.command(command.name, command.about);
    // Only the command being typed needs its options and candidates.
    if (args[0] === command.name) await fill(parser, command, line, args, io);
  }
  return root;
}

async function fill(
  parser: ReturnType<RootCommand["command"]>,
  command: Command,
  line: CommandLine,
  args: readonly string[],
  io: Io,
): Promise<void> {
  // The command's own name comes first, the word that is being typed last.
  const before = args.slice(1, -1);
  const candidates = await Promise.resolve(command.completeArgument?.(io, before) ?? []).catch(() => []);
  const offer = (complete: (value: string, about: string) => void): void =>
    candidates.forEach(({ value, about }) => complete(value, about));
  if (command.arguments !== undefined) {
    const variadic = command.arguments.name.includes("...");
    parser.argument("argument", offer, variadic);
  }
  if (command.secondArgument !== undefined) parser.argument("second", offer);
  await addOptions(parser, command.options, args, io);
  await addOptions(parser, globalsOf(line, command), args, io);
}

/** Prints what could stand in place of the last of `args`: a candidate a line, then the directive. */
export async function complete(line: CommandLine, args: readonly string[], io: Io): Promise<void> {
  (await rootFor(line, args, io)).parse([...args]);
}

export const shells = ["bash", "zsh", "fish", "powershell"] as const;

/** Prints the script that a shell sources to complete `kubectl-reconcile`. */
export function printShellScript(shell: (typeof shells)[number]): void {
  new RootCommand().setup("kubectl-reconcile", "kubectl-reconcile", shell);
}
