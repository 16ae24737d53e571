import { describe, expect, test } from "bun:test";
import type { Kind } from "../../src/api/kind.ts";
import {
  DeviceClasses,
  Pods,
  ResourceClaims,
  ResourceClaimTemplates,
  ResourceSlices,
  Secrets,
} from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { type Diagnosis, findingsOf, type Item } from "../../src/diagnosis/diagnosis.ts";
import { ago, diagnose, type Json, objectOf } from "./world.ts";

const gpu: Item = { kind: DeviceClasses, object: objectOf("gpu", { meta: { namespace: "" } }) };
const requests = [{ name: "one", exactly: { deviceClassName: "gpu" } }];

function claim(status: Json = {}, more: Json = {}): StoredObject {
  return objectOf("card", { spec: { devices: { requests } }, status, ...more });
}

function given(device: Json = {}, reservedFor: readonly Json[] = []): StoredObject {
  const results = [{ request: "one", driver: "gpu.example.com", pool: "node-1", device: "gpu-0", ...device }];
  return claim({ allocation: { devices: { results } }, reservedFor });
}

function slice(taints: readonly Json[]): Item {
  const pool = { name: "node-1", generation: 1, resourceSliceCount: 1 };
  const spec = { driver: "gpu.example.com", pool, devices: [{ name: "gpu-0", taints }] };
  return { kind: ResourceSlices, object: objectOf("slice", { meta: { namespace: "" }, spec }) };
}

function pod(
  name: string,
  spec: Json = { resourceClaims: [{ name: "gpu", resourceClaimName: "card" }] },
): StoredObject {
  return objectOf(name, { spec: { containers: [{ name: "c" }], ...spec }, status: { phase: "Pending" } });
}
const using = (name: string, spec?: Json): Item => ({ kind: Pods, object: pod(name, spec) });

const whys = (diagnosis: Diagnosis): readonly string[] =>
  findingsOf(diagnosis).map(({ at, why }) => `${at.kind.kind} ${at.name}: ${why}`);
const when = "ResourceClaim card: the scheduler allocates its devices when it schedules a pod that uses it";

describe("a claim without devices", () => {
  const diagnosisWith = (items: readonly Item[], forbidden: readonly Kind[] = []): Diagnosis =>
    diagnose(ResourceClaims, claim(), { items: [gpu, slice([]), ...items], forbidden });

  test("gets none while no ResourceSlice has any", () => {
    const none = "ResourceClaim card: no ResourceSlice lists any devices: a DRA driver has to publish one";
    expect(whys(diagnose(ResourceClaims, claim(), { items: [gpu] }))).toEqual([none, `${when}, and no pod uses it`]);
    expect(whys(diagnose(ResourceClaims, claim(), { items: [gpu], forbidden: [ResourceSlices] }))).toEqual([
      `${when}, and no pod uses it`,
    ]);
  });

  test("waits for a pod that uses it", () => {
    expect(diagnosisWith([])).toMatchObject({ is: "waiting", says: "it has no devices yet" });
    expect(whys(diagnosisWith([]))).toEqual([`${when}, and no pod uses it`]);
    expect(whys(diagnosisWith([using("web"), using("other", {})]))).toEqual([`${when}: Pod web has no node yet`]);
    expect(whys(diagnosisWith([using("web"), using("web-2")]))).toEqual([
      `${when}: Pod web and 1 more have no node yet`,
    ]);
  });

  test("never gets any for a pod that was placed without a scheduler", () => {
    const resourceClaims = [{ name: "gpu", resourceClaimName: "card" }];
    expect(whys(diagnosisWith([using("web", { nodeName: "node-1", resourceClaims })]))).toEqual([
      `${when}: Pod web already has a node, so the claim may never get any`,
    ]);
  });

  test("does not claim that no pod uses it if pods cannot be read", () => {
    expect(whys(diagnosisWith([], [Pods]))).toEqual([when]);
  });

  test("can refer to a missing class", () => {
    const either = [{ name: "one", firstAvailable: [{ deviceClassName: "gpu" }, { deviceClassName: "tpu" }] }];
    const object = objectOf("card", { spec: { devices: { requests: either } } });
    const missing = "DeviceClass tpu: there is no such DeviceClass, but the claim requests devices from it";
    expect(whys(diagnose(ResourceClaims, object, { items: [gpu] }))[0]).toBe(missing);
  });
});

describe("a claim with devices", () => {
  test("is well, and shows for which pods they are reserved", () => {
    const diagnosis = diagnose(ResourceClaims, given(), { items: [slice([])] });
    expect(diagnosis).toMatchObject({ is: "well", says: "it has 1 device, reserved for nobody", notes: [] });
    const reserved = given({}, [
      { resource: "pods", name: "web" },
      { resource: "pods", name: "web-2" },
    ]);
    expect(diagnose(ResourceClaims, reserved, {}).says).toBe("it has 1 device, reserved for Pod web and 1 more");
  });

  test("says that no ResourceSlice has one of them", () => {
    const diagnosis = diagnose(ResourceClaims, given({ device: "gpu-9" }), { items: [slice([])] });
    expect(diagnosis).toMatchObject({
      is: "well",
      notes: ["no ResourceSlice lists its device gpu.example.com/node-1/gpu-9"],
    });
    const unread = diagnose(ResourceClaims, given({ device: "gpu-9" }), { forbidden: [ResourceSlices] });
    expect(unread.notes).toEqual([]);
  });

  test("is failing if one has a taint that it does not tolerate", () => {
    const bad = slice([{ key: "bad", effect: "NoExecute", timeAdded: ago(0) }]);
    const has = "ResourceClaim card: device gpu.example.com/node-1/gpu-0 has the taint bad:NoExecute";
    const diagnosis = diagnose(ResourceClaims, given(), { items: [bad] });
    expect(diagnosis.is).toBe("waiting");
    expect(whys(diagnosis)).toEqual([`${has}: pods that use it are deleted by device-taint-eviction`]);
    const tolerating = (tolerationSeconds?: number): StoredObject =>
      given({
        tolerations: [{ operator: "Exists", effect: "NoExecute", ...(tolerationSeconds && { tolerationSeconds }) }],
      });
    expect(whys(diagnose(ResourceClaims, tolerating(90), { items: [bad] }))).toEqual([
      `${has}: pods that use it are deleted in 90 s by device-taint-eviction`,
    ]);
    expect(diagnose(ResourceClaims, tolerating(), { items: [bad] }).is).toBe("well");
  });
});

describe("a claim that is being deleted", () => {
  const meta = { deletionTimestamp: ago(9), finalizers: ["resource.kubernetes.io/delete-protection"] };
  const finalizer = "ResourceClaim card: finalizer resource.kubernetes.io/delete-protection";

  test("waits for the pods that use its devices, then for its controller", () => {
    const held = claim({ reservedFor: [{ resource: "pods", name: "web" }] }, { meta });
    expect(whys(diagnose(ResourceClaims, held))).toEqual([
      `${finalizer}: waiting until Pod web no longer uses its devices`,
    ]);
    expect(whys(diagnose(ResourceClaims, claim({}, { meta })))).toEqual([
      `${finalizer}: its devices are not used, so the controller resourceclaim has to remove it`,
    ]);
  });
});

describe("a pod that has no node", () => {
  const template = (name: string): Item => ({ kind: ResourceClaimTemplates, object: objectOf(name) });
  const templated = { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "one" }] };
  const first = (spec: Json | undefined, items: readonly Item[]): string | undefined =>
    whys(diagnose(Pods, pod("web", spec), { items }))[0];

  test("can refer to a missing claim, template or class", () => {
    expect(first(undefined, [])).toBe("ResourceClaim card: there is no such ResourceClaim, but the pod refers to it");
    expect(first(undefined, [{ kind: ResourceClaims, object: claim() }])).toStartWith(
      "DeviceClass gpu: there is no such",
    );
    expect(first(templated, [])).toStartWith("ResourceClaimTemplate one: there is no such ResourceClaimTemplate");
    expect(first(templated, [template("one")])).toBe(
      "ResourceClaimTemplate one: the controller resourceclaim has to create a ResourceClaim from it for gpu",
    );
  });

  test("does not say that the claim waits for the pod", () => {
    expect(first(undefined, [gpu, slice([]), { kind: ResourceClaims, object: claim() }])).toStartWith("Pod web: ");
    expect(first(undefined, [{ kind: ResourceClaims, object: given() }])).toStartWith("Pod web: ");
  });

  test("says that schedulers wait until its claims exist", () => {
    const whysOf = (items: readonly Item[], status: Json = {}, spec: Json = {}): readonly string[] => {
      const plain = pod("web", { resourceClaims: [{ name: "gpu", resourceClaimName: "card" }], ...spec });
      return whys(diagnose(Pods, { ...plain, status } as StoredObject, { items }));
    };
    const left = "Pod web: not scheduled: the scheduler does not try a pod before its ResourceClaims exist";
    const meta = { deletionTimestamp: ago(9), finalizers: ["example.com/hold"] };
    const missing = "ResourceClaim card: there is no such ResourceClaim, but the pod refers to it";
    expect(whysOf([])).toEqual([missing, left]);
    expect(whysOf([{ kind: ResourceClaims, object: claim({}, { meta }) }])).toEqual([
      "ResourceClaim card: it is being deleted, and the pod waits for another of its name",
      left,
    ]);
    const resourceClaimStatuses = [{ name: "gpu", resourceClaimName: "card" }];
    const fromTemplate = { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "one" }] };
    expect(whysOf([{ kind: ResourceClaims, object: given() }], { resourceClaimStatuses }, fromTemplate)).toEqual([
      "ResourceClaim card: it was not created for this pod",
      left,
    ]);
    const condition = { type: "PodScheduled", status: "False", message: "0/1 nodes are available: 1 why." };
    expect(whysOf([], { conditions: [condition] })).toEqual([
      missing,
      "Pod web: not scheduled: 0/1 nodes are available: 1 why.",
    ]);
    expect(whysOf([gpu, { kind: ResourceClaims, object: claim() }]).at(-1)).toStartWith(
      "Pod web: not scheduled: no scheduler has looked at it",
    );
    expect(whysOf([{ kind: ResourceClaims, object: given() }])).toEqual([
      "Pod web: not scheduled: no scheduler has looked at it (its scheduler is default-scheduler)",
    ]);
  });
});

test("a token Secret waits for its controller until it has its ServiceAccount's uid", () => {
  const secret = (annotations: Json): StoredObject => objectOf("token", { meta: { annotations } });
  const name = { "kubernetes.io/service-account.name": "robot" };
  const waiting = diagnose(Secrets, secret(name));
  expect([waiting.is, ...whys(waiting)]).toEqual([
    "waiting",
    "Secret token: the controller serviceaccount-token has to fill it with a token of ServiceAccount robot",
  ]);
  expect(diagnose(Secrets, secret({ ...name, "kubernetes.io/service-account.uid": "u" }))).toMatchObject({
    is: "well",
    says: "it was filled with a token of ServiceAccount robot",
  });
  expect(diagnose(Secrets, secret({})).is).toBe("well");
});
