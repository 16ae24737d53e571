import { beforeEach, describe, expect, test } from "bun:test";
import { Pods, ResourceClaims, ResourceClaimTemplates } from "../../../src/api/kinds.ts";
import type { Pod } from "../../../src/api/types.ts";
import { resourceclaim } from "../../../src/controllers/resourceclaim/resourceclaim.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";
import { claimOf, named, podOf, statusWith, templated, templateOf } from "./objects.ts";

const key = "shop/pod:web";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(resourceclaim);
});

function woken(): readonly string[] {
  return scene.woken.splice(0);
}

function wokenBy(pod: Pod): readonly string[] {
  scene.notify(Pods, { type: "added", object: pod, initial: true });
  const added = woken();
  scene.notify(Pods, { type: "updated", before: pod, object: pod });
  expect(woken()).toEqual([...added]);
  return added;
}

const extended = (phase: string, more: Parameters<typeof podOf>[0] = {}): Pod => {
  const requestMappings = [{ containerName: "c", resourceName: "example.com/gpu", requestName: "one" }];
  const status = { phase, extendedResourceClaimStatus: { resourceClaimName: "made", requestMappings } };
  return podOf({ entries: [], ...more, status });
};

test("keys of pods and of claims are distinct", () => {
  expect(resourceclaim.about?.(key)).toEqual({ kind: "Pod", key: "shop/web" });
  expect(resourceclaim.about?.("shop/web")).toBeUndefined();
});

describe("a pod is synced when it is added or changed", () => {
  test("and its status does not have a claim of a template, even if it has finished", () => {
    expect(wokenBy(podOf())).toEqual([key]);
    expect(wokenBy(podOf({ status: { phase: "Succeeded" } }))).toEqual([key]);
  });

  test("and a claim in its status does not exist", () => {
    expect(wokenBy(podOf({ status: statusWith({ gpu: "own" }) }))).toEqual([key]);
  });

  test("and an entry has an unknown source", () => {
    expect(wokenBy(podOf({ entries: [{ name: "gpu" }] }))).toEqual([key]);
  });

  test("and it is on a node, and a claim with devices is not reserved for it", () => {
    const pod = podOf({ node: "a", entries: [named("a", "own"), named("b", "shared")] });
    scene.put(ResourceClaims, claimOf("own"), claimOf("shared", { isAllocated: true }));
    expect(wokenBy(pod)).toEqual([key]);
    scene.put(ResourceClaims, claimOf("shared", { isAllocated: true, reservedFor: [pod] }));
    expect(wokenBy(pod)).toEqual([]);
    scene.put(ResourceClaims, claimOf("shared", { isAllocated: true }));
    expect(wokenBy(podOf({ entries: [named("b", "shared")] }))).toEqual([]);
  });
});

describe("a pod is not synced", () => {
  for (const { what, pod } of [
    { what: "has no entries", pod: podOf({ entries: [] }) },
    { what: "has a claim that its user must still create", pod: podOf({ entries: [named("gpu", "missing")] }) },
    { what: "needs none", pod: podOf({ status: statusWith({ gpu: undefined }) }) },
    { what: "is being deleted on its node", pod: podOf({ node: "a", isDeleted: true }) },
  ]) {
    test(`that ${what}`, () => {
      expect(wokenBy(pod)).toEqual([]);
    });
  }

  test("whose claim exists, nor whose claim in the status is another pod's", () => {
    const pod = podOf({ node: "a", status: statusWith({ gpu: "own" }) });
    scene.put(ResourceClaims, claimOf("own", { owner: pod }));
    expect(wokenBy(pod)).toEqual([]);
    scene.put(ResourceClaims, claimOf("own", { isAllocated: true }));
    expect(wokenBy(pod)).toEqual([]);
  });
});

describe("claims of a pod are synced", () => {
  const entries = [templated("gpu"), templated("nic"), named("disk", "shared"), templated("none")];
  const status = statusWith({ gpu: "own", none: undefined });

  for (const { what, pod } of [
    {
      what: "that has ended",
      pod: podOf({ entries, node: "a", isDeleted: true, status: { ...status, phase: "Failed" } }),
    },
    { what: "that is deleted before it had a node", pod: podOf({ entries, isDeleted: true, status }) },
  ]) {
    test(`${what}, as far as they are known`, () => {
      expect(wokenBy(pod)).toEqual(["shop/own", "shop/shared"]);
    });
  }

  test("that is deleted, in any state", () => {
    const pod = podOf({ entries, node: "a", isDeleted: true, status: { ...status, phase: "Running" } });
    scene.notify(Pods, { type: "deleted", object: pod, tombstone: false });
    expect(woken()).toEqual(["shop/own", "shop/shared"]);
    scene.notify(Pods, { type: "deleted", object: podOf({ entries: [] }), tombstone: true });
    expect(woken()).toEqual([]);
  });

  test("that has finished or is deleted, if the scheduler created one for its extended resources", () => {
    expect(wokenBy(extended("Running"))).toEqual([]);
    expect(wokenBy(extended("Succeeded"))).toEqual(["shop/made"]);
    expect(wokenBy(extended("Failed"))).toEqual(["shop/made"]);
    const both = extended("Succeeded", { entries: [named("disk", "shared")] });
    expect(wokenBy(both)).toEqual(["shop/shared", "shop/made"]);
    scene.notify(Pods, { type: "deleted", object: extended("Running"), tombstone: false });
    expect(woken()).toEqual(["shop/made"]);
  });
});

describe("a claim", () => {
  const pod = podOf({
    node: "a",
    entries: [templated("gpu"), named("disk", "shared")],
    status: statusWith({ gpu: "own" }),
  });

  test("is synced when it is added or changed, and enqueues the pods that need it", () => {
    const own = claimOf("own", { owner: pod, isAllocated: true });
    scene.put(Pods, pod, podOf({ name: "api", entries: [named("disk", "shared")] }));
    scene.put(ResourceClaims, own, claimOf("shared"));
    scene.notify(ResourceClaims, { type: "added", object: own, initial: true });
    expect(woken()).toEqual(["shop/own", key]);
    scene.notify(ResourceClaims, { type: "updated", before: own, object: own });
    expect(woken()).toEqual(["shop/own", key]);
    scene.put(ResourceClaims, claimOf("own", { owner: pod, isAllocated: true, reservedFor: [pod] }));
    scene.notify(ResourceClaims, { type: "updated", before: own, object: own });
    expect(woken()).toEqual(["shop/own"]);
  });

  test("that is deleted enqueues the pods that have it re-created, and is not synced itself", () => {
    scene.put(Pods, pod, podOf({ name: "other", status: statusWith({ gpu: "others" }) }));
    scene.put(ResourceClaims, claimOf("shared"));
    scene.notify(ResourceClaims, { type: "deleted", object: claimOf("own"), tombstone: false });
    expect(woken()).toEqual([key]);
    scene.notify(ResourceClaims, { type: "deleted", object: claimOf("unrelated"), tombstone: false });
    expect(woken()).toEqual([]);
  });
});

test("a template that is added or changed enqueues the pods of its namespace that wait for it; a deleted one none", () => {
  const [one, other] = [templateOf("one"), templateOf("other")];
  const elsewhere = { ...podOf(), metadata: { ...podOf().metadata, namespace: "elsewhere", name: "web" } };
  scene.put(Pods, podOf({ entries: [templated("a", "two"), templated("b"), templated("c")] }), elsewhere);
  scene.notify(ResourceClaimTemplates, { type: "added", object: one, initial: false });
  expect(woken()).toEqual([key]);
  scene.notify(ResourceClaimTemplates, { type: "updated", before: one, object: one });
  expect(woken()).toEqual([key]);
  scene.notify(ResourceClaimTemplates, { type: "deleted", object: one, tombstone: false });
  scene.notify(ResourceClaimTemplates, { type: "added", object: other, initial: false });
  expect(woken()).toEqual([]);
});
