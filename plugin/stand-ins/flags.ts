/** Flags of a Go program, parsed like pflag. Source: github.com/spf13/pflag v1 flag.go parseLongArg, parseShortArg. */

/** `boolean` flags need no value. */
export type FlagKind = "boolean" | "value";

/** The kind of a named flag; undefined if there is no such flag. */
export type KindOf = (name: string) => FlagKind | undefined;

/** Invalid arguments, with pflag's messages. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/** The flags of a command line: each with its values, in order. */
export class GivenFlags {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  /** The names of the given flags, each once. */
  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** All values of a flag; none if it was not given. */
  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** The last value of a flag; undefined if it is missing or empty. */
  text(name: string): string | undefined {
    const last = this.all(name).at(-1);
    return last === "" ? undefined : last;
  }

  /** The values of a flag that accepts a list, also separated by commas. */
  list(name: string): readonly string[] {
    return this.all(name)
      .flatMap((value) => value.split(","))
      .filter((word) => word !== "");
  }

  /** @throws FlagError for a value that is neither true nor false. */
  boolean(name: string, otherwise: boolean): boolean {
    const value = this.text(name);
    if (value === undefined) return otherwise;
    if (/^(1|t|true)$/i.test(value)) return true;
    if (/^(0|f|false)$/i.test(value)) return false;
    const parsing = `strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`;
    throw new FlagError(`invalid argument ${JSON.stringify(value)} for "--${name}" flag: ${parsing}`);
  }

  /** @throws FlagError for a value that is not an integer from 0 to 65535. */
  port(name: string, otherwise: number): number {
    const value = this.text(name);
    if (value === undefined) return otherwise;
    const port = Number(value);
    if (/^\d+$/.test(value) && port <= 65_535) return port;
    throw new FlagError(
      `invalid argument ${JSON.stringify(value)} for "--${name}" flag: a port is a number from 0 to 65535`,
    );
  }
}

const shortNames: Readonly<Record<string, string>> = { h: "help" };

/**
 * Reads `--name=value`, `--name value`, `--name` and `-n value`.
 * @throws FlagError for an unknown flag, one without its value, and a word that belongs to no flag.
 */
export function parseFlags(args: readonly string[], kindOf: KindOf): GivenFlags {
  const values = new Map<string, string[]>();
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    const { name, value } = flagIn(word);
    const kind = kindOf(name);
    if (kind === undefined) throw new FlagError(`unknown flag: --${name}`);
    const given = value ?? (kind === "boolean" ? "true" : args[++at]);
    if (given === undefined) throw new FlagError(`flag needs an argument: --${name}`);
    values.set(name, [...(values.get(name) ?? []), given]);
  }
  return new GivenFlags(values);
}

function flagIn(word: string): { readonly name: string; readonly value: string | undefined } {
  const [, dashes = "", name = "", value] = /^(--?)([^=-][^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  if (name === "") throw new FlagError(`unknown command ${JSON.stringify(word)}`);
  return { name: dashes === "-" ? (shortNames[name] ?? name) : name.replaceAll("_", "-"), value };
}
