/**
 * Records the results of Kubernetes' own CEL for the questions of `test/sandbox/cel`: `node_modules/.bin/bun scripts/cel/record.ts` (needs
 * Go). Repeated runs write the same bytes.
 */
import { join } from "node:path";
import { questions as expressions } from "../../test/sandbox/cel/expressions.ts";
import { questions as rules } from "../../test/sandbox/cel/rules.ts";
import { evaluate, type Question } from "./oracle.ts";

const folder = join(import.meta.dir, "..", "..", "test", "sandbox", "cel", "recorded");

for (const [name, questions] of Object.entries<readonly Question[]>({ expressions, rules })) {
  const results = await evaluate(questions);
  const failed = questions.filter((_, n) => results[n]?.problem !== undefined);
  for (const question of failed)
    console.error(`The oracle fails: ${question.expression ?? JSON.stringify(question.rules)}`);
  // One line per result, so a change to one shows as one line in a diff.
  await Bun.write(
    join(folder, `${name}.json`),
    `[\n${results.map((result) => JSON.stringify(result)).join(",\n")}\n]\n`,
  );
  console.log(`${name}: ${results.length} answers`);
}
