/** A script of kubectl commands: run in order, in its own namespace, with its files in the working folder. */

export interface Command {
  /** The command line after `kubectl`. Spaces separate words; a word in single quotes can contain spaces. */
  readonly run: string;
  readonly stdin?: string;
  /** The name under which later commands refer to its standard output, as `$NAME`. */
  readonly keeps?: string;
  /** The command that `kubectl edit` runs as KUBE_EDITOR, followed by the file's name. */
  readonly editor?: string;
  /** Set if the sandbox prints something different than the real server. The test fails if the outputs are equal. */
  readonly differs?: Difference;
}

/** What the sandbox prints instead, and why. */
export interface Difference {
  readonly because: string;
  /** A part of what the sandbox prints. */
  readonly prints: string;
}

export interface Script {
  /** Also the name of the namespace and of the recorded file. */
  readonly name: string;
  /** Why nothing else may happen on the server at the same time. */
  readonly alone?: string;
  /** Why it is run only in the long form. */
  readonly long?: string;
  /** File contents, keyed by the names that the commands use. */
  readonly files?: Readonly<Record<string, string>>;
  readonly commands: readonly (Command | string)[];
}

/** A command without options is given as its command line. */
export function commandsOf({ commands }: Script): readonly Command[] {
  return commands.map((command) => (typeof command === "string" ? { run: command } : command));
}

/** `patch cm c -p '{"data": {}}'` has five words. */
export function wordsOf(run: string): readonly string[] {
  return [...run.matchAll(/'([^']*)'|(?:[^\s']|(?<=\S)'[^']*')+/g)].map(([word, quoted]) =>
    quoted === undefined ? word.replaceAll("'", "") : quoted,
  );
}
