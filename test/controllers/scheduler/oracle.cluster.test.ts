/** Runs the same pods and nodes with the real kube-scheduler: our scheduler must choose the same nodes and report the same messages. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pathOf } from "../../../src/api/kind.ts";
import { ResourceClaims } from "../../../src/api/kinds.ts";
import type { Pod, ResourceClaim } from "../../../src/api/types.ts";
import { type Cluster, controllersMissing, startCluster } from "../../support/cluster.ts";
import { nodeOf, type NodeParts, podOf, type PodParts } from "../../support/pods.ts";
import { type DevicePlacing, devicePlacings } from "./device-placings.ts";
import { type Placing, placings } from "./placings.ts";
import { type StoragePlacing, storagePlacings, type Stored } from "./storage-placings.ts";

const merge = { "content-type": "application/merge-patch+json" };
const pods = "/api/v1/namespaces/default/pods";

interface Decided {
  readonly node: string | undefined;
  readonly reason: string;
  readonly message: string;
}

describe.skipIf(controllersMissing !== undefined)("the real kube-scheduler places a pod by", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: "none", nodes: 0 });
    await cluster.request("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  });

  afterAll(() => cluster?.stop());

  async function createNode(name: string, parts: NodeParts): Promise<void> {
    const { status, ...node } = nodeOf(name, parts);
    await cluster.request("POST", "/api/v1/nodes", node);
    await cluster.request("PATCH", `/api/v1/nodes/${name}/status`, { status }, merge);
    // New nodes are tainted until a kube-controller-manager observes that they are ready.
    await cluster.request("PATCH", `/api/v1/nodes/${name}`, { spec: { taints: parts.taints ?? null } }, merge);
  }

  async function createPod(name: string, parts: PodParts): Promise<void> {
    const { status, body } = await cluster.request("POST", pods, podOf(name, parts));
    expect({ status, body: status === 201 ? "" : (body as unknown) }).toEqual({ status: 201, body: "" });
  }

  /** Waits, at most 10 seconds, until the scheduler has placed or rejected the pod. */
  async function decided(name: string): Promise<Decided> {
    for (let tries = 0; tries < 100; tries++) {
      const { body } = await cluster.request("GET", `${pods}/${name}`);
      const { spec, status } = body as Pod;
      const condition = status?.conditions?.find(({ type }) => type === "PodScheduled");
      if (spec?.nodeName !== undefined || condition !== undefined) {
        return { node: spec?.nodeName, reason: condition?.reason ?? "", message: condition?.message ?? "" };
      }
      await Bun.sleep(100);
    }
    throw new Error(`kube-scheduler said nothing about ${name} in 10 seconds`);
  }

  async function clear(): Promise<void> {
    await cluster.request("DELETE", `${pods}?gracePeriodSeconds=0`);
    await cluster.request("DELETE", "/api/v1/nodes");
    for (let tries = 0; tries < 50; tries++) {
      const { body } = await cluster.request("GET", pods);
      if ((body as { readonly items: readonly unknown[] }).items.length === 0) break;
      await Bun.sleep(100);
    }
    // For the scheduler's cache, which is updated by watches.
    await Bun.sleep(300);
  }

  async function store({ kind, object, status, isDeleted }: Stored): Promise<void> {
    const { name } = object.metadata;
    const space = { namespace: "default" };
    const { status: code } = await cluster.request("POST", pathOf(kind, space), object);
    // Cases can share a DeviceClass.
    expect([201, ...(kind.kind === "DeviceClass" ? [409] : [])]).toContain(code);
    const at = { ...space, name };
    if (status !== undefined) {
      await cluster.request("PATCH", pathOf(kind, { ...at, subresource: "status" }), { status }, merge);
    }
    if (isDeleted === true) await cluster.request("DELETE", pathOf(kind, at));
  }

  /** Checks that two seconds later nothing has been reported about the pod. */
  async function expectNothingReported(name: string): Promise<void> {
    await Bun.sleep(2000);
    const { body } = await cluster.request("GET", `${pods}/${name}`);
    const { spec, status } = body as Pod;
    expect([spec?.nodeName, status?.conditions]).toEqual([undefined, undefined]);
    const about = encodeURIComponent(`involvedObject.name=${name}`);
    const events = await cluster.request("GET", `/api/v1/namespaces/default/events?fieldSelector=${about}`);
    expect((events.body as { readonly items: readonly unknown[] }).items).toEqual([]);
  }

  async function hasDevices(claim: string): Promise<boolean> {
    const { body } = await cluster.request("GET", pathOf(ResourceClaims, { namespace: "default", name: claim }));
    return (body as ResourceClaim).status?.allocation !== undefined;
  }

  async function usersOf(claim: string): Promise<number> {
    const { body } = await cluster.request("GET", pathOf(ResourceClaims, { namespace: "default", name: claim }));
    return (body as ResourceClaim).status?.reservedFor?.length ?? 0;
  }

  const all: readonly (Placing & Partial<StoragePlacing & DevicePlacing>)[] = [
    // These run first, because Events of later pods with the same name remain.
    ...devicePlacings.filter(({ isHeld }) => isHeld === true),
    ...devicePlacings.filter(({ isHeld }) => isHeld !== true),
    ...placings,
    ...storagePlacings,
  ];
  test.each(all)("$name", async ({ nodes, storage = [], first = [], pod, node, message, ...more }) => {
    const { isHeld = false, reason = "Unschedulable", reserved = {}, freed, kept } = more;
    await clear();
    for (const each of storage) await store(each);
    for (const [name, parts] of nodes) await createNode(name, parts);
    await Bun.sleep(300);
    for (const [name, parts] of first) {
      await createPod(name, parts);
      await decided(name);
    }
    await createPod("pod", pod);
    if (isHeld) return expectNothingReported("pod");
    const result = await decided("pod");
    expect(result.node).toBe(node);
    if (node === undefined) expect(result.reason).toBe(reason);
    for (const claim of [freed, kept].flatMap((each) => each ?? [])) {
      for (let tries = 0; tries < 20 && (await hasDevices(claim)); tries++) await Bun.sleep(50);
      expect(await hasDevices(claim)).toBe(claim === kept);
    }
    for (const [claim, users] of Object.entries(reserved)) {
      // A pod whose claims could not be reserved is retried.
      for (let tries = 0; tries < 30 && (await usersOf(claim)) !== users; tries++) await Bun.sleep(50);
      expect([claim, await usersOf(claim)]).toEqual([claim, users]);
    }
    // The real scheduler appends a text about preemption, which our scheduler does not implement.
    if (message !== undefined) expect(result.message.slice(0, message.length)).toBe(message);
  });
});
