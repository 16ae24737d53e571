import { beforeEach, describe, expect, test } from "bun:test";
import { IpAddresses, ServiceCidrs } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import { cidrFinalizer } from "../../../src/controllers/service-cidr/rules.ts";
import { serviceCidr } from "../../../src/controllers/service-cidr/service-cidr.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { addressOf, cidrOf, readyCondition } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(serviceCidr);
});

const bodies = (): unknown[] => scene.calls.map(({ verb, body }) => ({ verb, body }));
const says = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);
const applied = (condition: object): object => ({
  verb: "patch",
  body: {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "web" },
    status: { conditions: [{ type: "Ready", ...condition, lastTransitionTime: formatTime(sceneStart) }] },
  },
});
const finalizing = (metadata: object): object => ({ verb: "patch", body: { metadata } });

const isTerminating = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};

describe("a ServiceCIDR", () => {
  test("that is new gets the finalizer, and the condition Ready", async () => {
    scene.put(ServiceCidrs, { ...cidrOf("web", ["10.0.0.0/24"], { finalizers: ["a.b/c"] }), status: {} });
    await scene.sync("web");
    expect(bodies()).toEqual([finalizing({ finalizers: [cidrFinalizer] }), applied(readyCondition)]);
    expect(says()).toEqual([`it lacks the finalizer ${cidrFinalizer} → add it`, "it is not marked ready → mark it"]);
  });

  for (const { says: what, condition } of [
    { says: "that it is not", condition: { ...readyCondition, status: "False" } },
    {
      says: "it in other words",
      condition: { ...readyCondition, message: "Kubernetes default Service CIDR is ready" },
    },
    { says: "it for a reason", condition: { ...readyCondition, reason: "x" } },
  ]) {
    test(`that says ${what} is told to be ready`, async () => {
      scene.put(ServiceCidrs, cidrOf("web", ["10.0.0.0/24"], { condition }));
      await scene.sync("web");
      expect(bodies()).toEqual([applied(readyCondition)]);
    });
  }

  test("that has both, or was deleted, is left alone", async () => {
    await scene.sync("web");
    scene.put(ServiceCidrs, cidrOf("web", ["10.0.0.0/24"]));
    await scene.sync("web");
    expect([...bodies(), ...says()]).toEqual([]);
  });

  test("is retried when its status cannot be written, with an Event", async () => {
    scene.put(ServiceCidrs, cidrOf("web", ["10.0.0.0/24"], { finalizers: [], condition: { status: "False" } }));
    scene.refuse = () => refusal(403, "Forbidden", "no");
    expect(await rejection(scene.sync("web"))).toMatchObject({ code: 403 });
    expect(bodies()).toHaveLength(1);
    expect(scene.events).toEqual([]);
    scene.put(ServiceCidrs, cidrOf("web", ["10.0.0.0/24"], { condition: { status: "False" } }));
    expect(await rejection(scene.sync("web"))).toMatchObject({ code: 403 });
    expect(scene.events).toEqual([
      {
        type: "Warning",
        reason: "KubernetesServiceCIDRError",
        message: "The ServiceCIDR Status can not be set to Ready=True",
        about: "ServiceCIDR web",
      },
    ]);
  });
});

describe("a ServiceCIDR that is being deleted", () => {
  test("stays while a Service has one of its addresses, and reports it once", async () => {
    scene.put(ServiceCidrs, cidrOf("web", ["10.0.0.0/24"], { deletedAgoMs: 60_000 }));
    scene.put(IpAddresses, addressOf("10.0.0.7"));
    await scene.sync("web");
    expect(bodies()).toEqual([applied(isTerminating)]);
    expect(says()).toEqual(["address 10.0.0.7 is in no other ServiceCIDR → keep it, as not ready"]);
    scene.put(ServiceCidrs, cidrOf("web", ["10.0.0.0/24"], { deletedAgoMs: 60_000, condition: isTerminating }));
    await scene.sync("web");
    expect(bodies()).toEqual([]);
    expect(scene.requeues).toEqual([]);
  });

  test("is removed 10 s after its deletion, and is synced then", async () => {
    scene.put(ServiceCidrs, cidrOf("web", ["10.0.0.0/24"], { deletedAgoMs: 4000 }));
    await scene.sync("web");
    expect(bodies()).toEqual([]);
    expect(scene.requeues.map(({ ms }) => ms)).toEqual([6000]);
    expect(says()).toEqual(["no Service has an address that is in it alone → wait 6 s more"]);
    scene.now += 6000;
    await scene.sync("web");
    expect(bodies()).toEqual([finalizing({ "$deleteFromPrimitiveList/finalizers": [cidrFinalizer] })]);
    expect(says()).toEqual([`no Service has an address that is in it alone → remove the finalizer ${cidrFinalizer}`]);
  });

  test("is removed with addresses that another one contains", async () => {
    scene.put(ServiceCidrs, cidrOf("web", ["10.0.0.0/24"], { deletedAgoMs: 10_000 }), cidrOf("all", ["10.0.0.0/8"]));
    scene.put(IpAddresses, addressOf("10.0.0.7"));
    await scene.sync("web");
    expect(says()).toEqual([`ServiceCIDR all contains it → remove the finalizer ${cidrFinalizer}`]);
  });

  test("is left alone once it has lost the finalizer, and so is one that is gone", async () => {
    scene.put(ServiceCidrs, cidrOf("web", ["10.0.0.0/24"], { deletedAgoMs: 10_000, finalizers: ["a.b/c"] }));
    await scene.sync("web");
    expect([...bodies(), ...says()]).toEqual([]);
    scene.put(ServiceCidrs, cidrOf("web", ["10.0.0.0/24"], { deletedAgoMs: 10_000 }));
    scene.refuse = () => refusal(404, "NotFound", "gone");
    await scene.sync("web");
    expect(bodies()).toHaveLength(1);
    scene.refuse = () => refusal(409, "Conflict", "changed");
    expect(await rejection(scene.sync("web"))).toMatchObject({ code: 409 });
  });
});

describe("a ServiceCIDR is synced", () => {
  const [web, all, other] = [
    cidrOf("web", ["10.0.0.0/24"]),
    cidrOf("all", ["10.0.0.0/8"]),
    cidrOf("other", ["11.0.0.0/8"]),
  ];

  test("when it is added, changed or deleted, and when one is added that overlaps it", () => {
    scene.put(ServiceCidrs, web, all, other);
    scene.notify(ServiceCidrs, { type: "updated", before: web, object: web });
    scene.notify(ServiceCidrs, { type: "deleted", object: web, tombstone: false });
    expect(scene.woken.splice(0)).toEqual(["web", "web"]);
    scene.notify(ServiceCidrs, { type: "added", object: web, initial: false });
    expect(new Set(scene.woken)).toEqual(new Set(["web", "all"]));
  });

  test("when a Service gets an address that it contains, or loses it", () => {
    scene.put(ServiceCidrs, web, all, other);
    const own = addressOf("10.0.0.7");
    for (const object of [own, addressOf("10.0.0.8", "me")]) {
      scene.notify(IpAddresses, { type: "updated", before: object, object });
      expect(scene.woken).toEqual([]);
    }
    scene.notify(IpAddresses, { type: "added", object: addressOf("10.0.0.8", "me"), initial: false });
    expect(scene.woken).toEqual([]);
    scene.notify(IpAddresses, { type: "added", object: own, initial: false });
    scene.notify(IpAddresses, { type: "deleted", object: own, tombstone: true });
    expect(scene.woken.toSorted()).toEqual(["all", "all", "web", "web"]);
  });
});
