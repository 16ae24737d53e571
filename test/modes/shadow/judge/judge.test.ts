import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../../../src/api/object.ts";
import { comesOfSameRollout } from "./interchangeable.ts";
import { judge } from "./judge.ts";
import { graceMs } from "./not-comparable.ts";
import type { Change, OwnerWrite, Round, SyncRecord, Write } from "./round.ts";
import { textOf, type Verdict } from "./verdict.ts";
import { namesOfMade, withMadeNamed } from "./made-up.ts";

const set = { uid: "set-uid", resourceVersion: "10" };
const ownerReferences = [
  {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    name: "web",
    uid: "set-uid",
    controller: true,
    blockOwnerDeletion: true,
  },
];

function pod(name: string): StoredObject {
  const metadata = { name, namespace: "shop", uid: `uid of ${name}`, resourceVersion: "5", creationTimestamp: "" };
  return { metadata: { ...metadata, ownerReferences } };
}

const at = { namespace: "shop", at: 1000 };

const create = (image = "web:1"): Write => ({
  ...at,
  verb: "create",
  resource: "pods",
  name: "",
  body: { metadata: { generateName: "web-", ownerReferences }, spec: { containers: [{ image }] } },
});

const remove = (name: string): Write => ({ ...at, verb: "delete", resource: "pods", name, body: {} });

const status = (readyReplicas: number, resourceVersion = "10"): Write => ({
  ...at,
  verb: "update",
  resource: "replicasets.apps/status",
  name: "web",
  body: { metadata: { resourceVersion }, status: { replicas: 3, readyReplicas } },
});

const release = (name: string): Write => ({
  ...at,
  verb: "patch",
  resource: "pods",
  name,
  body: { metadata: { ownerReferences: [{ $patch: "delete", uid: "set-uid" }] } },
});

/** A write of the owner; `version` is that of the object in the response. */
function done(write: Write, given = write.name, version = "20"): OwnerWrite {
  const object = pod(given);
  return { ...write, given, responseObject: { metadata: { ...object.metadata, resourceVersion: version } } };
}

function sync(writes: readonly Write[], sees: Partial<SyncRecord> = {}): SyncRecord {
  return {
    key: "shop/web",
    primary: set,
    pods: [],
    lookedUp: new Set(),
    versions: new Map(),
    reads: [],
    made: new Map(),
    failed: false,
    writes,
    ...sees,
  };
}

const quietRound: Round = { syncs: [], owner: [], changes: [], touched: new Set() };

function verdictOf(round: Partial<Round>): Verdict {
  return judge({ ...quietRound, alike: () => true, ...round });
}

/** The verdict in a readable form. */
function summary({ same, differs, notComparable, movedOn }: Verdict): object {
  return { same: same.length, differs: differs.map(textOf), notComparable: notComparable.map(textOf), movedOn };
}

describe("creates with names from the server", () => {
  const three = [done(create(), "web-a"), done(create(), "web-b"), done(create(), "web-c")];

  test("as many as the owner's are equal", () => {
    const verdict = verdictOf({ syncs: [sync([create(), create(), create()])], owner: three });
    expect(summary(verdict)).toEqual({ same: 3, differs: [], notComparable: [], movedOn: 0 });
  });

  test("decided again by a later sync count once", () => {
    const syncs = [
      sync([create(), create(), create()]),
      sync([create(), create()], { pods: [pod("web-a")] }),
      sync([], { pods: [pod("web-a"), pod("web-b"), pod("web-c")] }),
    ];
    expect(summary(verdictOf({ syncs, owner: three }))).toEqual({
      same: 3,
      differs: [],
      notComparable: [],
      movedOn: 0,
    });
  });

  test("one too few differs, even if later syncs decide the rest", () => {
    const syncs = [
      sync([create(), create()]),
      sync([create()], { pods: [pod("web-a")] }),
      sync([], { pods: [pod("web-a"), pod("web-b"), pod("web-c")] }),
    ];
    const { differs } = verdictOf({ syncs, owner: three });
    expect(differs.map(textOf)).toEqual(["the owner's create of pods shop/web-c: 3 by the owner, 2 meant here"]);
  });

  test("one too many differs: the owner never made it", () => {
    const syncs = [sync([create(), create()]), sync([create()], { pods: [pod("web-a")] })];
    const { differs } = verdictOf({ syncs, owner: three.slice(0, 1) });
    expect(differs.map(textOf)).toEqual(["our create of pods shop/: the owner never did it"]);
  });

  test("that a later sync on another state no longer decides have been overtaken", () => {
    expect(summary(verdictOf({ syncs: [sync([create()]), sync([])] }))).toMatchObject({ differs: [], movedOn: 1 });
  });

  test("another body differs", () => {
    const { differs } = verdictOf({ syncs: [sync([create("web:2")])], owner: three.slice(0, 1) });
    const text = differs.map(textOf).join();
    expect(text).toContain("the owner's create of pods shop/web-a: with another body: …");
    expect(text).toMatch(/web:1"\}\]\}\}…, meant here ….*web:2/);
  });

  test("that a failed sync decided last are not expected of the owner", () => {
    const failing = sync([status(1)], { failed: true });
    expect(verdictOf({ syncs: [failing] }).differs).toEqual([]);
  });
});

describe("deletions of pods by choice", () => {
  const pods = [pod("web-a"), pod("web-b")];

  test("another pod with the same rank is equal, one with another rank differs", () => {
    const round = { syncs: [sync([remove("web-a")], { pods })], owner: [done(remove("web-b"))] };
    expect(summary(verdictOf(round))).toMatchObject({ same: 1, differs: [] });
    expect(verdictOf({ ...round, alike: () => false }).differs.map(textOf)).toEqual([
      "the owner's delete of pods shop/web-b: we meant web-a, which does not rank alike",
    ]);
  });

  test("an unintended one differs", () => {
    const { differs } = verdictOf({ syncs: [sync([], { pods })], owner: [done(remove("web-b"))] });
    expect(differs).toHaveLength(1);
  });

  test("one that the owner never makes differs", () => {
    const { differs } = verdictOf({ syncs: [sync([remove("web-a")], { pods })] });
    expect(differs.map(textOf)).toEqual(["our delete of pods shop/web-a: the owner never did it"]);
  });
});

describe("writes of one object", () => {
  test("equal content is equal, whatever the versions and times", () => {
    const verdict = verdictOf({ syncs: [sync([status(3, "9")])], owner: [done(status(3))] });
    expect(summary(verdict)).toEqual({ same: 1, differs: [], notComparable: [], movedOn: 0 });
  });

  test("another status from the same state differs", () => {
    const { differs } = verdictOf({ syncs: [sync([status(0)]), sync([])], owner: [done(status(3))] });
    expect(differs.map(textOf)).toEqual([
      expect.stringMatching(
        /^the owner's update of replicasets.apps\/status shop\/web: wrote .*; meant here: .*"replicas":3/,
      ),
    ]);
  });

  test("a status from a version that no sync of ours saw is not comparable", () => {
    const { notComparable } = verdictOf({ syncs: [sync([])], owner: [done(status(3, "11"))] });
    expect(notComparable.map(({ why }) => why)).toEqual(["no sync of ours saw version 11, which it is based on"]);
  });

  test("a status after a change of a pod that no sync of ours saw is not comparable", () => {
    const syncs = [sync([status(2)], { versions: new Map([["web-a", 12]]) }), sync([])];
    const changes = [{ is: "controlled", ownerUid: "set-uid", version: 13 } as const];
    const { notComparable, differs } = verdictOf({ syncs, changes, owner: [done(status(3))] });
    expect(notComparable.map(({ why }) => why)).toEqual(["no sync of ours saw version 10 with 13 of what it controls"]);
    expect(differs).toEqual([]);
    const seen = [sync([status(2)], { versions: new Map([["web-a", 13]]) }), sync([])];
    expect(verdictOf({ syncs: seen, changes, owner: [done(status(3))] }).differs).toHaveLength(1);
  });

  test("a status without a pod that our last sync still saw, and that was gone by then, is not comparable", () => {
    const [had, lacked] = [new Map([["web-a", 12]]), new Map<string, number>()];
    const { at } = done(status(1));
    const left = { is: "left", namespace: "shop", name: "web-a", ownerUids: ["set-uid"], at } as const;
    const judged = (versions: ReadonlyMap<string, number>, changes: readonly Change[]): Verdict =>
      verdictOf({
        syncs: [sync([status(2)], { versions: had }), sync([], { versions })],
        changes,
        owner: [done(status(1))],
      });
    expect(judged(had, [left]).notComparable.map(({ why }) => why)).toEqual([
      "no sync of ours saw version 10 without web-a",
    ]);
    expect(judged(lacked, [left]).differs).toHaveLength(1);
    expect(judged(had, [{ ...left, at: at + 1 }]).differs).toHaveLength(1);
    expect(judged(had, [{ ...left, namespace: "other" }]).differs).toHaveLength(1);
    expect(judged(had, [{ ...left, name: "web-b" }]).differs).toHaveLength(1);
  });

  test("a write to an object that a sync looked up by name, in that version, differs", () => {
    const judged = (lookedUp: string): Verdict =>
      verdictOf({ syncs: [sync([], { lookedUp: new Set([lookedUp]) })], owner: [done(status(3, "11"))] });
    expect(judged("replicasets.apps shop/web 11").differs).toHaveLength(1);
    expect(judged("replicasets.apps shop/web 12").notComparable).toHaveLength(1);
    expect(judged("replicasets.apps shop/other 11").notComparable).toHaveLength(1);
  });

  test("an unintended release differs", () => {
    const { differs } = verdictOf({ syncs: [sync([])], owner: [done(release("web-a"))] });
    expect(differs.map(textOf)).toEqual(["the owner's patch of pods shop/web-a: not meant here"]);
  });

  test("a live read after the owner's write makes an action not comparable; before it, it differs", () => {
    const at = release("web-a").at;
    const reads = (when: number): SyncRecord[] => [
      sync([], { reads: [{ resource: "pods", namespace: "shop", name: "web-a", at: when }] }),
    ];
    const late = verdictOf({ syncs: reads(at + 1), owner: [done(release("web-a"))] });
    expect(late.notComparable.map(({ why }) => why)).toEqual(["no sync of ours read it before the owner wrote"]);
    expect(verdictOf({ syncs: reads(at), owner: [done(release("web-a"))] }).differs).toHaveLength(1);
  });

  test("an action after a dependent went that no live read of ours followed is not comparable", () => {
    const { at } = release("web-a");
    const judged = (readAt: number, leftAt: number, ownerUid = "uid of web-a"): Verdict =>
      verdictOf({
        syncs: [sync([], { reads: [{ resource: "pods", namespace: "shop", name: "web-a", at: readAt }] })],
        changes: [{ is: "left", namespace: "shop", name: "child", ownerUids: ["other", ownerUid], at: leftAt }],
        owner: [done(release("web-a"))],
      });
    expect(judged(at - 9, at - 4).notComparable.map(({ why }) => why)).toEqual([
      "no sync of ours read it after its dependent child went and before the owner wrote",
    ]);
    expect(judged(at - 4, at - 9).differs).toHaveLength(1);
    expect(judged(at - 9, at + 1).differs).toHaveLength(1);
    expect(judged(at - 9, at - 4, "another").differs).toHaveLength(1);
  });

  test("a decision long after the owner's write does not count", () => {
    const late = { ...release("web-a"), at: at.at + graceMs + 1 };
    expect(verdictOf({ syncs: [sync([late])], owner: [done(release("web-a"))] }).differs).toHaveLength(1);
  });

  test("the last decision that the owner never carries out differs, unless another writer changed the object", () => {
    const syncs = [sync([release("web-a")])];
    expect(verdictOf({ syncs }).differs).toHaveLength(1);
    expect(summary(verdictOf({ syncs, touched: new Set(["pods shop/web-a"]) }))).toMatchObject({
      differs: [],
      movedOn: 1,
    });
  });
});

describe("the last status that we decide", () => {
  const syncs = [sync([status(2), status(3)])];
  const seen = done(status(3));

  test("differs if the owner never writes it", () => {
    const { differs } = verdictOf({ syncs, owner: [seen] });
    const on = "update replicasets.apps/status shop/web";
    expect(differs.map(textOf)).toEqual([
      `our update of replicasets.apps/status shop/web: the owner never did it; meant ${on} {"readyReplicas":2,"replicas":3}; its last there, 0 ms before ours: ${on} {"readyReplicas":3,"replicas":3}`,
    ]);
  });

  test("is passed over by an owner that writes the same object from a version that we never saw", () => {
    const other = done(status(1, "11"));
    expect(summary(verdictOf({ syncs, owner: [seen, other] }))).toMatchObject({ same: 1, differs: [], movedOn: 1 });
  });

  test("is passed over if it is on the way of an owner in the middle of a sync to what ours intended next", () => {
    // The owner wrote the object (version 10), then its pod (12), then the object again; ours synced before that.
    const owner = [
      done(status(1, "9"), "web", "10"),
      done(release("web-a"), "web-a", "12"),
      done(status(3), "web", "13"),
    ];
    const between = sync([status(2), status(3)], { versions: new Map([["web-a", 12]]) });
    const first = sync([status(1, "9"), release("web-a"), status(3)]);
    expect(summary(verdictOf({ syncs: [first, between], owner }))).toMatchObject({ same: 3, differs: [], movedOn: 1 });
    const before = sync([status(2), status(3)], { versions: new Map([["web-a", 11]]) });
    expect(verdictOf({ syncs: [first, before], owner }).differs).toHaveLength(1);
    const elsewhere = sync([status(2), status(4)], { versions: new Map([["web-a", 12]]) });
    expect(verdictOf({ syncs: [first, elsewhere], owner }).differs).toHaveLength(2);
  });

  test("differs if that was long before, or another object", () => {
    const other = done(status(1, "11"));
    const early = { ...other, at: at.at - graceMs - 1 };
    expect(verdictOf({ syncs, owner: [seen, early] }).differs).toHaveLength(1);
    expect(verdictOf({ syncs, owner: [seen, { ...other, name: "api", given: "api" }] }).differs).toHaveLength(1);
  });
});

describe("if the names of pods identify them", () => {
  const one = { metadata: { ...pod("db-1").metadata } };
  const syncs = [sync([remove("db-1")], { pods: [one, pod("db-0")] })];

  test("a pod that is deleted instead of another one differs, whatever their ranks", () => {
    const { differs } = judge({ ...quietRound, syncs, owner: [done(remove("db-0"))] });
    expect(differs.map(textOf)).toEqual([
      "the owner's delete of pods shop/db-0: not meant here",
      "our delete of pods shop/db-1: the owner never did it; meant delete pods shop/db-1 {}; it did not write there",
    ]);
  });

  test("another one is equal if it can be deleted instead, and the intended one stays", () => {
    const later = sync([], { pods: [one] });
    const judged = (owner: readonly OwnerWrite[], mayGoInstead: boolean): Verdict =>
      judge({ ...quietRound, syncs: [...syncs, later], owner, mayGoInstead: () => mayGoInstead });
    expect(summary(judged([done(remove("db-0"))], true))).toMatchObject({ same: 1, differs: [] });
    expect(judged([done(remove("db-0"))], false).differs).toHaveLength(1);
    expect(judged([done(remove("db-0")), done(remove("db-1"))], true).differs).toHaveLength(1);
  });

  test("the intended one is equal", () => {
    expect(summary(judge({ ...quietRound, syncs, owner: [done(remove("db-1"))] }))).toMatchObject({
      same: 1,
      differs: [],
    });
  });
});

describe("a status written after pods, by an owner that reads them twice", () => {
  const written = (at: number): OwnerWrite => {
    const write = done({ ...status(3), at });
    return { ...write, responseObject: { metadata: { ...pod("web").metadata, uid: "set-uid" } } };
  };
  const seen = [sync([create(), status(2)])];
  const owner = (at: number): OwnerWrite[] => [done(create(), "web-a"), written(at)];

  test("is not comparable if it is the first one, and comes soon", () => {
    const { notComparable } = judge({ ...quietRound, syncs: seen, owner: owner(at.at + 4900), looksTwice: true });
    expect(notComparable.map(({ why }) => why)).toEqual([
      "whether its cache shows by then that it has created web-a is chance",
    ]);
  });

  test.each([
    { name: "later", when: at.at + 5001, looksTwice: true },
    { name: "by another owner", when: at.at + 900, looksTwice: false },
  ])("differs $name", ({ when, looksTwice }) => {
    const { differs } = judge({ ...quietRound, syncs: seen, owner: owner(when), looksTwice });
    expect(differs.filter(({ of }) => of === "owner")).toHaveLength(1);
  });

  test("differs if it is the second one", () => {
    const all = [...owner(at.at + 400), written(at.at + 900)];
    const { notComparable, differs } = judge({ ...quietRound, syncs: seen, owner: all, looksTwice: true });
    expect(notComparable.map(({ write }) => write.at)).toEqual([at.at + 400]);
    expect(differs.filter(({ of }) => of === "owner").map(({ write }) => write.at)).toEqual([at.at + 900]);
  });
});

describe("a budget's status with a pod that was evicted", () => {
  const counting = (disruptedPods: object, at: number): Write => ({
    namespace: "shop",
    at,
    verb: "update",
    resource: "poddisruptionbudgets.policy/status",
    name: "web",
    body: { metadata: { resourceVersion: "10" }, status: { disruptedPods, disruptionsAllowed: at } },
  });
  const evicted = { is: "evicted", namespace: "shop", name: "web-1", at: 900 } as const;
  const still = done(counting({ "web-1": "2026-11-21T00:00:00Z" }, 1000));
  const judged = (owner: readonly OwnerWrite[], change: Change = evicted): Verdict =>
    judge({ ...quietRound, syncs: [sync([counting({}, 2000)])], owner, changes: [change] });

  test("is not comparable if the owner removes it afterwards", () => {
    expect(summary(judged([still, done(counting({}, 2000))]))).toMatchObject({
      same: 1,
      differs: [],
      notComparable: [expect.stringContaining("whether its cache shows by then that web-1 goes is chance")],
    });
  });

  test("differs if it stays, was not evicted, or is removed otherwise", () => {
    expect(judged([still]).differs.filter(({ of }) => of === "owner")).toHaveLength(1);
    expect(judged([still, done(counting({}, 2000))], { ...evicted, name: "web-2" }).differs).toHaveLength(1);
    expect(judged([still, done(counting({}, 2000))], { ...evicted, namespace: "other" }).differs).toHaveLength(1);
  });
});

describe("pods of a surge", () => {
  const pinned = (node: string, hash: string): StoredObject => ({
    ...pod(`web-${node}`),
    ...onNode(node),
    metadata: {
      ...pod(`web-${node}`).metadata,
      creationTimestamp: "2026-11-21T00:00:00Z",
      labels: { "controller-revision-hash": hash },
    },
  });
  const onNode = (node: string, image = "web:1"): object => {
    const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
    const required = { nodeSelectorTerms: [{ matchFields }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    return { spec: { containers: [{ image }], affinity } };
  };
  const creates = (node: string, image = "web:2"): Write => ({
    ...create(),
    body: { metadata: { generateName: "web-", ownerReferences }, ...onNode(node, image) },
  });
  const judged = (owner: readonly Write[], pods: readonly StoredObject[], may = true): Verdict =>
    judge({
      ...quietRound,
      syncs: [sync([creates("n3")], { pods })],
      owner: owner.map((write, n) => done(write, `web-${n}`)),
      ...(may && { mayComeInstead: comesOfSameRollout }),
    });
  const old = [pinned("n1", "old"), pinned("n3", "old")];

  test("one on another node, with as old a pod, is equal", () => {
    expect(summary(judged([creates("n1")], old))).toMatchObject({ same: 1, differs: [] });
  });

  test("an intended one matches one other", () => {
    const pods = [...old, pinned("n4", "old")];
    const [first, second] = [done(creates("n1"), "web-1"), done(creates("n4"), "web-2")];
    const syncs = [sync([creates("n2"), creates("n3")], { pods })];
    const round = { ...quietRound, syncs, owner: [first, second], mayComeInstead: comesOfSameRollout };
    expect(judge(round).differs.map(({ write }) => write)).toEqual([second]);
  });

  test.each([
    { name: "where it matters", owner: [creates("n1")], pods: old, may: false },
    { name: "with another body", owner: [creates("n1", "web:3")], pods: old },
    { name: "on a node without a pod", owner: [creates("n2")], pods: old },
    {
      name: "on a node with a pod of another template",
      owner: [creates("n1")],
      pods: [pinned("n1", "new"), ...old.slice(1)],
    },
    { name: "on a node with two pods", owner: [creates("n1")], pods: [...old, pinned("n1", "new")] },
    { name: "beside the one that was meant", owner: [creates("n1"), creates("n3")], pods: old },
  ])("one on another node differs $name", ({ owner, pods, may = true }) => {
    const [{ body: elsewhere } = creates("n1")] = owner;
    expect(judged(owner, pods, may).differs.map(({ write }) => write.body)).toContainEqual(elsewhere);
  });
});

describe("new contents for old objects", () => {
  const slice = { ...at, resource: "endpointslices.discovery.k8s.io" } as const;
  const body = (port: number): object => ({ metadata: { ownerReferences }, ports: [port] });
  const filled = (name: string, port: number): Write => ({ ...slice, verb: "update", name, body: body(port) });
  const made = (port: number): Write => ({ ...slice, verb: "create", name: "", body: body(port) });
  const gone = (name: string): Write => ({ ...slice, verb: "delete", name, body: {} });
  const judged = (ours: readonly Write[], theirs: readonly Write[], recycles?: string): Verdict =>
    judge({
      ...quietRound,
      syncs: [sync(ours)],
      owner: theirs.map((write) => done(write)),
      ...(recycles !== undefined && { recycles }),
    });
  const ours = [filled("a", 1), filled("b", 2), made(3), gone("c")];

  test.each([
    { name: "exchanged between two", owner: [filled("a", 2), filled("b", 1), made(3), gone("c")] },
    { name: "exchanged with a deleted object", owner: [filled("c", 1), filled("b", 2), made(3), gone("a")] },
    { name: "exchanged with a new object", owner: [made(1), filled("b", 3), filled("a", 2), gone("c")] },
  ])("are equal, $name", ({ owner }) => {
    expect(summary(judged(ours, owner, slice.resource))).toMatchObject({ same: 4, differs: [] });
    expect(judged(ours, owner).differs).not.toEqual([]);
    expect(judged(ours, owner, "services").differs).not.toEqual([]);
  });

  test.each([
    { name: "with one content twice", owner: [filled("a", 2), filled("b", 2), made(3), gone("c")] },
    { name: "with another content", owner: [filled("a", 2), filled("b", 4), made(3), gone("c")] },
    { name: "for other objects", owner: [filled("a", 2), filled("d", 1), made(3), gone("c")] },
    { name: "without one of them", owner: [filled("a", 2), filled("b", 1), gone("c")] },
  ])("differ $name", ({ owner }) => {
    expect(judged(ours, owner, slice.resource).differs).not.toEqual([]);
  });
});

test("writes about a newly created object are compared by its name, not by its uid", () => {
  const started = (uid: string): Write => ({
    ...at,
    verb: "update",
    resource: "cronjobs.batch/status",
    name: "nightly",
    body: { metadata: { resourceVersion: "10" }, status: { active: [{ name: "nightly-1", uid }] } },
  });
  const job: Write = { ...at, verb: "create", resource: "jobs.batch", name: "nightly-1", body: { spec: {} } };
  const made = new Map(namesOfMade(job, { metadata: { ...pod("nightly-1").metadata, uid: "made-up" } }));
  const owner = [done(job), done(started("uid of nightly-1"))];
  const judged = (made: ReadonlyMap<string, string>): Verdict =>
    judge({ ...quietRound, ...withMadeNamed([sync([job, started("made-up")], { made })], owner) });
  expect(summary(judged(made))).toMatchObject({ same: 2, differs: [] });
  expect(judged(new Map()).differs.length).toBeGreaterThan(0);
});

describe("a controller whose keys are the pods that it creates for", () => {
  const claim: Write = {
    ...at,
    verb: "create",
    resource: "resourceclaims.resource.k8s.io",
    name: "",
    body: { metadata: { generateName: "web-gpu-", ownerReferences: [{ uid: "pod-uid", controller: true }] } },
  };
  const named = (name: string): Write => ({
    ...at,
    verb: "patch",
    resource: "pods/status",
    name: "web",
    body: { status: { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: name }] } },
  });
  const owner = [done(claim, "web-gpu-x7k2p"), done(named("web-gpu-x7k2p"))];
  const judged = (writes: readonly Write[], made = namesOfMade(claim, pod("web-gpu-made1"))): Verdict =>
    judge({
      ...quietRound,
      ...withMadeNamed([sync(writes, { key: "pod:shop/web", primary: undefined, made: new Map(made) })], owner),
    });

  test("creates as many as the owner, and refers to them by names that are generated on both sides", () => {
    expect(summary(judged([claim, named("web-gpu-made1")]))).toMatchObject({ same: 2, differs: [] });
    expect(judged([claim, named("web-gpu-made1")], []).differs.length).toBeGreaterThan(0);
  });

  test("differs if it creates one too few", () => {
    expect(judged([named("web-gpu-made1")]).differs.map(({ write }) => write.verb)).toEqual(["create"]);
  });
});

test("a write of the owner that the server did not store need not be ours", () => {
  const patch = (annotation: object): Write => ({
    ...at,
    verb: "patch",
    resource: "persistentvolumeclaims/status",
    name: "data",
    body: { metadata: { resourceVersion: "10", ...annotation } },
  });
  const judged = (write: Write, version: string): Verdict => verdictOf({ owner: [done(write, "data", version)] });
  expect(summary(judged(patch({}), "10"))).toEqual({ same: 0, differs: [], notComparable: [], movedOn: 0 });
  expect(judged(patch({ annotations: { resizer: "a" } }), "11").differs).toHaveLength(1);
  const blind = done({ ...patch({}), body: { metadata: { finalizers: ["a"] } } }, "data", "11");
  expect(verdictOf({ owner: [blind, { ...blind, at: blind.at + 1, isIdle: true }] }).differs).toHaveLength(1);
  // The removal of the last finalizer: the response has the version from before.
  const removal = done(patch({ finalizers: [] }), "data", "10");
  const metadata = { ...pod("data").metadata, resourceVersion: "10", deletionTimestamp: "2026-11-28T10:00:00Z" };
  expect(verdictOf({ owner: [{ ...removal, responseObject: { metadata } }] }).differs).toHaveLength(1);
});

test("the random number of a type in a warning about an expression is not a difference", () => {
  const warn = (type: string): Write => ({
    ...at,
    verb: "patch",
    resource: "validatingadmissionpolicies.admissionregistration.k8s.io/status",
    name: "limits",
    body: { status: { warning: `no matching overload for '_==_' applied to '(list(${type}.subsets.@idx), int)'` } },
  });
  const judged = (type: string): Verdict =>
    verdictOf({ syncs: [sync([warn("Endpoints")])], owner: [done(warn(type))] });
  expect(summary(judged("Endpoints186451947"))).toMatchObject({ same: 1, differs: [] });
  expect(judged("Node186451947").differs.length).toBeGreaterThan(0);
});

test("a server default is not a difference", () => {
  const job = (spec: object): Write => ({
    ...at,
    verb: "create",
    resource: "jobs.batch",
    name: "nightly-1",
    body: { spec },
  });
  const judged = (spec: object): Verdict =>
    judge({ ...quietRound, syncs: [sync([job({ template: {} })])], owner: [done(job({ template: {}, ...spec }))] });
  expect(summary(judged({ backoffLimit: 6, completions: 1 }))).toMatchObject({ same: 1, differs: [] });
  expect(judged({ backoffLimit: 5 }).differs.length).toBeGreaterThan(0);
});
