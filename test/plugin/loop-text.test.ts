import { describe, expect, test } from "bun:test";
import { Chalk } from "chalk";
import { loopsSummaryLine, loopText } from "../../plugin/render/loop-text.ts";
import type { Loop, RewriteLoop } from "../../src/views/loops.ts";

const fight: RewriteLoop = {
  is: "rewritten",
  of: { group: "apps", kind: "Deployment" },
  key: "shop/web",
  writes: 241,
  ms: 60_000,
  how: "alternates",
  fields: [
    { path: ".spec.replicas", changes: 240, returns: 238, values: [3, 5], writers: ["hpa", "gitops"] },
    { path: ".status.phase", changes: 90, returns: 80, values: ["A", "B", "C", "D"], writers: [] },
  ],
  writers: [
    { name: "gitops", writes: 120 },
    { name: "hpa", writes: 120 },
    { name: undefined, writes: 1 },
  ],
};

const renewed: RewriteLoop = {
  ...fight,
  of: { group: "example.com", kind: "Widget" },
  writes: 21,
  how: "renewed",
  fields: [{ path: ".status.lastSync", changes: 20, returns: 0, values: ["10:00", "10:01"], writers: ["operator"] }],
  writers: [{ name: undefined, writes: 21 }],
};

const own: Loop = {
  is: "own writes",
  controller: "replicaset",
  key: "shop/web",
  syncs: 41,
  byOwnWrite: 40,
  ms: 10_000,
  fields: [{ path: ".status.since", changes: 40, returns: 0, values: ["a", "b"], writers: [] }],
};

function shown(loop: Loop, columns?: number, next = ""): string {
  return loopText(loop, { columns, colour: new Chalk({ level: 0 }) }, next).join("\n");
}

describe("loopText", () => {
  test("names what is rewritten, the fields with their values, the writers, and where to look", () => {
    expect(shown(fight, undefined, "kubectl reconcile watch deploy/web")).toBe(
      [
        "loop    Deployment shop/web: written 241 times in 60 s, 4 a second",
        "        .spec.replicas 3 ⇄ 5 (240 changes, by gitops and hpa)",
        "        .status.phase comes back to A, B, C, … (90 changes)",
        "        writers gitops 120 writes · hpa 120 writes · unknown 1 write",
        "        see it: kubectl reconcile watch deploy/web",
      ].join("\n"),
    );
  });

  test("says of a field that is renewed what its last values were, and that nobody knows the writer", () => {
    expect(shown(renewed)).toBe(
      [
        "loop    Widget shop/web: written 21 times in 60 s, 20 a minute",
        "        .status.lastSync is another one each time: …, 10:00, 10:01 (20 changes, by operator)",
        "        writer  managedFields do not tell",
      ].join("\n"),
    );
  });

  test("says of writes that change nothing that they do", () => {
    expect(shown({ ...fight, how: "empty", fields: [] })).toContain(
      "\n        no field changes: every write makes a new version and nothing else\n",
    );
  });

  test("says of a controller of ours that its own writes wake it", () => {
    expect(shown(own).split("\n")[0]).toBe(
      "loop    replicaset shop/web: 41 syncs in 10 s, 40 of them woken by its own write",
    );
  });

  test("keeps to 80 columns", () => {
    for (const loop of [fight, renewed, own]) {
      for (const line of shown(loop, 80).split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    }
  });
});

test("the summary tells what was written as often and is no loop", () => {
  const some = { kinds: 41, ms: 60_000 };
  expect(loopsSummaryLine({ ...some, loops: 0, busy: 0 })).toBe("watched 41 kinds for 60 s: no loop");
  expect(loopsSummaryLine({ ...some, loops: 2, busy: 3 })).toBe(
    "watched 41 kinds for 60 s: 2 loops; 3 objects were written as often, but without going round in circles",
  );
});
