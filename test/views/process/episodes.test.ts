import { describe, expect, test } from "bun:test";
import { TraceBus } from "../../../src/trace/bus.ts";
import { DeltaDetail } from "../../../src/trace/delta-detail.ts";
import type { DeltaEvent, WriteEvent } from "../../../src/trace/events.ts";
import { WriteDetail } from "../../../src/trace/write-detail.ts";
import { causeEvents } from "../../../src/views/process/process-report.ts";
import { request } from "./events.ts";
import { type Episode, Episodes } from "../../../src/views/process/episodes.ts";

const agent = "operator/v1";
const sets = { group: "apps", kind: "ReplicaSet" };
const pods = { group: "", kind: "Pod" };
const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "set", controller: true };

/** A scene of deltas and writes with their times. */
class Scene {
  readonly #bus = new TraceBus({ now: () => 0 });
  readonly #episodes = new Episodes();
  readonly #over: Episode[] = [];

  constructor() {
    this.#bus.listen((event) => void this.#over.push(...this.#episodes.accept(event)));
  }

  setDelta(receivedAt: number, resourceVersion: string, type: DeltaEvent["type"] = "Updated"): this {
    const detail = new DeltaDetail(sets, undefined, undefined, undefined);
    this.#bus.emit({
      stage: "delta",
      agent,
      of: sets,
      type,
      key: "shop/web",
      uid: "set",
      resourceVersion,
      receivedAt,
      detail,
    });
    return this;
  }

  podDelta(receivedAt: number, name: string, resourceVersion: string): this {
    const pod = { metadata: { name, uid: name, namespace: "shop", resourceVersion, ownerReferences: [owner] } };
    const detail = new DeltaDetail(pods, undefined, pod as never, undefined);
    this.#bus.emit({
      stage: "delta",
      agent,
      of: pods,
      type: "Added",
      key: `shop/${name}`,
      uid: name,
      resourceVersion,
      receivedAt,
      detail,
    });
    return this;
  }

  createPod(sentAt: number, name: string, over: Partial<WriteEvent> = {}): this {
    const pod = { metadata: { name, ownerReferences: [owner] } };
    const detail = new WriteDetail(pod, undefined);
    return this.#write({ verb: "create", of: pods, key: `shop/${name}`, uid: name, sentAt, detail, ...over });
  }

  putStatus(sentAt: number, before: string, over: Partial<WriteEvent> = {}): this {
    const detail = new WriteDetail({}, { metadata: { uid: "set" } });
    const conditional = { before, conditional: true };
    return this.#write({
      verb: "update",
      subresource: "status",
      of: sets,
      key: "shop/web",
      uid: "set",
      sentAt,
      detail,
      ...conditional,
      ...over,
    });
  }

  getSet(sentAt: number, resourceVersion: string): this {
    this.#bus.emit(request({ of: sets, key: "shop/web", resourceVersion, sentAt, ms: 1 }));
    return this;
  }

  #write(over: Partial<WriteEvent> & Pick<WriteEvent, "verb" | "of" | "key" | "sentAt">): this {
    const rest = {
      fieldManager: "operator",
      uid: "",
      before: "",
      conditional: false,
      resourceVersion: String(over.sentAt),
      deletes: false,
    } as const;
    this.#bus.emit({ stage: "write", agent, status: 200, ms: 2, changes: [], ...rest, ...over });
    return this;
  }

  get over(): readonly Episode[] {
    this.#over.push(...this.#episodes.flush(Infinity));
    return this.#over;
  }

  /** The cause of each reconcile, and its writes. */
  get reconciles(): readonly unknown[] {
    return this.over.map(({ subject, cause, retryOf, writes }) => [
      subject.key,
      retryOf === undefined
        ? cause && `${cause.grade} ${cause.delta.of.kind} ${cause.delta.resourceVersion}`
        : `retry of ${retryOf}`,
      writes.map(
        ({ verb, of, subresource }) => `${verb} ${of.kind}${subresource === undefined ? "" : `/${subresource}`}`,
      ),
    ]);
  }
}

describe("reconciles of a process, seen from outside", () => {
  test("creates and the following status are one reconcile of the owner, caused by its delta and not by the echoes of the creates", () => {
    const scene = new Scene()
      .setDelta(100, "5")
      .createPod(104, "a")
      .createPod(107, "b")
      .podDelta(108, "a", "104")
      .putStatus(110, "5");
    expect(scene.reconciles).toEqual([
      ["shop/web", "own ReplicaSet 5", ["create Pod", "create Pod", "update ReplicaSet/status"]],
    ]);
  });

  test("the version that a write is based on was known by then; later ones were not", () => {
    const scene = new Scene().setDelta(100, "5").setDelta(137, "6").putStatus(140, "5");
    expect(scene.reconciles).toEqual([["shop/web", "own ReplicaSet 5", ["update ReplicaSet/status"]]]);
  });

  test("a reconcile started after the version came on which its writes are based", () => {
    const scene = new Scene().podDelta(101.5, "a", "4").setDelta(103.5, "6").putStatus(104, "6");
    expect(scene.reconciles).toEqual([["shop/web", "own ReplicaSet 6", ["update ReplicaSet/status"]]]);
  });

  test("a version that a reconcile knew caused it, and not the next one", () => {
    const scene = new Scene().podDelta(103.4, "a", "4").setDelta(103.5, "5").putStatus(104, "5").createPod(108, "b");
    expect(scene.reconciles).toMatchObject([{}, ["shop/web", "time ReplicaSet 5", ["create Pod"]]]);
  });

  test("changes during a reconcile were left to the next one, however long it took", () => {
    const scene = new Scene().setDelta(100, "5").putStatus(102, "5", { ms: 60 });
    scene.podDelta(130, "a", "8").createPod(164, "b");
    expect(scene.reconciles).toMatchObject([{}, ["shop/web", "owned Pod 8", ["create Pod"]]]);
  });

  test("a writer's reaction time is learned, and decides a choice", () => {
    const scene = new Scene();
    for (let n = 1; n <= 20; n++) scene.setDelta(n * 1000, String(n)).createPod(n * 1000 + 60, `a${n}`);
    scene.setDelta(30_000, "30").podDelta(30_058, "b", "31").createPod(30_060, "c");
    expect(scene.reconciles.at(-1)).toMatchObject(["shop/web", "own ReplicaSet 30", ["create Pod"]]);
    scene.podDelta(40_000, "b", "40").setDelta(40_045, "41").createPod(40_080, "c");
    expect(scene.over.at(-1)?.cause?.or).toBeDefined();
    // Equally probable, but too far apart.
    scene.podDelta(50_000, "b", "50").setDelta(50_070, "51").createPod(50_100, "c");
    expect(scene.over.at(-1)?.cause?.or).toBeUndefined();
  });

  test("for a writer that always waits for the echo of its status, that echo is the cause", () => {
    const last = (scene: Scene): unknown => {
      scene.setDelta(50_000, "500").putStatus(50_002, "500", { resourceVersion: "501", ms: 8 });
      scene.podDelta(50_005, "a", "490").setDelta(50_009, "501").createPod(50_012, "b");
      return scene.reconciles.at(-1);
    };
    const hasty = new Scene().setDelta(1000, "1").putStatus(1002, "1", { resourceVersion: "2" }).createPod(1006, "z");
    expect(last(hasty.setDelta(1009, "2"))).toMatchObject(["shop/web", "owned Pod 490", ["create Pod"]]);
    const scene = new Scene();
    for (let n = 1; n <= 30; n++) {
      const version = String(n * 10);
      const echo = String(n * 10 + 1);
      scene.setDelta(n * 1000, version).putStatus(n * 1000 + 2, version, { resourceVersion: echo });
      scene.setDelta(n * 1000 + 6, echo);
    }
    expect(last(scene)).toMatchObject(["shop/web", "own ReplicaSet 501", ["create Pod"]]);
  });

  test("a writer that was seen to continue after a status, by the old version of its last write, continues", () => {
    const scene = new Scene();
    for (let n = 1; n <= 3; n++) {
      const [at, version, echo] = [n * 1000, String(n * 10), String(n * 10 + 1)];
      scene
        .setDelta(at, version)
        .createPod(at + 2, `a${n}`)
        .putStatus(at + 5, version, { resourceVersion: echo });
      scene.setDelta(at + 7, echo).createPod(at + 14, `b${n}`, { verb: "delete" });
      scene.putStatus(at + 17, version, { status: 409, error: "conflict", resourceVersion: "" });
    }
    const writes = scene.over.map((reconcile) => reconcile.writes.length);
    expect(writes).toEqual([2, 2, 2, 2, 4]);
  });

  test("deltas with the same time are not a choice", () => {
    const scene = new Scene().setDelta(100, "5").putStatus(102, "5", { ms: 4 });
    scene.podDelta(105.9, "a", "8").podDelta(105.95, "b", "9").createPod(108, "c");
    expect(scene.over[1]?.cause).toMatchObject({ grade: "owned" });
    expect(scene.over[1]?.cause?.or).toBeUndefined();
  });

  test("of two possible causes both are named, with the grade", () => {
    const scene = new Scene().setDelta(100, "5").podDelta(103.2, "a", "6").createPod(105, "b");
    const [reconcile] = scene.over;
    const { grade, delta, or } = reconcile?.cause ?? {};
    expect(new Set([`${grade} ${delta?.resourceVersion}`, `${or?.grade} ${or?.delta.resourceVersion}`])).toEqual(
      new Set(["own 5", "owned 6"]),
    );
    const [event] = reconcile === undefined ? [] : causeEvents(reconcile);
    expect(event).toMatchObject({ delta: delta?.seq, grade, or: { delta: or?.delta.seq, grade: or?.grade } });
  });

  test("two that are far apart are not named together", () => {
    const [reconcile] = new Scene().setDelta(100, "5").podDelta(190, "a", "6").createPod(191.2, "b").over;
    expect(reconcile?.cause).toMatchObject({ grade: "owned" });
    expect(reconcile?.cause?.or).toBeUndefined();
  });

  test("a reconcile whose write names the object is exact, but a choice between two deltas is still named", () => {
    const reconcile = { id: "sync-1", object: { kind: "ReplicaSet", key: "shop/web" } };
    const one = new Scene().setDelta(100, "5").createPod(102, "b", { reconcile });
    expect(one.over[0]?.cause).toMatchObject({ grade: "exact", delta: { resourceVersion: "5" } });
    expect(one.over[0]?.cause?.or).toBeUndefined();
    const two = new Scene().setDelta(100, "5").podDelta(103.2, "a", "6").createPod(105, "b", { reconcile });
    expect(two.over[0]?.cause).toMatchObject({ grade: "exact", or: { grade: "exact" } });
  });

  test("a dependent that is deleted after its owner is deleted for that, whatever came meanwhile", () => {
    const scene = new Scene().setDelta(70, "5", "Deleted").podDelta(103, "a", "6");
    scene.createPod(105, "b", {
      verb: "delete",
      detail: new WriteDetail({}, { metadata: { ownerReferences: [owner] } }),
    });
    expect(scene.reconciles).toEqual([["shop/web", "own ReplicaSet 5", ["delete Pod"]]]);
  });

  test("writes after a refused write, based on a live read, are the same reconcile", () => {
    const scene = new Scene().setDelta(100, "5").putStatus(102, "5", { status: 409, error: "conflict" });
    scene.getSet(105, "6").putStatus(108, "6");
    expect(scene.reconciles).toEqual([
      ["shop/web", "own ReplicaSet 5", ["update ReplicaSet/status", "update ReplicaSet/status"]],
    ]);
  });

  test("a delta during a reconcile caused the one that follows at once", () => {
    const scene = new Scene()
      .setDelta(100, "5")
      .createPod(102, "a")
      .podDelta(103, "a", "104")
      .putStatus(105, "5")
      .putStatus(107.5, "105");
    expect(scene.reconciles).toEqual([
      ["shop/web", "own ReplicaSet 5", ["create Pod", "update ReplicaSet/status"]],
      ["shop/web", "owned Pod 104", ["update ReplicaSet/status"]],
    ]);
  });

  test("the delta that a write names is found, however many more of the object follow during the reconcile", () => {
    const scene = new Scene().setDelta(10, "1");
    const because = { kind: "ReplicaSet", key: "shop/web", resourceVersion: "1" };
    scene.createPod(20, "a", { reconcile: { id: "sync-1", because } });
    for (let version = 2; version < 60; version++) scene.setDelta(20 + version, String(version));
    expect(scene.reconciles).toEqual([["shop/web", "exact ReplicaSet 1", ["create Pod"]]]);
  });

  test("the delta that caused a reconcile is found, though many more of its owner's follow during the reconcile", () => {
    const scene = new Scene().podDelta(100, "a", "1").createPod(102, "b");
    for (let n = 0; n < 40; n++) scene.podDelta(110 + n, `c${n}`, String(200 + n));
    expect(scene.reconciles).toEqual([["shop/web", "owned Pod 1", ["create Pod"]]]);
  });

  test("without a delta, a write after a refusal is a retry", () => {
    const scene = new Scene()
      .setDelta(100, "5")
      .putStatus(102, "5", { status: 409, error: "conflict" })
      .putStatus(400, "5");
    expect(scene.reconciles).toEqual([
      ["shop/web", "own ReplicaSet 5", ["update ReplicaSet/status"]],
      ["shop/web", "retry of 1", ["update ReplicaSet/status"]],
    ]);
  });

  test("a name in the written object is weaker evidence, a time alone is none", () => {
    const config = { group: "", kind: "ConfigMap" };
    const bus = new TraceBus({ now: () => 0 });
    const episodes = new Episodes();
    const over: Episode[] = [];
    bus.listen((event) => void over.push(...episodes.accept(event)));
    const detail = new DeltaDetail(config, undefined, undefined, undefined);
    bus.emit({
      stage: "delta",
      agent,
      of: config,
      type: "Added",
      key: "shop/settings",
      uid: "c",
      resourceVersion: "1",
      receivedAt: 10,
      detail,
    });
    const write = {
      stage: "write",
      agent,
      verb: "create",
      fieldManager: "operator",
      of: pods,
      uid: "",
      before: "",
      conditional: false,
    } as const;
    const response = { resourceVersion: "", deletes: false, status: 201, sentAt: 20, ms: 1, changes: [] } as const;
    bus.emit({
      ...write,
      ...response,
      key: "shop/a",
      detail: new WriteDetail({ spec: { volumes: [{ configMap: { name: "settings" } }] } }, undefined),
    });
    bus.emit({ ...write, ...response, key: "shop/b", detail: new WriteDetail({ spec: {} }, undefined) });
    over.push(...episodes.flush(Infinity));
    expect(over.map(({ cause }) => cause?.grade)).toEqual(["named", "time"]);
  });
});
