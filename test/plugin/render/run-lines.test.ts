import { describe, expect, test } from "bun:test";
import { Chalk } from "chalk";
import { RunLines, summaryLine } from "../../../plugin/render/run-lines.ts";
import type { RunLine } from "../../../src/views/run-report.ts";

const at = Date.parse("2026-11-21T10:41:07.212Z");
const lines: readonly RunLine[] = [
  {
    is: "decision",
    at,
    controller: "replicaset",
    key: "shop/web",
    rule: "scale-up",
    sentence: "3 of 5 pods are missing → create 3",
  },
  {
    is: "writes",
    at: at + 7,
    writes: ["x7k2p", "c81vw", "hh2lm"].map((suffix) => ({ did: "created", kind: "Pod", name: `web-${suffix}` })),
  },
  {
    is: "decision",
    at: at + 14,
    controller: "replicaset",
    key: "shop/web",
    rule: "status",
    sentence: "replicas 3 → 2, observedGeneration 4 → 5",
  },
  {
    is: "refused",
    at: at + 20,
    writes: [
      {
        verb: "create",
        kind: "Pod",
        error: 'pods "web-" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2',
        count: 3,
      },
    ],
  },
  {
    is: "failed",
    at: at + 30,
    controller: "replicaset",
    key: "shop/web",
    error: "exceeded quota",
    failures: 3,
    retryInMs: 20,
  },
];

function shown(columns: number | undefined, given: readonly RunLine[] = lines): string[] {
  const screen = new RunLines({
    style: { columns, colour: new Chalk({ level: 0 }) },
    controllers: ["replicaset"],
    sinceStartAt: at,
  });
  return given.flatMap((line) => screen.text(line));
}

describe("RunLines", () => {
  test("in a pipe every line is complete, with its time", () => {
    expect(shown(undefined)).toEqual([
      "    0.000 replicaset shop/web  scale-up     3 of 5 pods are missing → create 3",
      "    0.007                      + Pod web-x7k2p  + Pod web-c81vw  + Pod web-hh2lm",
      "    0.014 replicaset shop/web  status       replicas 3 → 2, observedGeneration 4 → 5",
      '    0.020                      ! 3 × create Pod refused: pods "web-" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2',
      "    0.030 replicaset shop/web  failed       exceeded quota (failure 3, again in 20 ms)",
    ]);
  });

  test("on 80 columns the times are omitted, and long text is wrapped", () => {
    expect(shown(80)).toEqual([
      "replicaset shop/web  scale-up     3 of 5 pods are missing → create 3",
      "                     + Pod web-x7k2p  + Pod web-c81vw  + Pod web-hh2lm",
      "replicaset shop/web  status       replicas 3 → 2, observedGeneration 4 → 5",
      '                     ! 3 × create Pod refused: pods "web-" is forbidden:',
      "                     exceeded quota: few, requested: pods=1, used: pods=2,",
      "                     limited: pods=2",
      "replicaset shop/web  failed       exceeded quota (failure 3, again in 20 ms)",
    ]);
  });

  test("the column of rules grows with longer ones", () => {
    const decided = (rule: string): RunLine => ({ ...(lines[0] as RunLine & { is: "decision" }), rule, sentence: "…" });
    const rules = ["scale-up", "deployment-revision", "scale-up"];
    expect(shown(80, rules.map(decided))).toEqual([
      "replicaset shop/web  scale-up     …",
      "replicaset shop/web  deployment-revision …",
      "replicaset shop/web  scale-up            …",
    ]);
  });

  test("no line is wider than a screen of 80 columns or more, even with long names", () => {
    const long: RunLine[] = lines.map((line) =>
      "key" in line ? { ...line, key: `a-rather-long-namespace/${"web".repeat(8)}` } : line,
    );
    for (const columns of [80, 100, 120]) {
      for (const line of shown(columns, long)) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  test("names the first eight of many writes and counts the rest", () => {
    const writes = Array.from({ length: 500 }, (_, i) => ({ did: "created", kind: "Pod", name: `web-${i}` }) as const);
    const [line = ""] = shown(undefined, [{ is: "writes", at, writes }]);
    expect(line).toContain("+ Pod web-7  … and 492 more");
    expect(line).not.toContain("web-8");
  });

  test("the times keep the clock's format on a wide screen", () => {
    const screen = new RunLines({
      style: { columns: 120, colour: new Chalk({ level: 0 }) },
      controllers: ["replicaset"],
    });
    expect(screen.text(lines[0] as RunLine)[0]).toMatch(/^\d\d:\d\d:07\.212 replicaset shop\/web {2}scale-up/);
  });
});

test("the summary counts what happened, and omits what did not", () => {
  const summary = { syncs: 9, writes: 4, conflicts: 1, cacheBehind: 0, errors: 0 };
  expect(summaryLine(summary, 12_400)).toBe("stopped after 12.4 s: 9 syncs, 4 writes, 1 conflict retried, 0 errors");
  expect(summaryLine({ syncs: 1, writes: 1, conflicts: 0, cacheBehind: 2, errors: 1 }, 800)).toBe(
    "stopped after 800 ms: 1 sync, 1 write, 2 waits for a cache, 1 error",
  );
});

test("both sides of an arrow stay on one line, however narrow the screen", () => {
  for (let columns = 50; columns <= 120; columns++) {
    for (const line of shown(columns)) expect(line).not.toMatch(/→$|^ *→/);
  }
});

test("the kind of a list that failed is named", () => {
  const [line] = shown(undefined, [{ is: "list failed", at, kind: "ReplicaSet", why: "404 NotFound" }]);
  expect(line).toEndWith("list of ReplicaSet failed: 404 NotFound; trying again");
});
