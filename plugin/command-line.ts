/** From arguments to a command and its options. The only file that knows the library which parses arguments. */
import { Command as Parser, CommanderError, InvalidArgumentError, Option as ParserOption } from "commander";
import type { Command, Example, Given, Option, Options } from "./command.ts";
import type { Io } from "./io.ts";
import { UserError } from "./user-error.ts";

export interface CommandLine {
  readonly about: string;
  readonly version: string;
  readonly commands: readonly Command[];
  /** Taken by every command, listed apart in its help. */
  readonly globals: Options;
  /** Printed under the list of commands. */
  readonly examples: readonly Example[];
}

/**
 * Parses the arguments and runs the command.
 * @returns the command's exit code; 0 for help and version.
 * @throws UserError for arguments that are wrong; whatever the command throws.
 */
export async function runCommandLine(line: CommandLine, args: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = parserFor(line.about, io)
    .name(io.calledAs)
    .usage("COMMAND [options]")
    .version(line.version, "-v, --version", "print the version")
    .addHelpText("after", () => examplesText(line.examples, io))
    .helpCommand("help [command]", "help for a command");
  for (const command of line.commands) {
    const parser = parserFor(command.description ?? command.about, io)
      .name(command.name)
      .summary(command.about);
    if (command.arguments !== undefined) parser.argument(command.arguments.name, command.arguments.about);
    if (command.secondArgument !== undefined) {
      parser.argument(command.secondArgument.name, command.secondArgument.about);
    }
    addOptions(parser, command.options, "Options:");
    addOptions(parser, globalsOf(line, command), "Options of the connection (as kubectl's):");
    parser.addHelpText("after", () => examplesText(command.examples, io));
    parser.action(async (...parsed: unknown[]) => {
      const count = (command.arguments === undefined ? 0 : 1) + (command.secondArgument === undefined ? 0 : 1);
      const positional = parsed.slice(0, count).flat();
      code = await command.run(
        {
          arguments: positional.filter((argument) => typeof argument === "string"),
          options: given({ ...line.globals, ...command.options }, parser.opts()),
        },
        io,
      );
    });
    program.addCommand(parser, { hidden: command.hidden === true });
  }
  try {
    await program.parseAsync(withBareFlags(line, args), { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return commanderEnded(error, line, args[0], io);
    throw error;
  }
  return code;
}

/**
 * `--wait [=duration]` takes a value behind `=` alone, as kubectl's flags with a default do: bare, it takes the empty one, and
 * never the word that follows it.
 */
function withBareFlags({ commands }: CommandLine, args: readonly string[]): string[] {
  const options = Object.values(commands.find(isNamed(args[0]))?.options ?? {});
  const bare = new Set(
    options.filter(({ flags }) => flags.includes("[=")).map(({ flags }) => flags.split(" ")[0] ?? ""),
  );
  return args.map((word) => (bare.has(word) ? `${word}=` : word));
}

/** The options of every command that this one does not word for itself; none for one that asks no cluster. */
export function globalsOf(line: CommandLine, command: Command): Options {
  if (command.connects === false) return {};
  return Object.fromEntries(Object.entries(line.globals).filter(([name]) => command.options[name] === undefined));
}

function parserFor(about: string, io: Io): Parser {
  return new Parser()
    .description(about)
    .exitOverride()
    .showSuggestionAfterError(true)
    .allowExcessArguments(false)
    .helpOption("-h, --help", "print this help")
    .configureHelp({
      helpWidth: Math.min(io.out.columns ?? 100, 120),
      sortSubcommands: false,
      showGlobalOptions: false,
    })
    .configureOutput({ writeOut: (text) => io.out.write(text), writeErr: () => undefined });
}

function addOptions(parser: Parser, options: Options, group: string): void {
  for (const [name, option] of Object.entries(options)) {
    parser.addOption(parserOption(name, option).helpGroup(group));
  }
}

function parserOption(name: string, option: Option<unknown>): ParserOption {
  const made = new ParserOption(
    option.flags,
    option.about + (option.default === undefined ? "" : ` (default ${option.default})`),
  );
  // The data's own names are used, not those that the library derives from the flags.
  made.attributeName = () => name;
  if (option.choices !== undefined && option.repeatable === undefined) made.choices([...option.choices]);
  const { read } = option;
  if (read !== undefined) {
    made.argParser((value: string) => {
      try {
        return read(value);
      } catch (error) {
        throw new InvalidArgumentError(`It should be ${(error as Error).message}.`);
      }
    });
  }
  if (option.repeatable === true)
    made.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return made;
}

function given<O extends Options>(options: O, parsed: Readonly<Record<string, unknown>>): Given<O> {
  return Object.fromEntries(
    Object.keys(options).flatMap((name) => (parsed[name] === undefined ? [] : [[name, parsed[name]]])),
  ) as Given<O>;
}

function examplesText(examples: readonly Example[], io: Io): string {
  if (examples.length === 0) return "";
  const lines = examples.flatMap(({ says, line }) => [`  # ${says}`, `  ${io.calledAs} ${line}`.trimEnd()]);
  return `\nExamples:\n${lines.join("\n")}\n`;
}

function choosesCluster(globals: Options, flag: string): boolean {
  const name = flag.split("=", 1)[0] ?? "";
  return Object.values(globals).some(({ flags }) => flags.split(/[ ,]+/).includes(name));
}

function isNamed(name: string | undefined): (command: Command) => boolean {
  return (command) => command.name === name;
}

function commanderEnded(error: CommanderError, line: CommandLine, name: string | undefined, io: Io): number {
  if (error.exitCode === 0) return 0;
  const command = line.commands.find(isNamed(name));
  // Without a command the library prints its help as an error.
  if (error.code === "commander.help") {
    throw new UserError("no command given", [`\`${io.calledAs} --help\` lists the commands`], { cause: error });
  }
  const [message = "", ...rest] = error.message.replace(/^error: /, "").split("\n");
  const next = rest.map((line) => line.replace(/^\((.*)\)$/, "$1")).filter((line) => line !== "");
  const help = `\`${io.calledAs}${command === undefined ? "" : ` ${command.name}`} --help\` shows `;
  if (error.code === "commander.missingArgument") {
    const missing = /[\w-]+/.exec(command?.arguments?.name ?? "argument")?.[0] ?? "";
    throw new UserError(`no ${missing} given`, [`${help}what to give`], { cause: error });
  }
  const unknown = error.code === "commander.unknownOption" ? /'(-[^']*)'/.exec(message)?.[1] : undefined;
  if (command !== undefined && unknown !== undefined && choosesCluster(line.globals, unknown)) {
    throw new UserError(`${unknown} chooses a cluster, and \`${command.name}\` asks none`, [`${help}its options`], {
      cause: error,
    });
  }
  throw new UserError(message.replace(/\.$/, ""), [...next, `${help}the options`], { cause: error });
}
