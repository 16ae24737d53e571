import { expect, test } from "bun:test";
import { join } from "node:path";

test("the demo tells its story to the end, within 20 seconds and with exit code 0", async () => {
  const startedAt = performance.now();
  const demo = Bun.spawn([process.execPath, join(import.meta.dir, "../../scripts/demo.ts")], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [said, complaint, code] = await Promise.all([
    new Response(demo.stdout).text(),
    new Response(demo.stderr).text(),
    demo.exited,
  ]);
  expect({ complaint, code }).toEqual({ complaint: "", code: 0 });
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  const steps = said.match(/^\d\. /gm);
  expect(steps).toEqual(["1. ", "2. ", "3. ", "4. "]);
  // Three come at first, one restarts, one replaces another; three go in the end.
  expect(said.match(/^ {2}\+ web-/gm)).toHaveLength(5);
  expect(said.match(/^ {2}! web-/gm)).toHaveLength(1);
  expect(said.match(/^ {2}- web-/gm)).toHaveLength(3);
  expect(said).toContain("1 of 3 pods are missing → create 1");
}, 25_000);
