import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Script } from "../../differential/suite.ts";
import { sleeperRules } from "./workload-sleepers.ts";

test.each(sleeperRules)("a differential script shows upstream leave it alone: $what", async ({ shownBy }) => {
  const index = join(import.meta.dir, "..", "..", "differential", "scripts", shownBy.suite, "index.ts");
  // Each suite exports its scripts.
  const { scripts } = (await import(index)) as { readonly scripts: readonly Script[] };
  expect(scripts.map(({ name }) => name)).toContain(shownBy.script);
});
