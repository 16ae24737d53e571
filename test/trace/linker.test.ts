import { describe, expect, test } from "bun:test";
import type { Pod } from "../../src/api/types.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { DeltaDetail } from "../../src/trace/delta-detail.ts";
import type { DeltaEvent, LinkEvent, StageEvent, StageEventBody, WriteEvent } from "../../src/trace/events.ts";
import { Linker, linkedStages } from "../../src/trace/linker.ts";

const of = { group: "", kind: "Pod" };
const ours = "kubectl-reconcile-replicaset";

function write(rest: Partial<WriteEvent>): WriteEvent {
  return {
    stage: "write",
    verb: "create",
    fieldManager: ours,
    of,
    key: "shop/web",
    uid: "u1",
    before: "",
    conditional: false,
    resourceVersion: "10",
    deletes: false,
    status: 200,
    sentAt: 100,
    ms: 2,
    changes: [],
    ...rest,
  };
}

function delta(rest: Partial<DeltaEvent> & { readonly writer?: string }): DeltaEvent {
  const { writer, ...fields } = rest;
  const detail = new DeltaDetail(of, undefined, undefined, writer);
  return {
    stage: "delta",
    of,
    type: "Updated",
    key: "shop/web",
    uid: "u1",
    resourceVersion: "10",
    receivedAt: 100,
    detail,
    ...fields,
  };
}

/** Emits events, each at its time, and returns the links as `by write→delta`. */
function linksOf(...events: readonly (readonly [at: number, event: StageEventBody])[]): string[] {
  let now = 0;
  const failed: unknown[] = [];
  const bus = new TraceBus({ now: () => now, onListenerError: (error) => failed.push(error) });
  const links: LinkEvent[] = [];
  bus.listen((event) => {
    if (event.stage === "link") links.push(event);
  });
  bus.listen(new Linker(bus).listener);
  for (const [at, event] of events) {
    now = at;
    bus.emit({ ...event });
  }
  expect(failed).toEqual([]);
  return links.map((link) => `${link.by} ${link.write}→${link.delta}`);
}

describe("Linker", () => {
  test("links a create to the delta of its version, whichever comes first", () => {
    expect(linksOf([102, write({})], [103, delta({ type: "Added", receivedAt: 103 })])).toEqual([
      "resourceVersion 1→2",
    ]);
    expect(linksOf([101, delta({ type: "Added", receivedAt: 101 })], [102, write({})])).toEqual([
      "resourceVersion 2→1",
    ]);
  });

  test("does not link a write that changed nothing: its response has the version it was based on", () => {
    const noOp = write({ verb: "update", before: "10", conditional: true });
    expect(linksOf([101, delta({ receivedAt: 101 })], [102, noOp])).toEqual([]);
  });

  test("does not link to a delta that was received before the write was sent", () => {
    expect(linksOf([50, delta({ receivedAt: 50 })], [102, write({ verb: "patch" })])).toEqual([]);
  });

  test("links to a delta that came during the write, however late the response is reported", () => {
    const update = write({ verb: "update", conditional: true, before: "9", sentAt: 100, ms: 36 });
    expect(linksOf([101, delta({ receivedAt: 101 })], [145, update])).toEqual(["resourceVersion 2→1"]);
  });

  test("links an unconditional patch only if managedFields name its own manager as the writer", () => {
    const patch = write({ verb: "patch" });
    expect(linksOf([102, patch], [103, delta({ receivedAt: 103, writer: ours })])).toEqual(["resourceVersion 1→2"]);
    expect(linksOf([102, patch], [103, delta({ receivedAt: 103, writer: "kubectl-edit" })])).toEqual([]);
    expect(linksOf([102, patch], [103, delta({ receivedAt: 103 })])).toEqual([]);
  });

  test("links a conditional update without looking at the writer", () => {
    const update = write({ verb: "update", before: "9", conditional: true });
    expect(linksOf([102, update], [103, delta({ receivedAt: 103 })])).toEqual(["resourceVersion 1→2"]);
  });

  test("links a version to one write", () => {
    const second = write({ verb: "patch", fieldManager: ours });
    const links = linksOf(
      [102, write({})],
      [103, delta({ type: "Added", receivedAt: 103, writer: ours })],
      [103, second],
    );
    expect(links).toEqual(["resourceVersion 1→2"]);
  });

  test("links the removal of the last finalizer by uid: the response has the previous version", () => {
    const patch = write({ verb: "patch", before: "9", resourceVersion: "9", deletes: true });
    const deleted = delta({ type: "Deleted", resourceVersion: "11", receivedAt: 103 });
    expect(linksOf([102, patch], [103, deleted])).toEqual(["uid 1→2"]);
    expect(linksOf([102, deleted], [103, { ...patch, sentAt: 98 }])).toEqual(["uid 2→1"]);
  });

  test("links a delete with a Status as the response by uid, and not to another object of that name", () => {
    const status = write({ verb: "delete", resourceVersion: "", deletes: true });
    expect(linksOf([102, status], [103, delta({ type: "Deleted", resourceVersion: "11", receivedAt: 103 })])).toEqual([
      "uid 1→2",
    ]);
    expect(linksOf([102, status], [103, delta({ type: "Deleted", uid: "u2", receivedAt: 103 })])).toEqual([]);
  });

  const changed = (before: object, after: object): DeltaDetail => {
    const meta = { name: "web", uid: "u1", resourceVersion: "1", creationTimestamp: "" };
    const [was, is] = [before, after].map((rest) => ({ metadata: { ...meta, ...rest } }));
    return new DeltaDetail(of, was, is, undefined);
  };
  test("a write that changed nothing does not hide the one whose version is in its response", () => {
    const patch = write({ verb: "patch" });
    const idle = write({ verb: "delete" });
    const touched = changed({ labels: { a: "1" } }, { labels: { a: "2" } });
    const detail = new DeltaDetail(of, undefined, undefined, ours);
    expect(linksOf([102, patch], [103, idle], [104, delta({ receivedAt: 104, detail })])).toEqual([
      "resourceVersion 1→3",
    ]);
    expect(linksOf([102, idle], [103, delta({ receivedAt: 103, detail: touched })])).toEqual([]);
  });

  const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };

  test("links a graceful delete to the delta that set the deletionTimestamp", () => {
    const graceful = write({ verb: "delete", resourceVersion: "12" });
    const detail = changed({}, going);
    expect(linksOf([102, graceful], [103, delta({ resourceVersion: "12", receivedAt: 103, detail })])).toEqual([
      "resourceVersion 1→2",
    ]);
  });

  test("links a delete of an object that is already being deleted to nothing: its response has another write's version", () => {
    const late = write({ verb: "delete", resourceVersion: "12" });
    const detail = changed(going, { ...going, labels: { by: "somebody" } });
    expect(linksOf([102, late], [103, delta({ resourceVersion: "12", receivedAt: 103, detail })])).toEqual([]);
  });

  test("links a delete without grace to both of its deltas, the end of the grace period and the removal", () => {
    const remove = write({ verb: "delete", resourceVersion: "13", deletes: true });
    const detail = changed({ ...going, deletionGracePeriodSeconds: 30 }, { ...going, deletionGracePeriodSeconds: 0 });
    const first = delta({ resourceVersion: "12", receivedAt: 103, detail });
    const second = delta({ type: "Deleted", resourceVersion: "13", receivedAt: 103 });
    expect(linksOf([102, remove], [103, first], [104, second])).toEqual(["uid 1→3", "uid 1→2"]);
  });

  test("links a binding to the delta that gave the pod this node, whichever comes first", () => {
    const change = { path: ".spec.nodeName", after: "node-1" };
    const binding = write({ subresource: "binding", resourceVersion: "", uid: "", changes: [change] });
    const metadata = { name: "web", uid: "u1", resourceVersion: "1", creationTimestamp: "" };
    const podOn = (nodeName: string | undefined): Pod => ({
      metadata,
      spec: { containers: [], ...(nodeName !== undefined && { nodeName }) },
    });
    const placed = (node: string): DeltaEvent =>
      delta({ receivedAt: 103, detail: new DeltaDetail(of, podOn(undefined), podOn(node), undefined) });
    expect(linksOf([102, binding], [103, placed("node-1")])).toEqual(["binding 1→2"]);
    expect(linksOf([103, placed("node-1")], [104, binding])).toEqual(["binding 2→1"]);
    expect(linksOf([102, binding], [103, placed("node-2")])).toEqual([]);
  });

  test("reports that a relist has overtaken a write whose delta will never be seen", () => {
    const relisted = delta({ type: "Replaced", resourceVersion: "15", relist: true, receivedAt: 200 });
    expect(linksOf([102, write({})], [200, relisted])).toEqual(["superseded 1→0"]);
    expect(linksOf([102, write({ resourceVersion: "20" })], [200, relisted])).toEqual([]);
  });

  test("a relist has also overtaken a write whose response comes after it", () => {
    const relisted = delta({ type: "Replaced", resourceVersion: "15", relist: true, receivedAt: 101 });
    const update = write({ verb: "update", conditional: true, before: "9" });
    expect(linksOf([101, relisted], [102, update])).toEqual(["superseded 2→0"]);
    expect(linksOf([101, relisted], [102, { ...update, resourceVersion: "20" }])).toEqual([]);
    const ended = write({ verb: "delete", resourceVersion: "", deletes: true });
    expect(linksOf([101, relisted], [102, ended])).toEqual([]);
    expect(linksOf([101, { ...relisted, uid: "u2" }], [102, ended])).toEqual(["superseded 2→0"]);
    const missing = delta({ type: "Deleted", resourceVersion: "9", relist: true, tombstone: true, receivedAt: 101 });
    expect(linksOf([101, missing], [102, update])).toEqual(["superseded 2→0"]);
    // The object was created again with the same name, either after or before the list.
    expect(linksOf([101, missing], [102, write({ uid: "u2" })])).toEqual([]);
  });

  test("does not link a delete to a list at its version: another client may have deleted first", () => {
    const remove = write({ verb: "delete", resourceVersion: "12" });
    const shown = { type: "Replaced", resourceVersion: "12", relist: true, receivedAt: 103 } as const;
    const listed = delta({ ...shown, detail: changed({}, going) });
    expect(linksOf([102, remove], [103, listed])).toEqual(["superseded 1→0"]);
    expect(linksOf([103, listed], [104, { ...remove, sentAt: 99 }])).toEqual(["superseded 2→0"]);
    const update = write({ verb: "update", before: "9", conditional: true, resourceVersion: "12" });
    expect(linksOf([102, update], [103, listed])).toEqual(["resourceVersion 1→2"]);
  });

  const added = delta({ type: "Added", receivedAt: 103 });
  const relisted = delta({ type: "Replaced", resourceVersion: "15", relist: true, receivedAt: 200 });

  test("links only writes, not other changes at a version, nor dry runs", () => {
    const stored = { stage: "store", of, key: "shop/web", replaced: "", resourceVersion: "10" } as const;
    expect(linksOf([102, stored], [103, added])).toEqual([]);
    expect(linksOf([102, write({ wouldBe: true })], [103, added])).toEqual([]);
  });

  test("links to no object of another kind, and to no resync of a known object", () => {
    const other = { group: "apps", kind: "Deployment" };
    expect(linksOf([102, write({})], [103, { ...added, of: other }])).toEqual([]);
    expect(linksOf([102, write({})], [103, { ...added, type: "Sync" }])).toEqual([]);
  });

  test("a delta received in the millisecond of the write may be its own, but none before", () => {
    const update = write({ verb: "update", conditional: true, before: "9" });
    expect(linksOf([100, delta({ receivedAt: 100 })], [102, update])).toEqual(["resourceVersion 2→1"]);
    expect(linksOf([99, delta({ receivedAt: 99 })], [102, update])).toEqual([]);
    const remove = write({ verb: "delete", resourceVersion: "", deletes: true });
    const removal = delta({ type: "Deleted", resourceVersion: "11" });
    expect(linksOf([100, removal], [102, remove])).toEqual(["uid 2→1"]);
    expect(linksOf([99, { ...removal, receivedAt: 99 }], [102, remove])).toEqual([]);
  });

  test("finds a create in a list with the version of its response", () => {
    const listed = { ...relisted, resourceVersion: "10" };
    expect(linksOf([102, write({})], [200, listed])).toEqual(["resourceVersion 1→2"]);
    // The version is that of the create; it does not show what the patch did, if anything.
    expect(linksOf([102, write({})], [103, write({ verb: "patch" })], [200, listed])).toEqual(["resourceVersion 1→3"]);
  });

  test("links a graceful delete to the start of the deletion and not to its end, which is the kubelet's", () => {
    const graceful = write({ verb: "delete", resourceVersion: "12" });
    const detail = changed({ labels: { a: "1" } }, { labels: { a: "2" }, ...going });
    const begun = delta({ resourceVersion: "12", receivedAt: 103, detail });
    const ended = delta({ type: "Deleted", resourceVersion: "13", receivedAt: 104 });
    expect(linksOf([102, graceful], [103, begun], [104, ended])).toEqual(["resourceVersion 1→2"]);
  });

  test("links a delete that ends a deletion to the version of its response, and by uid to the removal", () => {
    const remove = write({ verb: "delete", resourceVersion: "12", deletes: true });
    const ending = delta({ resourceVersion: "12", receivedAt: 103, detail: changed({}, going) });
    const ended = delta({ type: "Deleted", resourceVersion: "13", receivedAt: 104 });
    expect(linksOf([102, remove], [103, ending], [104, ended])).toEqual(["resourceVersion 1→2", "uid 1→4"]);
  });

  test("links an object without a uid by its version", () => {
    const nameless = { uid: "", resourceVersion: "13", deletes: true };
    const ended = delta({ type: "Deleted", resourceVersion: "13", receivedAt: 104 });
    for (const verb of ["delete", "patch"] as const)
      expect(linksOf([102, write({ verb, ...nameless })], [104, ended])).toEqual(["resourceVersion 1→2"]);
    expect(linksOf([102, write({ verb: "delete", uid: "", resourceVersion: "" })], [104, ended])).toEqual([]);
    expect(linksOf([102, write({ verb: "update", before: "9", resourceVersion: "" })], [200, relisted])).toEqual([]);
  });

  describe("the end of a grace period just before a removal", () => {
    const grace = (before: number, after: number): DeltaDetail =>
      changed(
        { ...going, labels: { a: "1" }, deletionGracePeriodSeconds: before },
        { ...going, labels: { a: "2" }, deletionGracePeriodSeconds: after },
      );
    const ending = delta({ resourceVersion: "12", receivedAt: 103, detail: grace(30, 0) });
    const ended = delta({ type: "Deleted", resourceVersion: "13", receivedAt: 104 });
    const remove = write({ verb: "delete", resourceVersion: "13", deletes: true });

    test("is the delete's, even if more changed, or it was received as the delete was sent", () => {
      expect(linksOf([102, remove], [103, ending], [104, ended])).toEqual(["uid 1→3", "uid 1→2"]);
      expect(linksOf([102, { ...remove, sentAt: 103 }], [103, ending], [104, ended])).toEqual(["uid 1→3", "uid 1→2"]);
    });

    test("is not, if it came before the delete was sent, or is another change", () => {
      expect(linksOf([103, ending], [104, { ...remove, sentAt: 104 }], [104, ended])).toEqual(["uid 2→3"]);
      const idle = new DeltaDetail(of, undefined, undefined, undefined);
      const restarts = { metadata: { name: "web", uid: "u1", resourceVersion: "1", creationTimestamp: "" } };
      const zero = new DeltaDetail(of, { ...restarts, n: 1 } as Pod, { ...restarts, n: 0 } as Pod, undefined);
      for (const detail of [grace(30, 5), changed(going, { ...going, labels: {} }), zero, idle])
        expect(linksOf([102, remove], [103, { ...ending, detail }], [104, ended])).toEqual(["uid 1→3"]);
    });

    test("is not that of a write that removed the last finalizer", () => {
      const patch = write({ verb: "patch", before: "9", resourceVersion: "9", deletes: true });
      expect(linksOf([102, patch], [103, ending], [104, ended])).toEqual(["uid 1→3"]);
    });

    test("is linked to one write", () => {
      const first = write({ verb: "delete", resourceVersion: "12" });
      expect(linksOf([102, first], [103, ending], [103, remove], [104, ended])).toEqual([
        "resourceVersion 1→2",
        "uid 4→5",
      ]);
      const late = write({ verb: "update", before: "11", conditional: true, resourceVersion: "12" });
      expect(linksOf([102, remove], [103, ending], [104, ended], [105, late])).toEqual(["uid 1→3", "uid 1→2"]);
    });
  });

  describe("a binding", () => {
    const nodeIs = { path: ".spec.nodeName", after: "node-1" };
    const aside = { path: ".target", after: "node-2" };
    const binding = write({ subresource: "binding", resourceVersion: "", uid: "", changes: [aside, nodeIs] });
    const metadata = { name: "web", uid: "u1", resourceVersion: "1", creationTimestamp: "" };
    const podOn = (nodeName: string | undefined, label: string): Pod => ({
      metadata: { ...metadata, labels: { label } },
      spec: { containers: [], ...(nodeName !== undefined && { nodeName }) },
    });
    const moved = (before: string | undefined, after: string | undefined, rest: Partial<DeltaEvent> = {}): DeltaEvent =>
      delta({
        receivedAt: 103,
        detail: new DeltaDetail(of, podOn(before, "a"), podOn(after, "b"), undefined),
        ...rest,
      });

    test("is found among other changes", () => {
      const early = moved(undefined, undefined, { resourceVersion: "9" });
      expect(linksOf([102, binding], [103, early], [103, moved(undefined, "node-1")])).toEqual(["binding 1→3"]);
      expect(linksOf([103, early], [103, moved(undefined, "node-1")], [104, binding])).toEqual(["binding 3→2"]);
    });

    test("has none if the pod had a node before, or the binding has none", () => {
      expect(linksOf([102, binding], [103, moved("node-0", "node-1")])).toEqual([]);
      expect(linksOf([102, { ...binding, changes: [] }], [103, moved(undefined, "node-1")])).toEqual([]);
      expect(linksOf([102, { ...binding, changes: [] }], [103, moved(undefined, undefined)])).toEqual([]);
    });

    test("is not found in a list, which may leave changes out", () => {
      expect(linksOf([102, binding], [103, moved(undefined, "node-1", { type: "Replaced", relist: true })])).toEqual(
        [],
      );
    });

    test("is not a change that was received before it was sent", () => {
      expect(linksOf([103, moved(undefined, "node-1")], [105, { ...binding, sentAt: 104 }])).toEqual([]);
      expect(linksOf([103, moved(undefined, "node-1")], [105, { ...binding, sentAt: 103 }])).toEqual(["binding 2→1"]);
    });

    test("keeps its delta: another write at that version did not cause it", () => {
      const placed = moved(undefined, "node-1");
      expect(linksOf([102, binding], [103, placed], [104, binding])).toEqual(["binding 1→2"]);
      const update = write({ verb: "update", before: "9", conditional: true });
      expect(linksOf([102, binding], [103, placed], [104, update])).toEqual(["binding 1→2"]);
    });
  });

  describe("a relist", () => {
    const update = write({ verb: "update", before: "9", conditional: true });

    test("overtakes each pending write to the object, and none whose delta was seen", () => {
      const later = { ...update, before: "10", resourceVersion: "12" };
      expect(linksOf([102, update], [103, later], [200, relisted])).toEqual(["superseded 1→0", "superseded 2→0"]);
      const seen = delta({ receivedAt: 104 });
      expect(linksOf([102, update], [103, later], [104, seen], [200, relisted])).toEqual([
        "resourceVersion 1→3",
        "superseded 2→0",
      ]);
      // Reported only once.
      expect(linksOf([102, update], [200, relisted], [201, relisted])).toEqual(["superseded 1→0"]);
    });

    test("overtakes nothing if the removal was seen before the response to the delete", () => {
      const remove = write({ verb: "delete", resourceVersion: "", deletes: true });
      const removal = delta({ type: "Deleted", resourceVersion: "11", receivedAt: 101 });
      const anew = { ...relisted, uid: "u2" };
      expect(linksOf([101, removal], [102, remove], [200, anew])).toEqual(["uid 2→1"]);
      expect(linksOf([102, remove], [200, anew])).toEqual(["superseded 1→0"]);
    });

    test("overtakes the write that removed the last finalizer", () => {
      const patch = write({ verb: "patch", before: "9", resourceVersion: "9", deletes: true });
      expect(linksOf([102, patch], [200, relisted])).toEqual(["superseded 1→0"]);
      // The list shows the version on which the patch was based, so the removal is still to come.
      const shown = { ...relisted, resourceVersion: "9", receivedAt: 101 };
      const removal = delta({ type: "Deleted", resourceVersion: "11", receivedAt: 103 });
      expect(linksOf([101, shown], [102, patch], [103, removal])).toEqual(["uid 2→3"]);
    });

    test("without the object overtakes all: its last version is not known", () => {
      const missing = delta({ type: "Deleted", resourceVersion: "9", tombstone: true, receivedAt: 103 });
      expect(linksOf([102, update], [103, missing])).toEqual(["superseded 1→0"]);
    });
  });

  test("ignores refused writes", () => {
    expect(linksOf([102, write({ status: 409, error: "conflict" })], [103, delta({ receivedAt: 103 })])).toEqual([]);
  });
});

test("a Linker needs only the stages that it declares", () => {
  const bus = new TraceBus({ now: () => 0 });
  const links: StageEvent[] = [];
  bus.listen((event) => links.push(event), { stages: ["link"] });
  bus.listen(new Linker(bus).listener, { stages: linkedStages });
  bus.emit(write({}));
  bus.emit(delta({ type: "Added" }));
  expect(links.map(({ stage }) => stage)).toEqual(["link"]);
});

describe("the memory of a Linker", () => {
  const remembering = (): { readonly emit: (...events: StageEventBody[]) => void; readonly linker: Linker } => {
    const bus = new TraceBus({ now: () => 0 });
    const linker = new Linker(bus);
    bus.listen(linker.listener);
    return { emit: (...events) => events.forEach((event) => bus.emit({ ...event })), linker };
  };

  test("has a write under its version and as pending, until its delta came", () => {
    const { emit, linker } = remembering();
    emit(write({}));
    expect(linker.remembered).toBe(2);
    emit(delta({ type: "Added" }));
    // The write by its version, the delta by its own version, and the fact that it is linked.
    expect(linker.remembered).toBe(3);
  });

  test("has nothing of a deletecollection, which has no delta", () => {
    const { emit, linker } = remembering();
    emit(write({ verb: "deletecollection", key: "shop/", resourceVersion: "20", uid: "" }));
    expect(linker.remembered).toBe(0);
  });

  test("has the deltas of an object that changes repeatedly, by version, and the last 4 of a pod", () => {
    const changes = Array.from({ length: 10 }, (_, n) => delta({ resourceVersion: String(n + 1) }));
    const [pods, maps] = [remembering(), remembering()];
    pods.emit(...changes);
    expect(pods.linker.remembered).toBe(10 + 1 + 4);
    maps.emit(...changes.map((change) => ({ ...change, of: { group: "", kind: "ConfigMap" } })));
    expect(maps.linker.remembered).toBe(10 + 1);
  });

  test("has the last 64 of writes with the same version in their responses", () => {
    const { emit, linker } = remembering();
    for (let n = 0; n < 100; n++) emit(write({ verb: "patch", before: "9" }));
    expect(linker.remembered).toBe(64 + 64);
  });
});

test("writes of kinds that are not watched are dropped: no delta of theirs ever comes", () => {
  const bus = new TraceBus({ now: () => 0 });
  const linker = new Linker(bus);
  bus.listen(linker.listener);
  const most: number[] = [];
  for (let n = 0; n < 6000; n++) {
    const version = { resourceVersion: String(n + 1) };
    bus.emit(write({ ...version, of: { group: "", kind: "Event" }, key: `shop/web.${n}`, uid: `e${n}` }));
    // One object that is written repeatedly, with a response that shows the change each time.
    const before = String(n);
    const lease = {
      ...version,
      before,
      verb: "update",
      conditional: true,
      uid: "l",
      key: "kube-system/lease",
    } as const;
    bus.emit(write({ ...lease, of: { group: "coordination.k8s.io", kind: "Lease" } }));
    if (n % 1000 === 999) most.push(linker.remembered);
  }
  expect(Math.max(...most)).toBeLessThan(10_000);
});
