import { describe, expect, test } from "bun:test";
import type { StageEvent } from "../../src/trace/events.ts";
import { TriggerLog } from "../../src/trace/triggers.ts";
import { type Loop, Loops, type RewriteLoop } from "../../src/views/loops.ts";
import { Events, objectOf } from "./events.ts";

const second = 1000;

interface Story {
  readonly name: string;
  /** The fields of the object at write n, from 0. */
  readonly fields: (n: number) => object;
  readonly writer?: (n: number) => string;
  readonly writes?: number;
  readonly everyMs?: number;
  readonly is: (Pick<RewriteLoop, "how"> & { readonly paths: readonly string[] }) | "no loop" | "not busy";
}

/** What a writer does to one object, write after write. */
function tell(
  view: Loops,
  { fields, writer = () => "operator", writes = 20, everyMs = second }: Omit<Story, "name" | "is">,
): void {
  const events = new Events(0);
  for (let n = 1; n <= writes; n++) {
    events.at = n * everyMs;
    const [before, after] = [objectOf(String(n), fields(n - 1)), objectOf(String(n + 1), fields(n))];
    view.accept(events.delta({ before, after, writer: writer(n), receivedAt: events.at }));
  }
}

const clock = (n: number): string => new Date(n * second).toISOString();

const stories: readonly Story[] = [
  {
    name: "two writers who undo each other's change",
    fields: (n) => ({ spec: { replicas: n % 2 === 0 ? 3 : 5 } }),
    writer: (n) => (n % 2 === 0 ? "hpa" : "gitops"),
    is: { how: "alternates", paths: [".spec.replicas"] },
  },
  {
    name: "a status that flips, with a time that goes with it",
    fields: (n) => ({ status: { ready: n % 2 === 0, since: clock(n) } }),
    is: { how: "alternates", paths: [".status.ready"] },
  },
  {
    name: "a time that is renewed with every write",
    fields: (n) => ({ status: { phase: "Ready", lastSync: clock(n) } }),
    is: { how: "renewed", paths: [".status.lastSync"] },
  },
  { name: "writes that change nothing", fields: () => ({ spec: { size: 1 } }), is: { how: "empty", paths: [] } },
  {
    name: "a fight over what is asked for, while a count of tries goes up",
    fields: (n) => ({ spec: { mode: n % 2 === 0 ? "a" : "b" }, status: { tries: n } }),
    is: { how: "alternates", paths: [".spec.mode"] },
  },
  {
    name: "a rollout: counts go up and down, one of them up only",
    fields: (n) => ({
      status: { updatedReplicas: n, readyReplicas: n % 2 === 0 ? 10 : 9, conditions: [{ at: clock(n) }] },
    }),
    is: "no loop",
  },
  {
    name: "rollouts one after the other, each of them answered by counts that go up and down",
    fields: (n) => ({
      spec: { image: Math.floor(n / 7) },
      status: { updatedReplicas: n % 7, readyReplicas: 10 - (n % 2), unavailableReplicas: n % 2 },
    }),
    writes: 40,
    is: "no loop",
  },
  {
    name: "an annotation that leader election renews",
    fields: (n) => ({ metadata: { annotations: { "control-plane.alpha.kubernetes.io/leader": clock(n) } } }),
    is: "no loop",
  },
  {
    name: "an object that is written seldom",
    fields: (n) => ({ spec: { replicas: n % 2 } }),
    everyMs: 10 * second,
    is: "not busy",
  },
  {
    name: "a burst that is over at once",
    fields: (n) => ({ spec: { replicas: n % 2 } }),
    everyMs: 50,
    is: "not busy",
  },
  {
    name: "a handful of writes",
    fields: (n) => ({ spec: { replicas: n % 2 } }),
    writes: 5,
    everyMs: 2 * second,
    is: "not busy",
  },
];

describe("Loops finds", () => {
  for (const { name, is, ...story } of stories) {
    test(`${typeof is === "object" ? "a loop" : is} in ${name}`, () => {
      const view = new Loops({ perMinute: 10 });
      // The metadata of `fields` takes the place of the object's own where it is given.
      tell(view, story);
      const found = view.found() as readonly RewriteLoop[];
      if (typeof is === "object") {
        expect(found.map(({ how, fields }) => ({ how, paths: fields.map(({ path }) => path) }))).toEqual([
          { how: is.how, paths: [...is.paths] },
        ]);
      } else {
        expect(found).toEqual([]);
      }
      if (is === "not busy") expect(view.busy()).toBe(0);
    });
  }

  test("who writes and how often, the values and the pace", () => {
    const view = new Loops({ perMinute: 10 });
    tell(view, {
      fields: (n) => ({ spec: { replicas: n % 2 === 0 ? 3 : 5 } }),
      writer: (n) => (n % 3 === 0 ? "b" : "a"),
      writes: 12,
    });
    const [loop] = view.found();
    expect(loop).toEqual({
      is: "rewritten",
      of: { group: "", kind: "Pod" },
      key: "shop/web",
      writes: 12,
      ms: 11 * second,
      how: "alternates",
      fields: [{ path: ".spec.replicas", changes: 12, returns: 11, values: [3, 5], writers: ["a", "b"] }],
      writers: [
        { name: "a", writes: 8 },
        { name: "b", writes: 4 },
      ],
    });
  });

  test("nothing any more in an object that was deleted, but still what a list did not show", () => {
    const view = new Loops({ perMinute: 10 });
    const fight = (n: number): object => ({ spec: { replicas: n % 2 } });
    tell(view, { fields: fight });
    view.accept(new Events().delta({ type: "Deleted", tombstone: true, relist: true }));
    expect(view.found()).toHaveLength(1);
    view.accept(new Events().delta({ type: "Deleted" }));
    expect(view.found()).toEqual([]);
  });

  test("an object that was made anew under its old name is another one", () => {
    const view = new Loops({ perMinute: 10 });
    const events = new Events(0);
    for (let n = 1; n <= 20; n++) {
      events.at = n * second;
      const [before, after] = [objectOf("1", { spec: n }), objectOf("2", { spec: n + 1 })];
      view.accept(events.delta({ before, after, uid: `uid-${n}`, receivedAt: events.at }));
    }
    expect(view.found()).toEqual([]);
  });
});

/** Syncs of one key, each with a write that wakes the next one, unless `wakes` says otherwise. */
function ownWrites(syncs: number, wakes: (sync: number) => boolean = () => true): readonly Loop[] {
  const view = new Loops({ perMinute: 10 });
  const events = new Events(0);
  let last = 0;
  const get = (sync: number): StageEvent =>
    events.make({
      stage: "get",
      controller: "replicaset",
      key: "shop/web",
      sync,
      worker: 1,
      waitedMs: 0,
      depth: 0,
      inFlight: 1,
      delayed: 0,
      failures: 0,
      triggers: new TriggerLog({
        cause: "delta",
        kind: "ReplicaSet",
        type: "Updated",
        key: "shop/web",
        resourceVersion: String(sync),
        delta: wakes(sync) ? last : 0,
      }),
    });
  for (let sync = 1; sync <= syncs; sync++) {
    events.at = sync * second;
    view.accept(get(sync));
    const write = events.make({
      stage: "write",
      controller: "replicaset",
      sync,
      decision: 1,
      verb: "update",
      fieldManager: "us",
      of: { group: "apps", kind: "ReplicaSet" },
      subresource: "status",
      key: "shop/web",
      uid: "u",
      before: String(sync),
      conditional: true,
      resourceVersion: String(sync + 1),
      deletes: false,
      status: 200,
      ms: 1,
      changes: [{ path: ".status.lastUpdateTime", before: clock(sync - 1), after: clock(sync) }],
    });
    view.accept(write);
    const delta = events.delta({
      of: write.of,
      writer: "us",
      before: objectOf("1"),
      after: objectOf("2", { status: sync }),
    });
    last = delta.seq;
    view.accept(events.make({ stage: "link", write: write.seq, delta: delta.seq, by: "resourceVersion" }));
  }
  return view.found();
}

describe("Loops of our own controllers", () => {
  test("are syncs that their own writes wake, with the fields that those change", () => {
    expect(ownWrites(41)).toMatchObject([
      {
        is: "own writes",
        controller: "replicaset",
        key: "shop/web",
        syncs: 41,
        byOwnWrite: 40,
        fields: [{ path: ".status.lastUpdateTime", returns: 0 }],
      },
    ]);
  });

  test("are none where others wake as many", () => {
    expect(ownWrites(41, (sync) => sync % 2 === 0)).toEqual([]);
  });
});
