import { describe, expect, test } from "bun:test";
import { formatBytes, liveTable, type LiveTableOptions } from "../../../../plugin/commands/watch/live-table.ts";
import type { InformerState } from "../../../../src/cache/shared-informer.ts";
import type { QueueState } from "../../../../src/views/queue-gauges.ts";

const queue: QueueState = {
  controller: "replicaset",
  depth: 3,
  oldestMs: 1200,
  inFlight: 5,
  delayed: 2,
  adds: 1041,
  merged: 208,
  syncs: 800,
  failures: 4,
  longest: { key: "shop/web", ms: 340 },
  waited: { p50: 0.3, p99: 41 },
  took: { p50: 12, p99: 310 },
};

function informer(kind: string, objects: number, waiting = 0): InformerState {
  return {
    kind,
    objects,
    isServed: true,
    waiting,
    phase: "watching",
    resourceVersion: "48210",
    relists: 1,
    bytes: 3_200_000,
    lagMs: waiting === 0 ? 0 : 8,
    handlers: [],
  };
}

function table(more: Partial<LiveTableOptions> = {}): readonly string[] {
  return liveTable({
    controllers: ["replicaset"],
    queueOf: () => queue,
    informers: [informer("ReplicaSet", 12), informer("Pod", 148, 2)],
    columns: 80,
    rows: 30,
    ...more,
  });
}

describe("liveTable", () => {
  test("on 80 columns: queues, their quantiles, informers; the longest queue first", () => {
    expect(table().join("\n")).toBe(`QUEUE        DEPTH   OLDEST   IN FLIGHT   DELAYED   ADDS   MERGED   FAILED
replicaset   3       1.2 s    5           2         1041   208      4

QUEUE        LONGEST   WAITED P50   P99     SYNC P50   P99
replicaset   340 ms    0.3 ms       41 ms   12 ms      310 ms

INFORMER     OBJECTS   VERSION   LAG    RELISTS   READ
Pod          148       48210     8 ms   1         3.2 MB
ReplicaSet   12        48210     -      1         3.2 MB`);
  });

  test("on 160 columns the quantiles are beside the queues", () => {
    expect(table({ columns: 160 }).join("\n"))
      .toBe(`QUEUE        DEPTH   OLDEST   IN FLIGHT   DELAYED   ADDS   MERGED   FAILED   LONGEST   WAITED P50   P99     SYNC P50   P99
replicaset   3       1.2 s    5           2         1041   208      4        340 ms    0.3 ms       41 ms   12 ms      310 ms

INFORMER     OBJECTS   VERSION   LAG    RELISTS   READ     WAITING   STATE
Pod          148       48210     8 ms   1         3.2 MB   2         watching
ReplicaSet   12        48210     -      1         3.2 MB   0         watching`);
  });

  test("is never wider or higher than the terminal, and says what it omits", () => {
    const informers = Array.from({ length: 60 }, (_, n) => informer(`Kind${n}`, n));
    for (const [columns, rows] of [
      [60, 12],
      [80, 24],
      [200, 50],
    ] as const) {
      const lines = table({ informers, columns, rows });
      expect(lines.length).toBeLessThan(rows);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      expect(lines.at(-1)).toMatch(/^… \d+ more kinds$/);
    }
  });
});

test("sizes are abbreviated", () => {
  expect([812, 14_200, 3_200_000].map(formatBytes)).toEqual(["812 B", "14 kB", "3.2 MB"]);
});
