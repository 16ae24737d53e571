import { describe, expect, test } from "bun:test";
import type { StageEvent } from "../../src/trace/events.ts";
import { DeltaReport, type DeltaReportOptions, type WatchLine } from "../../src/views/delta-report.ts";
import { Events, objectOf, pods, replicaSets } from "./events.ts";

function report(options: Partial<DeltaReportOptions> & { readonly notified?: readonly string[] } = {}): DeltaReport {
  const { notified = [], ...rest } = options;
  return new DeltaReport({ controllersOf: () => notified, ...rest });
}

/** A short form of each line. */
function brief(lines: readonly WatchLine[]): string[] {
  return lines.map((line) => {
    if (line.is === "delta") {
      const keys = line.notified.flatMap((notified) => notified.keys.map((made) => made.key));
      return `${line.delta.type} ${line.delta.key}${keys.length === 0 ? "" : ` → ${keys.join(", ")}`}`;
    }
    return line.is === "key" ? `key ${line.made.key} (${line.why})` : line.is;
  });
}

describe("DeltaReport", () => {
  test("shows a delta at once if no controller is notified of it", () => {
    const view = report();
    expect(brief(view.accept(new Events().delta()))).toEqual(["Updated shop/web"]);
    expect(view.summary).toMatchObject({ deltas: 1, keys: 0 });
  });

  test("does not look at deltas that are not shown", () => {
    const view = report({ types: new Set(["Deleted"]) });
    const delta = new Events().delta();
    Object.defineProperty(delta, "detail", {
      get() {
        throw new Error("looked at");
      },
    });
    expect(view.accept(delta)).toEqual([]);
  });

  test("holds a delta until its controllers were notified, and shows the keys under it", () => {
    const view = report({ notified: ["replicaset"] });
    const events = new Events();
    const [first, second] = [events.delta(), events.delta({ key: "shop/other" })];
    expect(view.accept(first)).toEqual([]);
    expect(view.accept(second)).toEqual([]);
    expect(view.accept(events.notify(first.seq))).toEqual([]);
    expect(view.accept(events.enqueue(first.seq, { key: "shop/a" }))).toEqual([]);
    expect(brief(view.accept(events.notify(second.seq)))).toEqual(["Updated shop/web → shop/a"]);
    view.accept(events.enqueue(second.seq, { key: "shop/b" }));
    expect(brief(view.flush(events.at))).toEqual(["Updated shop/other → shop/b"]);
  });

  test("waits for every notified controller, and keeps the order of the deltas", () => {
    const view = report({ notified: ["deployment", "replicaset"] });
    const events = new Events();
    const [first, second] = [events.delta(), events.delta({ key: "shop/other" })];
    view.accept(first);
    view.accept(second);
    view.accept(events.notify(first.seq, "replicaset"));
    view.accept(events.notify(second.seq, "replicaset"));
    view.accept(events.notify(second.seq, "deployment"));
    expect(view.flush(events.at)).toEqual([]);
    view.accept(events.notify(first.seq, "deployment"));
    expect(brief(view.flush(events.at))).toEqual(["Updated shop/web", "Updated shop/other"]);
  });

  test("holds no delta longer than 50 ms; later keys are shown separately", () => {
    const view = report({ notified: ["replicaset"] });
    const events = new Events();
    const delta = events.delta();
    view.accept(delta);
    expect(view.flush(delta.at + 49)).toEqual([]);
    expect(brief(view.flush(delta.at + 50))).toEqual(["Updated shop/web"]);
    view.accept(events.notify(delta.seq));
    const alone = view.accept(events.enqueue(delta.seq));
    expect(brief(alone)).toEqual(["key shop/web (Pod shop/web Updated)"]);
    expect(alone).toMatchObject([{ isAfterOthers: true }]);
  });

  test("a late key beside a held delta is not reported as its effect: that delta is older", () => {
    const view = report({ notified: ["replicaset"] });
    const events = new Events();
    const [first, second] = [events.delta(), events.delta({ key: "shop/other" })];
    view.accept(first);
    view.flush(first.at + 50);
    view.accept(second);
    view.accept(events.notify(first.seq));
    expect(view.accept(events.enqueue(first.seq))).toMatchObject([{ is: "key", isAfterOthers: false }]);
  });

  test("leaves out deltas without a key, if only those with keys are requested", () => {
    const view = report({ notified: ["replicaset"], wanted: () => false });
    const events = new Events();
    const [first, second] = [events.delta(), events.delta({ key: "shop/other" })];
    for (const event of [first, second, events.notify(first.seq), events.notify(second.seq)]) view.accept(event);
    view.accept(events.enqueue(second.seq));
    expect(brief(view.flush(events.at))).toEqual(["Updated shop/other → shop/web"]);
    expect(view.summary.deltas).toBe(1);
  });

  const before = objectOf("4", { spec: { replicas: 3 } });
  const cases: readonly {
    readonly name: string;
    readonly options?: Partial<DeltaReportOptions>;
    readonly delta: (events: Events) => StageEvent;
    readonly shown: boolean;
  }[] = [
    { name: "an object of the first list is not shown", delta: (e) => e.delta({ type: "Replaced" }), shown: false },
    {
      name: "unless existing objects were requested",
      options: { initial: true },
      delta: (e) => e.delta({ type: "Replaced" }),
      shown: true,
    },
    {
      name: "or deltas of type Replaced",
      options: { types: new Set(["Replaced"]) },
      delta: (e) => e.delta({ type: "Replaced" }),
      shown: true,
    },
    {
      name: "an object that a relist found unchanged is not shown either",
      delta: (e) => e.delta({ type: "Replaced", relist: true, before, after: before }),
      shown: false,
    },
    {
      name: "a changed one is",
      delta: (e) =>
        e.delta({ type: "Replaced", relist: true, before, after: objectOf("5", { spec: { replicas: 5 } }) }),
      shown: true,
    },
    {
      name: "and a new one",
      delta: (e) => e.delta({ type: "Replaced", relist: true, after: before }),
      shown: true,
    },
    { name: "a resync is shown", delta: (e) => e.delta({ type: "Sync", before, after: before }), shown: true },
    {
      name: "an update without changed fields is shown",
      delta: (e) => e.delta({ before, after: objectOf("5", { spec: { replicas: 3 } }) }),
      shown: true,
    },
  ];
  for (const { name, options = {}, delta, shown } of cases) {
    test(name, () => {
      const view = report(options);
      expect(view.accept(delta(new Events()))).toHaveLength(shown ? 1 : 0);
    });
  }

  test("reports when a watch broke and when it is back, once for each kind", () => {
    const view = report();
    const events = new Events();
    const watch = (of: typeof pods | typeof replicaSets, state: "opened" | "failed", why: string): StageEvent =>
      events.make({ stage: "watch", of, state, resourceVersion: "5", why });
    expect(brief(view.accept(watch(pods, "failed", "connection broke: reset")))).toEqual(["watch broke"]);
    expect(view.accept(watch(pods, "failed", "connection refused"))).toEqual([]);
    expect(view.accept(watch(replicaSets, "opened", "resume"))).toEqual([]);
    expect(brief(view.accept(watch(pods, "opened", "resume")))).toEqual(["watch is back"]);
    expect(view.summary.brokenWatches).toBe(1);
  });

  test("shows a relist, and not the first list", () => {
    const view = report();
    const events = new Events();
    const list = { stage: "list", of: pods, objects: 3, pages: 1, bytes: 10, ms: 4, resourceVersion: "9" } as const;
    expect(view.accept(events.make({ ...list, why: "start" }))).toEqual([]);
    expect(brief(view.accept(events.make({ ...list, why: "expired" })))).toEqual(["relist"]);
    expect(brief(view.accept(events.make({ ...list, why: "start", error: "503" })))).toEqual(["list failed"]);
    expect(view.summary.relists).toBe(1);
  });

  test("shows keys without a delta, with their reason", () => {
    const view = report({ notified: ["replicaset"] });
    const line = view.accept(
      new Events().make({
        stage: "enqueue",
        controller: "replicaset",
        key: "shop/web",
        trigger: { cause: "requeue", why: "minReadySeconds", sync: 3 },
        merged: false,
        inFlight: false,
        delayMs: 5000,
        depth: 0,
      }),
    );
    expect(brief(line)).toEqual(["key shop/web (minReadySeconds)"]);
  });
});
