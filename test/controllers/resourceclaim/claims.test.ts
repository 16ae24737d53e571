import { beforeEach, describe, expect, test } from "bun:test";
import { Pods, ResourceClaims } from "../../../src/api/kinds.ts";
import type { ResourceClaim } from "../../../src/api/types.ts";
import { resourceclaim } from "../../../src/controllers/resourceclaim/resourceclaim.ts";
import { rejection } from "../../support/rejection.ts";
import { type Call, refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { allocation, type ClaimParts, claimOf, consumerOf, named, podOf, protection } from "./objects.ts";

const key = "shop/shared";
const other = { apiGroup: "example.com", resource: "jobs", name: "big", uid: "uid-big" };

let scene: Scene;
beforeEach(() => {
  scene = syncScene(resourceclaim);
});

const calls = (): string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const says = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);
const bodies = (verb: string): readonly ResourceClaim[] =>
  scene.calls.filter((each) => each.verb === verb).map(({ body }) => body as ResourceClaim);
const using = (name: string): Parameters<typeof podOf>[0] => ({ name, entries: [named("gpu", "shared")] });
const pod = podOf(using("web"));
const second = podOf(using("api"));
const freed = ["updateStatus ResourceClaim shared", "update ResourceClaim shared"];

const put = (parts: ClaimParts = {}): void =>
  scene.put(ResourceClaims, claimOf("shared", { isAllocated: true, reservedFor: [pod], ...parts }));

describe("a reservation stays", () => {
  for (const { what, seen } of [
    { what: "waits for a node", seen: pod },
    { what: "runs", seen: podOf({ ...using("web"), node: "node-1", status: { phase: "Running" } }) },
    { what: "is being deleted on its node", seen: podOf({ ...using("web"), node: "node-1", isDeleted: true }) },
  ]) {
    test(`for a pod that ${what}`, async () => {
      scene.put(Pods, seen);
      put();
      await scene.sync(key);
      expect(calls()).toEqual([]);
      expect(says()).toEqual(["pod web may use it → keep it reserved"]);
    });
  }

  test("for a pod that only the API server has yet, even a finished one", async () => {
    scene.putLive(Pods, podOf({ ...using("web"), status: { phase: "Succeeded" } }));
    put();
    await scene.sync(key);
    expect(calls()).toEqual(["get Pod web"]);
    expect(says()).toEqual(["pod web may use it → keep it reserved"]);
  });

  test("for another object than a pod, or a pod of another group", async () => {
    put({ reservedFor: [other, { ...other, resource: "pods" }] });
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(says()).toEqual(["jobs.example.com big, pods.example.com big may use it → keep it reserved"]);
  });

  test("while the API server cannot return the pod", async () => {
    put();
    scene.refuse = ({ verb }: Call) => (verb === "get" ? refusal(500, "InternalError", "no") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({ message: "no" });
    expect(calls()).toEqual(["get Pod web"]);
  });
});

describe("a reservation is removed, and with the last one the devices and the finalizer,", () => {
  for (const { what, seen, live, why } of [
    { what: "is deleted, according to the API server", why: "is gone", requested: true },
    {
      what: "has ended",
      seen: podOf({ ...using("web"), node: "a", status: { phase: "Failed" } }),
      why: "will not run again",
    },
    {
      what: "was deleted before it had a node",
      seen: podOf({ ...using("web"), isDeleted: true }),
      why: "will not run again",
    },
    { what: "was replaced", seen: podOf({ ...using("web"), uid: "uid-after" }), why: "was replaced" },
    {
      what: "was replaced, according to the API server",
      live: podOf({ ...using("web"), uid: "uid-after" }),
      why: "was replaced",
    },
  ]) {
    test(`of a pod that ${what}`, async () => {
      if (seen !== undefined) scene.put(Pods, seen);
      if (live !== undefined) scene.putLive(Pods, live);
      put();
      await scene.sync(key);
      expect(calls()).toEqual([...(seen === undefined ? ["get Pod web"] : []), ...freed]);
      expect(bodies("updateStatus")[0]?.status).toEqual({});
      expect(bodies("update")[0]?.metadata).not.toHaveProperty("finalizers");
      // A precondition, so that changes made in the meantime are not overwritten.
      expect(bodies("update")[0]?.metadata.resourceVersion).toBe("1001");
      expect(says()).toEqual([`pod web ${why} → release it, 0 left; free the devices`]);
      scene.deliver();
      await scene.sync(key);
      expect(calls()).toEqual([]);
      expect(says()).toEqual(["it is not reserved → leave it as it is"]);
    });
  }

  test("of a pod whose deletion was observed: no request is sent", async () => {
    put();
    scene.notify(Pods, { type: "deleted", object: pod, tombstone: false });
    await scene.sync(key);
    expect(calls()).toEqual(freed);
  });

  test("of a pod whose deletion was observed before 500 others, only after a request to the API server", async () => {
    put();
    scene.notify(Pods, { type: "deleted", object: pod, tombstone: false });
    for (let n = 0; n < 500; n++)
      scene.notify(Pods, { type: "deleted", object: podOf(using(`p${n}`)), tombstone: false });
    await scene.sync(key);
    expect(calls()).toEqual(["get Pod web", ...freed]);
  });
});

describe("with a removed reservation", () => {
  test("the others stay, in their order, and the devices with them", async () => {
    scene.put(Pods, second);
    put({ reservedFor: [other, pod, second] });
    await scene.sync(key);
    expect(calls()).toEqual(["get Pod web", "updateStatus ResourceClaim shared"]);
    expect(bodies("updateStatus")[0]?.status).toEqual({ allocation, reservedFor: [other, consumerOf(second)] });
    expect(says()).toEqual(["pod web is gone → release it, 2 left"]);
  });

  test("several are removed at once", async () => {
    put({ reservedFor: [pod, second] });
    await scene.sync(key);
    expect(calls()).toEqual(["get Pod web", "get Pod api", ...freed]);
    expect(says()).toEqual(["pod web is gone, pod api is gone → release them, 0 left; free the devices"]);
  });

  test("devices of a claim without the finalizer stay", async () => {
    put({ isProtected: false });
    await scene.sync(key);
    expect(calls()).toEqual(["get Pod web", "updateStatus ResourceClaim shared"]);
    expect(bodies("updateStatus")[0]?.status).toEqual({ allocation });
  });

  test("other finalizers, and the drivers' device status, are sent unchanged", async () => {
    const devices = [{ driver: "gpu.example.com", pool: "one", device: "gpu-1" }];
    const claim = claimOf("shared", { isAllocated: true, reservedFor: [pod] });
    const metadata = { ...claim.metadata, finalizers: ["example.com/hold", protection] };
    scene.put(ResourceClaims, { ...claim, metadata, status: { ...claim.status, devices } });
    await scene.sync(key);
    expect(bodies("updateStatus")[0]?.status).toEqual({ devices });
    expect(bodies("update")[0]?.metadata.finalizers).toEqual(["example.com/hold"]);
  });

  test("a claim that has changed meanwhile is synced again", async () => {
    put();
    scene.refuse = ({ verb }: Call) => (verb === "updateStatus" ? refusal(409, "Conflict", "changed") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({ message: "changed" });
    expect(calls()).toEqual(["get Pod web", "updateStatus ResourceClaim shared"]);
  });
});

describe("a claim that is being deleted", () => {
  test("loses its devices and the finalizer when it has no reservation", async () => {
    put({ isDeleted: true, reservedFor: [] });
    await scene.sync(key);
    expect(calls()).toEqual(freed);
    expect(bodies("updateStatus")[0]?.status).toEqual({});
    expect(says()).toEqual(["it is being deleted, and not reserved → free its devices, and remove the finalizer"]);
  });

  test("loses only the finalizer when it has no devices", async () => {
    put({ isDeleted: true, isAllocated: false, isProtected: true, reservedFor: [] });
    await scene.sync(key);
    expect(calls()).toEqual(["update ResourceClaim shared"]);
    expect(says()).toEqual(["it is being deleted, and not reserved → remove the finalizer"]);
  });

  test("stays while a pod may use it, and is released like any other", async () => {
    scene.put(Pods, pod);
    put({ isDeleted: true });
    await scene.sync(key);
    expect(calls()).toEqual([]);
    scene.deleteLive(Pods, "shop/web");
    scene.deliver();
    await scene.sync(key);
    expect(calls()).toEqual(freed);
  });

  test("and whose finalizers are others' is left alone", async () => {
    put({ isDeleted: true, isProtected: false, reservedFor: [] });
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });
});

test("a claim that was never reserved keeps its devices", async () => {
  put({ reservedFor: [] });
  await scene.sync(key);
  expect(calls()).toEqual([]);
  await scene.sync("shop/gone");
  expect([...scene.calls, ...scene.decisions]).toEqual([]);
});

describe("a generated claim without a reservation", () => {
  const owner = podOf();
  const running = podOf({ node: "a", status: { phase: "Running" } });

  for (const { what, seen, says: sentence } of [
    { what: "has ended", seen: podOf({ node: "a", status: { phase: "Succeeded" } }), says: "will not run again" },
    { what: "was deleted before it had a node", seen: podOf({ isDeleted: true }), says: "will not run again" },
    { what: "was replaced", seen: podOf({ uid: "uid-after" }), says: "was replaced" },
  ]) {
    test(`is deleted when its pod ${what}`, async () => {
      scene.put(Pods, seen);
      put({ owner, isAllocated: false, reservedFor: [] });
      await scene.sync(key);
      expect(calls()).toEqual(["delete ResourceClaim shared"]);
      expect(says()).toEqual([`it is not reserved, and pod web, which it was generated for, ${sentence} → delete it`]);
    });
  }

  for (const { what, seen, by } of [
    { what: "waits for a node", seen: owner, by: owner },
    { what: "runs", seen: running, by: owner },
    { what: "is being deleted on its node", seen: podOf({ node: "a", isDeleted: true }), by: owner },
    { what: "is gone: the garbage collector deletes it", seen: podOf({ name: "unrelated" }), by: owner },
  ]) {
    test(`stays when its pod ${what}`, async () => {
      scene.put(Pods, seen);
      put({ owner: by, isAllocated: false, reservedFor: [] });
      await scene.sync(key);
      expect(calls()).toEqual([]);
    });
  }

  test("stays when another object than a pod controls it, or the pod does not", async () => {
    scene.put(Pods, podOf({ status: { phase: "Succeeded" } }));
    const claim = claimOf("shared", { owner });
    const [reference] = claim.metadata.ownerReferences ?? [];
    if (reference === undefined) throw new Error("it has an owner");
    for (const wrong of [{ controller: false }, { kind: "Job" }, { apiVersion: "example.com/v1" }]) {
      const ownerReferences = [{ ...reference, ...wrong }];
      scene.put(ResourceClaims, { ...claim, metadata: { ...claim.metadata, ownerReferences } });
      await scene.sync(key);
      expect(calls()).toEqual([]);
    }
  });

  test("is released, freed and deleted in one sync when its pod has finished", async () => {
    scene.put(Pods, podOf({ node: "a", status: { phase: "Succeeded" } }));
    put({ owner, reservedFor: [owner] });
    await scene.sync(key);
    expect(calls()).toEqual([...freed, "delete ResourceClaim shared"]);
    expect(scene.decisions.map(({ rule }) => rule)).toEqual(["release", "delete-claim"]);
  });

  test("is not deleted while other reservations exist", async () => {
    scene.put(Pods, podOf({ node: "a", status: { phase: "Succeeded" } }));
    put({ owner, reservedFor: [owner, other] });
    await scene.sync(key);
    expect(calls()).toEqual(["updateStatus ResourceClaim shared"]);
  });

  test("is synced again when it cannot be deleted", async () => {
    scene.put(Pods, podOf({ status: { phase: "Succeeded" } }));
    put({ owner, isAllocated: false, reservedFor: [] });
    scene.refuse = () => refusal(404, "NotFound", "gone");
    expect(await rejection(scene.sync(key))).toMatchObject({
      message: "delete unused generated claim shop/shared: gone",
    });
  });
});
