/** From arguments to a command and its options. The only file that uses the library that parses arguments. */
import { messageOf } from "../../src/api/error-message.ts";
import { Command as Parser, CommanderError, InvalidArgumentError, Option as ParserOption } from "commander";
import type { Command, Example, Option, Options } from "./command.ts";
import { readWords } from "./given-words.ts";
import type { Io } from "./io.ts";
import { nearest } from "./nearest.ts";
import { wrapWords } from "./style.ts";
import { UserError } from "./user-error.ts";

/** A program: its commands, and what its own help shows. */
export interface CommandLine {
  readonly about: string;
  readonly version: string;
  readonly commands: readonly Command[];
  /** Accepted by every command, listed separately in its help. */
  readonly globals: Options;
  /** Printed below the list of commands. */
  readonly examples: readonly Example[];
}

/**
 * Parses the arguments and runs the command.
 * @returns the command's exit code; 0 for help and version.
 * @throws UserError for invalid arguments; whatever the command throws.
 */
export async function runCommandLine(line: CommandLine, args: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const { command: called, rest, program: started } = readWords(line, args);
  if (called === undefined) refuseHelpForUnknown(rest, { commands: line.commands, calledAs: io.calledAs });
  const program = parserFor(line.about, io)
    .name(io.calledAs)
    .usage("COMMAND [options]")
    .version(line.version, "--version", "print the version")
    .addHelpText("after", () => examplesText(line.examples, io))
    .helpCommand("help [command]", "help for a command");
  for (const command of line.commands) {
    const parser = parserFor(command.description ?? command.about, io)
      .name(command.name)
      .summary(command.about);
    if (command.arguments !== undefined) parser.argument(command.arguments.name, command.arguments.about);
    if (command.program !== undefined) {
      const { name, about } = command.program;
      parser.usage(`[options] ${command.arguments?.name ?? ""} | -- ${name} [args]`);
      parser.addHelpText(
        "after",
        () => `\n${wrapWords(`-- ${name} [args]: ${about}`.split(" "), helpWidth(io)).join("\n")}`,
      );
    }
    if (command.secondArgument !== undefined) {
      parser.argument(command.secondArgument.name, command.secondArgument.about);
    }
    addOptions(parser, command.options, "Options:");
    for (const [name, option] of Object.entries(globalsOf(line, command))) {
      parser.addOption(parserOption(name, option).hideHelp());
    }
    parser.addHelpText("after", () => examplesText(command.examples, io) + connectionText(line, command, io));
    parser.action(async (...parsed: unknown[]) => {
      const count = (command.arguments === undefined ? 0 : 1) + (command.secondArgument === undefined ? 0 : 1);
      const positional = parsed.slice(0, count).flat();
      code = await command.execute(
        {
          arguments: positional.filter((argument) => typeof argument === "string"),
          options: given({ ...line.globals, ...command.options }, parser.opts()),
          ...(started !== undefined && { program: started }),
        },
        io,
      );
    });
    program.addCommand(parser, { hidden: command.hidden === true });
  }
  try {
    await program.parseAsync(called === undefined ? [...rest] : [called.name, ...rest], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return commanderEnded(error, line, called, io);
    throw error;
  }
  return code;
}

/** @throws UserError for `help nosuch`, for which the library would print the help of everything as an error. */
function refuseHelpForUnknown(
  [first, word = "-"]: readonly string[],
  { commands, calledAs }: Pick<CommandLine, "commands"> & Pick<Io, "calledAs">,
): void {
  const names = commands.map(({ name }) => name);
  if (first !== "help" || word.startsWith("-") || [...names, "help"].includes(word)) return;
  const near = nearest(word, names);
  throw new UserError(`unknown command ${JSON.stringify(word)}`, [
    ...(near === undefined ? [] : [`did you mean ${near}?`]),
    `\`${calledAs} --help\` lists the commands`,
  ]);
}

/** The global options that this command does not define itself; none for a command that connects to no cluster. */
export function globalsOf(line: CommandLine, command: Command): Options {
  if (!command.connects) return {};
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
      helpWidth: helpWidth(io),
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
  // Uses the names from the table, not those that the library derives from the flags.
  made.attributeName = () => name;
  if (option.choices !== undefined && option.repeatable === undefined) made.choices([...option.choices]);
  const { read } = option;
  if (read !== undefined) {
    made.argParser((value: string) => {
      try {
        return read(value);
      } catch (error) {
        throw new InvalidArgumentError(`It should be ${messageOf(error)}.`);
      }
    });
  }
  if (option.repeatable === true)
    made.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return made;
}

/** The values of the given options, by their names in the table. */
function given(options: Options, parsed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.keys(options).flatMap((name) => (parsed[name] === undefined ? [] : [[name, parsed[name]]])),
  );
}

function examplesText(examples: readonly Example[], io: Io): string {
  if (examples.length === 0) return "";
  const lines = examples.flatMap(({ comment, line }) => [`  # ${comment}`, `  ${io.calledAs} ${line}`.trimEnd()]);
  return `\nExamples:\n${lines.join("\n")}\n`;
}

function connectionText(line: CommandLine, command: Command, io: Io): string {
  if (Object.keys(globalsOf(line, command)).length === 0) return "";
  return `\nThe options that choose the cluster, as kubectl has them: \`${io.calledAs} options\`\n`;
}

function helpWidth({ out }: Pick<Io, "out">): number {
  return Math.min(out.columns ?? 100, 120);
}

/** The options that every command takes, for `options`: two columns, wrapped. */
export function globalsText(globals: Options, columns: number): string {
  const width = Math.max(...Object.values(globals).map(({ flags }) => flags.length));
  const lines = Object.values(globals).flatMap(({ flags, about, default: value }) => {
    const words = `${about}${value === undefined ? "" : ` (default ${value})`}`.split(" ");
    return wrapWords(words, columns - width - 4).map(
      (text, index) => `  ${(index === 0 ? flags : "").padEnd(width)}  ${text}`,
    );
  });
  return `${lines.join("\n")}\n`;
}

function choosesCluster(globals: Options, flag: string): boolean {
  const name = flag.split("=", 1)[0] ?? "";
  return Object.values(globals).some(({ flags }) => flags.split(/[ ,]+/).includes(name));
}

function commanderEnded(error: CommanderError, line: CommandLine, command: Command | undefined, io: Io): number {
  if (error.exitCode === 0) return 0;
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
    throw new UserError(
      `\`${command.name}\` does not connect to a cluster; ${unknown} has no effect`,
      [`${help}its options`],
      {
        cause: error,
      },
    );
  }
  throw new UserError(message.replace(/\.$/, ""), [...next, `${help}the options`], { cause: error });
}
