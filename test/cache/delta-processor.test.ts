import { describe, expect, test } from "bun:test";
import { keyOf } from "../../src/api/key.ts";
import type { ManagedFieldsEntry } from "../../src/api/object.ts";
import type { Delta, ObjectDelta } from "../../src/cache/delta-queue.ts";
import { Indexer } from "../../src/cache/indexer.ts";
import { ObjectTransformer } from "../../src/cache/object-transformer.ts";
import { DeltaProcessor } from "../../src/cache/delta-processor.ts";
import type { QueuedNotification } from "../../src/cache/processor-listener.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { StageEvent } from "../../src/trace/events.ts";
import type { Widget } from "../support/fake-lister-watcher.ts";

const widget = (name: string, version: number): Widget => ({
  metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: String(version), creationTimestamp: "" },
  spec: { size: version },
});

function deltaOf(
  type: ObjectDelta<Widget>["type"],
  object: Widget,
  more: Partial<ObjectDelta<Widget>> = {},
): ObjectDelta<Widget> {
  return { type, key: keyOf(object), object, receivedAt: 7, tombstone: false, managedFields: undefined, ...more };
}

/** Formats everything in a notification: `updated a@1 -> a@2 (Widget Updated a@2 #3, queued 40)`. */
function lineOf(notification: QueuedNotification<Widget>): string {
  const { type, object, delta, queuedAt } = notification;
  const of = ({ metadata }: Widget): string => `${metadata.name}@${metadata.resourceVersion}`;
  const ref = `${delta.kind} ${delta.type} ${delta.key}@${delta.resourceVersion} #${delta.delta}`;
  return [
    type,
    ...(type === "updated" ? [of(notification.before), "->"] : []),
    of(object),
    ...(type === "added" && notification.initial ? ["initial"] : []),
    ...(type === "deleted" && notification.tombstone ? ["tombstone"] : []),
    `(${ref}, queued ${queuedAt})`,
  ].join(" ");
}

interface Scene {
  readonly processor: DeltaProcessor<Widget>;
  readonly indexer: Indexer<Widget>;
  /** Notifications of a listener that is being resynced, and of one that is not. */
  readonly syncing: string[];
  readonly steady: string[];
  /** Notifications of a listener that was added after the current delta was applied. */
  readonly late: string[];
  readonly arrive: () => void;
  readonly bus: TraceBus;
  readonly events: StageEvent[];
  /** Applies a delta and sends all notifications; returns the number of steps that were left after the first. */
  readonly play: (delta: Delta<Widget>, initial?: boolean) => number;
}

function scene({ traced = true, selected = false, listened = true, resyncing = true } = {}): Scene {
  const indexer = new Indexer<Widget>();
  const bus = new TraceBus({ now: () => 40 });
  const events: StageEvent[] = [];
  if (traced) bus.listen((event) => events.push(event));
  const [syncing, steady, late]: string[][] = [[], [], []] as const;
  const sink = (lines: string[] | undefined, isSyncing: boolean) => ({
    syncing: isSyncing,
    add: (notification: QueuedNotification<Widget>) => void lines?.push(lineOf(notification)),
  });
  let listeners = listened ? [sink(syncing, resyncing), sink(steady, false)] : [];
  const processor = new DeltaProcessor<Widget>({
    of: { group: "example.com", kind: "Widget" },
    indexer,
    transformer: new ObjectTransformer<Widget>({ indexer, tracksFieldManagers: () => true }),
    bus,
    now: () => 40,
    listeners: () => listeners,
    selected,
  });
  return {
    processor,
    indexer,
    syncing: syncing ?? [],
    steady: steady ?? [],
    late: late ?? [],
    arrive: () => {
      listeners = [...listeners, sink(late, true)];
    },
    bus,
    events,
    play: (delta, initial = false) => {
      processor.apply(delta, initial);
      let steps = 0;
      while (processor.resume()) steps++;
      return steps;
    },
  };
}

const list = (...objects: readonly Widget[]): Delta<Widget> => ({
  type: "ReplacedAll",
  objects,
  resourceVersion: "9",
  receivedAt: 8,
});

describe("DeltaProcessor notifies its listeners", () => {
  test("of a change of one object: both states, the delta, and when it was queued", () => {
    const { play, steady, indexer } = scene();
    play(deltaOf("Added", widget("a", 1)));
    play(deltaOf("Updated", widget("a", 2)));
    play(deltaOf("Deleted", widget("a", 3)));
    expect(steady).toEqual([
      "added a@1 (Widget Added shop/a@1 #1, queued 40)",
      "updated a@1 -> a@2 (Widget Updated shop/a@2 #3, queued 40)",
      "deleted a@3 (Widget Deleted shop/a@3 #5, queued 40)",
    ]);
    expect(indexer.size).toBe(0);
  });

  test("without a number and a time if there is no trace listener", () => {
    const { play, steady } = scene({ traced: false });
    play(deltaOf("Added", widget("a", 1)));
    play(deltaOf("Deleted", widget("a", 3)));
    play(list(widget("b", 4)));
    play(list());
    expect(steady).toEqual([
      "added a@1 (Widget Added shop/a@1 #0, queued 0)",
      "deleted a@3 (Widget Deleted shop/a@3 #0, queued 0)",
      "added b@4 (Widget Replaced shop/b@4 #0, queued 0)",
      "deleted b@4 tombstone (Widget Deleted shop/b@4 #0, queued 0)",
    ]);
  });

  test("of no deletion of an unknown object", () => {
    const { play, steady, events } = scene();
    play(deltaOf("Deleted", widget("a", 3)));
    expect([steady, events.map(({ stage }) => stage)]).toEqual([[], ["delta", "store"]]);
  });

  test("of objects that existed before the informer as initial, and of known or later objects as not initial", () => {
    const { play, steady } = scene();
    play(deltaOf("Replaced", widget("a", 1)), true);
    play(deltaOf("Updated", widget("a", 2)), true);
    play(deltaOf("Replaced", widget("b", 3)));
    expect(steady.map((line) => line.replace(/ \(.*/, ""))).toEqual([
      "added a@1 initial",
      "updated a@1 -> a@2",
      "added b@3",
    ]);
  });

  test("of unchanged objects only during a resync", () => {
    const { play, steady, syncing } = scene();
    const a = widget("a", 1);
    play(deltaOf("Added", a));
    for (const lines of [steady, syncing]) lines.length = 0;
    play(deltaOf("Sync", a));
    play({ type: "SyncAll", receivedAt: 8 });
    play(list(a));
    expect([steady, syncing]).toEqual([
      [],
      [
        "updated a@1 -> a@1 (Widget Sync shop/a@1 #3, queued 40)",
        "updated a@1 -> a@1 (Widget Sync shop/a@1 #5, queued 40)",
        "updated a@1 -> a@1 (Widget Replaced shop/a@1 #7, queued 40)",
      ],
    ]);
  });

  test("of a list only what it changed, unless a listener is being resynced; unchanged objects have no event either", () => {
    const { play, steady, events } = scene({ resyncing: false });
    const same = widget("same", 1);
    play(list(same, widget("changed", 2)), true);
    for (const lines of [steady, events]) lines.length = 0;
    expect(play(list(same, widget("changed", 3), widget("new", 4)))).toBe(3);
    expect(steady.map((line) => line.replace(/ \(.*/, ""))).toEqual(["updated changed@2 -> changed@3", "added new@4"]);
    expect(events.filter(({ stage }) => stage === "delta")).toHaveLength(2);
  });

  test("of a list's deletions first; the whole list is in the store before the first notification", () => {
    const { play, processor, steady, indexer } = scene();
    play(list(widget("gone", 1), widget("same", 2), widget("changed", 3)), true);
    steady.length = 0;
    processor.apply(list(indexer.get("shop/same") as Widget, widget("changed", 4), widget("new", 5)), false);
    expect([steady, [...indexer.keys()]]).toEqual([[], ["shop/same", "shop/changed", "shop/new"]]);
    while (processor.resume());
    expect(steady).toEqual([
      "deleted gone@1 tombstone (Widget Deleted shop/gone@1 #7, queued 40)",
      "updated changed@3 -> changed@4 (Widget Replaced shop/changed@4 #11, queued 40)",
      "added new@5 (Widget Replaced shop/new@5 #13, queued 40)",
    ]);
  });

  test("of a list or a resync only if they were added before it was applied: a later handler gets all objects anyway", () => {
    for (const delta of [list(widget("b", 2)), { type: "SyncAll", receivedAt: 8 } as const]) {
      const { play, processor, arrive, late, syncing } = scene();
      play(list(widget("a", 1)), true);
      syncing.length = 0;
      processor.apply(delta, false);
      arrive();
      while (processor.resume());
      expect([syncing.length > 0, late]).toEqual([true, []]);
    }
  });
});

describe("DeltaProcessor", () => {
  test("has notifications pending after a list or a resync, and creates them one by one", () => {
    const { processor, syncing } = scene();
    expect([processor.hasPending, processor.resume()]).toEqual([false, false]);
    for (const delta of [list(widget("a", 1), widget("b", 2)), { type: "SyncAll", receivedAt: 8 } as const]) {
      syncing.length = 0;
      processor.apply(delta, false);
      expect(processor.hasPending).toBe(true);
      for (const count of [1, 2]) {
        expect([processor.resume(), syncing.length, processor.hasPending]).toEqual([true, count, true]);
      }
      expect([processor.resume(), processor.hasPending, processor.resume()]).toEqual([true, false, false]);
    }
  });

  test("has nothing pending after a bookmark or one object", () => {
    const { processor, events } = scene();
    processor.apply({ type: "Bookmark", resourceVersion: "9", receivedAt: 8 }, false);
    expect(events).toEqual([]);
    processor.apply(deltaOf("Added", widget("a", 1)), false);
    expect(processor.hasPending).toBe(false);
  });

  test("fills the store without listeners", () => {
    const { play, indexer } = scene({ listened: false });
    play(list(widget("a", 1)), true);
    play(deltaOf("Updated", widget("a", 2)));
    expect(indexer.get("shop/a")?.spec.size).toBe(2);
    play(deltaOf("Deleted", widget("a", 3)));
    expect(indexer.size).toBe(0);
  });
});

describe("The events of a DeltaProcessor", () => {
  const eventLine = (event: StageEvent): string | undefined => {
    if (event.stage === "store") return `store ${event.key} ${event.replaced} -> ${event.resourceVersion}`;
    if (event.stage !== "delta") return undefined;
    const marks = [event.tombstone === true && "tombstone", event.relist === true && "relist"].filter(Boolean);
    return [
      `delta ${event.type} ${event.key}@${event.resourceVersion} ${event.uid} at ${event.receivedAt}`,
      ...marks,
    ].join(" ");
  };

  test("report the delta and the resulting store", () => {
    const { play, events } = scene();
    play(deltaOf("Added", widget("a", 1)));
    play(deltaOf("Updated", widget("a", 2)));
    play(deltaOf("Sync", widget("a", 2)));
    play(deltaOf("Deleted", widget("a", 2), { tombstone: true }));
    play(deltaOf("Deleted", widget("a", 3)));
    expect(events.map(eventLine)).toEqual([
      "delta Added shop/a@1 uid-a at 7",
      "store shop/a  -> 1",
      "delta Updated shop/a@2 uid-a at 7",
      "store shop/a 1 -> 2",
      "delta Sync shop/a@2 uid-a at 7",
      "store shop/a 2 -> 2",
      "delta Deleted shop/a@2 uid-a at 7 tombstone relist",
      "store shop/a 2 -> ",
      "delta Deleted shop/a@3 uid-a at 7",
      "store shop/a  -> ",
    ]);
  });

  test("are created only for stages with a listener: other stages take no number", () => {
    const { play, bus } = scene({ traced: false });
    const seqs: number[] = [];
    bus.listen(({ seq }) => seqs.push(seq), { stages: ["delta"] });
    for (const version of [1, 2, 3]) play(deltaOf("Updated", widget("a", version)));
    expect(seqs).toEqual([1, 2, 3]);
  });

  test("mark what a later list brought, per object or as a whole, but not the first list or a resync", () => {
    for (const whole of [true, false]) {
      const { play, events } = scene();
      const replace = (object: Widget, initial: boolean): unknown =>
        play(whole ? list(object) : deltaOf("Replaced", object, { receivedAt: 8 }), initial);
      replace(widget("a", 1), true);
      replace(widget("a", 2), false);
      play(deltaOf("Added", widget("b", 3)), true);
      play({ type: "SyncAll", receivedAt: 9 });
      expect(events.map(eventLine).filter((line) => line?.startsWith("delta"))).toEqual([
        "delta Replaced shop/a@1 uid-a at 8",
        "delta Replaced shop/a@2 uid-a at 8 relist",
        "delta Added shop/b@3 uid-b at 7",
        "delta Sync shop/a@2 uid-a at 9",
        "delta Sync shop/b@3 uid-b at 9",
      ]);
    }
  });

  test("mark objects that are missing in a list as deleted, with a tombstone", () => {
    const { play, events } = scene();
    play(list(widget("a", 1)), true);
    play(list());
    expect(events.slice(2).map(eventLine)).toEqual([
      "delta Deleted shop/a@1 uid-a at 8 tombstone relist",
      "store shop/a 1 -> ",
    ]);
  });

  test("show the object before and after a change; for a deletion there is no state after it", () => {
    const { play, events } = scene();
    play(deltaOf("Added", widget("a", 1)));
    play(deltaOf("Updated", widget("a", 2)));
    play({ type: "SyncAll", receivedAt: 9 });
    play(deltaOf("Deleted", widget("a", 3)));
    const details = events.flatMap((event) => (event.stage === "delta" ? [event.detail] : []));
    expect(details.map(({ isNew, changes }) => [isNew, changes.map(({ path }) => path)])).toEqual([
      [true, []],
      [false, [".spec.size"]],
      [false, []],
      [false, []],
    ]);
  });

  const entry = (manager: string, time: string): ManagedFieldsEntry => ({
    manager,
    operation: "Update",
    time,
    fieldsV1: { "f:spec": { "f:size": {} } },
  });
  const managed = (manager: string): Partial<ObjectDelta<Widget>> => ({ managedFields: [entry(manager, "10:00")] });

  for (const { name, selected = false, deltas, writers } of [
    {
      name: "the creator of a new object and the writer of a change",
      deltas: [
        deltaOf("Added", widget("a", 1), managed("maker")),
        deltaOf("Updated", widget("a", 2), managed("scaler")),
        deltaOf("Added", widget("a", 3), managed("other")),
      ],
      writers: ["maker", "scaler", "other"],
    },
    {
      name: "no creator if the object may have existed before: it appears by an update",
      deltas: [deltaOf("Updated", widget("a", 1), managed("maker"))],
      writers: [undefined],
    },
    {
      name: "no creator in a cache with a selector, but the writer of a change",
      selected: true,
      deltas: [
        deltaOf("Added", widget("a", 1), managed("maker")),
        deltaOf("Updated", widget("a", 2), managed("scaler")),
      ],
      writers: [undefined, "scaler"],
    },
    {
      name: "no writer for a list or a resync, whose state is compared with the next change",
      deltas: [
        deltaOf("Replaced", widget("a", 1), managed("kubectl")),
        deltaOf("Replaced", widget("a", 2), managed("other")),
        deltaOf("Updated", widget("a", 3), managed("scaler")),
      ],
      writers: [undefined, undefined, "scaler"],
    },
    {
      name: "no writer if the change or the previous state has no managedFields",
      deltas: [
        deltaOf("Added", widget("a", 1)),
        deltaOf("Updated", widget("a", 2), managed("scaler")),
        deltaOf("Updated", widget("a", 3)),
      ],
      writers: [undefined, undefined, undefined],
    },
    {
      name: "no writer for a deletion",
      deltas: [
        deltaOf("Added", widget("a", 1), managed("maker")),
        deltaOf("Deleted", widget("a", 2), managed("maker")),
      ],
      writers: ["maker", undefined],
    },
  ]) {
    test(`name ${name}`, () => {
      const { play, events } = scene({ selected });
      for (const delta of deltas) play(delta);
      const details = events.flatMap((event) => (event.stage === "delta" ? [event.detail] : []));
      expect(details.map(({ writer }) => writer)).toEqual(writers);
    });
  }
});
