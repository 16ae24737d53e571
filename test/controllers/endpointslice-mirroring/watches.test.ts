import { beforeEach, describe, expect, test } from "bun:test";
import { Endpoints as EndpointsKind, EndpointSlices, Services } from "../../../src/api/kinds.ts";
import type { EndpointSlice } from "../../../src/api/types.ts";
import { managedByLabel, serviceNameLabel } from "../../../src/controller/workload/service/slice-content.ts";
import { endpointsliceMirroring } from "../../../src/controllers/endpointslice-mirroring/endpointslice-mirroring.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";
import { endpointAt, endpointsOf, key, serviceOf, sliceOf, subsetOf } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(endpointsliceMirroring);
});

describe("Endpoints are synced", () => {
  const own = endpointsOf([]);
  const skipped = endpointsOf([], { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } });

  test("when they are added, changed and deleted", () => {
    scene.notify(EndpointsKind, { type: "added", object: own, initial: false });
    scene.notify(EndpointsKind, { type: "updated", before: own, object: own });
    scene.notify(EndpointsKind, { type: "deleted", object: own, tombstone: false });
    expect(scene.woken).toEqual([key, key, key]);
  });

  test("not while they are excluded, but when that starts or ends", () => {
    scene.notify(EndpointsKind, { type: "added", object: skipped, initial: false });
    scene.notify(EndpointsKind, { type: "updated", before: skipped, object: skipped });
    scene.notify(EndpointsKind, { type: "deleted", object: skipped, tombstone: false });
    expect(scene.woken).toEqual([]);
    scene.notify(EndpointsKind, { type: "updated", before: own, object: skipped });
    scene.notify(EndpointsKind, { type: "updated", before: skipped, object: own });
    expect(scene.woken).toEqual([key, key]);
  });
});

describe("a Service enqueues its Endpoints", () => {
  const [bare, selecting] = [serviceOf(), serviceOf({ selector: { app: "web" } })];

  test("when it is added or deleted without a selector", () => {
    for (const object of [bare, selecting]) {
      scene.notify(Services, { type: "added", object, initial: false });
      scene.notify(Services, { type: "deleted", object, tombstone: false });
    }
    expect(scene.woken).toEqual([key, key]);
  });

  test("when it gets a selector or loses it, and at no other change", () => {
    scene.notify(Services, { type: "updated", before: bare, object: serviceOf({ type: "ExternalName" }) });
    scene.notify(Services, { type: "updated", before: selecting, object: serviceOf({ selector: { app: "api" } }) });
    expect(scene.woken).toEqual([]);
    scene.notify(Services, { type: "updated", before: bare, object: selecting });
    scene.notify(Services, { type: "updated", before: selecting, object: bare });
    expect(scene.woken).toEqual([key, key]);
  });
});

describe("a slice enqueues its Endpoints", () => {
  const slice = sliceOf("web-a", [endpointAt("10.0.0.1")]);
  const labelled = (label: string, value: string): EndpointSlice => ({
    ...slice,
    metadata: { ...slice.metadata, labels: { ...slice.metadata.labels, [label]: value } },
  });

  test("at once if it was not written by the controller", () => {
    scene.notify(EndpointSlices, { type: "added", object: slice, initial: false });
    expect(scene.woken).toEqual([key]);
    expect(scene.wokenLater).toEqual([]);
  });

  test("not when the cache shows the controller's write, but when it is changed or deleted by others", async () => {
    scene.put(Services, serviceOf());
    scene.put(EndpointsKind, endpointsOf([subsetOf(["10.0.0.1"])]));
    await scene.sync(key);
    scene.deliver();
    expect(scene.woken).toEqual([]);
    const [written] = scene.live(EndpointSlices);
    if (written === undefined) throw new Error("no slice was written");
    const changed = { ...written, metadata: { ...written.metadata, generation: 2 } };
    scene.notify(EndpointSlices, { type: "updated", before: written, object: changed });
    scene.deleteLive(EndpointSlices, "shop/web-1");
    scene.deliver();
    expect(scene.woken).toEqual([key, key]);
  });

  test("when it gets or had another Service or manager; otherwise those of others are ignored", () => {
    scene.notify(EndpointSlices, { type: "updated", before: slice, object: labelled(serviceNameLabel, "api") });
    expect(scene.woken).toEqual(["shop/api", key]);
    const theirs = labelled(managedByLabel, "me");
    scene.notify(EndpointSlices, { type: "updated", before: slice, object: theirs });
    scene.notify(EndpointSlices, { type: "updated", before: theirs, object: slice });
    expect(scene.woken.slice(2)).toEqual([key, key]);
    scene.notify(EndpointSlices, { type: "added", object: theirs, initial: false });
    scene.notify(EndpointSlices, { type: "deleted", object: theirs, tombstone: false });
    expect(scene.woken).toHaveLength(4);
  });
});
