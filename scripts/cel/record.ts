/**
 * Records the answers of Kubernetes' own CEL to the questions of `test/sandbox/cel`: `node_modules/.bin/bun scripts/cel/record.ts` (needs
 * Go). Repeated runs write the same bytes.
 */
import { join } from "node:path";
import { questions as expressions } from "../../test/sandbox/cel/expressions.ts";
import { questions as rules } from "../../test/sandbox/cel/rules.ts";
import { ask, type Question } from "./oracle.ts";

const folder = join(import.meta.dir, "..", "..", "test", "sandbox", "cel", "recorded");

for (const [name, questions] of Object.entries<readonly Question[]>({ expressions, rules })) {
  const answers = await ask(questions);
  const failed = questions.filter((_, n) => answers[n]?.problem !== undefined);
  for (const question of failed)
    console.error(`The oracle fails: ${question.expression ?? JSON.stringify(question.rules)}`);
  // One line per answer, so a change to one shows as one line in a diff.
  await Bun.write(
    join(folder, `${name}.json`),
    `[\n${answers.map((answer) => JSON.stringify(answer)).join(",\n")}\n]\n`,
  );
  console.log(`${name}: ${answers.length} answers`);
}
