import { describe, expect, test } from "bun:test";
import { type Kind } from "../../src/api/kind.ts";
import { Deployments, Nodes } from "../../src/api/kinds.ts";
import type { WatchEvent } from "../../src/trace/events.ts";
import { Coverage } from "../../src/views/coverage.ts";
import type { Loop } from "../../src/views/loops/loop.ts";
import { type LoopEvidence, loopsVerdict } from "../../src/views/loops/verdict.ts";
import { Events } from "./events.ts";

const core = { group: "", version: "v1", namespaced: true } as const;
const configMaps: Kind = { ...core, kind: "ConfigMap", plural: "configmaps" };
const secrets: Kind = { ...core, kind: "Secret", plural: "secrets" };

const quiet: LoopEvidence = {
  loops: [],
  tooShort: [],
  kinds: [configMaps],
  refused: [],
  named: false,
  gaps: [],
  undiscovered: [],
  unknownNamespace: undefined,
  deltas: 12,
  ms: 10_000,
  endedAt: 60_000,
};
const widgets: Kind = { group: "example.com", version: "v1", kind: "Widget", plural: "widgets", namespaced: true };
/** Rewritten 40 times in 4 s, ending at this time in ms. */
function burst(lastAt: number): Loop {
  const of = { group: "", kind: "ConfigMap" };
  return { is: "rewritten", of, key: "shop/flip", writes: 40, ms: 4000, lastAt, how: "empty", fields: [], writers: [] };
}
const loop: Loop = { is: "requeued", controller: "deployment", key: "a/b", syncs: 20, ms: 1, lastAt: 1, why: "" };

describe("loopsVerdict", () => {
  const rows: readonly { readonly name: string; readonly evidence: Partial<LoopEvidence>; readonly is: string }[] = [
    { name: "everything was watched", evidence: {}, is: "well" },
    { name: "nothing was written", evidence: { deltas: 0 }, is: "well" },
    {
      name: "a loop was found, whatever was not watched",
      evidence: { loops: [loop], refused: [widgets] },
      is: "found",
    },
    { name: "nothing could be watched", evidence: { kinds: [] }, is: "cannot tell" },
    { name: "custom objects cannot be watched", evidence: { refused: [widgets] }, is: "cannot tell" },
    { name: "workloads cannot be watched", evidence: { refused: [Deployments] }, is: "cannot tell" },
    {
      name: "a kind that the role view excludes cannot be watched",
      evidence: { refused: [secrets, Nodes] },
      is: "well",
    },
    { name: "a requested kind cannot be watched", evidence: { refused: [secrets], named: true }, is: "cannot tell" },
    { name: "a watch broke", evidence: { gaps: [{ of: Deployments, why: "broke" }] }, is: "cannot tell" },
    { name: "the kinds of a group are unknown", evidence: { undiscovered: ["x/v1"] }, is: "cannot tell" },
    {
      name: "the kinds of a group are unknown, and kinds were requested",
      evidence: { undiscovered: ["x/v1"], named: true },
      is: "well",
    },
    { name: "it was watched for less than a loop takes", evidence: { ms: 4900 }, is: "cannot tell" },
    { name: "it was watched for just long enough", evidence: { ms: 4999.7 }, is: "well" },
    { name: "a burst of writes lasts until the end", evidence: { tooShort: [burst(59_900)] }, is: "cannot tell" },
    { name: "a burst of writes came to rest", evidence: { tooShort: [burst(54_000)] }, is: "well" },
    { name: "it is unknown whether the namespace exists", evidence: { unknownNamespace: "x" }, is: "cannot tell" },
  ];
  for (const { name, evidence, is } of rows) {
    test(`is ${is} if ${name}`, () => expect(loopsVerdict({ ...quiet, ...evidence }).is).toBe(is as "well"));
  }
});

test("loopsVerdict says for how long it was watched, and which objects may be in a loop", () => {
  const all = { ...quiet, ms: 4012.3, tooShort: [burst(59_000)], deltas: 1 };
  expect(loopsVerdict(all)).toMatchObject({
    because:
      "watched for 4 s, a loop shows after 5 s; ConfigMap shop/flip: rewritten 40 times in 4 s, too short to call it a loop",
    evidence: { seen: ["1 kind for 4012 ms", "1 change"] },
  });
  const many = { ...quiet, tooShort: Array.from({ length: 9 }, () => burst(60_000)) };
  expect(loopsVerdict(many)).toMatchObject({ because: expect.stringMatching(/(flip.*){5}; 4 more$/) as string });
});

describe("Coverage", () => {
  const of = { group: "apps", kind: "Deployment" };
  /** Watches of one kind that opened and ended at these times, in seconds. */
  function watched(...states: readonly [WatchEvent["state"], number][]): Coverage {
    const coverage = new Coverage();
    const events = new Events(0);
    for (const [state, at] of states) {
      events.at = at * 1000 - 1;
      coverage.accept(events.make({ stage: "watch", of, state, resourceVersion: "1", why: "connection broke" }));
    }
    return coverage;
  }

  test("has no gap for a watch that lasts, or is reopened at once", () => {
    expect(watched(["opened", 0]).gaps(0, 60_000)).toEqual([]);
    expect(watched(["opened", 0], ["closed", 30], ["opened", 31]).gaps(0, 60_000)).toEqual([]);
    expect(watched(["opened", 0], ["closed", 59]).gaps(0, 60_000)).toEqual([]);
  });

  test("has one if a watch broke, and says since when", () => {
    expect(watched(["opened", 0], ["failed", 40]).gaps(0, 60_000)).toEqual([
      { of, why: "the watch broke 20 s ago: connection broke" },
    ]);
  });

  test("has one if a watch was broken for long, though it is open again", () => {
    expect(watched(["opened", 0], ["failed", 10], ["opened", 50]).gaps(0, 60_000)).toEqual([
      { of, why: "watched for only 20 s of 60 s: connection broke" },
    ]);
  });

  test("is broken only if it is not open at the end", () => {
    expect(watched(["opened", 0], ["failed", 10], ["opened", 50]).broken(60_000)).toEqual([]);
    expect(watched(["opened", 0], ["closed", 59]).broken(60_000)).toEqual([]);
    expect(watched(["opened", 0], ["failed", 40]).broken(60_000)).toEqual([
      { of, why: "the watch broke 20 s ago: connection broke" },
    ]);
  });
});
