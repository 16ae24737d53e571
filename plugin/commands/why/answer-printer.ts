/** Prints the answers of `why` in the format that was asked for. */
import { stringify } from "yaml";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import type { Answer } from "../../../src/diagnosis/answer.ts";
import type { Advice } from "../../../src/diagnosis/diagnosis.ts";
import { kubectlAdvice, quoted, reconcileAdvice } from "../../cli/advice.ts";
import type { Whole } from "./ask.ts";
import type { Globals } from "../../connections/globals.ts";
import type { Io } from "../../cli/io.ts";
import { answerData, answerMarkdown } from "./answer-data.ts";
import { answerLines } from "./answer-text.ts";
import { answersLines } from "./answers-text.ts";
import { styleOf } from "../../cli/style.ts";

export const outputs = ["text", "json", "yaml", "markdown"] as const;

export interface PrinterOptions extends Globals {
  readonly sandbox?: true;
  readonly manifests?: readonly string[];
  readonly allNamespaces?: true;
  readonly output?: (typeof outputs)[number];
}

/** What prints answers; `now` is the server's time, in ms since 1970. */
export function answerPrinter(options: PrinterOptions, io: Io, now: number): (whole: Whole) => void {
  const { sandbox } = options;
  const withNamespaces = options.allNamespaces === true;
  // No kubectl reaches a cluster inside this process.
  const kubectlText = (words: string): string => (sandbox === true ? "" : kubectlAdvice(options, words));
  const adviceText = ({ tool, words }: Advice): string =>
    tool === "kubectl" ? kubectlText(words) : reconcileAdvice(io.calledAs, options, words);
  const write = (lines: readonly string[]): void => {
    for (const line of lines) io.out.line(line);
  };
  return ({ answers, targets, verdict }) => {
    const [first] = answers;
    switch (options.output) {
      case "json":
        write(answers.map((answer) => JSON.stringify(answerData(answer, adviceText))));
        return;
      case "yaml":
        io.out.write(answers.map((answer) => stringify(answerData(answer, adviceText))).join("---\n"));
        return;
      case "markdown":
        write(answers.flatMap((answer) => answerMarkdown(answer, adviceText, withNamespaces)));
        return;
      case "text":
      case undefined: {
        const text = { style: styleOf(io.out), now, adviceText, withNamespaces };
        if (targets.isOne && first !== undefined)
          write(answerLines(first, { ...text, follow: followCommand(first, options, io) }));
        else write(answersLines(answers, { ...text, follow: undefined, where: targets.where, verdict }));
      }
    }
  };
}

/** The trace of the object, where a controller of ours is for its kind. */
function followCommand({ of }: Answer, options: PrinterOptions, { calledAs }: Io): string | undefined {
  const { kind, namespace, name } = of;
  const controller = controllersEnabledByDefault.find(
    ({ for: own }) => own?.kind === kind.kind && own.group === kind.group,
  );
  if (controller === undefined) return undefined;
  const object = `${kind.kind.toLowerCase()}/${name}`;
  if (options.sandbox === true) {
    const files = (options.manifests ?? []).map((file) => ` -f ${quoted(file)}`).join("");
    const where = namespace === "" ? "" : ` -n ${quoted(namespace)}`;
    return `${calledAs} trace ${controller.name} --sandbox${files}${where} --why ${object}`;
  }
  const where = namespace === "" ? "-A" : `-n ${quoted(namespace)}`;
  return reconcileAdvice(calledAs, options, `trace ${controller.name} ${where} --why ${object}`);
}
