import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../../src/api/object.ts";
import type { KeyOf } from "../../../src/modes/shadow/intention.ts";
import { isStatusOnly, type Observed } from "../../../src/modes/shadow/acts.ts";
import { Intentions } from "../../../src/modes/shadow/intentions.ts";
import { authorOf, ownersManagers } from "../../../src/modes/shadow/owner-acts.ts";
import type { WouldBeWrite } from "../../../src/modes/shadow/would-be-write.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline, type VirtualTimeline } from "../../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";

const pod = (name: string): StoredObject => ({
  metadata: {
    name,
    namespace: "shop",
    uid: name,
    resourceVersion: "1",
    creationTimestamp: "",
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "rs", controller: true }],
  },
});
const removal = (name: string): WouldBeWrite => ({
  request: { method: "DELETE", path: "/", signal: new AbortController().signal },
  group: "",
  kind: "Pod",
  subresource: "",
  target: `shop/${name}`,
  verb: "delete",
  sent: undefined,
  before: pod(name),
  after: undefined,
});
const gone = (name: string): Observed => ({
  of: { group: "", kind: "Pod" },
  key: `shop/${name}`,
  before: pod(name),
  after: undefined,
  delta: 1,
  writer: undefined,
});

/** The garbage collector intends to delete `a`, and no deletion is observed; the object's final state is `now`. */
async function rested(now: StoredObject | undefined): Promise<string[]> {
  const { intentions, lines, timeline } = sceneOf(now);
  intentions.decided({ controller: "garbage-collector", key: "Pod shop/a" }, 1, removal("a"));
  await timeline.runUntil({ ms: 5000 });
  return lines;
}

/** Two pods of one ReplicaSet: `a` is to be deleted, and the owner deletes `b` first, then `a`. */
function agreed(controller: "replicaset" | "garbage-collector"): string[] {
  const { intentions, lines } = sceneOf(pod("a"));
  const key = controller === "replicaset" ? "shop/web" : "Pod shop/a";
  intentions.decided({ controller, key }, 1, removal("a"));
  intentions.observed(gone("b"));
  intentions.observed(gone("a"));
  return lines;
}

interface Scene {
  readonly intentions: Intentions;
  readonly lines: string[];
  readonly timeline: VirtualTimeline;
}

/** The owner's field manager. */
const owner = "kube-controller-manager";

/** `refusal` of creations; `key` that unexpected acts belong to. */
interface Known {
  readonly refusal?: string;
  readonly key?: KeyOf;
  /** Default true. */
  readonly hasOwner?: boolean;
  /** Default: always open. */
  readonly watchesOpenSince?: (now: number) => number | undefined;
}

function sceneOf(
  now: StoredObject | undefined,
  { refusal, key, hasOwner = true, watchesOpenSince = () => 0 }: Known = {},
): Scene {
  const timeline = virtualTimeline(0, seededRandom(1));
  const bus = new TraceBus({ now: () => timeline.now() });
  const lines: string[] = [];
  bus.listen((event) => {
    if (event.stage !== "agreement") return;
    const revised = event.revises === undefined ? "" : ` (was: ${event.revises})`;
    lines.push(`${event.is}: ${event.target} ${event.why}${revised}`);
  });
  const intentions = new Intentions({
    bus,
    timeline,
    hasOwner: () => hasOwner,
    syncsEveryMs: (name) => (name === "horizontal-pod-autoscaler" ? 15_000 : 0),
    watchesOpenSince: () => watchesOpenSince(timeline.now()),
    chooses: (name) => name === "replicaset",
    now: () => now,
    refusalOf: (_name, { verb }) => (verb === "create" ? refusal : undefined),
    siblingsOf: () => ({ all: [pod("a"), pod("b")], related: [] }),
    distinguishedBy: () => "unassigned first",
    authorOf: (controller, observed) =>
      authorOf(observed, ownersManagers({ name: controller }, { manager: owner, found: true })),
    keyOfAct: () => key,
  });
  return { intentions, lines, timeline };
}

test("without an owner, an intention that replaces another one stands, and nothing is kept of it afterwards", () => {
  const { intentions, lines } = sceneOf(pod("a"), { hasOwner: false });
  const key = { controller: "pods", key: "shop/web" };
  const change = (replicas: number): WouldBeWrite => ({
    ...removal("a"),
    verb: "update",
    sent: { replicas },
    after: { ...pod("a"), spec: { replicas } } as StoredObject,
  });
  intentions.decided(key, 1, change(1));
  intentions.decided(key, 2, change(2));
  expect([intentions.standing, intentions.keys]).toEqual([1, 1]);
  intentions.syncEnded(key, 3, false);
  expect([intentions.standing, intentions.keys]).toEqual([0, 0]);
  expect(lines.at(-1)).toBe("not comparable: shop/a sync 3 no longer wants it");
});

describe("an intended deletion", () => {
  test("is matched by that of a sibling if the controller chooses among them", () => {
    expect(agreed("replicaset")).toEqual(["differs: shop/a owner deleted b instead (unassigned first)"]);
  });

  test("is matched only by that of the object if the controller does not choose", () => {
    expect(agreed("garbage-collector")).toEqual(["same: shop/a owner deleted"]);
  });

  test.each([
    { name: "is not done where the object is as it was", now: pod("a"), says: "differs: shop/a owner has not done it" },
    { name: "was done before where the object is gone", now: undefined, says: "owner was faster: shop/a it is gone" },
    {
      name: "has lost its reason where the object has other owners by now",
      now: { metadata: { ...pod("a").metadata, ownerReferences: [] } },
      says: "not comparable: shop/a its owners have changed",
    },
  ])("$name", async ({ now, says }) => {
    expect(await rested(now)).toEqual([says]);
  });

  test.each([
    { ms: 1900, says: "" },
    { ms: 2100, says: "differs: shop/a owner has not done it" },
  ])("after $ms ms, as the trace ends, is judged only if the owner had its time", async ({ ms, says }) => {
    const { intentions, lines, timeline } = sceneOf(pod("a"));
    intentions.decided({ controller: "garbage-collector", key: "Pod shop/a" }, 1, removal("a"));
    await timeline.runUntil({ ms });
    intentions.stop();
    // No timer is left that would judge it later.
    await timeline.runUntil({ ms: 9000 });
    expect(lines.join()).toBe(says);
  });
});

describe("a deletion by an owner that knows each of its objects", () => {
  const podOf = (kind: string, name: string): StoredObject => {
    const ownerReferences = [{ apiVersion: "apps/v1", kind, name: "db", uid: "owner", controller: true }];
    return { metadata: { ...pod(name).metadata, ownerReferences } };
  };

  test.each(["StatefulSet", "DaemonSet"])("of a %s is not answered by that of another pod", async (kind) => {
    const { intentions, lines, timeline } = sceneOf(podOf(kind, "db-1"));
    const name = { controller: "replicaset", key: "shop/db" };
    intentions.decided(name, 1, { ...removal("db-1"), before: podOf(kind, "db-1") });
    intentions.observed({ ...gone("db-0"), before: podOf(kind, "db-0") });
    await timeline.runUntil({ ms: 5000 });
    expect(lines).toEqual(["differs: shop/db-1 owner has not done it"]);
  });

  test("is not mistaken for another one of a later sync", () => {
    const { intentions, lines } = sceneOf(undefined);
    const name = { controller: "replicaset", key: "shop/db" };
    intentions.decided(name, 1, { ...removal("db-1"), before: podOf("StatefulSet", "db-1") });
    intentions.decided(name, 2, { ...removal("db-0"), before: podOf("StatefulSet", "db-0") });
    intentions.syncEnded(name, 2, false);
    expect(lines).toEqual(["not comparable: shop/db-1 sync 2 no longer wants it"]);
  });
});

describe("while a watch is closed", () => {
  /** Closed from 1 s to 60 s. */
  const watchesOpenSince = (now: number): number | undefined => {
    if (now < 1000) return 0;
    return now < 60_000 ? undefined : 60_000;
  };
  const key = { controller: "replicaset", key: "shop/web" };

  test("an intention stays open, and the owner has two seconds from its return on", async () => {
    const { intentions, lines, timeline } = sceneOf(pod("a"), { watchesOpenSince });
    intentions.decided(key, 1, removal("a"));
    await timeline.runUntil({ ms: 61_000 });
    expect([lines, intentions.standing]).toEqual([[], 1]);
    await timeline.runUntil({ ms: 66_000 });
    expect(lines).toEqual(["differs: shop/a owner has not done it"]);
  });

  test("what the relist shows fulfils the intention", async () => {
    const { intentions, lines, timeline } = sceneOf(pod("a"), { watchesOpenSince });
    intentions.decided(key, 1, removal("a"));
    await timeline.runUntil({ ms: 61_000 });
    intentions.observed(gone("a"));
    expect(lines).toEqual(["same: shop/a owner deleted"]);
  });

  test("the end of the trace leaves it open", async () => {
    const { intentions, lines, timeline } = sceneOf(pod("a"), { watchesOpenSince });
    intentions.decided(key, 1, removal("a"));
    await timeline.runUntil({ ms: 30_000 });
    intentions.stop();
    expect(lines).toEqual([]);
  });
});

test("an owner that acts every 15 s has that much more time for what is intended", async () => {
  const { intentions, lines, timeline } = sceneOf(pod("a"));
  intentions.decided({ controller: "horizontal-pod-autoscaler", key: "shop/web" }, 1, removal("a"));
  await timeline.runUntil({ ms: 16_999 });
  expect(lines).toEqual([]);
  await timeline.runUntil({ ms: 60_000 });
  expect(lines).toHaveLength(1);
  expect(timeline.now()).toBe(17_000);
});

describe("the propagation policy of a deletion", () => {
  const going = (finalizers: readonly string[]): StoredObject => ({
    metadata: { ...pod("a").metadata, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [...finalizers] },
  });
  const compared = (after: StoredObject | undefined, did: StoredObject | undefined): string[] => {
    const { intentions, lines } = sceneOf(undefined);
    intentions.decided({ controller: "ttl-after-finished", key: "shop/a" }, 1, { ...removal("a"), after });
    intentions.observed({ ...gone("a"), after: did });
    return lines;
  };

  test("counts if the object shows it", () => {
    const differs = "differs: shop/a owner deleted with another propagation policy: foregroundDeletion";
    expect(compared(undefined, going(["foregroundDeletion"]))).toEqual([differs]);
    expect(compared(going(["foregroundDeletion"]), going([]))).toEqual([differs]);
    expect(compared(going(["foregroundDeletion"]), going(["foregroundDeletion"]))).toEqual([
      "same: shop/a owner deleted",
    ]);
  });

  test("is unknown for an object that is gone", () => {
    expect(compared(going(["foregroundDeletion"]), undefined)).toEqual(["same: shop/a owner deleted"]);
  });
});

describe("creations without names, one per node", () => {
  const podFor = (node: string): StoredObject =>
    ({
      metadata: { ...pod(`agent-${node}`).metadata, generateName: "agent-" },
      spec: { nodeName: node },
    }) as StoredObject;
  const creationFor = (node: string): WouldBeWrite => {
    const { ownerReferences } = pod(node).metadata;
    const sent = { metadata: { generateName: "agent-", ownerReferences }, spec: { nodeName: node } };
    return { ...removal(`agent-${node}`), verb: "create", before: undefined, sent, after: podFor(node) };
  };
  const createdFor = (node: string): Observed => ({ ...gone(`agent-${node}`), before: undefined, after: podFor(node) });
  const name = { controller: "daemonset", key: "shop/agent" };

  test("match the owner's in whatever order it creates them", () => {
    const { intentions, lines } = sceneOf(undefined);
    for (const node of ["a", "b", "c"]) intentions.decided(name, 1, creationFor(node));
    for (const node of ["c", "a", "b"]) intentions.observed(createdFor(node));
    expect(lines.map((line) => line.slice(0, line.indexOf(":")))).toEqual(["same", "same", "same"]);
  });

  test("are decided again in any order, and an unintended one for a node differs", () => {
    const { intentions, lines } = sceneOf(undefined);
    for (const node of ["a", "b"]) intentions.decided(name, 1, creationFor(node));
    for (const node of ["b", "a"]) intentions.decided(name, 2, creationFor(node));
    expect(intentions.standing).toBe(2);
    for (const node of ["b", "d"]) intentions.observed(createdFor(node));
    expect(lines).toEqual([
      "same: shop/agent-b owner created agent-b",
      "differs: shop/agent-a owner created agent-d with another .spec.nodeName",
    ]);
  });

  test.each([
    { image: "of the first sync", says: "same: shop/agent-a owner created agent-a" },
    { image: "of the second sync", says: "same: shop/agent-a owner created agent-a" },
    { image: "of neither", says: "differs: shop/agent-a owner created agent-a with another .spec.image" },
  ])("whose template changed before the owner's was observed: the image $image", ({ image, says }) => {
    const { intentions, lines } = sceneOf(undefined);
    const withImage = (of: string): WouldBeWrite => {
      const { sent, ...write } = creationFor("a");
      return { ...write, sent: { ...(sent as object), spec: { nodeName: "a", image: of } } };
    };
    intentions.decided(name, 1, withImage("of the first sync"));
    intentions.decided(name, 2, withImage("of the second sync"));
    const after = { ...podFor("a"), spec: { nodeName: "a", image } } as StoredObject;
    intentions.observed({ ...createdFor("a"), after });
    expect(lines).toEqual([says]);
    expect(intentions.standing).toBe(0);
  });
});

test("a status that the owner wrote differently, beside the intended one, is not the same", async () => {
  const statusOf = (status: object): StoredObject => ({ ...pod("web"), status }) as StoredObject;
  const before = statusOf({ replicas: 1 });
  const ready = statusOf({ replicas: 3, readyReplicas: 3 });
  const after = { ...ready, metadata: { ...ready.metadata, resourceVersion: "2" } };
  const { intentions, lines, timeline } = sceneOf(after);
  const meant = { kind: "ReplicaSet", subresource: "status", verb: "update", before } as const;
  const write: WouldBeWrite = { ...removal("web"), ...meant, after: statusOf({ replicas: 3 }) };
  intentions.decided({ controller: "replicaset", key: "shop/web" }, 1, write);
  intentions.observed({ ...gone("web"), of: { group: write.group, kind: "ReplicaSet" }, before, after });
  await timeline.runUntil({ ms: 5000 });
  expect(lines).toEqual(["differs: shop/web owner has not done it"]);
});

describe("two writes of a status by one sync", () => {
  const statusOf = (succeeded: number, phase: string): StoredObject =>
    ({
      metadata: { ...pod("work").metadata, resourceVersion: `${succeeded}${phase}` },
      status: { succeeded, phase },
    }) as StoredObject;
  const [before, counted, complete] = [statusOf(1, "Open"), statusOf(2, "Open"), statusOf(2, "Complete")];
  const meant = { kind: "Job", subresource: "status", verb: "update" } as const;
  const count: WouldBeWrite = { ...removal("work"), ...meant, before, after: counted };
  const finish: WouldBeWrite = { ...removal("work"), ...meant, before: counted, after: complete };
  const seen = (from: StoredObject, to: StoredObject): Observed => ({
    ...gone("work"),
    of: { group: "", kind: "Job" },
    before: from,
    after: to,
  });
  const name = { controller: "job", key: "shop/work" };
  const decidedBoth = (now: StoredObject): Scene => {
    const scene = sceneOf(now, { key: name });
    for (const write of [count, finish]) scene.intentions.decided(name, 1, write);
    return scene;
  };
  const created: Observed = { ...gone("b"), before: undefined, after: pod("b") };

  test("are each the same as one of the owner's", () => {
    const { intentions, lines } = decidedBoth(complete);
    intentions.observed(seen(before, counted));
    intentions.observed(seen(counted, complete));
    expect(lines).toEqual(["same: shop/work owner wrote", "same: shop/work owner wrote"]);
  });

  test("are the same as one write of the owner that makes both changes", () => {
    const { intentions, lines } = decidedBoth(complete);
    intentions.observed(seen(before, complete));
    expect(lines).toEqual(["same: shop/work owner wrote, merged with the next write", "same: shop/work owner wrote"]);
    expect(intentions.standing).toBe(0);
  });

  test.each([
    { makes: "another change", other: statusOf(3, "Complete") },
    { makes: "only the second change", other: statusOf(1, "Complete") },
  ])("differ from one write that makes $makes", async ({ other }) => {
    const { intentions, lines, timeline } = decidedBoth(other);
    intentions.observed(seen(before, other));
    await timeline.runUntil({ ms: 5000 });
    expect(lines).toEqual(["differs: shop/work owner has not done it", "differs: shop/work owner has not done it"]);
  });

  test("were both made before they were decided, as was what the owner did meanwhile", async () => {
    const { intentions, lines, timeline } = decidedBoth(complete);
    intentions.observed(created);
    await timeline.runUntil({ ms: 5000 });
    expect(lines).toEqual([
      "owner was faster: shop/work it has the values of the next write",
      "owner was faster: shop/work it has these values",
      "owner was faster: shop/b owner created Pod b, which no sync here decided",
    ]);
  });

  test("leave what the owner did meanwhile a difference if they were not made", async () => {
    const { intentions, lines, timeline } = decidedBoth(before);
    intentions.observed(created);
    await timeline.runUntil({ ms: 5000 });
    expect(lines).toContain("differs: shop/b owner created Pod b, which no sync here decided");
  });
});

describe("an intended change", () => {
  const withFinalizers = (...finalizers: readonly string[]): StoredObject => ({
    metadata: { ...pod("a").metadata, finalizers: [...finalizers], resourceVersion: String(finalizers.length + 1) },
  });
  const [tracked, released] = [withFinalizers("example.com/tracking"), withFinalizers()];
  const release: WouldBeWrite = { ...removal("a"), verb: "patch", before: tracked, after: released };
  const [ofJob, ofPod] = [
    { controller: "replicaset", key: "shop/web" },
    { controller: "replicaset", key: "pod:a" },
  ];
  const done: Observed = { ...gone("a"), before: tracked, after: released };

  test("of one object, by two keys, is fulfilled for both by one delta", () => {
    const { intentions, lines } = sceneOf(released);
    for (const key of [ofJob, ofPod]) intentions.decided(key, 1, release);
    intentions.observed(done);
    expect(lines).toEqual(["same: shop/a owner wrote", "same: shop/a owner wrote"]);
    expect(intentions.standing).toBe(0);
  });

  test("is fulfilled although another key intends another change of the object", () => {
    const { intentions, lines } = sceneOf(released);
    const labelled = { metadata: { ...tracked.metadata, labels: { a: "b" } } };
    intentions.decided(ofJob, 1, { ...release, after: labelled });
    intentions.decided(ofPod, 1, release);
    intentions.observed(done);
    expect(lines).toEqual(["same: shop/a owner wrote"]);
  });

  test.each([
    { name: "was made before", now: released, says: "owner was faster: shop/a it has these values" },
    { name: "is not comparable once the object is gone", now: undefined, says: "not comparable: shop/a it is gone" },
    {
      name: "is not comparable once another object has the name",
      now: { metadata: { ...released.metadata, uid: "another" } },
      says: "not comparable: shop/a it is gone",
    },
    {
      name: "is a difference if more was changed",
      now: { metadata: { ...released.metadata, labels: { a: "b" } } },
      says: "differs: shop/a owner has not done it",
    },
    { name: "is a difference if nothing was changed", now: tracked, says: "differs: shop/a owner has not done it" },
  ])("that no delta has fulfilled in time $name", async ({ now, says }) => {
    const { intentions, lines, timeline } = sceneOf(now);
    intentions.decided(ofPod, 1, release);
    await timeline.runUntil({ ms: 5000 });
    expect(lines).toEqual([says]);
  });

  test("of a removed object stands until the next sync if there was still time", () => {
    const { intentions, lines } = sceneOf(undefined);
    intentions.decided(ofPod, 1, release);
    intentions.observed({ ...gone("a"), before: tracked });
    expect(lines).toEqual([]);
    intentions.syncEnded(ofPod, 2, false);
    expect(lines).toEqual(["not comparable: shop/a sync 2 no longer wants it"]);
  });

  test("that was not made in time is not comparable once the object is removed", async () => {
    const { intentions, lines, timeline } = sceneOf(tracked);
    intentions.decided(ofPod, 1, release);
    await timeline.runUntil({ ms: 5000 });
    intentions.observed({ ...gone("b"), before: tracked });
    expect(intentions.standing).toBe(1);
    intentions.observed({ ...gone("a"), before: tracked });
    expect(lines).toEqual([
      "differs: shop/a owner has not done it",
      "not comparable: shop/a it is gone (was: differs)",
    ]);
    expect(intentions.standing).toBe(0);
  });

  test.each([
    { by: "the owner", writer: owner, says: "same: shop/a owner wrote" },
    { by: "an unknown manager", writer: undefined, says: "same: shop/a owner wrote" },
    {
      by: "the same controller elsewhere",
      writer: "kubectl-reconcile-replicaset",
      says: "same: shop/a owner wrote",
    },
    { by: "another program, which may be the owner", writer: "k3s", says: "same: shop/a k3s wrote" },
    {
      by: "another controller of ours",
      writer: "kubectl-reconcile-job",
      says: "same: shop/a kubectl-reconcile-job wrote",
    },
    {
      by: "a user of kubectl",
      writer: "kubectl-patch",
      says: "not comparable: shop/a kubectl-patch wrote, not the owner",
    },
  ])("made by $by", ({ writer, says }) => {
    const { intentions, lines } = sceneOf(released);
    intentions.decided(ofPod, 1, release);
    intentions.observed({ ...done, writer });
    expect(lines).toEqual([says]);
  });

  test("still stands after another change by a user", () => {
    const { intentions, lines } = sceneOf(released);
    intentions.decided(ofPod, 1, release);
    const labelled = { metadata: { ...tracked.metadata, labels: { a: "b" }, resourceVersion: "7" } };
    intentions.observed({ ...done, after: labelled, writer: "kubectl-label" });
    expect(lines).toEqual([]);
    expect(intentions.standing).toBe(1);
  });
});

test("what only the status shows is not attributed to the object's owner", () => {
  const was = { ...pod("web"), spec: { replicas: 1 } } as StoredObject;
  const counted = { ...was, status: { replicas: 1 } } as StoredObject;
  expect(isStatusOnly({ before: was, after: counted })).toBe(true);
  const annotated = { ...counted, metadata: { ...was.metadata, annotations: { revision: "2" } } };
  expect(isStatusOnly({ before: was, after: annotated })).toBe(false);
  expect(isStatusOnly({ before: undefined, after: counted })).toBe(false);
});

describe("an attempt of the owner that was refused", () => {
  const creation: WouldBeWrite = {
    ...removal("web-x"),
    verb: "create",
    sent: { metadata: { name: "web-x" } },
    before: undefined,
    after: pod("web-x"),
  };
  const status: WouldBeWrite = {
    ...removal("web"),
    kind: "ReplicaSet",
    subresource: "status",
    verb: "update",
    before: pod("web"),
    after: { ...pod("web"), status: { replicas: 1 } } as StoredObject,
  };

  test("is not a difference, nor is the status that follows from it", async () => {
    const { intentions, lines, timeline } = sceneOf(pod("web"), { refusal: "exceeded quota: q" });
    for (const write of [creation, status]) intentions.decided({ controller: "replicaset", key: "shop/web" }, 1, write);
    await timeline.runUntil({ ms: 5000 });
    expect(lines).toEqual([
      "owner was refused: shop/web-x owner tried, was refused: exceeded quota: q",
      "not comparable: shop/web it follows from a write that the owner was refused",
    ]);
  });

  test("equals ours when it succeeds after all", async () => {
    const { intentions, lines, timeline } = sceneOf(undefined, { refusal: "exceeded quota: q" });
    intentions.decided({ controller: "replicaset", key: "shop/web" }, 1, creation);
    await timeline.runUntil({ ms: 5000 });
    intentions.observed({ ...gone("web-x"), before: undefined, after: pod("web-x") });
    expect(lines.at(-1)).toBe("same: shop/web-x owner created (was: owner was refused)");
  });

  test("is not comparable if a user does it instead", () => {
    const { intentions, lines } = sceneOf(undefined);
    intentions.decided({ controller: "replicaset", key: "shop/web" }, 1, creation);
    const created = { metadata: { ...pod("web-x").metadata, labels: { by: "hand" } } };
    intentions.observed({ ...gone("web-x"), before: undefined, after: created, writer: "kubectl-create" });
    expect(lines).toEqual(["not comparable: shop/web-x kubectl-create created, not the owner"]);
  });

  test("without a sign of a refusal it is a difference", async () => {
    const { intentions, lines, timeline } = sceneOf(pod("web"));
    for (const write of [creation, status]) intentions.decided({ controller: "replicaset", key: "shop/web" }, 1, write);
    await timeline.runUntil({ ms: 5000 });
    expect(lines.map((each) => each.split(":")[0])).toEqual(["differs", "differs"]);
  });
});
