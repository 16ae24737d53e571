import { describe, expect, test } from "bun:test";
import { Chalk } from "chalk";
import { WatchLines, type WatchLinesOptions, watchSummaryLine } from "../../../../plugin/commands/watch/watch-lines.ts";
import { shownLength } from "../../../../plugin/cli/style.ts";
import { DeltaReport } from "../../../../src/views/delta-report.ts";
import { shownLine } from "../../../../src/views/shown-delta.ts";
import { Events, objectOf, replicaSets } from "../../../views/events.ts";

const at = Date.parse("2026-11-21T10:41:07.209Z");
const version = (resourceVersion: string): { readonly resourceVersion: string } => ({ resourceVersion });

/** A short history of a ReplicaSet, as `watch` shows it. */
function shown(columns: number | undefined, more: Partial<WatchLinesOptions> = {}): string[] {
  const view = new DeltaReport({ controllersOf: () => ["replicaset"] });
  const lines = new WatchLines({
    style: { columns, colour: new Chalk({ level: 0 }) },
    wide: false,
    namespaces: false,
    sinceStartAt: at,
    ...more,
  });
  const events = new Events(at);
  const conditions = (status: string): object => ({ conditions: [{ type: "Ready", status }] });
  const scaled = events.delta({
    of: replicaSets,
    ...version("48210"),
    before: objectOf("48200", { spec: { replicas: 3 }, status: { replicas: 3 } }),
    after: objectOf("48210", { spec: { replicas: 5 }, status: { replicas: 3 } }),
    writer: "kubectl-edit",
  });
  const bare = objectOf("1");
  const deleting = events.delta({
    key: "shop/web-9qf4d",
    ...version("48211"),
    before: bare,
    after: {
      metadata: { ...bare.metadata, deletionTimestamp: "2026-11-21T10:41:07Z", deletionGracePeriodSeconds: 30 },
    },
  });
  const running = events.delta({
    key: "shop/web-c81vw",
    ...version("48219"),
    before: objectOf("48213", { status: { phase: "Pending", ...conditions("False"), observedGeneration: 1 } }),
    after: objectOf("48219", {
      status: { phase: "Running", ...conditions("True"), podIP: "10.0.0.1", hostIP: "10.1.0.1", observedGeneration: 2 },
    }),
    writer: "kubelet",
  });
  const made = events.delta({
    type: "Added",
    key: "shop/web-x7k2p",
    ...version("48212"),
    writer: "kube-controller-manager",
  });
  const gone = events.delta({ type: "Deleted", key: "shop/web-9qf4d", ...version("48218") });
  const missed = events.delta({
    type: "Deleted",
    key: "shop/web-1",
    ...version("48100"),
    tombstone: true,
    relist: true,
  });
  const resync = events.delta({ type: "Sync", of: replicaSets, ...version("48210"), before: bare, after: bare });
  const deltas = [scaled, deleting, running, made, gone, missed, resync];
  const happened = [
    ...deltas,
    events.notify(scaled.seq),
    events.enqueue(scaled.seq),
    events.notify(deleting.seq),
    events.enqueue(deleting.seq, { merged: true }),
    ...[running, made, gone, missed, resync].map(({ seq }) => events.notify(seq)),
    events.make({
      stage: "watch",
      of: replicaSets,
      state: "failed",
      ...version("48219"),
      why: "connection broke: reset",
    }),
    events.make({
      stage: "list",
      of: replicaSets,
      why: "expired",
      objects: 12,
      pages: 1,
      bytes: 9,
      ms: 12,
      ...version("48300"),
    }),
  ] as const;
  return [...happened.flatMap((event) => view.accept(event)), ...view.flush(Infinity)].flatMap((line) =>
    lines.text(shownLine(line)),
  );
}

const screens: readonly {
  readonly name: string;
  readonly columns: number | undefined;
  readonly more?: Partial<WatchLinesOptions>;
  readonly screen: string;
}[] = [
  {
    name: "in a pipe every line is complete, with its time and its writer",
    columns: undefined,
    screen: `
    0.001 Updated  ReplicaSet web 48210  .spec.replicas 3 → 5  by kubectl-edit
            └ replicaset ← shop/web      depth 1 · in flight 0 · delayed 0
    0.002 Updated  Pod web-9qf4d  48211  .metadata.deletionTimestamp set
            └ replicaset ← shop/web      merged, 2 triggers wait with it
    0.003 Updated  Pod web-c81vw  48219  .status.phase Pending → Running · .status.conditions[Ready].status False → True · .status.podIP 10.0.0.1 · 1 more  by kubelet
    0.004 Added    Pod web-x7k2p  48212  new  by kube-controller-manager
    0.005 Deleted  Pod web-9qf4d  48218  gone
    0.006 Deleted  Pod web-1      48100  gone (absent from a list, last states missed)
    0.007 Sync     ReplicaSet web 48210  (resync, nothing changed)
    0.017 watch of ReplicaSet broke: connection broke: reset; trying again
    0.018 relist of ReplicaSet: 12 objects at 48300 in 12 ms (its resourceVersion had expired)`,
  },
  {
    name: "on 80 columns the versions are omitted: times and writers stay",
    columns: 80,
    screen: `
    0.001 Updated  ReplicaSet web  .spec.replicas 3 → 5          by kubectl-edit
            └ replicaset ← shop/web  depth 1 · in flight 0 · delayed 0
    0.002 Updated  Pod web-9qf4d   .metadata.deletionTimestamp set
            └ replicaset ← shop/web  merged, 2 triggers wait with it
    0.003 Updated  Pod web-c81vw   .status.phase Pending → Running · 3 more
                                   by kubelet
    0.004 Added    Pod web-x7k2p   new                by kube-controller-manager
    0.005 Deleted  Pod web-9qf4d   gone
    0.006 Deleted  Pod web-1       gone (absent from a list, last states missed)
    0.007 Sync     ReplicaSet web  (resync, nothing changed)
    0.017 watch of ReplicaSet broke: connection broke: reset; trying again
    0.018 relist of ReplicaSet: 12 objects at 48300 in 12 ms (its
          resourceVersion had expired)`,
  },
  {
    name: "on 200 columns the writers are on the right",
    columns: 200,
    screen: `
    0.001 Updated  ReplicaSet web 48210  .spec.replicas 3 → 5                                                                                                                            by kubectl-edit
            └ replicaset ← shop/web      depth 1 · in flight 0 · delayed 0
    0.002 Updated  Pod web-9qf4d  48211  .metadata.deletionTimestamp set
            └ replicaset ← shop/web      merged, 2 triggers wait with it
    0.003 Updated  Pod web-c81vw  48219  .status.phase Pending → Running · .status.conditions[Ready].status False → True · .status.podIP 10.0.0.1 · 1 more                                    by kubelet
    0.004 Added    Pod web-x7k2p  48212  new                                                                                                                                  by kube-controller-manager
    0.005 Deleted  Pod web-9qf4d  48218  gone
    0.006 Deleted  Pod web-1      48100  gone (absent from a list, last states missed)
    0.007 Sync     ReplicaSet web 48210  (resync, nothing changed)
    0.017 watch of ReplicaSet broke: connection broke: reset; trying again
    0.018 relist of ReplicaSet: 12 objects at 48300 in 12 ms (its resourceVersion had expired)`,
  },
  {
    name: "-o wide shows every field and its values, and controllers without a key",
    columns: undefined,
    more: { wide: true, namespaces: true },
    screen: `
    0.001 Updated  ReplicaSet shop/web 48210  .spec.replicas 3 → 5  by kubectl-edit
            └ replicaset ← shop/web           depth 1 · in flight 0 · delayed 0
    0.002 Updated  Pod shop/web-9qf4d  48211  .metadata.deletionTimestamp 2026-11-21T10:41:07Z · .metadata.deletionGracePeriodSeconds 30
            └ replicaset ← shop/web           merged, 2 triggers wait with it · depth 1 · in flight 0 · delayed 0
    0.003 Updated  Pod shop/web-c81vw  48219  .status.phase Pending → Running · .status.conditions[Ready].status False → True · .status.podIP 10.0.0.1 · .status.hostIP 10.1.0.1 · .status.observedGeneration 1 → 2  by kubelet
            └ replicaset ← no key
    0.004 Added    Pod shop/web-x7k2p  48212  new  by kube-controller-manager
            └ replicaset ← no key
    0.005 Deleted  Pod shop/web-9qf4d  48218  gone
            └ replicaset ← no key
    0.006 Deleted  Pod shop/web-1      48100  gone (absent from a list, last states missed)
            └ replicaset ← no key
    0.007 Sync     ReplicaSet shop/web 48210  (resync, nothing changed)
            └ replicaset ← no key
    0.017 watch of ReplicaSet broke: connection broke: reset; trying again
    0.018 relist of ReplicaSet: 12 objects at 48300 in 12 ms (its resourceVersion had expired)`,
  },
];

test("a writer with wide characters ends at the edge of the screen", () => {
  const view = new DeltaReport({ controllersOf: () => [] });
  const lines = new WatchLines({
    style: { columns: 100, colour: new Chalk({ level: 0 }) },
    wide: false,
    namespaces: false,
  });
  const added = new Events(at).delta({ type: "Added", key: "shop/web", ...version("1"), writer: "日本語日本語" });
  const [line = ""] = view.accept(added).flatMap((each) => lines.text(shownLine(each)));
  expect(line).toEndWith("by 日本語日本語");
  expect(shownLength(line)).toBe(100);
});

describe("WatchLines", () => {
  for (const { name, columns, more, screen } of screens) {
    test(name, () => {
      expect(shown(columns, more).join("\n")).toBe(screen.slice(1));
    });
  }

  test("no line is wider than the screen, even with long names", () => {
    for (const columns of [60, 80, 100, 132]) {
      const lines = shown(columns, { namespaces: true, wide: true });
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });
});

test("the summary counts deltas by type, and omits what did not happen", () => {
  const none = { keys: 0, relists: 0, brokenWatches: 0 };
  expect(watchSummaryLine({ deltas: 0, byType: new Map(), ...none }, 800, false)).toBe("watched for 800 ms: 0 deltas");
  expect(
    watchSummaryLine(
      {
        deltas: 41,
        byType: new Map([["Added", 11] as const, ["Updated", 30] as const]),
        keys: 17,
        relists: 1,
        brokenWatches: 2,
      },
      12_400,
      true,
    ),
  ).toBe("watched for 12.4 s: 41 deltas (30 Updated, 11 Added), 17 keys queued, 1 relist, 2 broken watches");
});
