import { describe, expect, test } from "bun:test";
import { type Kind } from "../../src/api/kind.ts";
import { Deployments, Nodes } from "../../src/api/kinds.ts";
import type { WatchEvent } from "../../src/trace/events.ts";
import { Coverage } from "../../src/views/loops/coverage.ts";
import type { Loop } from "../../src/views/loops/loop.ts";
import { type LoopEvidence, loopsVerdict } from "../../src/views/loops/verdict.ts";
import { Events } from "./events.ts";

const core = { group: "", version: "v1", namespaced: true } as const;
const configMaps: Kind = { ...core, kind: "ConfigMap", plural: "configmaps" };
const secrets: Kind = { ...core, kind: "Secret", plural: "secrets" };

const quiet: LoopEvidence = {
  loops: [],
  kinds: [configMaps],
  refused: [],
  named: false,
  gaps: [],
  undiscovered: [],
  unknownNamespace: undefined,
  deltas: 12,
  ms: 10_000,
};
const widgets: Kind = { group: "example.com", version: "v1", kind: "Widget", plural: "widgets", namespaced: true };
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
    { name: "it is unknown whether the namespace exists", evidence: { unknownNamespace: "x" }, is: "cannot tell" },
  ];
  for (const { name, evidence, is } of rows) {
    test(`is ${is} if ${name}`, () => expect(loopsVerdict({ ...quiet, ...evidence }).is).toBe(is as "well"));
  }
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
});
