import { beforeEach, describe, expect, test } from "bun:test";
import { EndpointSlices, Nodes, Pods, Services } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { EndpointSlice, Pod } from "../../../src/api/types.ts";
import { endpointslice } from "../../../src/controllers/endpointslice/endpointslice.ts";
import { type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { endpointOf, nodeOf, podOf, serviceOf, sliceOf } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(endpointslice);
  scene.put(
    Services,
    serviceOf(),
    serviceOf({ name: "front", spec: { selector: { tier: "front", app: "web" } } }),
    serviceOf({ name: "other", spec: { selector: { app: "other" } } }),
    serviceOf({ name: "none", spec: { selector: {} } }),
    serviceOf({ name: "web", meta: { namespace: "elsewhere" } }),
  );
});

const withLabels = (labels: Readonly<Record<string, string>>, version = "1"): Pod =>
  podOf("a", { ips: ["10.1.0.1"], meta: { labels, resourceVersion: version } });

describe("a change of a pod enqueues the Services", () => {
  test("that select it when it is added and deleted", () => {
    const pod = withLabels({ app: "web" });
    scene.notify(Pods, { type: "added", object: pod, initial: false });
    expect(scene.woken).toEqual(["shop/web"]);
    scene.notify(Pods, { type: "deleted", object: withLabels({ app: "web", tier: "front" }), tombstone: false });
    expect(scene.woken.slice(1).sort()).toEqual(["shop/front", "shop/web"]);
  });

  const changes: readonly {
    readonly says: string;
    readonly to: Parameters<typeof podOf>[1];
    readonly wakes: boolean;
  }[] = [
    { says: "is no longer ready", to: { ready: false }, wakes: true },
    { says: "has another address", to: { ips: ["10.1.0.2"] }, wakes: true },
    { says: "has one more address", to: { ips: ["10.1.0.1", "2001:db8::1"] }, wakes: true },
    {
      says: "is being deleted",
      to: { meta: { labels: { app: "web" }, deletionTimestamp: formatTime(sceneStart) } },
      wakes: true,
    },
    { says: "has another annotation", to: { meta: { labels: { app: "web" }, annotations: { a: "b" } } }, wakes: false },
    { says: "has another phase", to: { phase: "Pending" }, wakes: false },
  ];
  for (const { says, to, wakes } of changes) {
    test(`${wakes ? "" : "not "}when it ${says}`, () => {
      const before = withLabels({ app: "web" });
      const after = podOf("a", { ips: ["10.1.0.1"], ...to });
      const object = { ...after, metadata: { ...after.metadata, resourceVersion: "2" } };
      scene.notify(Pods, { type: "updated", before, object });
      expect(scene.woken).toEqual(wakes ? ["shop/web"] : []);
    });
  }

  test("that start or stop selecting it, when its labels change", () => {
    const before = withLabels({ app: "web" });
    scene.notify(Pods, { type: "updated", before, object: withLabels({ app: "web", tier: "front" }, "2") });
    expect(scene.woken).toEqual(["shop/front"]);
    scene.notify(Pods, { type: "updated", before, object: withLabels({ app: "other" }, "2") });
    expect(scene.woken.slice(1).sort()).toEqual(["shop/other", "shop/web"]);
  });

  test("that select it, or did, when its labels and its readiness change", () => {
    const before = withLabels({ app: "web" });
    const labels = { app: "web", tier: "front" };
    const object = podOf("a", { ips: ["10.1.0.1"], ready: false, meta: { labels, resourceVersion: "2" } });
    scene.notify(Pods, { type: "updated", before, object });
    expect(scene.woken.toSorted()).toEqual(["shop/front", "shop/web"]);
  });

  test("not at a resync", () => {
    const pod = podOf("a", { meta: { labels: { app: "web" }, deletionTimestamp: formatTime(sceneStart) } });
    scene.notify(Pods, { type: "updated", before: pod, object: pod });
    expect(scene.woken).toEqual([]);
  });
});

describe("a change of a slice enqueues its Service a second later", () => {
  const slice = sliceOf("web-1", [endpointOf(podOf("a"))]);
  const later = [{ key: "shop/web", ms: 1000 }];
  const labelled = (label: string, value: string): EndpointSlice => ({
    ...slice,
    metadata: { ...slice.metadata, labels: { ...slice.metadata.labels, [label]: value } },
  });
  const managed = "endpointslice.kubernetes.io/managed-by";

  test("when it was not written by the controller", () => {
    scene.notify(EndpointSlices, { type: "added", object: slice, initial: false });
    expect(scene.wokenLater).toEqual(later);
  });

  test("when others change it after the controller wrote it, and not when the cache shows the controller's write", async () => {
    await scene.sync("shop/web");
    scene.deliver();
    expect(scene.wokenLater).toEqual([]);
    const [written] = scene.live(EndpointSlices);
    if (written === undefined) throw new Error("no slice was written");
    const changed = { ...written, metadata: { ...written.metadata, generation: 2 } };
    scene.notify(EndpointSlices, { type: "updated", before: written, object: changed });
    expect(scene.wokenLater).toEqual(later);
  });

  test("when others delete it; not when the controller did, nor one that the controller never wrote", async () => {
    scene.notify(EndpointSlices, { type: "deleted", object: slice, tombstone: false });
    expect(scene.wokenLater).toEqual([]);
    await scene.sync("shop/web");
    scene.deliver();
    scene.deleteLive(EndpointSlices, "shop/web-1");
    scene.deliver();
    expect(scene.wokenLater).toEqual(later);
  });

  test("and also its previous Service", () => {
    const object = labelled("kubernetes.io/service-name", "other");
    scene.notify(EndpointSlices, { type: "updated", before: slice, object });
    expect(scene.wokenLater.map(({ key }) => key)).toEqual(["shop/other", "shop/web"]);
  });

  test("when others take over or release it; otherwise theirs are ignored", () => {
    const theirs = labelled(managed, "me");
    scene.notify(EndpointSlices, { type: "updated", before: slice, object: theirs });
    scene.notify(EndpointSlices, { type: "updated", before: theirs, object: slice });
    expect(scene.wokenLater).toEqual([...later, ...later]);
    scene.notify(EndpointSlices, { type: "updated", before: theirs, object: theirs });
    scene.notify(EndpointSlices, { type: "added", object: theirs, initial: false });
    expect(scene.wokenLater).toHaveLength(2);
  });
});

describe("a change of nodes", () => {
  const node = (name: string, zone: string, ready = true): ReturnType<typeof nodeOf> => nodeOf(name, { zone, ready });
  const add = (...nodes: ReturnType<typeof nodeOf>[]): void => {
    for (const object of nodes) {
      scene.put(Nodes, object);
      scene.notify(Nodes, { type: "added", object, initial: false });
    }
  };

  test("enqueues Services whose hints leave a zone with too few endpoints, and no others", async () => {
    const annotations = { "service.kubernetes.io/topology-mode": "Auto" };
    scene.put(Services, serviceOf({ meta: { annotations } }));
    add(node("node-1", "a"), node("node-2", "b"));
    scene.put(Pods, podOf("a"), podOf("b", { spec: { nodeName: "node-2" } }));
    await scene.sync("shop/web");
    expect(scene.events.map(({ reason }) => reason)).toEqual(["TopologyAwareHintsEnabled"]);
    add(node("node-3", "a", false));
    expect(scene.woken).toEqual([]);
    add(node("node-4", "c"));
    expect(scene.woken).toEqual(["shop/web"]);
  });

  test("counts when a node becomes ready or changes its zone, and not otherwise", async () => {
    const annotations = { "service.kubernetes.io/topology-mode": "Auto" };
    scene.put(Services, serviceOf({ meta: { annotations } }));
    add(node("node-1", "a"), node("node-2", "b"));
    scene.put(Pods, podOf("a"), podOf("b", { spec: { nodeName: "node-2" } }));
    await scene.sync("shop/web");
    const [before, moved, unready] = [node("node-2", "b"), node("node-2", "c"), node("node-2", "b", false)];
    scene.put(Nodes, moved);
    scene.notify(Nodes, { type: "updated", before, object: { ...before, spec: { unschedulable: true } } });
    expect(scene.woken).toEqual([]);
    scene.notify(Nodes, { type: "updated", before, object: moved });
    expect(scene.woken).toEqual(["shop/web"]);
    scene.put(Nodes, unready);
    scene.notify(Nodes, { type: "updated", before, object: unready });
    expect(scene.woken).toEqual(["shop/web", "shop/web"]);
  });
});
