/** Compares our CEL with recorded answers of Kubernetes' CEL: see scripts/cel/record.ts. */
import { describe, expect, test } from "bun:test";
import type { Answer, Question } from "../../../scripts/cel/oracle.ts";
import { answer } from "./answers.ts";
import { questions as expressions } from "./expressions.ts";
import recordedExpressions from "./recorded/expressions.json";
import recordedRules from "./recorded/rules.json";
import { questions as rules } from "./rules.ts";

/** The answers that differ, each with its question. */
function differences(questions: readonly Question[], recorded: readonly Answer[]): string[] {
  expect(questions.length).toBe(recorded.length);
  return questions.flatMap((question, n) => {
    const ours = JSON.parse(JSON.stringify(answer(question))) as Answer;
    const theirs = recorded[n];
    if (Bun.deepEquals(ours, theirs)) return [];
    const asked = question.expression ?? JSON.stringify(question.rules);
    return [`${asked.slice(0, 200)}\n  recorded ${JSON.stringify(theirs)}\n  ours     ${JSON.stringify(ours)}`];
  });
}

describe("Kubernetes' own CEL and ours", () => {
  test("give expressions the same types, values, errors and costs", () => {
    // The recording is JSON of this type.
    expect(differences(expressions, recordedExpressions as readonly Answer[])).toEqual([]);
  });

  test("agree on rules in schemas, and on objects", () => {
    // The recording is JSON of this type.
    expect(differences(rules, recordedRules as readonly Answer[])).toEqual([]);
  });
});
