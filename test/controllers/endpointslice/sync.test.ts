import { beforeEach, describe, expect, test } from "bun:test";
import { EndpointSlices, Nodes, Pods, Services } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Endpoint, EndpointSlice, Service } from "../../../src/api/types.ts";
import { triggerTimeAnnotation } from "../../../src/controller/workload/service/trigger-times.ts";
import { defineEndpointSliceController, endpointslice } from "../../../src/controllers/endpointslice/endpointslice.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { created, endpointOf, nodeOf, podOf, type ServiceParts, serviceOf, sliceOf } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(endpointslice);
  scene.put(Nodes, nodeOf("node-1", { zone: "a" }), nodeOf("node-2", { zone: "b" }));
});

const calls = (): string[] => scene.calls.map(({ verb, name }) => `${verb} ${name}`);
const rulesUsed = (): string[] => scene.decisions.map(({ rule }) => rule);
const bodies = (): EndpointSlice[] =>
  scene.calls.filter(({ verb }) => verb !== "delete").map(({ body }) => body as EndpointSlice);
const endpoints = (): readonly Endpoint[] => bodies().flatMap((slice) => slice.endpoints ?? []);
const addresses = (): string[] => endpoints().flatMap((endpoint) => [...endpoint.addresses]);
const put = (parts?: ServiceParts): Service => {
  const service = serviceOf(parts);
  scene.put(Services, service);
  return service;
};

describe("a Service", () => {
  test("without pods has one slice without endpoints and ports", async () => {
    put();
    await scene.sync("shop/web");
    expect(bodies()).toEqual([
      {
        metadata: {
          namespace: "shop",
          generateName: "web-",
          labels: {
            "kubernetes.io/service-name": "web",
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
          },
          annotations: { [triggerTimeAnnotation]: created },
          ownerReferences: [
            {
              apiVersion: "v1",
              kind: "Service",
              name: "web",
              uid: "uid-web",
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
        addressType: "IPv4",
        ports: [],
        endpoints: [],
      } as unknown as EndpointSlice,
    ]);
    scene.deliver();
    await scene.sync("shop/web");
    expect(calls()).toEqual([]);
    expect(rulesUsed()).toEqual(["steady"]);
  });

  for (const { says, spec } of [
    { says: "without a selector", spec: { selector: {} } },
    { says: "of type ExternalName", spec: { type: "ExternalName" } },
  ]) {
    test(`${says} is left alone, and so are its slices`, async () => {
      put({ spec });
      scene.put(EndpointSlices, sliceOf("web-1", [endpointOf(podOf("a"))]));
      await scene.sync("shop/web");
      expect(calls()).toEqual([]);
      expect(rulesUsed()).toEqual(["left-alone"]);
    });
  }

  test("that was deleted is forgotten: a new one of its name starts fresh", async () => {
    put();
    await scene.sync("shop/web");
    scene.deleteLive(Services, "shop/web");
    scene.deliver();
    await scene.sync("shop/web");
    expect(calls()).toEqual([]);
    // The deletion of the old slices can be observed after the new Service.
    scene.notify(EndpointSlices, { type: "added", object: sliceOf("web-1", []), initial: false });
    expect(scene.wokenLater).toEqual([{ key: "shop/web", ms: 1000 }]);
    for (const slice of scene.cached(EndpointSlices)) scene.deleteLive(EndpointSlices, `shop/${slice.metadata.name}`);
    scene.deliver();
    put();
    await scene.sync("shop/web");
    expect(calls()).toEqual(["create web-2"]);
  });

  test("that is being deleted gets no new slices, and its slices are kept up to date", async () => {
    put({ meta: { deletionTimestamp: formatTime(sceneStart) } });
    const pod = podOf("a");
    scene.put(EndpointSlices, sliceOf("web-1", [endpointOf(pod)]));
    scene.put(Pods, { ...pod, metadata: { ...pod.metadata, labels: {} } });
    await scene.sync("shop/web");
    // The slice that would be deleted is updated instead of a new one being created.
    expect(calls()).toEqual(["update web-1"]);
    scene.deleteLive(EndpointSlices, "shop/web-1");
    scene.deliver();
    await scene.sync("shop/web");
    expect(calls()).toEqual([]);
    expect(rulesUsed()).toContain("being-deleted");
  });
});

describe("a pod", () => {
  const conditions = async (pod: Parameters<typeof podOf>[1], spec: ServiceParts["spec"] = {}): Promise<unknown> => {
    put({ spec });
    scene.put(Pods, podOf("a", pod));
    await scene.sync("shop/web");
    return endpoints()[0]?.conditions;
  };
  const deleted = { deletionTimestamp: formatTime(sceneStart), labels: { app: "web" } };

  test("is an endpoint with its address, node and zone", async () => {
    put();
    scene.put(Pods, podOf("a", { ips: ["10.1.0.7"] }));
    await scene.sync("shop/web");
    expect(endpoints()).toEqual([
      {
        addresses: ["10.1.0.7"],
        conditions: { ready: true, serving: true, terminating: false },
        targetRef: { kind: "Pod", namespace: "shop", name: "a", uid: "uid-a" },
        nodeName: "node-1",
        zone: "a",
      },
    ]);
  });

  test("that is ready is ready and serves", async () =>
    expect(await conditions({})).toEqual({ ready: true, serving: true, terminating: false }));
  test("that is not ready is neither", async () =>
    expect(await conditions({ ready: false })).toEqual({ ready: false, serving: false, terminating: false }));
  test("that is being deleted serves while it is ready", async () =>
    expect(await conditions({ meta: deleted })).toEqual({ ready: false, serving: true, terminating: true }));
  test("is ready in any state if the Service publishes not-ready addresses", async () =>
    expect(await conditions({ ready: false, meta: deleted }, { publishNotReadyAddresses: true })).toEqual({
      ready: true,
      serving: false,
      terminating: true,
    }));

  for (const { says, pod } of [
    { says: "has succeeded", pod: { phase: "Succeeded" } },
    { says: "has failed", pod: { phase: "Failed" } },
    { says: "has no address", pod: { ips: [] } },
    { says: "is not selected", pod: { meta: { labels: { app: "other" } } } },
    { says: "is of another namespace", pod: { meta: { labels: { app: "web" }, namespace: "other" } } },
    { says: "has no address of the family", pod: { ips: ["2001:db8::1"] } },
  ]) {
    test(`that ${says} is not an endpoint`, async () => expect(await conditions(pod)).toBeUndefined());
  }

  for (const { says, spec, hostname } of [
    { says: "in the subdomain of the Service", spec: { hostname: "db", subdomain: "web" }, hostname: "db" },
    { says: "in another subdomain", spec: { hostname: "db", subdomain: "other" }, hostname: undefined },
    { says: "without a subdomain", spec: { hostname: "db" }, hostname: undefined },
  ]) {
    test(`with a hostname ${says} ${hostname === undefined ? "has none" : "has it"} as an endpoint`, async () => {
      put();
      scene.put(Pods, podOf("a", { spec: { nodeName: "node-1", ...spec } }));
      await scene.sync("shop/web");
      expect(endpoints()[0]?.hostname).toBe(hostname);
    });
  }

  test("on a missing node is left out, and the sync fails after the others are written", async () => {
    put();
    scene.put(Pods, podOf("a", { spec: { nodeName: "gone" } }), podOf("b", { ips: ["10.1.0.9"] }));
    const message = "skipping Pod a for Service shop/web: Node gone Not Found";
    expect(await rejection(scene.sync("shop/web"))).toMatchObject({ message });
    expect(addresses()).toEqual(["10.1.0.9"]);
    expect(scene.events).toEqual([
      {
        type: "Warning",
        reason: "FailedToUpdateEndpointSlices",
        message: `Error updating Endpoint Slices for Service shop/web: ${message}`,
        about: "Service web",
      },
    ]);
  });

  test("on a missing node is an endpoint if the Service publishes not-ready addresses", async () => {
    expect(await conditions({ spec: { nodeName: "gone" } }, { publishNotReadyAddresses: true })).toBeDefined();
    expect(endpoints()[0]).not.toHaveProperty("zone");
  });
});

describe("ports", () => {
  const named = (web: number): Parameters<typeof podOf>[1] => ({
    spec: { nodeName: "node-1", containers: [{ name: "c", ports: [{ name: "web", containerPort: web }] }] },
  });
  const byName = { ports: [{ name: "http", port: 80, targetPort: "web", protocol: "TCP" }] };

  test("by name are those of each pod: pods with other ports have separate slices", async () => {
    put({ spec: byName });
    scene.put(Pods, podOf("a", named(8080)), podOf("b", named(9090)), podOf("c", named(8080)));
    await scene.sync("shop/web");
    expect(bodies().map(({ ports, endpoints = [] }) => [ports?.[0]?.port, endpoints.length])).toEqual([
      [8080, 2],
      [9090, 1],
    ]);
  });

  test("are left out for a pod that does not have them", async () => {
    put({ spec: byName });
    scene.put(Pods, podOf("a"));
    await scene.sync("shop/web");
    expect(bodies().map(({ ports }) => ports)).toEqual([[]]);
    expect(addresses()).toHaveLength(1);
  });

  test("by name have the protocol of the Service's port, and can be a sidecar's, but not an init container's", async () => {
    put({ spec: byName });
    const ports = [{ name: "web", containerPort: 7000 }];
    const container = { name: "c", ports: [{ name: "web", containerPort: 1, protocol: "UDP" }] };
    const side = { name: "side", ports, restartPolicy: "Always" };
    const init = { name: "init", ports: [{ name: "web", containerPort: 2 }] };
    const spec = { nodeName: "node-1", containers: [container], initContainers: [init, side] };
    scene.put(Pods, podOf("a", { spec }));
    await scene.sync("shop/web");
    expect(bodies()[0]?.ports).toEqual([{ name: "http", port: 7000, protocol: "TCP" }]);
  });

  test("have the application protocol; a headless Service can have none", async () => {
    put({ spec: { ports: [{ port: 80, targetPort: 1, protocol: "TCP", appProtocol: "kubernetes.io/h2c" }] } });
    put({ name: "bare", spec: { clusterIP: "None", ports: [] } });
    scene.put(Pods, podOf("a"));
    await scene.sync("shop/web");
    expect(bodies()[0]?.ports).toEqual([{ name: "", port: 1, protocol: "TCP", appProtocol: "kubernetes.io/h2c" }]);
    await scene.sync("shop/bare");
    expect(bodies()[0]?.ports).toEqual([]);
    expect(addresses()).toHaveLength(1);
  });

  test("that no pod has any more are replaced in the slice by the current ones", async () => {
    put();
    const pod = podOf("a");
    scene.put(Pods, pod);
    scene.put(
      EndpointSlices,
      sliceOf("web-1", [endpointOf(pod)], { ports: [{ name: "http", port: 1, protocol: "TCP" }] }),
    );
    await scene.sync("shop/web");
    expect(calls()).toEqual(["update web-1"]);
    expect(bodies()[0]).toMatchObject({ ports: [{ port: 8080 }], metadata: { generateName: "web-" } });
    expect(bodies()[0]?.metadata).not.toHaveProperty("resourceVersion");
  });
});

describe("IP families", () => {
  const both = { ipFamilies: ["IPv4", "IPv6"] };

  test("have separate slices, with canonical addresses", async () => {
    put({ spec: both });
    scene.put(Pods, podOf("a", { ips: ["10.1.0.1", "2001:DB8:0:0:0:0:0:1"] }), podOf("b", { ips: ["10.1.0.2"] }));
    await scene.sync("shop/web");
    expect(
      bodies().map(({ addressType, endpoints = [] }) => [addressType, endpoints.map((each) => each.addresses[0])]),
    ).toEqual([
      ["IPv4", ["10.1.0.1", "10.1.0.2"]],
      ["IPv6", ["2001:db8::1"]],
    ]);
  });

  test("that the Service no longer has lose their slices", async () => {
    put();
    const pod = podOf("a", { ips: ["10.1.0.1", "2001:db8::1"] });
    scene.put(Pods, pod);
    scene.put(EndpointSlices, sliceOf("web-6", [], { addressType: "IPv6" }));
    await scene.sync("shop/web");
    expect(calls()).toEqual(["create web-1", "delete web-6"]);
  });

  for (const { clusterIP, types } of [
    { clusterIP: "10.96.0.1", types: ["IPv4"] },
    { clusterIP: "fd00::1", types: ["IPv6"] },
    { clusterIP: "None", types: ["IPv4", "IPv6"] },
  ]) {
    test(`that are not set follow from the address ${clusterIP}`, async () => {
      put({ spec: { ipFamilies: [], clusterIP } });
      await scene.sync("shop/web");
      expect(bodies().map(({ addressType }) => addressType)).toEqual(types);
    });
  }
});

describe("labels", () => {
  test("of the Service are copied to its slices, except those of the controller", async () => {
    const labels = {
      team: "red",
      "endpointslice.kubernetes.io/managed-by": "me",
      "service.kubernetes.io/headless": "x",
    };
    put({ meta: { labels } });
    await scene.sync("shop/web");
    expect(bodies()[0]?.metadata.labels).toEqual({
      team: "red",
      "kubernetes.io/service-name": "web",
      "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    });
  });

  test("that the Service has changed are written; endpoints stay", async () => {
    put({ meta: { labels: { team: "red" } } });
    const pod = podOf("a");
    scene.put(Pods, pod);
    scene.put(EndpointSlices, sliceOf("web-1", [endpointOf(pod, { zone: "a" })]));
    await scene.sync("shop/web");
    expect(calls()).toEqual(["update web-1"]);
    expect(scene.decisions.at(-1)?.sentence).toBe("other labels → update web-1");
  });

  test("mark a headless Service", async () => {
    put({ spec: { clusterIP: "None" } });
    await scene.sync("shop/web");
    expect(bodies()[0]?.metadata.labels).toHaveProperty(["service.kubernetes.io/headless"], "");
  });

  test("of the controller alone cause no write, and an unchanged slice that is filled keeps its own", async () => {
    put({ spec: { clusterIP: "None" } });
    const pod = podOf("a");
    scene.put(Pods, pod);
    scene.put(EndpointSlices, sliceOf("web-1", [endpointOf(pod, { zone: "a" })]));
    await scene.sync("shop/web");
    expect(calls()).toEqual([]);
    scene.put(Pods, podOf("b"));
    await scene.sync("shop/web");
    expect(bodies()[0]?.metadata.labels).not.toHaveProperty(["service.kubernetes.io/headless"]);
  });
});

describe("slices", () => {
  test("without endpoints are written when the Service's labels change", async () => {
    put({ meta: { labels: { team: "red" } } });
    scene.put(EndpointSlices, sliceOf("web-1", [], { ports: [] }));
    await scene.sync("shop/web");
    expect(calls()).toEqual(["update web-1"]);
  });

  test("without endpoints are filled, except for a number that fills a slice: these get a new one", async () => {
    for (const { pods, writes } of [
      { pods: 1, writes: ["update web-0"] },
      { pods: 2, writes: ["create web-1"] },
    ]) {
      scene = syncScene(defineEndpointSliceController({ maxPerSlice: 2 }));
      scene.put(Nodes, nodeOf("node-1"));
      put({ spec: { clusterIP: "None", ports: [] } });
      scene.put(EndpointSlices, sliceOf("web-0", [], { ports: [] }));
      for (let n = 0; n < pods; n++) scene.put(Pods, podOf(`p${n}`));
      await scene.sync("shop/web");
      expect(calls()).toEqual(writes);
    }
  });

  test("of an earlier Service of the name are replaced", async () => {
    put();
    const pod = podOf("a");
    scene.put(Pods, pod);
    scene.put(EndpointSlices, sliceOf("web-old", [endpointOf(pod)], { ownerUid: "uid-before" }));
    await scene.sync("shop/web");
    expect(calls()).toEqual(["create web-1", "delete web-old"]);
  });

  test("that others manage, or that are being deleted, are ignored", async () => {
    put();
    const foreign = sliceOf("mine", []);
    const labels = { ...foreign.metadata.labels, "endpointslice.kubernetes.io/managed-by": "me" };
    scene.put(EndpointSlices, { ...foreign, metadata: { ...foreign.metadata, labels } });
    scene.put(
      EndpointSlices,
      sliceOf("going", [], { meta: { deletionTimestamp: formatTime(sceneStart), uid: "uid-going" } }),
    );
    await scene.sync("shop/web");
    expect(calls()).toEqual(["create web-1"]);
  });

  test("are not written for a change that does not affect endpoints", async () => {
    put();
    const pod = podOf("a");
    scene.put(Pods, pod);
    const targetRef = { kind: "Pod", namespace: "shop", name: "a", uid: "uid-a", resourceVersion: "7" };
    scene.put(EndpointSlices, sliceOf("web-1", [endpointOf(pod, { zone: "a", targetRef })]));
    await scene.sync("shop/web");
    expect(calls()).toEqual([]);
  });

  test("are written for another zone, once their Service is synced", async () => {
    put();
    const pod = podOf("a");
    scene.put(Pods, pod);
    scene.put(EndpointSlices, sliceOf("web-1", [endpointOf(pod, { zone: "b" })]));
    await scene.sync("shop/web");
    expect(calls()).toEqual(["update web-1"]);
  });
});

describe("while the cache lacks the controller's writes", () => {
  test("nothing is written, and the sync fails without an Event", async () => {
    put();
    await scene.sync("shop/web");
    scene.put(Pods, podOf("a"));
    expect(await rejection(scene.sync("shop/web"))).toMatchObject({
      name: "CacheBehindError",
      message: "EndpointSlice informer cache is out of date",
    });
    expect(calls()).toEqual([]);
    expect(scene.events).toEqual([]);
    scene.deliver();
    await scene.sync("shop/web");
    expect(calls()).toEqual(["update web-1"]);
    expect(await rejection(scene.sync("shop/web"))).toMatchObject({ name: "CacheBehindError" });
    scene.deliver();
    await scene.sync("shop/web");
    expect(calls()).toEqual([]);
  });

  test("a deleted slice that is still cached counts, too", async () => {
    put();
    scene.put(EndpointSlices, sliceOf("web-6", [], { addressType: "IPv6" }));
    await scene.sync("shop/web");
    scene.deliver(1);
    expect(await rejection(scene.sync("shop/web"))).toMatchObject({ name: "CacheBehindError" });
    scene.deliver();
    await scene.sync("shop/web");
    expect(calls()).toEqual([]);
  });
});

describe("a refusal of the API server", () => {
  test("is reported in an Event, and the sync fails", async () => {
    put();
    scene.refuse = ({ verb }) => (verb === "create" ? refusal(403, "Forbidden", "no") : undefined);
    const message = "failed to create EndpointSlice for Service shop/web: no";
    expect(await rejection(scene.sync("shop/web"))).toMatchObject({ message });
    expect(scene.events.map((event) => event.message)).toEqual([
      `Error updating Endpoint Slices for Service shop/web: ${message}`,
    ]);
  });

  test("of several address types is reported in one Event", async () => {
    put({ spec: { ipFamilies: ["IPv4", "IPv6"] } });
    const slices = ["IPv4", "IPv6"].map((addressType) =>
      sliceOf(`web-${addressType}`, [endpointOf(podOf("gone"))], { addressType }),
    );
    scene.put(EndpointSlices, ...slices);
    scene.refuse = ({ name }) => refusal(409, "Conflict", `${name} changed`);
    expect(await rejection(scene.sync("shop/web"))).toMatchObject({
      message:
        "[failed to update web-IPv4 EndpointSlice for Service shop/web: web-IPv4 changed, failed to update web-IPv6 EndpointSlice for Service shop/web: web-IPv6 changed]",
    });
    expect(scene.events).toHaveLength(1);
  });

  test("because the namespace is being deleted ends the sync", async () => {
    put();
    scene.refuse = () => refusal(403, "Forbidden", "no", "NamespaceTerminating");
    await scene.sync("shop/web");
    expect(scene.events).toEqual([]);
  });

  for (const { says, verb, message } of [
    { says: "a deletion", verb: "delete", message: "error deleting web-6 EndpointSlice for Service shop/web: no" },
    { says: "an update", verb: "update", message: "failed to update web-4 EndpointSlice for Service shop/web: no" },
  ]) {
    test(`${says}: names the slice`, async () => {
      put();
      scene.put(
        EndpointSlices,
        sliceOf("web-6", [], { addressType: "IPv6" }),
        sliceOf("web-4", [endpointOf(podOf("gone"))]),
      );
      scene.refuse = (call) => (call.verb === verb ? refusal(500, "InternalError", "no") : undefined);
      expect(await rejection(scene.sync("shop/web"))).toMatchObject({ message });
    });
  }
});

describe("the time of the last change", () => {
  const written = (): string | undefined => bodies()[0]?.metadata.annotations?.[triggerTimeAnnotation];
  const at = (seconds: number): string => formatTime(sceneStart + seconds * 1000);

  test("is that of the Service's creation, then that of the first pod that changed, then none", async () => {
    put();
    scene.put(Pods, podOf("a", { since: -7200, ips: ["10.1.0.1"] }));
    await scene.sync("shop/web");
    expect(written()).toBe(created);
    scene.deliver();
    scene.put(Pods, podOf("a", { since: -20, ready: false, ips: ["10.1.0.1"] }), podOf("b", { since: -30 }));
    await scene.sync("shop/web");
    expect(written()).toBe(at(-30));
    scene.deliver();
    put({ meta: { labels: { team: "red" } } });
    await scene.sync("shop/web");
    expect(calls()).toEqual(["update web-1"]);
    expect(written()).toBeUndefined();
  });

  test("is recorded also by a sync that writes nothing", async () => {
    put();
    const pod = (since: number): ReturnType<typeof podOf> => podOf("a", { since, ips: ["10.1.0.1"] });
    scene.put(Pods, pod(-50));
    await scene.sync("shop/web");
    scene.deliver();
    scene.put(Pods, pod(-40));
    await scene.sync("shop/web");
    expect(calls()).toEqual([]);
    put({ meta: { labels: { team: "red" } } });
    await scene.sync("shop/web");
    expect(written()).toBeUndefined();
  });
});
