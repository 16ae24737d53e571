/** What a script or a CI job is told by the exit code. */
import { describe, expect, test } from "bun:test";
import { exitCodeOf, type Fear, lostObjects, readFears } from "../../../plugin/dry-run/verdict.ts";
import type { DryRun } from "../../../src/modes/dry-run/dry-run.ts";
import { deployment, full, play, rollout } from "./scene.ts";

describe("the exit code of dry-run", () => {
  const rows: readonly {
    readonly name: string;
    readonly run: DryRun;
    readonly fears?: readonly Fear[];
    readonly never?: true;
    readonly alone?: true;
    readonly code: number;
  }[] = [
    { name: "something would change", run: rollout, code: 1 },
    { name: "something would change, --exit-code=never", run: rollout, never: true, code: 0 },
    { name: "manifests alone have nothing to differ from", run: rollout, alone: true, code: 0 },
    { name: "a rollout, where deletions are feared", run: rollout, fears: ["delete"], code: 0 },
    { name: "nothing becomes available", run: full, code: 4 },
    { name: "nothing becomes available, --exit-code=never", run: full, never: true, code: 4 },
    { name: "nothing becomes available, where it is not feared", run: full, fears: ["delete"], code: 0 },
    { name: "nothing becomes available, where it is feared", run: full, fears: ["unavailable"], code: 4 },
    { name: "never steady", run: { ...rollout, settled: { is: "horizon", horizonMs: 1 } }, code: 3 },
    {
      name: "never steady, where it is not feared",
      run: { ...rollout, settled: { is: "horizon", horizonMs: 1 } },
      fears: ["delete"],
      code: 0,
    },
  ];
  for (const { name, run, fears, never, alone, code } of rows) {
    test(`${name}: ${code}`, () => {
      const options = { never: never === true, hasBaseline: alone !== true };
      expect(exitCodeOf(run, { ...options, ...(fears !== undefined && { fears: new Set(fears) }) })).toBe(code);
    });
  }

  test("a Deployment that is deleted takes with it what is lost for good", async () => {
    const kind = { group: "apps", version: "v1", kind: "Deployment", plural: "deployments", namespaced: true };
    const run = await play([deployment("nginx:1.26")], [{ is: "delete", kind, namespace: "shop", name: "web" }]);
    expect(lostObjects(run).map(({ of }) => of.kind)).toEqual(["Deployment", "ReplicaSet", "Pod"]);
    expect(exitCodeOf(run, { fears: new Set(["delete"]), never: false, hasBaseline: true })).toBe(1);
  });

  test("--fail-on takes lists, and refuses words that it does not know", () => {
    expect(readFears(["delete,unavailable", "never-steady"])).toEqual(
      new Set(["delete", "unavailable", "never-steady"]),
    );
    expect(() => readFears(["deletes"])).toThrow('--fail-on does not know "deletes"');
  });
});
