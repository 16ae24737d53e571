import { expect, test } from "bun:test";
import { join } from "node:path";
import { runProgram } from "../support/program.ts";

test("the demo runs to the end, with exit code 0", async () => {
  const demo = await runProgram([process.execPath, join(import.meta.dir, "../../scripts/demo.ts")], {
    timeoutMs: 300_000,
  });
  const { stdout: output, stderr: complaint, code } = demo;
  expect({ complaint, code }).toEqual({ complaint: "", code: 0 });
  const steps = output.match(/^\d\. /gm);
  expect(steps).toEqual(["1. ", "2. ", "3. ", "4. ", "5. "]);
  // Three are created first, one replaces another, three have the new version, three the old one again; all are deleted.
  expect(output.match(/^ {2}\+ web-/gm)).toHaveLength(10);
  expect(output.match(/^ {2}- web-/gm)).toHaveLength(10);
  expect(output).not.toMatch(/^ {2}! /m);
  expect(output).toContain("it has no ReplicaSet yet → create web-");
  expect(output).toContain("1 of 3 pods is missing → create 1");
  expect(output).toMatch(/the template changed at .*image → create web-.* as revision 2/);
  expect(output).toMatch(/has the Deployment's template → revision 1 → 3/);
  expect(output.match(/its only owner .* is absent: .* → delete/g)).toHaveLength(5);
});
