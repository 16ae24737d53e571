/** Prints the answers of `why` in the requested format. */
import type { Kind } from "../../../src/api/kind.ts";
import { ConfigMaps, Pods, Secrets } from "../../../src/api/kinds.ts";
import { builtInControllers } from "../../../src/controllers/index.ts";
import { stringify } from "yaml";
import type { Answer } from "../../../src/diagnosis/answer.ts";
import type { Advice, Ref } from "../../../src/diagnosis/diagnosis.ts";
import { kubectlAdvice, quoted, reconcileAdvice } from "../../cli/advice.ts";
import type { WhyAnswers } from "./read-answers.ts";
import type { NamedController, WhyRequest } from "./request.ts";
import type { Io } from "../../cli/io.ts";
import { answerData, answerMarkdown } from "./answer-data.ts";
import { answerLines } from "./answer-text.ts";
import { answersLines } from "./answers-text.ts";
import { styleOf } from "../../cli/style.ts";

/** Prints the answers of one reading. */
export function printAnswers(whole: WhyAnswers, request: WhyRequest, io: Io): void {
  const { flags, sandbox, output } = request;
  const withNamespaces = flags.allNamespaces === true;
  // kubectl cannot reach a cluster inside this process.
  const adviceText = ({ tool, words }: Advice): string =>
    tool === "kubectl" ? (sandbox ? "" : kubectlAdvice(flags, words)) : reconcileAdvice(io.calledAs, flags, words);
  const write = (lines: readonly string[]): void => {
    for (const line of lines) io.out.line(line);
  };
  const { answers, targets, verdict, now } = whole;
  switch (output) {
    case "json":
      write(answers.map((answer) => JSON.stringify(answerData(answer, adviceText))));
      break;
    case "yaml":
      io.out.write(answers.map((answer) => stringify(answerData(answer, adviceText))).join("---\n"));
      break;
    case "markdown":
      write(answers.flatMap((answer) => answerMarkdown(answer, adviceText, withNamespaces)));
      break;
    case "text": {
      const [first] = answers;
      const text = { style: styleOf(io.out), now, adviceText, withNamespaces };
      if (targets.isOne && first !== undefined)
        write(answerLines(first, { ...text, follow: followCommand(first, request, io) }));
      else write(answersLines(answers, { ...text, follow: undefined, where: targets.where, verdict }));
    }
  }
}

/** Kinds that are the primary kind of a controller, but not reconciled by it in the usual sense: it only cleans up, signs or creates objects. */
const reconciledByNone: readonly Kind[] = [Pods, Secrets, ConfigMaps];

/** The controller that a node concerns above all; several others reconcile nodes for what is attached to them, or run on them. */
const mainOfNodes = "node-lifecycle";

/** The command that traces the object, with the controller for its kind (user-defined ones first), or else that of its owner. */
function followCommand(
  { of, owners }: Answer,
  { flags, sandbox, controllers }: WhyRequest,
  { calledAs }: Io,
): string | undefined {
  const { kind, namespace, name } = of;
  const isKind = (one: Kind, other: Kind): boolean => one.kind === other.kind && one.group === other.group;
  const chosenFor = (ref: Ref): readonly NamedController[] =>
    controllers.filter(({ definition: { for: own } }) => own !== undefined && isKind(own, ref.kind));
  const isBuiltIn = ({ definition }: NamedController): boolean => builtInControllers.includes(definition);
  const reconciled = [of, ...owners].find((each) => !reconciledByNone.some((none) => isKind(none, each.kind)));
  const candidates = reconciled === undefined ? [] : chosenFor(reconciled);
  const controller =
    chosenFor(of).findLast((each) => !isBuiltIn(each)) ??
    candidates.find(({ definition }) => definition.name === mainOfNodes) ??
    // Otherwise the first is the main one for its kind.
    candidates[0];
  if (controller === undefined) return undefined;
  const object = `${kind.kind.toLowerCase()}/${name}`;
  if (sandbox) {
    const files = (flags.manifests ?? []).map((file) => ` -f ${quoted(file)}`).join("");
    const state = flags.load === undefined ? "" : ` --load ${quoted(flags.load)}`;
    const where = namespace === "" ? "" : ` -n ${quoted(namespace)}`;
    return `${calledAs} trace ${quoted(controller.word)} --sandbox${state}${files}${where} --why ${object}`;
  }
  const where = namespace === "" ? "-A" : `-n ${quoted(namespace)}`;
  return reconcileAdvice(calledAs, flags, `trace ${quoted(controller.word)} ${where} --why ${object}`);
}
