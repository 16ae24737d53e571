/** What a script of kubectl commands is: played in order, in a namespace of its own, with its files in the working folder. */

export interface Command {
  /** The command line after `kubectl`. Blanks part its words; a word in single quotes may have blanks. */
  readonly run: string;
  readonly stdin?: string;
  /** Later commands say its standard output as `$NAME`, with this name. */
  readonly keeps?: string;
  /** The command that `kubectl edit` runs as KUBE_EDITOR, with the file's name behind it. */
  readonly editor?: string;
  /** Set where the sandbox prints something else than the real server. An entry whose outputs are equal fails the test. */
  readonly differs?: Difference;
}

/** What the sandbox prints instead, and why. */
export interface Difference {
  readonly because: string;
  /** A part of what the sandbox prints. */
  readonly prints: string;
}

export interface Script {
  /** Names the namespace and the file of the recording. */
  readonly name: string;
  /** Why nothing else may happen on the server meanwhile. */
  readonly alone?: string;
  /** Why it is played in the long form alone. */
  readonly long?: string;
  /** By their names, which the commands use as they are. */
  readonly files?: Readonly<Record<string, string>>;
  readonly commands: readonly (Command | string)[];
}

/** A command without options is written as its line. */
export function commandsOf({ commands }: Script): readonly Command[] {
  return commands.map((command) => (typeof command === "string" ? { run: command } : command));
}

/** `patch cm c -p '{"data": {}}'` has five words. */
export function wordsOf(run: string): readonly string[] {
  return [...run.matchAll(/'([^']*)'|(?:[^\s']|(?<=\S)'[^']*')+/g)].map(([word, quoted]) =>
    quoted === undefined ? word.replaceAll("'", "") : quoted,
  );
}
