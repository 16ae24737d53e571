/** Completion, from the data of the commands, in the protocol of kubectl and cobra's shell scripts. */
import { RootCommand } from "@bomb.sh/tab";
import { loggedBy } from "../../src/platform/terminal.ts";
import { visibleText } from "../../src/platform/visible-text.ts";
import type { Candidate, Command, Option, Typing } from "./command.ts";
import { type CommandLine, globalsOf } from "./command-line.ts";
import { formOf, type OptionForm, readWords, sortWords } from "./given-words.ts";
import type { Io } from "./io.ts";

/** What the shell should do with the candidates. Source: github.com/spf13/cobra completions.go ShellCompDirective. */
const directives = { offerFiles: 0, offerNothingElse: 4 } as const;

interface Offer {
  readonly candidates: readonly Candidate[];
  readonly files?: true;
}

/** For these, the shell completes the files. */
const namesOfFiles: ReadonlySet<string> = new Set(["file", "path", "folder"]);

/** Prints candidates for the last of `args`, one per line, then the directive. */
export async function complete(line: CommandLine, args: readonly string[], io: Io): Promise<void> {
  const typed = args.at(-1) ?? "";
  // Completion never fails: what cannot be determined is not offered.
  const offer = await offerFor(line, args.slice(0, -1), typed, io).catch((): Offer => ({ candidates: [] }));
  for (const { value, about } of offer.candidates) {
    if (!value.startsWith(typed) || !isWord(value)) continue;
    const [words = ""] = about.split("\n");
    io.out.write(words === "" ? `${value}\n` : `${value}\t${words}\n`);
  }
  io.out.write(`:${offer.files === true ? directives.offerFiles : directives.offerNothingElse}\n`);
}

/** Names of some kinds may contain anything, but candidates are inserted into a command line. */
function isWord(value: string): boolean {
  return !/\s/.test(value) && visibleText(value) === value;
}

async function offerFor(line: CommandLine, before: readonly string[], typed: string, io: Io): Promise<Offer> {
  const { command, rest } = readWords(line, before);
  const options = command === undefined ? line.globals : { ...globalsOf(line, command), ...command.options };
  const { positional, values, open } = sortWords(rest, options);
  const typing = (text: string): Typing => ({ typed: text, before: positional, values });
  const inline = /^(--[\w-]+=)(.*)$/s.exec(typed);
  if (open !== undefined) return valuesOf(options[open.name], open.form, typing(typed), io);
  if (inline !== null) return inlineValues(Object.values(options), inline, typing, io);
  if (typed.startsWith("-")) return { candidates: flagsOf(Object.values(options)) };
  if (command !== undefined) return argumentsOf(command, typing(typed), io);
  if (positional.length > 1 || (positional.length === 1 && positional[0] !== "help")) return { candidates: [] };
  const shown = line.commands.filter(({ hidden }) => hidden !== true);
  return { candidates: shown.map(({ name, about }) => ({ value: name, about })) };
}

function flagsOf(options: readonly Option<unknown>[]): readonly Candidate[] {
  return options.map(({ flags, about }) => ({ value: formOf(flags).long, about }));
}

async function valuesOf(option: Option<unknown> | undefined, form: OptionForm, typing: Typing, io: Io): Promise<Offer> {
  if (option === undefined) return { candidates: [] };
  if (option.choices !== undefined) {
    // In a list, the part after the last comma is being typed.
    const earlier = option.repeatable === true ? typing.typed.slice(0, typing.typed.lastIndexOf(",") + 1) : "";
    return { candidates: option.choices.map((value) => ({ value: earlier + value, about: "" })) };
  }
  if (option.candidates !== undefined) return { candidates: await option.candidates(io, typing) };
  return namesOfFiles.has(form.valueName) ? { candidates: [], files: true } : { candidates: [] };
}

async function inlineValues(
  options: readonly Option<unknown>[],
  [, head = "", value = ""]: readonly string[],
  typing: (text: string) => Typing,
  io: Io,
): Promise<Offer> {
  const option = options.find(({ flags }) => `${formOf(flags).long}=` === head);
  if (option === undefined) return { candidates: [] };
  const { candidates, ...offer } = await valuesOf(option, formOf(option.flags), typing(value), io);
  return { ...offer, candidates: candidates.map((each) => ({ ...each, value: head + each.value })) };
}

async function argumentsOf(command: Command, typing: Typing, io: Io): Promise<Offer> {
  const count = (command.arguments === undefined ? 0 : 1) + (command.secondArgument === undefined ? 0 : 1);
  const isVariadic = command.arguments?.name.includes("...") === true;
  if (typing.before.length >= count && !isVariadic) return { candidates: [] };
  return { candidates: (await command.argumentCandidates?.(io, typing.before, typing)) ?? [] };
}

/** The shells with a completion script. */
export const shells = ["bash", "zsh", "fish", "powershell"] as const;

/** Prints the script that a shell sources to complete `kubectl-reconcile`. */
export function printShellScript(shell: (typeof shells)[number], { out }: Pick<Io, "out">): void {
  // The library writes to the console, which does not notice that an output is lost.
  out.write(loggedBy(() => new RootCommand().setup("kubectl-reconcile", "kubectl-reconcile", shell)));
}
