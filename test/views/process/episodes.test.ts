import { describe, expect, test } from "bun:test";
import { TraceBus } from "../../../src/trace/bus.ts";
import { DeltaDetail } from "../../../src/trace/delta-detail.ts";
import type { DeltaEvent, WriteEvent } from "../../../src/trace/events.ts";
import { WriteDetail } from "../../../src/trace/write-detail.ts";
import { type Episode, Episodes } from "../../../src/views/process/episodes.ts";

const agent = "operator/v1";
const sets = { group: "apps", kind: "ReplicaSet" };
const pods = { group: "", kind: "Pod" };
const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "set", controller: true };

/** A scene: deltas and writes by their times. */
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

  /** What led to each reconcile, and its writes. */
  get reconciles(): readonly unknown[] {
    this.#over.push(...this.#episodes.flush(Infinity));
    return this.#over.map(({ subject, cause, retryOf, writes }) => [
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
  test("creates and the status after them are one, of the owner; its delta led to them, not the echoes of the creates", () => {
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

  test("what a write is based on was known by then; what came later was not", () => {
    const scene = new Scene().setDelta(100, "5").setDelta(101, "6").putStatus(140, "5");
    expect(scene.reconciles).toEqual([["shop/web", "own ReplicaSet 5", ["update ReplicaSet/status"]]]);
  });

  test("a delta that came while a reconcile ran led to the one that follows at once", () => {
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

  test("the delta that a write names is found, however many of the same object follow before the reconcile is over", () => {
    const scene = new Scene().setDelta(10, "1");
    const because = { kind: "ReplicaSet", key: "shop/web", resourceVersion: "1" };
    scene.createPod(20, "a", { reconcile: { id: "sync-1", because } });
    for (let version = 2; version < 60; version++) scene.setDelta(20 + version, String(version));
    expect(scene.reconciles).toEqual([["shop/web", "exact ReplicaSet 1", ["create Pod"]]]);
  });

  test("without a delta, what follows a refusal repeats it", () => {
    const scene = new Scene()
      .setDelta(100, "5")
      .putStatus(102, "5", { status: 409, error: "conflict" })
      .putStatus(400, "5");
    expect(scene.reconciles).toEqual([
      ["shop/web", "own ReplicaSet 5", ["update ReplicaSet/status"]],
      ["shop/web", "retry of 1", ["update ReplicaSet/status"]],
    ]);
  });

  test("a name in what was written is weaker evidence, a time alone none", () => {
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
    const answer = { resourceVersion: "", deletes: false, status: 201, sentAt: 20, ms: 1, changes: [] } as const;
    bus.emit({
      ...write,
      ...answer,
      key: "shop/a",
      detail: new WriteDetail({ spec: { volumes: [{ configMap: { name: "settings" } }] } }, undefined),
    });
    bus.emit({ ...write, ...answer, key: "shop/b", detail: new WriteDetail({ spec: {} }, undefined) });
    over.push(...episodes.flush(Infinity));
    expect(over.map(({ cause }) => cause?.grade)).toEqual(["named", "time"]);
  });
});
