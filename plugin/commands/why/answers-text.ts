/** Answers about several objects: the count first, then each that is not well, worst first. */
import type { Answer } from "../../../src/diagnosis/answer.ts";
import { type Verdict, unseenText } from "../../../src/verdict/verdict.ts";
import { type AnswerTextOptions, shortAnswerLines, titleOf } from "./answer-text.ts";
import { pluralize, wrapWords } from "../../cli/style.ts";

const shownWell = 12;
const shownBad = 50;

/** Options for the text of answers about several objects. */
export interface AnswersText extends AnswerTextOptions {
  /** `namespace shop`, `2 objects`. */
  readonly where: string;
  readonly verdict: Verdict<Answer>;
}

/** The answers about several objects: a headline with the verdict, then those that are not well, worst first. */
export function answersLines(answers: readonly Answer[], options: AnswersText): string[] {
  const { style, where, verdict } = options;
  const bad = answers.filter(({ is }) => is !== "well" && is !== "cannot tell");
  const unclear = answers.filter(({ is }) => is === "cannot tell");
  const well = answers.filter(({ is }) => is === "well");
  const paint = bad.length > 0 ? style.colour.yellow : verdict.is === "well" ? style.colour.green : style.colour.yellow;
  const lines = [paint(`${where}: ${headline(answers.length, bad.length, unclear.length, well.length)}`)];
  const notable = [...bad, ...unclear];
  for (const answer of notable.slice(0, shownBad)) lines.push(...shortAnswerLines(answer, options));
  if (notable.length > shownBad) lines.push(`and ${pluralize(notable.length - shownBad, "more object")}`);
  if (well.length > 0) {
    const names = well
      .slice(0, shownWell)
      .map((each) => titleOf(each, options.withNamespaces))
      .join(", ");
    const more = well.length > shownWell ? ` and ${well.length - shownWell} more` : "";
    lines.push(...dim(`as they should be: ${names}${more}`, options));
  }
  const unseen = unseenText(verdict.evidence.unseen);
  return [...lines, ...dim(unseen, options), ...dim("Nothing was written.", options)];
}

function headline(all: number, bad: number, unclear: number, well: number): string {
  if (all === 0) return "no objects found";
  if (bad === 0 && unclear === 0)
    return `${pluralize(well, "object is", "objects are")} as ${well === 1 ? "it" : "they"} should be`;
  const parts = [
    ...(bad > 0
      ? [
          `${bad} of ${pluralize(all, "object")} ${bad === 1 ? "is" : "are"} not as ${bad === 1 ? "it" : "they"} should be`,
        ]
      : []),
    ...(unclear > 0 ? [`cannot tell for ${unclear}`] : []),
  ];
  return parts.join(", ");
}

function dim(text: string, { style }: AnswersText): string[] {
  if (text === "") return [];
  const lines = wrapWords(text.split(" "), style.columns === undefined ? undefined : style.columns - 2);
  return lines.map((line, index) => style.colour.dim(index === 0 ? line : `  ${line}`));
}
