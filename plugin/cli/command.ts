/**
 * What a command of `kubectl reconcile` is: data, and a lifecycle of three steps, as in kubectl's own commands. Words and flags are
 * completed to a request, the request is validated, and then it is run. Only `command-line.ts` passes these to the library that parses
 * arguments, and completion is generated from the same data.
 *
 * Source: kubectl v0.36 pkg/cmd/events/events.go (EventsFlags → ToOptions → Validate → Run); differs: only `run` may read files, the
 * cluster or the clock.
 */
import type { Io } from "./io.ts";
import { inSession, type OnSignal, type Session } from "./session.ts";

/** A value offered by completion, with a short description. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** A command line that is being typed. */
export interface Typing {
  /** The beginning of the word, or of the option's value. */
  readonly typed: string;
  /** The arguments before it, without options. */
  readonly before: readonly string[];
  /** The options given so far, by their names in the table, as typed. */
  readonly values: Readonly<Record<string, string>>;
}

/** An option; T is the type of its value. */
export interface Option<T> {
  /** `-n, --namespace <name>`; `--once` for one without a value. */
  readonly flags: string;
  readonly about: string;
  /** May be given more than once; T is then a list. */
  readonly repeatable?: true;
  /** Reads the value. @throws RangeError that states what the value should be. */
  readonly read?: (text: string) => unknown;
  readonly choices?: readonly string[];
  /** Printed in the help; `run` applies it. */
  readonly default?: string;
  /** What the shell may complete the value to. */
  readonly candidates?: (io: Io, typing: Typing) => readonly Candidate[] | Promise<readonly Candidate[]>;
  /** Never set; carries T. */
  readonly type?: T;
}

type Rest = Omit<Option<unknown>, "flags" | "about" | "read" | "repeatable" | "type">;

/** `--once`: true when given. */
export function flag(flags: string, about: string): Option<true> {
  return { flags, about };
}

/** `--no-kubelet`: false when given. Its name in the table is the one without `no`. */
export function negation(flags: string, about: string): Option<boolean> {
  return { flags, about };
}

/** `--context <name>`: any text. */
export function text(flags: string, about: string, rest?: Rest): Option<string> {
  return { flags, about, ...rest };
}

/** `-f <path> -f <path>`: one text per occurrence. */
export function texts(flags: string, about: string, rest?: Rest): Option<readonly string[]> {
  return { flags, about, repeatable: true, ...rest };
}

/** One of a few words. */
export function choice<const C extends string>(
  flags: string,
  about: string,
  choices: readonly C[],
  rest?: Rest,
): Option<C> {
  return { flags, about, choices, ...rest };
}

/** An integer of at least `least`, and at most `most` if given. */
export function wholeNumber(
  flags: string,
  about: string,
  least: number,
  { most = Number.MAX_SAFE_INTEGER, ...rest }: Rest & { readonly most?: number } = {},
): Option<number> {
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  const read = (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most) throw new RangeError(`a whole number ${range}`);
    return number;
  };
  return { flags, about, read, ...rest };
}

/** A number above 0, decimals allowed. */
export function positiveNumber(flags: string, about: string, rest?: Rest): Option<number> {
  const read = (value: string): number => {
    const number = Number(value);
    if (!/^\d+(\.\d+)?$/.test(value) || !(number > 0)) throw new RangeError("a number above 0");
    return number;
  };
  return { flags, about, read, ...rest };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `30s`, `1h30m`, `500ms`; a bare number is seconds, as in kubectl's --request-timeout. Returns milliseconds. */
export function readDuration(value: string): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value)) throw new RangeError("a duration such as 30s, 5m or 1h30m");
  let ms = 0;
  for (const [, number, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    ms += Number(number) * (units[unit ?? ""] ?? 0);
  return ms;
}

/** `--for 1h30m`: milliseconds, read by `readDuration`. */
export function duration(flags: string, about: string, rest?: Rest): Option<number> {
  return { flags, about, read: readDuration, ...rest };
}

/** `--wait`, `--wait=2m`: milliseconds; without a value `bareMs`. */
export function optionalDuration(
  flags: string,
  about: string,
  { bareMs, ...rest }: Rest & { readonly bareMs: number },
): Option<number> {
  return { flags, about, read: (value) => (value === "" ? bareMs : readDuration(value)), ...rest };
}

/** A table of options, by the names under which `complete` gets them. */
export type Options = Readonly<Record<string, Option<unknown>>>;

/** The values of a table of options; absent if not given. */
export type Given<O extends Options> = { readonly [K in keyof O]?: O[K] extends Option<infer T> ? T : never };

/** The table of options for `Flags`: for tables shared by several files, so table and type cannot drift apart. */
export type OptionsFor<Flags> = { readonly [K in keyof Flags]-?: Option<Exclude<Flags[K], undefined>> };

/** A line of the examples in a command's help. */
export interface Example {
  readonly comment: string;
  /** Without `kubectl reconcile`. */
  readonly line: string;
}

/** What the user typed after the command, parsed. */
export interface Words<Flags> {
  readonly arguments: readonly string[];
  /** What follows `--`, for a command that accepts a program; undefined without `--`. */
  readonly program?: readonly string[];
  readonly options: Flags;
}

/** What help and completion show about a command. */
export interface CommandHelp<O extends Options> {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly about: string;
  /** A paragraph or two, for the command's own help. */
  readonly description?: string;
  /** `<controller...>`, `[name]`. Unset: none. */
  readonly arguments?: { readonly name: string; readonly about: string };
  /** A second one: `[rule]`. */
  readonly secondArgument?: { readonly name: string; readonly about: string };
  /** It accepts a program after `--`, with its own arguments. */
  readonly program?: { readonly name: string; readonly about: string };
  /** `before`: the arguments before the one being typed. */
  readonly argumentCandidates?: (
    io: Io,
    before: readonly string[],
    typing: Typing,
  ) => readonly Candidate[] | Promise<readonly Candidate[]>;
  readonly options: O;
  readonly examples: readonly Example[];
  /** Not in the list of commands. */
  readonly hidden?: true;
}

/** A command as its file defines it: help, and the three steps of its lifecycle. `Globals`: the values of the global options. */
export interface CommandDefinition<O extends Options, Globals, Request> extends CommandHelp<O> {
  /** Words and flags become a request: names resolved, defaults filled in. Reads nothing. @throws UserError, RangeError. */
  readonly complete: (words: Words<Given<O> & Globals>, io: Io) => Request;
  /** Rejects contradictions. Reads nothing. @throws UserError. */
  readonly validate?: (request: Request, io: Io) => void;
  /** What the first stop signal does; unset: the operating system's default. */
  readonly onSignal?: OnSignal;
  /** Whether status lines (`session.say`) belong to standard output. Default: they go to standard error. */
  readonly statusOnOutput?: (request: Request) => boolean;
  /** Runs it. @returns the exit code. */
  readonly run: (request: Request, session: Session) => Promise<number>;
}

/** A command as the command line calls it. */
export interface Command extends CommandHelp<Options> {
  /** It accepts the options that select a cluster. */
  readonly connects: boolean;
  /** Complete, validate, run. @returns the exit code. @throws UserError; whatever `run` throws. */
  execute(words: Words<Readonly<Record<string, unknown>>>, io: Io): Promise<number>;
}

/** A command that does not connect to a cluster. */
export function command<const O extends Options, Request>(definition: CommandDefinition<O, unknown, Request>): Command {
  return commandOf(definition, false);
}

/** A command from its definition; `connects`: it also gets the options that select a cluster, and `Globals` are their values. */
export function commandOf<O extends Options, Globals, Request>(
  definition: CommandDefinition<O, Globals, Request>,
  connects: boolean,
): Command {
  const { complete, validate, run, onSignal, statusOnOutput, ...help } = definition;
  return {
    ...help,
    connects,
    execute: async ({ options, ...words }, io) => {
      // The command line reads each value with the option of the table that `Given` infers its type from.
      const request = complete({ ...words, options: options as Given<O> & Globals }, io);
      validate?.(request, io);
      const status = statusOnOutput?.(request) === true ? io.out : io.err;
      return inSession({ io, name: help.name, status, onSignal }, (session) => run(request, session));
    },
  };
}
