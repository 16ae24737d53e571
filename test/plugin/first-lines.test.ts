/** What commands print before they begin: lines followed by an empty one. */
import { expect, test } from "bun:test";
import { runProgram } from "../e2e/support/program.ts";

test("run prints that it runs, then an empty line, and does not escape its own newlines", async () => {
  const { stdout } = await runProgram(["run", "replicaset", "--sandbox", "--once"], {});
  expect(stdout).toMatch(/^running replicaset with 5 workers, until all is synced\n\n/m);
  expect(stdout).not.toContain("\\n");
});
