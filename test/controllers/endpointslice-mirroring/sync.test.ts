import { beforeEach, describe, expect, test } from "bun:test";
import { Endpoints as EndpointsKind, EndpointSlices, Services } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Endpoint, EndpointSlice } from "../../../src/api/types.ts";
import { managedByLabel, serviceNameLabel } from "../../../src/controller/workload/service/slice-content.ts";
import type { Subset } from "../../../src/controller/workload/service/subsets.ts";
import {
  defineMirroringController,
  endpointsliceMirroring,
} from "../../../src/controllers/endpointslice-mirroring/endpointslice-mirroring.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { addressOf, endpointAt, endpointsOf, key, serviceOf, sliceOf, subsetOf } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(endpointsliceMirroring);
  scene.put(Services, serviceOf());
});

const calls = (): string[] => scene.calls.map(({ verb, name }) => `${verb} ${name}`);
const rulesUsed = (): string[] => scene.decisions.map(({ rule }) => rule);
const bodies = (): EndpointSlice[] =>
  scene.calls.filter(({ verb }) => verb !== "delete").map(({ body }) => body as EndpointSlice);
const endpoints = (): readonly Endpoint[] => bodies().flatMap((slice) => slice.endpoints ?? []);
const put = (subsets: readonly Subset[], meta: Parameters<typeof endpointsOf>[1] = {}): void =>
  scene.put(EndpointsKind, endpointsOf(subsets, meta));
/** Runs a sync, and another one after its writes have been observed, which must not write anything. */
const syncTwice = async (): Promise<void> => {
  await scene.sync(key);
  const [first, used] = [[...scene.calls], [...scene.decisions]];
  scene.deliver();
  await scene.sync(key);
  expect(calls()).toEqual([]);
  expect(rulesUsed()).toContain("steady");
  scene.calls.push(...first);
  scene.decisions.splice(0, Infinity, ...used);
};

describe("Endpoints", () => {
  test("have a slice of their address, its name, node and target", async () => {
    const targetRef = { kind: "Pod", namespace: "shop", name: "a", uid: "u" };
    const address = addressOf("10.0.0.1", { hostname: "pod-1", nodeName: "node-1", targetRef });
    const ports = [{ name: "http", port: 80, protocol: "TCP", appProtocol: "http" }];
    put([{ addresses: [address], ports }]);
    await syncTwice();
    expect(calls()).toEqual(["create web-1"]);
    expect(bodies()).toEqual([
      {
        metadata: {
          namespace: "shop",
          generateName: "web-",
          labels: { [serviceNameLabel]: "web", [managedByLabel]: "endpointslicemirroring-controller.k8s.io" },
          annotations: {},
          ownerReferences: [
            {
              apiVersion: "v1",
              kind: "Endpoints",
              name: "web",
              uid: "uid-endpoints",
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
        addressType: "IPv4",
        ports,
        endpoints: [
          {
            addresses: ["10.0.0.1"],
            conditions: { ready: true },
            hostname: "pod-1",
            nodeName: "node-1",
            targetRef,
          },
        ],
      } as unknown as EndpointSlice,
    ]);
  });

  for (const { says, subsets } of [
    { says: "without subsets", subsets: [] },
    { says: "without addresses", subsets: [subsetOf([])] },
  ]) {
    test(`${says} have no slice, and lose existing ones`, async () => {
      put(subsets);
      await scene.sync(key);
      expect(calls()).toEqual([]);
      expect(rulesUsed()).toEqual(["steady"]);
      scene.put(EndpointSlices, sliceOf("web-a", [endpointAt("10.0.0.1")]), sliceOf("web-b", []));
      await scene.sync(key);
      expect(calls()).toEqual(["delete web-a", "delete web-b"]);
    });
  }

  test("with a port of an existing slice, but other addresses, have one slice for all of them", async () => {
    put([subsetOf(["10.0.0.1"]), subsetOf(["10.0.0.2"])]);
    await syncTwice();
    expect(bodies()).toHaveLength(1);
    expect(endpoints()).toEqual([endpointAt("10.0.0.1"), endpointAt("10.0.0.2")]);
  });

  test("with subsets with different ports have a slice for each set of ports", async () => {
    const https = [{ name: "https", port: 443, protocol: "TCP" }];
    put([subsetOf(["10.0.0.1"]), subsetOf(["10.0.0.2"], { ports: https })]);
    await syncTwice();
    const written = bodies().map(({ ports, endpoints: of = [] }) => [ports?.[0]?.port, of[0]?.addresses[0]]);
    expect(written.toSorted(([a = 0], [b = 0]) => Number(b) - Number(a))).toEqual([
      [443, "10.0.0.2"],
      [80, "10.0.0.1"],
    ]);
  });

  test("with the same address at two ports have one slice with both ports", async () => {
    const ports = [{ name: "https", port: 443, protocol: "TCP" }];
    put([subsetOf(["10.0.0.1"]), subsetOf(["10.0.0.1"], { ports })]);
    await syncTwice();
    expect(bodies().map(({ ports }) => ports?.map(({ port }) => port).toSorted())).toEqual([[443, 80]]);
  });

  test("with an application protocol for a port of two subsets have a separate slice for it, with the addresses of both", async () => {
    const h2c = { name: "h2c", port: 81, protocol: "TCP", appProtocol: "kubernetes.io/h2c" };
    const dns = { name: "dns", port: 53, protocol: "UDP" };
    const ports = [h2c, dns];
    put([subsetOf(["10.0.0.1"], { ports }), subsetOf(["10.0.0.2"], { ports })]);
    await syncTwice();
    const written = bodies().map(
      ({ ports: of, endpoints: at }) => `${of?.map(({ name }) => name).join()} ${at?.length}`,
    );
    expect(written.toSorted()).toEqual(["dns 2", "h2c 2"]);
    put([subsetOf(["10.0.0.1", "10.0.0.2"], { ports })]);
    await scene.sync(key);
    expect(bodies().map(({ ports: of }) => of?.length)).toEqual([2]);
  });

  test("with several subsets with the same port have no more endpoints in a slice than the maximum of a subset", async () => {
    scene = syncScene(defineMirroringController({ maxPerSubset: 2 }));
    scene.put(Services, serviceOf());
    const ports = [{ name: "h2c", port: 81, protocol: "TCP", appProtocol: "kubernetes.io/h2c" }];
    put([subsetOf(["10.0.0.1", "10.0.0.2"], { ports }), subsetOf(["10.0.0.3"], { ports })]);
    await scene.sync(key);
    expect(endpoints()).toHaveLength(2);
    expect(scene.events).toEqual([]);
  });

  test("without ports have a slice without ports", async () => {
    put([subsetOf(["10.0.0.1"], { ports: [] })]);
    await syncTwice();
    expect(bodies().map(({ ports }) => ports)).toEqual([[]]);
  });

  test("mark ready addresses", async () => {
    put([subsetOf(["10.0.0.1"], { notReadyAddresses: [addressOf("10.0.0.2")] })]);
    await syncTwice();
    expect(endpoints()).toEqual([endpointAt("10.0.0.1"), endpointAt("10.0.0.2", false)]);
  });

  test("with addresses of both families have a slice for each, with canonical addresses", async () => {
    put([subsetOf(["10.0.0.1", "2001:DB8:0:0:0:0:0:1", "::ffff:10.0.0.3", "64:ff9b::192.0.2.33"])]);
    await scene.sync(key);
    expect(
      bodies().map(({ addressType, endpoints: of }) => [addressType, of?.map((each) => each.addresses[0])]),
    ).toEqual([
      ["IPv4", ["10.0.0.1", "10.0.0.3"]],
      ["IPv6", ["2001:db8::1", "64:ff9b::c000:221"]],
    ]);
  });

  test("that are being deleted get no new slices; existing ones are kept up to date", async () => {
    const meta = { deletionTimestamp: formatTime(sceneStart) };
    put([subsetOf(["10.0.0.1"])], meta);
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(rulesUsed()).toEqual(["being-deleted"]);
    scene.put(EndpointSlices, sliceOf("web-a", []));
    await scene.sync(key);
    expect(calls()).toEqual(["update web-a"]);
  });
});

describe("not mirrored, so that mirrored slices are deleted, are Endpoints", () => {
  const subsets = [subsetOf(["10.0.0.1"])];
  const leader = { "control-plane.alpha.kubernetes.io/leader": "{}" };
  const skip = "endpointslice.kubernetes.io/skip-mirror";
  for (const { says, set, why } of [
    {
      says: "with the label skip-mirror",
      set: () => put(subsets, { labels: { [skip]: "true" } }),
      why: "the Endpoints have the label skip-mirror",
    },
    {
      says: "for leader election",
      set: () => put(subsets, { annotations: leader }),
      why: "the Endpoints are a lock of leader election",
    },
    {
      says: "of a Service with a selector",
      set: () => {
        put(subsets);
        scene.put(Services, serviceOf({ selector: { app: "web" } }));
      },
      why: "the Service has a selector",
    },
    {
      says: "without a Service",
      set: () => {
        put(subsets);
        scene.deleteLive(Services, key);
        scene.deliver();
      },
      why: "there is no Service of this name",
    },
    { says: "that were deleted", set: () => undefined, why: "the Endpoints are gone" },
  ]) {
    test(says, async () => {
      set();
      scene.put(EndpointSlices, sliceOf("web-a", [endpointAt("10.0.0.1")]));
      await scene.sync(key);
      expect(calls()).toEqual(["delete web-a"]);
      expect(scene.decisions.map(({ sentence }) => sentence)).toEqual([`${why} → delete 1 mirrored slice`]);
    });
  }

  test("but they are, once the label changes", async () => {
    put(subsets, { labels: { [skip]: "false" } });
    await scene.sync(key);
    expect(calls()).toEqual(["create web-1"]);
  });

  test("all slices are processed, despite a failure of one, and the sync fails", async () => {
    scene.put(EndpointSlices, sliceOf("web-a", []), sliceOf("web-b", []));
    scene.refuse = ({ name }) => (name === "web-a" ? refusal(403, "Forbidden", "no") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({
      message: "error(s) deleting 1/2 EndpointSlices for shop/web Endpoints, including: no",
    });
    expect(calls()).toEqual(["delete web-a", "delete web-b"]);
  });

  test("slices of another name, another namespace or another manager stay", async () => {
    const other = { [serviceNameLabel]: "api", [managedByLabel]: "endpointslicemirroring-controller.k8s.io" };
    const theirs = { [serviceNameLabel]: "web", [managedByLabel]: "me" };
    scene.put(
      EndpointSlices,
      sliceOf("web-a", [], { meta: { labels: other } }),
      sliceOf("web-b", [], { meta: { namespace: "other" } }),
      sliceOf("web-c", [], { meta: { labels: theirs } }),
      sliceOf("web-d", [], { meta: { labels: { [serviceNameLabel]: "web" } } }),
    );
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });
});

describe("an existing slice", () => {
  const subsets = [subsetOf(["10.0.0.1"])];
  const endpoint = endpointAt("10.0.0.1");

  test("is left alone if it is the same, and then known to the controller", async () => {
    put(subsets);
    scene.put(EndpointSlices, sliceOf("web-a", [endpoint]));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(rulesUsed()).toEqual(["steady"]);
    scene.notify(EndpointSlices, { type: "deleted", object: sliceOf("web-a", [endpoint]), tombstone: false });
    expect(scene.woken).toEqual([key]);
  });

  for (const { says, parts, of, meta } of [
    { says: "has another endpoint", of: [endpointAt("10.0.0.9")] },
    { says: "has one additional endpoint", of: [endpoint, endpointAt("10.0.0.9")] },
    { says: "has no endpoint", of: [] },
    { says: "has an endpoint that is not ready", of: [endpointAt("10.0.0.1", false)] },
    { says: "belongs to earlier Endpoints of the name", of: [endpoint], parts: { ownerUid: "uid-before" } },
    { says: "has an additional annotation", of: [endpoint], parts: { meta: { annotations: { a: "b" } } } },
    { says: "lacks a label of the Endpoints", of: [endpoint], meta: { labels: { team: "red" } } },
    { says: "lacks an annotation of the Endpoints", of: [endpoint], meta: { annotations: { team: "red" } } },
  ]) {
    test(`is updated if it ${says}`, async () => {
      put(subsets, meta);
      scene.put(EndpointSlices, sliceOf("web-a", of, parts));
      await syncTwice();
      expect(calls()).toEqual(["update web-a"]);
      const [{ metadata, endpoints: written } = sliceOf("none", [])] = bodies();
      expect(written).toEqual([endpoint]);
      expect(metadata).toMatchObject({ labels: meta?.labels ?? {}, annotations: meta?.annotations ?? {} });
      for (const lost of ["resourceVersion", "generateName"]) expect(metadata).not.toHaveProperty(lost);
      expect(metadata.ownerReferences?.[0]?.uid).toBe("uid-endpoints");
    });
  }

  test("does not get the last-applied annotation, nor the time of the last change, and loses the former", async () => {
    const applied = { "kubectl.kubernetes.io/last-applied-configuration": "" };
    const own = { team: "red", "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z" };
    put(subsets, { annotations: { ...own, ...applied } });
    scene.put(EndpointSlices, sliceOf("web-a", [endpoint], { meta: { annotations: { team: "red", ...applied } } }));
    await syncTwice();
    expect(bodies()[0]?.metadata.annotations).toEqual({ team: "red" });
  });

  test("is the only one with its ports: the others are deleted", async () => {
    put(subsets);
    scene.put(EndpointSlices, sliceOf("web-a", [endpoint]), sliceOf("web-b", [endpoint]));
    await scene.sync(key);
    expect(calls()).toEqual(["delete web-b"]);
  });

  const atOther = { ports: [{ name: "http", port: 81, protocol: "TCP" }] };

  test("with ports that no subset has is reused for a new one of its address type, or deleted", async () => {
    put(subsets);
    scene.put(EndpointSlices, sliceOf("web-a", [endpoint], { ...atOther, addressType: "IPv6" }));
    await scene.sync(key);
    expect(calls()).toEqual(["create web-1", "delete web-a"]);
    scene = syncScene(endpointsliceMirroring);
    scene.put(Services, serviceOf());
    put(subsets);
    scene.put(EndpointSlices, sliceOf("web-a", [endpoint], atOther), sliceOf("web-b", [endpoint], atOther));
    await scene.sync(key);
    expect(calls()).toEqual(["update web-a", "delete web-b"]);
    expect(bodies()[0]).toMatchObject({ metadata: { generateName: "web-" }, ports: [{ port: 80 }] });
  });

  test("is distinguished from that of the other family if both change their ports", async () => {
    put([subsetOf(["10.0.0.1", "2001:db8::1"])]);
    scene.put(
      EndpointSlices,
      sliceOf("web-6", [endpointAt("2001:db8::1")], { ...atOther, addressType: "IPv6" }),
      sliceOf("web-4", [endpoint], atOther),
    );
    await scene.sync(key);
    expect(calls().toSorted()).toEqual(["update web-4", "update web-6"]);
    for (const { metadata, addressType } of bodies()) expect(addressType).toBe(`IPv${metadata.name?.slice(-1)}`);
  });
});

describe("omitted addresses", () => {
  test("are invalid ones: an Event has their number", async () => {
    put([subsetOf(["10.0.0.1", "wrong", "300.0.0.1", "64:ff9b::300.0.2.33"], { notReadyAddresses: [addressOf("")] })]);
    await scene.sync(key);
    expect(endpoints()).toEqual([endpointAt("10.0.0.1")]);
    expect(scene.events).toEqual([
      {
        type: "Warning",
        reason: "InvalidIPAddress",
        message: "Skipped 4 invalid IP addresses when mirroring to EndpointSlices",
        about: "Endpoints web",
      },
    ]);
    expect(rulesUsed()).toEqual(["left-out", "create-slice"]);
  });

  test("are those above the maximum of a subset, not counting invalid ones: ready ones are mirrored first", async () => {
    scene = syncScene(defineMirroringController({ maxPerSubset: 2 }));
    scene.put(Services, serviceOf());
    const https = [{ name: "https", port: 443, protocol: "TCP" }];
    put([
      subsetOf(["10.0.0.1", "wrong"], { notReadyAddresses: ["10.0.0.2", "10.0.0.3"].map((ip) => addressOf(ip)) }),
      subsetOf(["10.0.0.1", "10.0.0.2"], { ports: https }),
    ]);
    await scene.sync(key);
    const at = (port: number): readonly Endpoint[] | undefined | null =>
      bodies().find(({ ports }) => ports?.[0]?.port === port)?.endpoints;
    expect(at(80)).toEqual([endpointAt("10.0.0.1"), endpointAt("10.0.0.2", false)]);
    expect(at(443)).toEqual([endpointAt("10.0.0.1"), endpointAt("10.0.0.2")]);
    expect(scene.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual(
      [
        "TooManyAddressesToMirror: A max of 2 addresses can be mirrored to EndpointSlices per Endpoints subset. 2 addresses were skipped",
        "InvalidIPAddress: Skipped 1 invalid IP addresses when mirroring to EndpointSlices",
      ].toSorted(),
    );
  });

  for (const { count, mirrors } of [
    { count: 1000, mirrors: 1000 },
    { count: 1001, mirrors: 1000 },
  ]) {
    test(`of ${count}, ${mirrors} are mirrored`, async () => {
      put([subsetOf(Array.from({ length: count }, (_, n) => `10.0.${n >> 8}.${n & 255}`))]);
      await scene.sync(key);
      expect(endpoints()).toHaveLength(mirrors);
      expect(scene.events).toHaveLength(count - mirrors);
    });
  }
});

describe("while the cache lacks the controller's writes", () => {
  test("nothing is written, and the sync fails without an Event", async () => {
    put([subsetOf(["10.0.0.1"])]);
    await scene.sync(key);
    put([subsetOf(["10.0.0.2"])]);
    expect(await rejection(scene.sync(key))).toMatchObject({
      name: "CacheBehindError",
      message: "EndpointSlice informer cache is out of date",
    });
    expect(calls()).toEqual([]);
    expect(scene.events).toEqual([]);
    scene.deliver();
    await scene.sync(key);
    expect(calls()).toEqual(["update web-1"]);
  });

  test("a deleted slice that is still cached counts, too", async () => {
    put([subsetOf(["10.0.0.1"])]);
    scene.put(EndpointSlices, sliceOf("web-a", [endpointAt("10.0.0.1")]), sliceOf("web-b", []));
    await scene.sync(key);
    expect(calls()).toEqual(["delete web-b"]);
    expect(await rejection(scene.sync(key))).toMatchObject({ name: "CacheBehindError" });
    scene.deliver();
    await scene.sync(key);
    expect(rulesUsed()).toEqual(["steady"]);
  });

  test("the writes of Endpoints that are no longer mirrored are forgotten", async () => {
    put([subsetOf(["10.0.0.1"])]);
    await scene.sync(key);
    scene.put(Services, serviceOf({ selector: { app: "web" } }));
    await scene.sync(key);
    scene.put(Services, serviceOf());
    await scene.sync(key);
    expect(calls()).toEqual(["create web-2"]);
  });
});

describe("a refused write", () => {
  const subsets = [subsetOf(["10.0.0.1"])];
  const no = refusal(403, "Forbidden", "no");

  for (const { says, slices, message } of [
    { says: "a create", slices: [], message: "failed to create EndpointSlice for Endpoints shop/web: no" },
    {
      says: "an update",
      slices: [sliceOf("web-a", [])],
      message: "failed to update web-a EndpointSlice for Endpoints shop/web: no",
    },
    {
      says: "a deletion",
      slices: [sliceOf("web-a", [endpointAt("10.0.0.1")]), sliceOf("web-b", [])],
      message: "failed to delete web-b EndpointSlice for Endpoints shop/web: no",
    },
  ]) {
    test(`fails the sync: ${says}`, async () => {
      put(subsets);
      scene.put(EndpointSlices, ...slices);
      scene.refuse = () => no;
      expect(await rejection(scene.sync(key))).toMatchObject({ message });
      // A rejected write is not expected in the cache, so the next sync does not wait.
      scene.refuse = () => undefined;
      await scene.sync(key);
      expect(calls()).toHaveLength(1);
    });
  }

  test("because the namespace is being deleted ends the sync", async () => {
    put(subsets);
    scene.refuse = () => refusal(403, "Forbidden", "terminating", "NamespaceTerminating");
    await scene.sync(key);
    expect(calls()).toEqual(["create web-1"]);
  });
});
