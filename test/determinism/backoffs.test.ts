import { expect, test } from "bun:test";
import golden from "../controllers/job/golden-backoff.json";
import { onBothRuntimes } from "./both-runtimes.ts";

test("Jobs wait after each failure as upstream, up to the longest back-off, with the same bytes on Bun and on Deno", async () => {
  const { run, index } = golden;
  expect(index.created.length).toBe(run.created.length);
  const args = [String(run.created.length), String(run.takes)];
  const stdout = await onBothRuntimes("backoffs.ts", args);
  const failed = {
    failed: run.created.length,
    conditions: ["FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"],
  };
  const failedIndex = { ...failed, conditions: ["FailureTarget FailedIndexes", "Failed FailedIndexes"] };
  const [indexed, plain, hash] = stdout.split("\n");
  expect(plain).toBe(`plain ${JSON.stringify({ created: run.created, ...failed })}`);
  expect(indexed).toBe(`indexed ${JSON.stringify({ created: index.created, ...failedIndex })}`);
  expect(hash).toMatch(/^hash [0-9a-f]{16}, \d{3,} events$/);
}, 600_000);
