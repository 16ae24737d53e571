import { beforeEach, describe, expect, test } from "bun:test";
import { Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import { controllerReference } from "../../../src/api/owner-references.ts";
import type { Pod, ReplicaSet } from "../../../src/api/types.ts";
import { CacheBehindError } from "../../../src/controller/api/consistency.ts";
import { selectorOf } from "../../../src/api/labels.ts";
import { defineController } from "../../../src/controller/api/definition.ts";
import { ownedAndOrphaned, watchOwned } from "../../../src/controller/api/owned.ts";
import { watchPrimary } from "../../../src/controller/api/primary.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { podOf, type PodParts, replicaSetOf } from "../../support/workloads.ts";

const web = replicaSetOf({ name: "web" });
const api = replicaSetOf({ name: "api", spec: { selector: { matchLabels: { app: "api" } } } });
const apiLabels = { app: "api" };
const going = { deletionTimestamp: "2026-11-21T09:59:00Z" };

let scene: Scene;
beforeEach(() => {
  scene = syncScene(replicaset);
  scene.put(ReplicaSets, web, api);
});

/** The same pod with a later resourceVersion. */
function next(parts: PodParts): Pod {
  return podOf("a", { ...parts, meta: { resourceVersion: "11", ...parts.meta } });
}

function woken(): readonly string[] {
  return [...scene.woken].sort();
}

describe("a new pod", () => {
  const rows: readonly { name: string; pod: PodParts; wakes: readonly string[] }[] = [
    { name: "enqueues its controller", pod: { owner: web }, wakes: ["shop/web"] },
    {
      name: "enqueues only its controller, whatever its labels match",
      pod: { owner: web, labels: apiLabels },
      wakes: ["shop/web"],
    },
    {
      name: "enqueues nothing if its controller has another uid",
      pod: { owner: replicaSetOf({ meta: { uid: "old" } }) },
      wakes: [],
    },
    {
      name: "enqueues nothing if its controller is unknown",
      pod: { owner: replicaSetOf({ name: "gone" }) },
      wakes: [],
    },
    { name: "without a controller enqueues the owners that may adopt it", pod: { owner: "none" }, wakes: ["shop/web"] },
    {
      name: "without a controller and without a match enqueues nothing",
      pod: { owner: "none", labels: { app: "x" } },
      wakes: [],
    },
    { name: "without a controller and labels enqueues nothing", pod: { owner: "none", labels: {} }, wakes: [] },
    {
      name: "without a controller, in another namespace, enqueues nothing",
      pod: { owner: "none", meta: { namespace: "b" } },
      wakes: [],
    },
  ];
  for (const { name, pod, wakes } of rows) {
    test(name, () => {
      scene.notify(Pods, { type: "added", object: podOf("a", pod), initial: false });
      expect(woken()).toEqual([...wakes]);
    });
  }

  test("with a controller of another kind but the same name and uid enqueues nothing", () => {
    const reference = { ...controllerReference(ReplicaSets, web), kind: "StatefulSet" };
    scene.notify(Pods, {
      type: "added",
      object: podOf("a", { owner: "none", meta: { ownerReferences: [reference] } }),
      initial: false,
    });
    expect(woken()).toEqual([]);
  });

  test("counts as an observed creation of its controller; an orphan does not", () => {
    scene.expectations.expectCreations("shop/web", 2);
    scene.notify(Pods, { type: "added", object: podOf("a"), initial: false });
    scene.notify(Pods, { type: "added", object: podOf("b", { owner: "none" }), initial: false });
    expect(scene.expectations.of("shop/web")?.creations).toBe(1);
  });

  test("that is being deleted counts as a deletion, not as a creation", () => {
    scene.expectations.expectDeletions("shop/web", ["shop/a"]);
    scene.notify(Pods, { type: "added", object: podOf("a", { meta: going }), initial: true });
    expect(woken()).toEqual(["shop/web"]);
    expect(scene.expectations.satisfied("shop/web")).toBeTrue();
  });

  test("enqueues nothing by selectors that select everything or nothing, or are invalid", () => {
    const selectors = [{}, undefined, { matchExpressions: [{ key: "app", operator: "Like", values: ["web"] }] }];
    for (const [index, selector] of selectors.entries()) {
      scene.put(ReplicaSets, replicaSetOf({ name: `odd-${index}`, spec: { selector } }));
    }
    scene.notify(Pods, { type: "added", object: podOf("a", { owner: "none" }), initial: false });
    expect(woken()).toEqual(["shop/web"]);
  });

  test("that is an orphan enqueues every owner that matches", () => {
    scene.put(ReplicaSets, replicaSetOf({ name: "web-too" }));
    scene.notify(Pods, { type: "added", object: podOf("a", { owner: "none" }), initial: false });
    expect(woken()).toEqual(["shop/web", "shop/web-too"]);
  });
});

describe("a pod that changes", () => {
  const rows: readonly { name: string; before: PodParts; after: PodParts; wakes: readonly string[] }[] = [
    {
      name: "enqueues its controller",
      before: { owner: web },
      after: { owner: web, phase: "Failed" },
      wakes: ["shop/web"],
    },
    {
      name: "in its labels enqueues only its controller",
      before: { owner: web },
      after: { owner: web, labels: apiLabels },
      wakes: ["shop/web"],
    },
    {
      name: "and lost its controller enqueues the old one and the owners that may adopt it",
      before: { owner: web, labels: apiLabels },
      after: { owner: "none", labels: apiLabels },
      wakes: ["shop/api", "shop/web"],
    },
    {
      name: "and changed its controller enqueues the old one and the new one",
      before: { owner: web },
      after: { owner: api },
      wakes: ["shop/api", "shop/web"],
    },
    {
      name: "in its labels only, as an orphan, enqueues the owners that may adopt it now",
      before: { owner: "none", labels: { app: "x" } },
      after: { owner: "none", labels: apiLabels },
      wakes: ["shop/api"],
    },
    {
      name: "in its status only, as an orphan, enqueues nothing",
      before: { owner: "none" },
      after: { owner: "none", phase: "Failed" },
      wakes: [],
    },
  ];
  for (const { name, before, after, wakes } of rows) {
    test(name, () => {
      scene.notify(Pods, { type: "updated", before: podOf("a", before), object: next(after) });
      expect(woken()).toEqual([...wakes]);
    });
  }

  test("enqueues nothing by a resync", () => {
    const pod = podOf("a");
    scene.notify(Pods, { type: "updated", before: pod, object: pod });
    expect(woken()).toEqual([]);
  });

  test("counts as a deletion once when it gets a deletionTimestamp: later changes and the end do not count again", () => {
    scene.expectations.expectDeletions("shop/web", ["shop/a", "shop/second"]);
    const out = next({ meta: going });
    scene.notify(Pods, { type: "updated", before: podOf("a"), object: out });
    expect([...(scene.expectations.of("shop/web")?.deletions ?? [])]).toEqual(["shop/second"]);
    scene.notify(Pods, { type: "updated", before: out, object: next({ meta: { ...going, resourceVersion: "12" } }) });
    scene.notify(Pods, { type: "deleted", object: out, tombstone: false });
    expect(scene.expectations.satisfied("shop/web")).toBeFalse();
    scene.notify(Pods, { type: "deleted", object: podOf("second"), tombstone: false });
    expect(scene.expectations.satisfied("shop/web")).toBeTrue();
  });

  test("deleted and relabelled at once, enqueues the controllers of both states", () => {
    scene.notify(Pods, {
      type: "updated",
      before: podOf("a", { owner: web }),
      object: next({ owner: api, labels: apiLabels, meta: going }),
    });
    expect(woken()).toEqual(["shop/api", "shop/web"]);
  });

  const patient = replicaSetOf({ name: "patient", spec: { minReadySeconds: 30 } });
  const readiness: readonly { name: string; before: PodParts; after: PodParts; later: number }[] = [
    { name: "becoming ready", before: { ready: false }, after: { ready: true, readyAt: sceneStart }, later: 1 },
    { name: "staying ready", before: { ready: true }, after: { ready: true, phase: "Running" }, later: 0 },
    { name: "becoming not ready", before: { ready: true }, after: { ready: false }, later: 0 },
  ];
  for (const { name, before, after, later } of readiness) {
    test(`${name}, with minReadySeconds, enqueues its controller ${later === 0 ? "at once only" : "once more after them"}`, () => {
      scene.put(ReplicaSets, patient);
      scene.notify(Pods, {
        type: "updated",
        before: podOf("a", { owner: patient, ...before }),
        object: next({ owner: patient, ...after }),
      });
      expect(woken()).toEqual(["shop/patient"]);
      expect(scene.wokenLater).toEqual(later === 0 ? [] : [{ key: "shop/patient", ms: 30_000 }]);
    });
  }

  test("becoming ready without minReadySeconds enqueues nothing for later", () => {
    scene.notify(Pods, { type: "updated", before: podOf("a", { ready: false }), object: next({ ready: true }) });
    expect(scene.wokenLater).toEqual([]);
  });
});

describe("a deleted pod", () => {
  for (const tombstone of [false, true]) {
    test(`enqueues its controller${tombstone ? ", also when the deletion itself was missed" : ""}`, () => {
      scene.expectations.expectDeletions("shop/web", ["shop/a"]);
      scene.notify(Pods, { type: "deleted", object: podOf("a"), tombstone });
      expect(woken()).toEqual(["shop/web"]);
      expect(scene.expectations.satisfied("shop/web")).toBeTrue();
    });
  }

  test("as an orphan enqueues nothing", () => {
    scene.notify(Pods, { type: "deleted", object: podOf("a", { owner: "none" }), tombstone: false });
    expect(woken()).toEqual([]);
  });
});

describe("watchOwned with a batch period", () => {
  const seen: string[] = [];
  const batching = defineController<ReplicaSet>({
    name: "batching",
    purpose: "collects changes",
    for: ReplicaSets,
    watches: [
      watchPrimary(ReplicaSets),
      watchOwned<ReplicaSet, Pod>({
        kind: Pods,
        ownerKind: ReplicaSets,
        selectorOf: ({ spec }) => selectorOf(spec?.selector),
        expected: true,
        batchMs: 1000,
        observed: ({ object, owner, isGone }) =>
          void seen.push(`${object.metadata.name} of ${owner.metadata.name}${isGone ? ", gone" : ""}`),
      }),
    ],
    rules: [],
    sync: () => Promise.resolve(),
  });
  beforeEach(() => {
    seen.length = 0;
    scene = syncScene(batching);
    scene.put(ReplicaSets, web, api);
  });

  test("enqueues owners later, including those that may adopt an orphan", () => {
    scene.notify(Pods, { type: "added", object: podOf("a", { owner: web }), initial: false });
    scene.notify(Pods, { type: "added", object: podOf("b", { owner: "none" }), initial: false });
    expect(woken()).toEqual([]);
    expect(scene.wokenLater).toEqual([
      { key: "shop/web", ms: 1000 },
      { key: "shop/web", ms: 1000 },
    ]);
  });

  test("reports each object with its owner, including the previous state, and whether it was deleted", () => {
    const pod = podOf("a", { owner: web });
    scene.notify(Pods, { type: "updated", before: pod, object: next({ owner: api }) });
    scene.notify(Pods, { type: "updated", before: pod, object: next({ owner: web, meta: going }) });
    scene.notify(Pods, { type: "deleted", object: pod, tombstone: false });
    scene.notify(Pods, { type: "added", object: podOf("b", { owner: "none" }), initial: false });
    expect(seen).toEqual(["a of web", "a of api", "a of web", "a of web, gone"]);
  });
});

describe("ownedAndOrphaned", () => {
  test("returns the owner's objects and those without a controller in its namespace", () => {
    scene.put(
      Pods,
      podOf("mine"),
      podOf("orphan", { owner: "none" }),
      podOf("other", { owner: api }),
      podOf("predecessor", { owner: replicaSetOf({ meta: { uid: "old" } }) }),
      podOf("elsewhere", { owner: "none", meta: { namespace: "b" } }),
    );
    const lister = scene.watchContext.cache(Pods);
    expect(ownedAndOrphaned(lister, web, ReplicaSets).map((pod) => pod.metadata.name)).toEqual(["mine", "orphan"]);
  });
});

describe("watchPrimary", () => {
  test("enqueues an object at every change, and at a resync", () => {
    scene.notify(ReplicaSets, { type: "added", object: web, initial: true });
    scene.notify(ReplicaSets, { type: "updated", before: web, object: web });
    scene.notify(ReplicaSets, { type: "deleted", object: web, tombstone: false });
    expect(scene.woken).toEqual(["shop/web", "shop/web", "shop/web"]);
  });

  const again = replicaSetOf({ meta: { uid: "uid-2" } });
  const rows = [
    { name: "when it is deleted", notification: { type: "deleted", object: web, tombstone: false } },
    {
      name: "when another one has taken its name, unseen",
      notification: { type: "updated", before: web, object: again },
    },
  ] as const;
  for (const { name, notification } of rows) {
    test(`forgets the expectations of an object ${name}`, () => {
      scene.expectations.expectCreations("shop/web", 3);
      scene.put(Pods, podOf("a"));
      scene.consistency.wrote({ key: "shop/web", uid: web.metadata.uid }, Pods, "99999");
      scene.notify(ReplicaSets, notification);
      expect(scene.expectations.of("shop/web")).toBeUndefined();
      expect(() => scene.consistency.ensureReady("shop/web")).not.toThrow();
    });
  }

  test("keeps the expectations at an update of the same object", () => {
    scene.expectations.expectCreations("shop/web", 3);
    scene.notify(ReplicaSets, {
      type: "updated",
      before: web,
      object: { ...web, metadata: { ...web.metadata, generation: 2 } },
    });
    expect(scene.expectations.of("shop/web")?.creations).toBe(3);
  });

  test("a late deletion does not forget the writes of the next object with the same name", async () => {
    scene.put(ReplicaSets, again);
    await scene.sync("shop/web");
    scene.notify(ReplicaSets, { type: "deleted", object: web, tombstone: true });
    expect(() => scene.consistency.ensureReady("shop/web")).toThrow(CacheBehindError);
  });
});
