/** The words of a command line before they are parsed: which command, which options and values, in every form that kubectl accepts. */
import type { Command, Options } from "./command.ts";

/** The parts of an option's flags. */
export interface OptionForm {
  /** `--namespace`. */
  readonly long: string;
  /** `-n`. */
  readonly short: string | undefined;
  /** `behind =`: a value can only be given as `--wait=5m`. */
  readonly value: "none" | "any" | "behind =";
  /** Of the value: `name`, `file`. */
  readonly valueName: string;
}

/** Parses `-n, --namespace <name>`. */
export function formOf(flags: string): OptionForm {
  const valueName = /[<=]([\w,.]+)[>\]]/.exec(flags)?.[1] ?? "";
  return {
    long: /--[\w-]+/.exec(flags)?.[0] ?? "",
    short: /(?:^|\s)(-\w)\b/.exec(flags)?.[1],
    value: flags.includes("[=") ? "behind =" : flags.includes("<") ? "any" : "none",
    valueName: valueName.replace(/[,.]+$/, ""),
  };
}

interface Lines {
  readonly commands: readonly Command[];
  readonly globals: Options;
}

function taking(options: Options, word: string): OptionForm | undefined {
  const name = word.split("=", 1)[0] ?? "";
  return Object.values(options)
    .map(({ flags }) => formOf(flags))
    .find(
      ({ long, short, value }) =>
        name === long || name === short || (isJoined(word) && value === "any" && word.slice(0, 2) === short),
    );
}

/** `-nshop`, `-n=shop`. */
function isJoined(word: string): boolean {
  return /^-\w./s.test(word);
}

/** Whether the value is the next word. */
function isOpen(word: string, { value }: OptionForm): boolean {
  return value === "any" && !word.includes("=") && !isJoined(word);
}

/** A command line, split at its command. */
export interface GivenWords {
  readonly command: Command | undefined;
  /** After the command; options that were before it come first. Without a command, all words. */
  readonly rest: readonly string[];
  /** What follows `--`, for a command that accepts a program. */
  readonly program?: readonly string[];
}

/**
 * Finds the command, also after connection options (`-n shop why deploy/web`), and splits off values (`-n=shop`). A bare option with an
 * optional value gets an empty value and never the next word.
 */
export function readWords({ commands, globals }: Lines, args: readonly string[]): GivenWords {
  let at = 0;
  while (at < args.length && (args[at] ?? "").startsWith("-")) {
    const word = args[at] ?? "";
    const form = taking(globals, word);
    if (form === undefined) return { command: undefined, rest: args };
    at += isOpen(word, form) ? 2 : 1;
  }
  const command = commands.find(({ name }) => name === args[at]);
  if (command === undefined) return { command, rest: args };
  const options = { ...globals, ...command.options };
  const end = command.program === undefined ? -1 : args.indexOf("--", at);
  const own = end === -1 ? args : args.slice(0, end);
  const rest = [...own.slice(0, at), ...own.slice(at + 1)].flatMap((word) => apart(word, options));
  return { command, rest, ...(end !== -1 && { program: args.slice(end + 1) }) };
}

function apart(word: string, options: Options): readonly string[] {
  const form = taking(options, word);
  if (form?.value === "behind =" && !word.includes("=")) return [`${word}=`];
  const short = /^(-\w)=(.*)$/s.exec(word);
  if (short === null || form?.value !== "any") return [word];
  return [short[1] ?? "", short[2] ?? ""];
}

/** The words after a command, separated into arguments and option values. */
export interface Sorted {
  readonly positional: readonly string[];
  /** By option name, the last value of each. */
  readonly values: Readonly<Record<string, string>>;
  /** The option whose value is the next word. */
  readonly open: { readonly name: string; readonly form: OptionForm } | undefined;
}

/** Separates the words after a command, as far as they go: for completion, where lines are unfinished. */
export function sortWords(rest: readonly string[], options: Options): Sorted {
  const positional: string[] = [];
  const values: Record<string, string> = {};
  let open: Sorted["open"];
  for (const word of rest) {
    if (open !== undefined) {
      values[open.name] = word;
      open = undefined;
    } else if (word.startsWith("-") && word.length > 1) {
      const found = Object.entries(options).find(([, { flags }]) => taking({ it: { flags, about: "" } }, word));
      if (found === undefined) continue;
      const [name, { flags }] = found;
      const form = formOf(flags);
      if (word.includes("=")) values[name] = word.slice(word.indexOf("=") + 1);
      else if (isOpen(word, form)) open = { name, form };
      else if (form.value === "any") values[name] = word.slice(2);
    } else positional.push(word);
  }
  return { positional, values, open };
}
