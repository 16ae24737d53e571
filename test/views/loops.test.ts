import { describe, expect, test } from "bun:test";
import type { Acquittal, RewriteLoop } from "../../src/views/loops/loop.ts";
import { Loops } from "../../src/views/loops/loops.ts";
import { Events, objectOf } from "./events.ts";

const second = 1000;

interface Story {
  readonly name: string;
  /** The fields of the object at write n, counted from 0. */
  readonly fields: (n: number) => object;
  readonly writer?: (n: number) => string;
  readonly writes?: number;
  readonly everyMs?: number;
  /** When write n is made, if not at regular intervals. */
  readonly at?: (n: number) => number;
  readonly is: (Pick<RewriteLoop, "how"> & { readonly paths: readonly string[] }) | Acquittal["why"]["is"] | "not busy";
}

/** Feeds the view with the writes to one object, one by one. */
function tell(
  view: Loops,
  {
    fields,
    writer = () => "operator",
    writes = 20,
    everyMs = second,
    at = (n) => n * everyMs,
  }: Omit<Story, "name" | "is">,
): void {
  const events = new Events(0);
  for (let n = 1; n <= writes; n++) {
    events.at = at(n);
    const [before, after] = [objectOf(String(n), fields(n - 1)), objectOf(String(n + 1), fields(n))];
    view.accept(events.delta({ before, after, writer: writer(n), receivedAt: events.at }));
  }
}

const clock = (n: number): string => new Date(n * second).toISOString();
const rolled = (n: number): object => ({ updatedReplicas: n % 4, readyReplicas: 3 - (n % 2), phase: clock(n) });

const stories: readonly Story[] = [
  {
    name: "two writers that undo each other's change",
    fields: (n) => ({ spec: { replicas: n % 2 === 0 ? 3 : 5 } }),
    writer: (n) => (n % 2 === 0 ? "hpa" : "gitops"),
    is: { how: "alternates", paths: [".spec.replicas"] },
  },
  {
    name: "a status that flips, with a time that changes along",
    fields: (n) => ({ status: { ready: n % 2 === 0, since: clock(n) } }),
    is: { how: "alternates", paths: [".status.ready", ".status.since"] },
  },
  {
    name: "a time that is renewed with every write",
    fields: (n) => ({ status: { phase: "Ready", lastSync: clock(n) } }),
    is: { how: "renewed", paths: [".status.lastSync"] },
  },
  { name: "writes without changes", fields: () => ({ spec: { size: 1 } }), is: { how: "empty", paths: [] } },
  {
    name: "a fight over a desired state, with a rising count of attempts",
    fields: (n) => ({ spec: { mode: n % 2 === 0 ? "a" : "b" }, status: { tries: n } }),
    is: { how: "alternates", paths: [".spec.mode"] },
  },
  {
    name: "a rollout: counts go up and down, one of them only up",
    fields: (n) => ({
      status: { updatedReplicas: n, readyReplicas: n % 2 === 0 ? 10 : 9, conditions: [{ at: clock(n) }] },
    }),
    is: "advances",
  },
  {
    name: "successive rollouts, each followed by counts that go up and down",
    fields: (n) => ({
      spec: { image: Math.floor(n / 7) },
      status: { updatedReplicas: n % 7, readyReplicas: 10 - (n % 2), unavailableReplicas: n % 2 },
    }),
    writes: 40,
    is: "advances",
  },
  {
    name: "successive rollouts: the count of updated pods rises to the same number each time",
    fields: (n) => ({ spec: { image: `v${Math.floor(n / 9)}` }, status: { updatedReplicas: 2 + (n % 9) } }),
    writes: 60,
    is: "advances",
  },
  {
    name: "an annotation that leader election renews",
    fields: (n) => ({ metadata: { annotations: { "control-plane.alpha.kubernetes.io/leader": clock(n) } } }),
    is: "not busy",
  },
  {
    name: "two writers that undo each other's change every three minutes",
    fields: (n) => ({ spec: { replicas: n % 2 === 0 ? 3 : 5 } }),
    writer: (n) => (n % 2 === 0 ? "hpa" : "gitops"),
    writes: 4,
    everyMs: 180 * second,
    is: { how: "alternates", paths: [".spec.replicas"] },
  },
  {
    name: "one writer that goes back and forth every three minutes",
    fields: (n) => ({ metadata: { labels: { mode: n % 2 === 0 ? "a" : "b" } } }),
    writes: 7,
    everyMs: 180 * second,
    is: { how: "alternates", paths: [".metadata.labels.mode"] },
  },
  {
    name: "one writer that went back and forth once",
    fields: (n) => ({ spec: { replicas: n % 2 } }),
    writes: 3,
    everyMs: 180 * second,
    is: "not busy",
  },
  {
    name: "changes back and forth, hours apart",
    fields: (n) => ({ spec: { replicas: n % 2 } }),
    writes: 12,
    everyMs: 2 * 3600 * second,
    is: "not busy",
  },
  {
    name: "a status that flips every minute: pods come and go",
    fields: (n) => ({ status: { readyReplicas: 2 + (n % 2) } }),
    everyMs: 60 * second,
    is: "not busy",
  },
  {
    name: "two writers that undo each other's status every minute",
    fields: (n) => ({ status: { phase: n % 2 === 0 ? "Ready" : "Waiting" } }),
    writer: (n) => (n % 2 === 0 ? "one" : "other"),
    everyMs: 60 * second,
    is: { how: "alternates", paths: [".status.phase"] },
  },
  {
    name: "an annotation that a writer renews, while another reacts to each write with its status",
    fields: (n) => ({
      metadata: { annotations: { "op/last": clock(n - (n % 2)) }, generation: Math.floor(n / 2) },
      status: { observedGeneration: Math.floor((n - 1) / 2) },
    }),
    writer: (n) => (n % 2 === 0 ? "op" : "kube-controller-manager"),
    writes: 40,
    is: { how: "renewed", paths: ['.metadata.annotations["op/last"]'] },
  },
  {
    name: "an endless rollout: a time in the template, and counts that change with each of its pods",
    fields: (n) => ({
      spec: { template: { metadata: { annotations: { at: clock(n - (n % 4)) } } } },
      // The operator only writes the template.
      status: n % 4 === 0 ? rolled(n - 1) : rolled(n),
    }),
    writer: (n) => (n % 4 === 0 ? "op" : "kube-controller-manager"),
    writes: 60,
    is: { how: "renewed", paths: [".spec.template.metadata.annotations.at"] },
  },
  {
    name: "a fight with an annotation that changes along: all of it is reported, the desired state first",
    fields: (n) => ({
      metadata: { annotations: { by: n % 2 === 0 ? "a" : "b", at: clock(n) } },
      spec: { replicas: n % 2 === 0 ? 2 : 3 },
      status: { replicas: n % 2 === 0 ? 3 : 2 },
    }),
    writer: (n) => (n % 2 === 0 ? "a" : "b"),
    is: { how: "alternates", paths: [".spec.replicas", ".metadata.annotations.by", ".metadata.annotations.at"] },
  },
  {
    name: "a renewed number that is a time, or a count of attempts",
    fields: (n) => ({ status: { at: 1_790_000_000 + n, reconcileCount: n } }),
    is: { how: "renewed", paths: [".status.at", ".status.reconcileCount"] },
  },
  {
    name: "a condition that comes and goes, with another time each time",
    fields: (n) => ({
      status: {
        conditions: [
          { type: "Live", status: "True" },
          ...(n % 2 === 0 ? [{ type: "Stuck", status: "True", lastTransitionTime: clock(n) }] : []),
        ],
      },
    }),
    is: { how: "alternates", paths: [".status.conditions[Stuck]"] },
  },
  {
    name: "an annotation that is renewed after a rollout",
    fields: (n) => ({
      metadata: { annotations: n < 30 ? {} : { at: clock(n) } },
      status: { updatedReplicas: Math.min(n, 30) },
    }),
    writes: 60,
    is: { how: "renewed", paths: [".metadata.annotations.at"] },
  },
  {
    name: "a status that flips after a rollout",
    fields: (n) => ({ status: { updatedReplicas: Math.min(n, 30), ready: n > 30 && n % 2 === 0 } }),
    writes: 100,
    is: { how: "alternates", paths: [".status.ready"] },
  },
  {
    name: "a rollout and a rollback: replicas go down, up and down again",
    fields: (n) => ({ spec: { replicas: Math.abs(10 - (n % 20)) } }),
    writes: 30,
    is: "advances",
  },
  {
    name: "a list that grows: the endpoints of a scale-up, with the time of the last change",
    fields: (n) => ({
      metadata: { annotations: { "endpoints.kubernetes.io/last-change-trigger-time": clock(n) } },
      endpoints: Array.from({ length: n }, (_, index) => ({ addresses: [String(index)] })),
    }),
    writes: 40,
    is: "advances",
  },
  {
    name: "writes with another change each",
    fields: (n) => ({ data: Object.fromEntries(Array.from({ length: n }, (_, i) => [`key${i}`, "x"])) }),
    writes: 40,
    is: "different",
  },
  {
    name: "a status that follows the spec",
    fields: (n) => ({ spec: { image: `v${Math.floor(n / 3)}` }, status: { phase: n % 2 === 0 ? "Old" : "New" } }),
    writes: 14,
    is: "answers",
  },
  {
    name: "a burst of renewals with a straggler",
    fields: (n) => ({ metadata: { annotations: { at: clock(n) } } }),
    writes: 8,
    at: (n) => (n < 8 ? n * 10 : 8 * second),
    is: "not for long",
  },
  {
    name: "an annotation that is renewed while another writer's status flips with it: the desired state is the cause",
    fields: (n) => ({
      metadata: { annotations: { at: clock(n - (n % 2)) } },
      status: { phase: n % 4 < 2 ? "Old" : "New" },
    }),
    writer: (n) => (n % 2 === 0 ? "op" : "other"),
    writes: 40,
    is: { how: "renewed", paths: [".metadata.annotations.at"] },
  },
  {
    name: "rollouts and rollbacks of a ReplicaSet: its replicas go up and down",
    fields: (n) => ({ spec: { replicas: Math.abs(5 - (n % 10)) } }),
    writes: 70,
    is: "advances",
  },
  {
    name: "a burst that is over at once",
    fields: (n) => ({ spec: { replicas: n % 2 } }),
    everyMs: 50,
    is: "not busy",
  },
  {
    name: "a few writes",
    fields: (n) => ({ spec: { replicas: n % 2 } }),
    writes: 5,
    everyMs: 2 * second,
    is: "not busy",
  },
];

/**
 * The status writes after the last change of a Deployment of 10 replicas amid its rollout, as kube-controller-manager made them on a busy
 * machine: replicas, updatedReplicas, readyReplicas, unavailableReplicas, terminatingReplicas.
 */
const overtaken: readonly (readonly number[])[] = [
  [13, 10, 8, 5, 5],
  [13, 3, 11, 0, 1],
  [8, 3, 8, 5, 6],
  [8, 3, 8, 5, 5],
  [13, 8, 8, 5, 5],
  [13, 8, 8, 5, 0],
  [13, 8, 11, 2, 0],
  [13, 8, 11, 0, 0],
  [13, 8, 11, 1, 0],
  [13, 8, 13, 0, 0],
  [10, 8, 10, 2, 3],
  [10, 8, 10, 0, 3],
  [12, 10, 10, 0, 3],
  [10, 10, 8, 2, 5],
  [10, 10, 8, 2, 3],
  [10, 10, 8, 2, 2],
  [10, 10, 9, 1, 2],
  [10, 10, 10, 0, 2],
  [10, 10, 10, 0, 0],
];
const inSmallSteps: readonly (readonly number[])[] = [
  [13, 8, 13, 0, 0],
  [10, 0, 8, 5, 5],
  [10, 0, 8, 3, 5],
  [10, 0, 8, 5, 5],
  [13, 3, 8, 5, 5],
  [13, 3, 10, 3, 5],
  [15, 5, 10, 3, 0],
  [13, 5, 8, 5, 2],
  [13, 5, 9, 4, 2],
  [13, 5, 11, 1, 2],
  [13, 5, 11, 2, 2],
  [12, 5, 10, 3, 3],
  [13, 6, 10, 1, 3],
  [13, 6, 10, 3, 3],
  [11, 6, 8, 5, 5],
  [13, 8, 8, 5, 5],
  [13, 8, 9, 4, 5],
  [13, 8, 10, 2, 5],
  [13, 8, 10, 3, 5],
  [14, 9, 10, 3, 5],
  [13, 9, 9, 4, 4],
  [13, 9, 9, 3, 4],
  [13, 9, 9, 4, 4],
  [12, 9, 8, 5, 5],
  [13, 10, 8, 5, 5],
  [13, 10, 8, 5, 4],
  [13, 10, 9, 4, 4],
  [13, 10, 9, 3, 2],
  [13, 10, 11, 1, 2],
  [12, 10, 10, 2, 3],
  [12, 10, 10, 0, 3],
  [10, 10, 8, 2, 5],
  [10, 10, 8, 2, 4],
  [10, 10, 9, 1, 4],
  [10, 10, 9, 1, 3],
  [10, 10, 10, 0, 3],
];

/** Write 1 changes the template, write 2 responds to it. */
function rolloutOf(statuses: readonly (readonly number[])[]): (n: number) => object {
  return (n) => {
    const [replicas, updatedReplicas, readyReplicas, unavailableReplicas, terminatingReplicas] =
      statuses[Math.max(0, n - 1)] ?? [];
    return {
      metadata: { generation: n === 0 ? 1 : 2 },
      spec: { image: n === 0 ? "none:1" : "none:2" },
      status: {
        observedGeneration: n <= 1 ? 1 : 2,
        replicas,
        updatedReplicas,
        readyReplicas,
        unavailableReplicas,
        terminatingReplicas,
      },
    };
  };
}

describe("Loops follows a recorded rollout", () => {
  for (const [name, statuses] of Object.entries({ overtaken, "in small steps": inSmallSteps })) {
    test(`${name}: it is never a loop`, () => {
      const view = new Loops({ perMinute: 40 });
      const fields = rolloutOf(statuses);
      const events = new Events(0);
      for (let n = 1; n <= statuses.length; n++) {
        events.at = n * 500;
        const [before, after] = [objectOf(String(n), fields(n - 1)), objectOf(String(n + 1), fields(n))];
        const writer = n === 1 ? "deployer" : "kube-controller-manager";
        view.accept(events.delta({ before, after, writer, receivedAt: events.at }));
        expect({ write: n, found: view.found(), tooShort: view.tooShort() }).toEqual({
          write: n,
          found: [],
          tooShort: [],
        });
      }
    });
  }
});

describe("Loops in a burst of 4 s", () => {
  // Faster, a status that changes every minute looks like a loop.
  const steady = stories.filter(({ at, everyMs = second }) => at === undefined && everyMs === second);
  for (const { name, is, ...story } of steady) {
    test(`${typeof is === "object" ? "looks like a loop" : "is none"}: ${name}`, () => {
      const view = new Loops({ perMinute: 10 });
      tell(view, { ...story, everyMs: 4000 / (story.writes ?? 20) });
      expect(view.found()).toEqual([]);
      const found = (view.tooShort() as readonly RewriteLoop[]).map(({ how, fields, ms }) => ({
        how,
        paths: fields.map(({ path }) => path),
        isShort: ms <= 4000,
      }));
      expect(found).toEqual(typeof is === "object" ? [{ ...is, paths: [...is.paths], isShort: true }] : []);
    });
  }

  test("has the number and the span of the writes that loop, not of all writes of the object", () => {
    const view = new Loops({ perMinute: 10 });
    const events = new Events(0);
    view.accept(events.delta({ before: objectOf("1"), after: objectOf("1", { spec: { a: 9 } }), receivedAt: 0 }));
    tell(view, { fields: (n) => ({ spec: { mode: n % 2 } }), at: (n) => 10 * second + n * 100 });
    expect(view.tooShort()).toMatchObject([{ is: "rewritten", writes: 20, ms: 1900, lastAt: 12 * second }]);
  });

  test("is no longer too short once it has lasted", () => {
    const view = new Loops({ perMinute: 10 });
    tell(view, { fields: (n) => ({ spec: { mode: n % 2 } }) });
    expect(view.found()).toHaveLength(1);
    expect(view.tooShort()).toEqual([]);
  });
});

describe("Loops finds", () => {
  for (const { name, is, ...story } of stories) {
    test(`${typeof is === "object" ? "a loop" : `no loop (${is})`} in ${name}`, () => {
      const view = new Loops({ perMinute: 10 });
      // The metadata in `fields`, if given, replaces the object's own.
      tell(view, story);
      const found = view.found() as readonly RewriteLoop[];
      const acquitted = view.acquitted().map(({ why }) => why.is as string);
      if (typeof is === "object") {
        expect(acquitted).toEqual([]);
        expect(found.map(({ how, fields }) => ({ how, paths: fields.map(({ path }) => path) }))).toEqual([
          { how: is.how, paths: [...is.paths] },
        ]);
      } else {
        expect(found).toEqual([]);
        expect(acquitted).toEqual(is === "not busy" ? [] : [is]);
      }
    });
  }

  test("the writer and its rate, the values and the pace", () => {
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
      lastAt: 12 * second,
      how: "alternates",
      fields: [
        {
          path: ".spec.replicas",
          how: "alternates",
          changes: 12,
          returns: 11,
          values: [3, 5],
          writers: [
            { name: "a", writes: 8 },
            { name: "b", writes: 4 },
          ],
        },
      ],
      writers: [
        { name: "a", writes: 8 },
        { name: "b", writes: 4 },
      ],
    });
  });

  test("the writer that renews a field with each of its writes", () => {
    const view = new Loops({ perMinute: 10 });
    tell(view, { fields: (n) => ({ status: { at: clock(n) } }), writer: () => "op" });
    expect(view.found()).toMatchObject([{ fields: [{ path: ".status.at", everyWriteOf: "op" }] }]);
  });

  test("no writer of the first observed write: the state before it is unknown", () => {
    const view = new Loops({ perMinute: 10 });
    const events = new Events(0);
    view.accept(events.delta({ after: objectOf("1"), receivedAt: 0 }));
    tell(view, { fields: (n) => ({ spec: { mode: n % 2 } }), writer: () => "op" });
    expect(view.found()).toMatchObject([{ writes: 21, writers: [{ name: "op", writes: 20 }] }]);
  });

  test("an endless loop once, with the time of the last write", () => {
    const view = new Loops({ perMinute: 10 });
    tell(view, { fields: (n) => ({ status: { ready: n % 2 } }) });
    expect(view.found()).toMatchObject([{ key: "shop/web", lastAt: 20 * second }]);
    const events = new Events(0);
    for (let n = 21; n < 200; n++) {
      events.at = n * second;
      const [before, after] = [
        objectOf("1", { status: { updated: n } }),
        objectOf("2", { status: { updated: n + 1 } }),
      ];
      view.accept(events.delta({ before, after, writer: "operator", receivedAt: events.at }));
      expect(view.found()).toHaveLength(1);
    }
    view.accept(new Events().delta({ type: "Deleted" }));
    expect(view.found()).toHaveLength(1);
  });

  test("a loop in an object that is deleted before the report", () => {
    const view = new Loops({ perMinute: 10 });
    tell(view, { fields: (n) => ({ spec: { replicas: n % 2 } }) });
    view.accept(new Events().delta({ type: "Deleted" }));
    expect(view.found()).toHaveLength(1);
    expect(view.acquitted()).toEqual([]);
  });

  test.each([
    { name: "renewed", value: (n: number) => String(n), how: "renewed", returns: 0 },
    { name: "that flip", value: (n: number) => ["blue", "green"][n % 2], how: "alternates", returns: 19 },
  ])("the values of a Secret, $name, without a word of them", ({ value, how, returns }) => {
    const view = new Loops({ perMinute: 10 });
    const events = new Events(0);
    for (let n = 1; n <= 20; n++) {
      events.at = n * second;
      const secret = (at: number): object => ({ data: { password: `hidden ${value(at)}` } });
      const [before, after] = [objectOf("1", secret(n)), objectOf("2", secret(n + 1))];
      view.accept(
        events.delta({ of: { group: "", kind: "Secret" }, before, after, writer: "op", receivedAt: events.at }),
      );
    }
    expect(view.found()).toMatchObject([{ how, fields: [{ path: ".data.password", returns }] }]);
    const [loop] = view.found() as readonly RewriteLoop[];
    expect(new Set(loop?.fields[0]?.values)).toEqual(new Set(["(masked)"]));
    expect(JSON.stringify(view.found())).not.toContain("hidden");
  });

  test("an object that was re-created under its name as another one", () => {
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
