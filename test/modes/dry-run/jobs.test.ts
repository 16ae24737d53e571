import { describe, expect, test } from "bun:test";
import { job } from "../../../src/controllers/job/job.ts";
import { isShort } from "../../../src/modes/dry-run/availability.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { jobNamed, type JobParts } from "../../controllers/job/scene.ts";
import { apply, changesOf, play } from "./scene.ts";

const exitCode = { annotations: { "sandbox.kubectl-reconcile.io/exit-code": "1" } };

function played(spec: object, parts: JobParts = {}): Promise<DryRun> {
  const manifest = { apiVersion: "batch/v1", kind: "Job", ...jobNamed(spec, parts) };
  return play({ controllers: [job], requestedChanges: [apply(manifest)] });
}

describe("the dry run of a Job", () => {
  test("runs its pods to their ends, and counts completions", async () => {
    const run = await played({ completions: 3, parallelism: 2 });
    expect(changesOf(run)).toEqual(["+ Job default/data", "+ 3 Pod default/data-…"]);
    expect(run.settled.is).toBe("steady");
    expect(run.availability).toMatchObject([{ key: "default/data", available: 3, desired: 3, why: undefined }]);
    expect(run.availability.filter(isShort)).toEqual([]);
  });

  test("says that it fails, and why", async () => {
    const run = await played({ backoffLimit: 0 }, exitCode);
    expect(run.availability).toMatchObject([{ key: "default/data", available: 0, desired: 1 }]);
    expect(run.availability[0]?.why).toContain("container main: Error");
    expect(run.availability.filter(isShort)).toHaveLength(1);
  });

  test("leaves a suspended Job as it is, which is well", async () => {
    const run = await played({ suspend: true });
    expect(changesOf(run)).toEqual(["+ Job default/data"]);
    expect(run.availability.filter(isShort)).toEqual([]);
  });

  test("finds enough completions where a success policy asks for no more", async () => {
    const successPolicy = { rules: [{ succeededCount: 1 }] };
    const run = await played({ completions: 3, parallelism: 1, completionMode: "Indexed", successPolicy });
    expect(run.availability).toMatchObject([{ available: 1, desired: 1 }]);
    expect(run.availability.filter(isShort)).toEqual([]);
  });
});
