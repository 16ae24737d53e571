import { describe, expect, test } from "bun:test";
import { comparisonLine, ForkComparison, forkVerdict } from "../../../plugin/process/fork-comparison.ts";
import type { Divergence } from "../../../src/modes/fork/divergences.ts";
import type { WatchEvent } from "../../../src/trace/events.ts";
import { Coverage } from "../../../src/views/coverage.ts";
import { Events } from "../../views/events.ts";

const of = { group: "", kind: "ConfigMap" };
const here = { metadata: { name: "web", namespace: "shop", uid: "1", resourceVersion: "1", creationTimestamp: "" } };
/** Created in the fork at 10 s; nothing has happened on the cluster since. */
const silent: Divergence = { of, key: "shop/web", base: undefined, here, since: 10_000, cluster: { is: "silent" } };

function coverageOf(...states: readonly (readonly [at: number, state: WatchEvent["state"]])[]): Coverage {
  const coverage = new Coverage();
  const events = new Events();
  for (const [at, state] of states)
    coverage.accept({ ...events.make({ stage: "watch", of, state, resourceVersion: "1", why: state }), at });
  return coverage;
}

function compared(now: number, coverage: Coverage): { readonly line: string; readonly verdict: string } {
  const result = new ForkComparison(() => undefined).result([silent], { now, coverage });
  const verdict = forkVerdict(result);
  return { line: comparisonLine(result), verdict: verdict.is === "cannot tell" ? verdict.because : verdict.is };
}

describe("what was written in the fork", () => {
  const one = "compared with the cluster: 0 same · 1 ";

  test("is only here if the cluster was watched for two seconds since", () => {
    const coverage = coverageOf([0, "opened"]);
    expect(compared(13_000, coverage)).toEqual({ line: `${one}only here`, verdict: "found" });
    expect(compared(11_000, coverage)).toEqual({
      line: `${one}written too late to compare`,
      verdict: "nothing was compared",
    });
  });

  test("is not compared while the cluster's watch is broken, nor within two seconds of its return", () => {
    const broken = coverageOf([0, "opened"], [9000, "failed"]);
    expect(compared(60_000, broken)).toEqual({
      line: "compared with the cluster: 0 same · ConfigMap not compared: not watched on the cluster at the end",
      verdict: "nothing was compared; not seen: ConfigMap (not watched on the cluster at the end)",
    });
    const back = coverageOf([0, "opened"], [9000, "failed"], [59_000, "opened"]);
    expect(compared(60_000, back).line).toBe(`${one}written too late to compare`);
    expect(compared(62_000, back).line).toBe(`${one}only here`);
  });

  test("is not compared if the kind was never watched", () => {
    expect(compared(60_000, new Coverage()).verdict).toContain("not seen: ConfigMap");
  });
});

test("nothing that was compared is no agreement", () => {
  const result = new ForkComparison(() => undefined).result([], { now: 0, coverage: new Coverage() });
  expect(forkVerdict(result)).toMatchObject({ is: "cannot tell", because: "nothing was compared" });
  expect(forkVerdict({ ...result, same: 2 })).toMatchObject({ is: "well" });
});
