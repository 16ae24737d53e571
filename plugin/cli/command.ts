/**
 * What a command of `kubectl reconcile` is: data, and a function. The library that parses arguments sees these through
 * `command-line.ts` alone, and completion is made from the same data.
 */
import type { Io } from "./io.ts";

/** A value offered by completion, with a few words about it. */
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
  /** The options given so far, by their names among the data: texts, as they were typed. */
  readonly values: Readonly<Record<string, string>>;
}

/** An option; T is what it gives `run`. */
export interface Option<T> {
  /** `-n, --namespace <name>`; `--once` for one without a value. */
  readonly flags: string;
  readonly about: string;
  /** May be given more than once; T is a list then. */
  readonly repeatable?: true;
  /** Reads the value. @throws RangeError that says what the value should be. */
  readonly read?: (text: string) => unknown;
  readonly choices?: readonly string[];
  /** Printed in the help; `run` applies it. */
  readonly default?: string;
  readonly complete?: (io: Io, typing: Typing) => readonly Candidate[] | Promise<readonly Candidate[]>;
  /** Never there; carries T. */
  readonly type?: T;
}

type Rest = Omit<Option<unknown>, "flags" | "about" | "read" | "repeatable" | "type">;

/** `--once`: true when given. */
export function flag(flags: string, about: string): Option<true> {
  return { flags, about };
}

/** `--no-kubelet`: false when given. Its name among the options is the one without `no`. */
export function negation(flags: string, about: string): Option<boolean> {
  return { flags, about };
}

export function text(flags: string, about: string, rest?: Rest): Option<string> {
  return { flags, about, ...rest };
}

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

/** A whole number from `least` on, up to `most` where there is one. */
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

/** `30s`, `1h30m`, `500ms`; a bare number is seconds, as kubectl's --request-timeout has it. Milliseconds. */
export function readDuration(value: string): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value)) throw new RangeError("a duration such as 30s, 5m or 1h30m");
  let ms = 0;
  for (const [, number, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    ms += Number(number) * (units[unit ?? ""] ?? 0);
  return ms;
}

export function duration(flags: string, about: string, rest?: Rest): Option<number> {
  return { flags, about, read: readDuration, ...rest };
}

// The any is inference's: an Option of whatever type.
export type Options = Readonly<Record<string, Option<unknown>>>;

/** What `run` gets: each option's value, absent if it was not given. */
export type Given<O extends Options> = { readonly [K in keyof O]?: O[K] extends Option<infer T> ? T : never };

export interface Example {
  readonly says: string;
  /** Without `kubectl reconcile`. */
  readonly line: string;
}

export interface Command<O extends Options = Options> {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly about: string;
  /** A paragraph or two, for the command's own help. */
  readonly description?: string;
  /** `<controller...>`, `[name]`. Unset: none. */
  readonly arguments?: { readonly name: string; readonly about: string };
  /** A second one: `[rule]`. */
  readonly secondArgument?: { readonly name: string; readonly about: string };
  /** `before`: the arguments that stand before the one that is typed. */
  readonly completeArgument?: (
    io: Io,
    before: readonly string[],
    typing: Typing,
  ) => readonly Candidate[] | Promise<readonly Candidate[]>;
  readonly options: O;
  /** False: it asks no cluster, and takes none of the options that choose one. */
  readonly connects?: false;
  readonly examples: readonly Example[];
  /** Not in the list of commands. */
  readonly hidden?: true;
  /** @returns the exit code. */
  run(given: { readonly arguments: readonly string[]; readonly options: Given<O> }, io: Io): Promise<number>;
}

/** Keeps the types of the options on their way to `run`. */
export function command<const O extends Options>(definition: Command<O>): Command {
  return definition;
}
