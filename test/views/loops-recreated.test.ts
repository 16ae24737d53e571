import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../src/api/object.ts";
import type { Loop, RecreateLoop } from "../../src/views/loops/loop.ts";
import { Loops } from "../../src/views/loops/loops.ts";
import { Events, objectOf } from "./events.ts";

const second = 1000;

/** A cluster in which objects are created and deleted. */
class Scene {
  readonly view: Loops = new Loops({ perMinute: 10 });
  readonly events: Events = new Events(0);
  #count = 0;
  #now = 0;

  at(ms: number): this {
    this.#now = ms;
    return this;
  }

  create(kind: string, by: string | undefined, owner?: string): string {
    const uid = `${kind} ${++this.#count}`;
    this.#tell("Added", kind, uid, { ...(by !== undefined && { writer: by }), after: owned(uid, owner) });
    return uid;
  }

  delete(kind: string, uid: string, owner?: string): void {
    this.#tell("Deleted", kind, uid, { before: owned(uid, owner) });
  }

  update(kind: string, uid: string, by: string, [before, after]: readonly [object, object]): void {
    const states = { before: { ...owned(uid), ...before }, after: { ...owned(uid), ...after } };
    this.#tell("Updated", kind, uid, { writer: by, ...states });
  }

  #tell(type: "Added" | "Deleted" | "Updated", kind: string, uid: string, given: object): void {
    const of = { group: kind === "Pod" ? "" : "apps", kind };
    const receivedAt = this.#now;
    this.view.accept(this.events.delta({ type, of, key: `shop/${kind}`, uid, receivedAt, ...given }));
  }
}

function owned(uid: string, owner?: string): StoredObject {
  const object = objectOf("1");
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "Owner", name: "a", uid: owner ?? "", controller: true }];
  return { ...object, metadata: { ...object.metadata, uid, ...(owner !== undefined && { ownerReferences }) } };
}

const pace = [0, 2, 4, 6, 8, 10] as const;

/** Deletes and recreates one object at these times, in seconds. */
function recreate(seconds: readonly number[], relist = false): readonly Loop[] {
  const scene = new Scene();
  let uid = scene.create("Pod", "op");
  for (const at of seconds) {
    scene.at(at * second).delete("Pod", uid);
    if (!relist) uid = scene.create("Pod", "op");
    else {
      const given = { relist: true as const, type: "Added" as const, key: "shop/Pod", uid: `${at}` };
      scene.view.accept(scene.events.delta({ ...given, receivedAt: at * second, after: owned(`${at}`) }));
    }
  }
  return scene.view.found();
}

describe("Loops of objects that are deleted and created again", () => {
  test("are reported with their number, pace and creator; an object does not show who deletes it", () => {
    expect(recreate(pace)).toEqual([
      {
        is: "recreated",
        of: { group: "", kind: "Pod" },
        key: "shop/Pod",
        times: 6,
        ms: 10 * second,
        lastAt: 10 * second,
        createdBy: [{ name: "op", writes: 6 }],
        deletedBy: [{ name: undefined, writes: 6 }],
      },
    ]);
  });

  test.each([
    { name: "three replacements, as of a rollout each", seconds: [0, 3, 6] },
    { name: "a burst", seconds: [0, 0.5, 1, 1.5, 2, 2.5] },
    { name: "a burst and a straggler", seconds: [0, 0.5, 1, 1.5, 2, 9] },
    { name: "a pod that crashes now and then", seconds: [0, 20, 40, 60, 80, 100, 120] },
    { name: "a few days of one name", seconds: [0, 2, 4000, 4002, 8000, 8002, 12_000] },
  ])("are not: $name", ({ seconds }) => expect(recreate(seconds)).toEqual([]));

  test("are too short in a burst", () => {
    const scene = new Scene();
    let uid = scene.create("Pod", "op");
    for (const at of [0, 0.5, 1, 1.5, 2, 2.5]) {
      scene.at(at * second).delete("Pod", uid);
      uid = scene.create("Pod", "op");
    }
    expect(scene.view.tooShort()).toMatchObject([{ is: "recreated", times: 6, ms: 2500 }]);
  });

  test("are not found in replacements that a list shows: their number is unknown", () => {
    expect(recreate(pace, true)).toEqual([]);
  });

  test("are not found for objects with unique names, such as a CronJob's Jobs", () => {
    const scene = new Scene();
    for (const at of pace) {
      scene.at(at * second);
      scene.delete(`Job ${at}`, scene.create(`Job ${at}`, "kube-controller-manager"));
    }
    expect(scene.view.found()).toEqual([]);
  });

  test("start again after a pause: earlier replacements do not count", () => {
    const later = pace.map((at) => 3600 + at);
    expect(recreate([0, 2, 4, ...later])).toMatchObject([{ times: 6, ms: 10 * second }]);
  });

  test("stay reported once they were found", () => {
    const scene = new Scene();
    let uid = scene.create("Pod", "op");
    for (const at of [0, 2, 4, 6, 8, 10, 3600]) {
      scene.at(at * second).delete("Pod", uid);
      uid = scene.create("Pod", "op");
      if (at === 10) expect(scene.view.found()).toHaveLength(1);
    }
    expect(scene.view.found()).toMatchObject([{ times: 6, lastAt: 10 * second }]);
  });

  test("follow from the loop of their owner, after which the garbage collector deletes them", () => {
    const scene = new Scene();
    let [deployment, replicaSet, secret] = ["", "", ""];
    for (const at of [-2, ...pace]) {
      scene.at(at * second);
      if (deployment !== "") {
        scene.delete("Deployment", deployment);
        scene.delete("ReplicaSet", replicaSet, deployment);
        scene.delete("Secret", secret, deployment);
      }
      deployment = scene.create("Deployment", "op");
      replicaSet = scene.create("ReplicaSet", "kube-controller-manager", deployment);
      secret = scene.create("Secret", "op", deployment);
    }
    const found = scene.view.found() as readonly RecreateLoop[];
    expect(found.map(({ of, followsFrom, deletedBy }) => [of.kind, followsFrom?.of.kind, deletedBy[0]?.name])).toEqual([
      ["Deployment", undefined, undefined],
      ["ReplicaSet", "Deployment", "garbage collector"],
      ["Secret", "Deployment", "garbage collector"],
    ]);
  });

  test("follow from requests to their owner, made repeatedly by another writer", () => {
    const scene = new Scene();
    const set = scene.at(-2 * second).create("StatefulSet", "op");
    let pod = scene.create("Pod", "kube-controller-manager", set);
    for (const at of pace) {
      scene.at(at * second);
      scene.update("StatefulSet", set, "op", [{ spec: { at: `${at - 2}` } }, { spec: { at: `${at}` } }]);
      scene.delete("Pod", pod, set);
      pod = scene.create("Pod", "kube-controller-manager", set);
    }
    scene.at(12 * second).update("StatefulSet", set, "op", [{ spec: { at: "10" } }, { spec: { at: "12" } }]);
    const found = scene.view.found() as readonly RecreateLoop[];
    expect(found.map(({ is, of, followsFrom }) => [is, of.kind, followsFrom?.of.kind])).toEqual([
      ["rewritten", "StatefulSet", undefined],
      ["recreated", "Pod", "StatefulSet"],
    ] as never);
  });

  test.each([
    { name: "are not the pods that rollouts of their owner replace", rollouts: [1, 3, 5], found: 0 },
    { name: "are the pods of an owner with fewer requests than that", rollouts: [1], found: 1 },
  ])("$name", ({ rollouts, found }) => {
    const scene = new Scene();
    const set = scene.create("StatefulSet", "you");
    let pod = scene.create("Pod", "kube-controller-manager", set);
    for (const at of pace) {
      if (rollouts.some((each) => each === at + 1))
        scene
          .at(at * second)
          .update("StatefulSet", set, "you", [{ spec: { image: `${at}` } }, { spec: { image: `${at + 1}` } }]);
      scene.at(at * second).delete("Pod", pod, set);
      pod = scene.create("Pod", "kube-controller-manager", set);
    }
    expect(scene.view.found()).toHaveLength(found);
  });

  test("name the evictor, which the pod's condition reveals", () => {
    const scene = new Scene();
    const evicted = { status: { conditions: [{ type: "DisruptionTarget", status: "True" }] } };
    let uid = scene.create("Pod", "kube-controller-manager");
    for (const at of pace) {
      scene.at(at * second).update("Pod", uid, "descheduler", [{ status: { conditions: [] } }, evicted]);
      scene.delete("Pod", uid);
      uid = scene.create("Pod", "kube-controller-manager");
    }
    // Before the first deletion nothing was known about the name.
    expect(scene.view.found()).toMatchObject([
      {
        deletedBy: [
          { name: "descheduler", writes: 5 },
          { name: undefined, writes: 1 },
        ],
      },
    ]);
  });
});
