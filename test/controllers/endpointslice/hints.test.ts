import { beforeEach, describe, expect, test } from "bun:test";
import { EndpointSlices, Nodes, Pods, Services } from "../../../src/api/kinds.ts";
import type { Endpoint, EndpointSlice } from "../../../src/api/types.ts";
import { endpointslice } from "../../../src/controllers/endpointslice/endpointslice.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";
import { endpointOf, nodeOf, podOf, serviceOf, sliceOf } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(endpointslice);
  for (const node of [nodeOf("node-1", { zone: "a" }), nodeOf("node-2", { zone: "b" })]) {
    scene.put(Nodes, node);
    scene.notify(Nodes, { type: "added", object: node, initial: true });
  }
});

const mode = (value: string): object => ({ annotations: { "service.kubernetes.io/topology-mode": value } });
const written = (): readonly Endpoint[] => scene.calls.flatMap(({ body }) => (body as EndpointSlice).endpoints ?? []);
const hints = (): readonly unknown[] => written().map((endpoint) => endpoint.hints);
const zone = (name: string): object => ({ forZones: [{ name }] });

describe("a traffic distribution", () => {
  const distributed = async (trafficDistribution: string, meta: object = {}): Promise<readonly unknown[]> => {
    scene.put(Services, serviceOf({ meta, spec: { trafficDistribution } }));
    scene.put(Nodes, nodeOf("node-3"));
    const on = (nodeName: string): object => ({ spec: { nodeName } });
    scene.put(Pods, podOf("a"), podOf("b", on("node-2")), podOf("c", on("node-3")), podOf("d", { ready: false }));
    await scene.sync("shop/web");
    return hints();
  };

  for (const name of ["PreferClose", "PreferSameZone"]) {
    test(`${name}: ready endpoints serve their own zone`, async () =>
      expect(await distributed(name)).toEqual([zone("a"), zone("b"), undefined, undefined]));
  }

  test("PreferSameNode: they serve their own node first", async () =>
    expect(await distributed("PreferSameNode")).toEqual([
      { ...zone("a"), forNodes: [{ name: "node-1" }] },
      { ...zone("b"), forNodes: [{ name: "node-2" }] },
      { forNodes: [{ name: "node-3" }] },
      undefined,
    ]));

  test("that is unknown, or used with the annotation for topology-aware hints, gives none", async () => {
    expect(await distributed("PreferFar")).toEqual([undefined, undefined, undefined, undefined]);
    scene.deliver();
    const shared = await distributed("PreferSameNode", mode("Auto"));
    expect(JSON.stringify(shared)).not.toContain("forNodes");
  });

  test("causes updates of slices with wrong or missing hints only", async () => {
    scene.put(Services, serviceOf({ spec: { trafficDistribution: "PreferClose" } }));
    const [a, b] = [podOf("a"), podOf("b")];
    scene.put(Pods, a, b);
    const right = endpointOf(a, { zone: "a", hints: { forZones: [{ name: "a" }], forNodes: [] } });
    scene.put(EndpointSlices, sliceOf("web-1", [right]));
    scene.put(EndpointSlices, sliceOf("web-2", [endpointOf(b, { zone: "a", hints: { forZones: [{ name: "b" }] } })]));
    await scene.sync("shop/web");
    expect(scene.calls.map(({ name }) => name)).toEqual(["web-2"]);
    expect(hints()).toEqual([zone("a")]);
  });

  test("that is removed removes the hints", async () => {
    scene.put(Services, serviceOf());
    const a = podOf("a");
    scene.put(Pods, a);
    scene.put(EndpointSlices, sliceOf("web-1", [endpointOf(a, { zone: "a", hints: { forZones: [{ name: "a" }] } })]));
    await scene.sync("shop/web");
    expect(hints()).toEqual([undefined]);
  });
});

describe("topology-aware hints", () => {
  const events = (): string[] => scene.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);

  test("are reported once, and so is their end", async () => {
    scene.put(Services, serviceOf({ meta: mode("Auto") }));
    scene.put(Pods, podOf("a"), podOf("b", { spec: { nodeName: "node-2" } }));
    await scene.sync("shop/web");
    expect(hints()).toEqual([zone("a"), zone("b")]);
    expect(events()).toEqual([
      "Normal TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4",
    ]);
    scene.deliver();
    await scene.sync("shop/web");
    expect(events()).toEqual([]);
    expect(scene.calls).toEqual([]);
    scene.put(Services, serviceOf({ meta: mode("Disabled") }));
    await scene.sync("shop/web");
    expect(hints()).toEqual([undefined, undefined]);
    expect(events()).toEqual([
      "Warning TopologyAwareHintsDisabled: Topology Aware Hints has been disabled, addressType: IPv4",
    ]);
    scene.deliver();
    await scene.sync("shop/web");
    expect(events()).toEqual([]);
  });

  test("follow the deprecated annotation if both are set, in lowercase, too", async () => {
    const annotations = {
      ...(mode("Auto") as { annotations: object }).annotations,
      "service.kubernetes.io/topology-aware-hints": "disabled",
    };
    scene.put(Services, serviceOf({ meta: { annotations } }));
    scene.put(Pods, podOf("a"), podOf("b", { spec: { nodeName: "node-2" } }));
    await scene.sync("shop/web");
    expect(hints()).toEqual([undefined, undefined]);
    scene.put(Services, serviceOf({ meta: { annotations: { "service.kubernetes.io/topology-aware-hints": "auto" } } }));
    scene.deliver();
    await scene.sync("shop/web");
    expect(hints()).toEqual([zone("a"), zone("b")]);
  });

  test("are missing if an endpoint has no zone", async () => {
    scene.put(Services, serviceOf({ meta: mode("Auto"), spec: { publishNotReadyAddresses: true } }));
    scene.put(
      Pods,
      podOf("a"),
      podOf("b", { spec: { nodeName: "node-2" } }),
      podOf("c", { spec: { nodeName: "gone" } }),
      podOf("d"),
    );
    await scene.sync("shop/web");
    expect(hints()).toEqual([undefined, undefined, undefined, undefined]);
    expect(events()).toEqual([
      "Warning TopologyAwareHintsDisabled: One or more endpoints do not have a zone specified, addressType: IPv4",
    ]);
  });

  test("are missing while no node was seen", async () => {
    scene = syncScene(endpointslice);
    scene.put(Services, serviceOf({ meta: mode("Auto") }));
    await scene.sync("shop/web");
    expect(events()).toEqual(["Warning TopologyAwareHintsDisabled: Nodes only ready in one zone, addressType: IPv4"]);
  });

  test("ignore control planes and nodes that are not ready", async () => {
    const others = [
      nodeOf("cp", { zone: "c", labels: { "node-role.kubernetes.io/control-plane": "" } }),
      nodeOf("down", { zone: "d", ready: false }),
    ];
    for (const node of others) {
      scene.put(Nodes, node);
      scene.notify(Nodes, { type: "added", object: node, initial: true });
    }
    scene.put(Services, serviceOf({ meta: mode("Auto") }));
    scene.put(Pods, podOf("a"), podOf("b", { spec: { nodeName: "node-2" } }));
    await scene.sync("shop/web");
    expect(hints()).toEqual([zone("a"), zone("b")]);
  });

  test("of unchanged slices are kept while they are balanced, and assigned again otherwise", async () => {
    scene.put(Services, serviceOf({ meta: mode("Auto") }));
    const pods = ["a", "b", "c", "d"].map((name) => podOf(name));
    scene.put(Pods, ...pods);
    const all = (name: string): Endpoint[] =>
      pods.map((pod) => endpointOf(pod, { zone: "a", hints: { forZones: [{ name }] } }));
    scene.put(EndpointSlices, sliceOf("web-1", all("a")));
    await scene.sync("shop/web");
    expect(hints().filter((each) => JSON.stringify(each) === JSON.stringify(zone("b")))).toHaveLength(2);
    scene.deliver();
    await scene.sync("shop/web");
    expect(scene.calls).toEqual([]);
  });
});
