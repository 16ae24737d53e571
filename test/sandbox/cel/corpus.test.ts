/** Compares our CEL with recorded results of Kubernetes' CEL: see scripts/cel/record.ts. */
import { describe, expect, test } from "bun:test";
import type { Evaluation, Question } from "../../../scripts/cel/oracle.ts";
import { evaluate } from "./answers.ts";
import { questions as expressions } from "./expressions.ts";
import recordedExpressions from "./recorded/expressions.json";
import recordedRules from "./recorded/rules.json";
import { questions as rules } from "./rules.ts";

/** The results that differ, each with its question. */
function differences(questions: readonly Question[], recorded: readonly Evaluation[]): string[] {
  expect(questions.length).toBe(recorded.length);
  return questions.flatMap((question, n) => {
    const ours = JSON.parse(JSON.stringify(evaluate(question))) as Evaluation;
    const theirs = recorded[n];
    if (Bun.deepEquals(ours, theirs)) return [];
    const text = question.expression ?? JSON.stringify(question.rules);
    return [`${text.slice(0, 200)}\n  recorded ${JSON.stringify(theirs)}\n  ours     ${JSON.stringify(ours)}`];
  });
}

describe("Kubernetes' own CEL and ours", () => {
  test("give expressions the same types, values, errors and costs", () => {
    // The recording is JSON of this type.
    expect(differences(expressions, recordedExpressions as readonly Evaluation[])).toEqual([]);
  });

  test("agree on rules in schemas, and on objects", () => {
    // The recording is JSON of this type.
    expect(differences(rules, recordedRules as readonly Evaluation[])).toEqual([]);
  });
});
