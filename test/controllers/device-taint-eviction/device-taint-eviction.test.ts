import { beforeEach, describe, expect, test } from "bun:test";
import { Pods, ResourceClaims, ResourceSlices } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Pod, ResourceClaim, ResourceSlice } from "../../../src/api/types.ts";
import { deviceTaintEviction } from "../../../src/controllers/device-taint-eviction/device-taint-eviction.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { claimOf, deletionTimestamp, statusWith, templated } from "../resourceclaim/objects.ts";
import { forSeconds, given, sliceOf, unhealthy, using } from "./objects.ts";

const key = "shop/web";
const second = 1000;
const gpu = "gpu.example.com/node-1/gpu-0";
const pod = using(["gpu"]);

let scene: Scene;
beforeEach(() => {
  scene = syncScene(deviceTaintEviction);
});

const calls = (): readonly string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const eventTexts = (): readonly string[] =>
  scene.events.map(({ about, reason, message }) => `${about} ${reason}: ${message}`);
const sentences = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);
const deleted = ["get Pod web", "patch Pod web", "delete Pod web"];
const marked = ["Pod web DeviceTaintManagerEviction: Marking for deletion"];
const unmarked = ["Pod web DeviceTaintManagerEviction: Cancelling deletion"];
const stays = ["its claims tolerate all NoExecute taints of its devices → keep it"];

interface Parts {
  readonly slices?: readonly ResourceSlice[];
  readonly claims?: readonly ResourceClaim[];
  readonly pods?: readonly Pod[];
}

/** Puts a pod, its claims and their devices; by default the pod's only device has a taint. */
function put({
  slices = [sliceOf("a", { "gpu-0": [unhealthy()] })],
  claims = [given("gpu", { pod })],
  pods = [pod],
}: Parts): void {
  scene.put(ResourceSlices, ...slices);
  scene.put(ResourceClaims, ...claims);
  scene.put(Pods, ...pods);
}

async function staysWith(parts: Parts): Promise<void> {
  put(parts);
  await scene.sync(key);
  expect(calls()).toEqual([]);
  expect(eventTexts()).toEqual([]);
  expect(sentences()).toEqual(stays);
}

async function goesWith(parts: Parts): Promise<void> {
  put(parts);
  await scene.sync(key);
  expect(calls()).toEqual(deleted);
  expect(eventTexts()).toEqual(marked);
}

describe("a pod whose claim does not tolerate a taint of its device", () => {
  test("is deleted, after its status has the reason", async () => {
    await goesWith({});
    expect(sentences()).toEqual([`its claim does not tolerate the taint unhealthy:NoExecute of ${gpu} → delete it`]);
    const [, patch, removal] = scene.calls;
    expect(patch?.body).toEqual({
      metadata: { uid: "uid-web" },
      status: {
        conditions: [
          {
            type: "DisruptionTarget",
            status: "True",
            reason: "DeletionByDeviceTaintManager",
            message: "Device Taint manager: deleting due to NoExecute taint",
            lastTransitionTime: formatTime(sceneStart),
          },
        ],
      },
    });
    expect(removal?.preconditions).toEqual({ uid: "uid-web" });
  });

  test("is deleted although another claim, and another device, have no taint", () =>
    goesWith({
      slices: [sliceOf("a", { "gpu-0": [], "gpu-1": [], "gpu-2": [unhealthy({ value: "yes" })] })],
      claims: [given("gpu", { pod }), given("more", { pod, devices: ["gpu-1", "gpu-2"] })],
      pods: [using(["gpu", "more"])],
    }));

  test("is deleted if the claim was generated for it", async () => {
    const own = using([], { entries: [templated("gpu")], status: statusWith({ gpu: "made" }) });
    const claim = given("made", { pod: own });
    const { ownerReferences } = claimOf("made", { owner: own }).metadata;
    await goesWith({
      claims: [{ ...claim, metadata: { ...claim.metadata, ownerReferences: ownerReferences ?? [] } }],
      pods: [own],
    });
  });

  for (const { what, reads } of [
    { what: "was deleted", reads: () => scene.deleteLive(Pods, key) },
    { what: "was replaced", reads: () => scene.putLive(Pods, using(["gpu"], { uid: "uid-other" })) },
    { what: "is being deleted", reads: () => scene.putLive(Pods, using(["gpu"], { isDeleted: true })) },
  ]) {
    test(`is left alone if it ${what}, and not examined again`, async () => {
      put({});
      reads();
      await scene.sync(key);
      expect(calls()).toEqual(["get Pod web"]);
      expect(eventTexts()).toEqual([]);
      await scene.sync(key);
      expect(calls()).toEqual([]);
      expect(sentences()).toEqual([
        `it was deleted before, and ${gpu} has the taint unhealthy:NoExecute → do nothing more`,
      ]);
    });
  }

  test("is retried if the API server refuses, with another Event", async () => {
    put({});
    scene.refuse = ({ verb }) => (verb === "delete" ? refusal(500, "InternalError", "no") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({ message: "no" });
    expect(eventTexts()).toEqual(marked);
    scene.refuse = () => undefined;
    await scene.sync(key);
    expect(calls()).toEqual(deleted);
    expect(eventTexts()).toEqual(marked);
  });

  test("is retried if it was replaced between the two requests", async () => {
    put({});
    scene.refuse = ({ verb }) => (verb === "delete" ? refusal(409, "Conflict", "another uid") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 409 });
  });

  /** The pod was deleted, and is in the cache as terminating; then the taint of its device changes. */
  async function goesAndIsTaintedAgain(): Promise<ResourceSlice> {
    await goesWith({});
    scene.put(Pods, { ...pod, metadata: { ...pod.metadata, deletionTimestamp } });
    const object = sliceOf("a", { "gpu-0": [unhealthy({ value: "very" })] });
    scene.put(ResourceSlices, object);
    return object;
  }

  async function losesItsTaint(): Promise<void> {
    scene.put(ResourceSlices, sliceOf("a", { "gpu-0": [] }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
  }

  test("is deleted once: a taint that is removed and added during the deletion only causes an Event", async () => {
    const object = await goesAndIsTaintedAgain();
    scene.notify(ResourceSlices, { type: "added", object, initial: false });
    await scene.sync(key);
    expect(calls()).toEqual([]);
    await losesItsTaint();
    expect(eventTexts()).toEqual(unmarked);
  });

  test("is deleted once: a sync that was queued during the deletion does not count", async () => {
    await goesAndIsTaintedAgain();
    await scene.sync(key);
    expect(calls()).toEqual([]);
    await losesItsTaint();
    expect(eventTexts()).toEqual([]);
  });
});

describe("a pod stays", () => {
  const taints = [unhealthy()];
  for (const { what, parts } of [
    { what: "without a node", parts: { pods: [using(["gpu"], { node: "" })] } },
    { what: "whose claim does not exist", parts: { claims: [] } },
    { what: "whose claim has no devices", parts: { claims: [claimOf("gpu", { reservedFor: [pod] })] } },
    { what: "whose claim is not reserved for it", parts: { claims: [given("gpu", {})] } },
    {
      what: "whose claim is reserved for another pod",
      parts: { claims: [given("gpu", { pod: using([], { name: "other" }) })] },
    },
    {
      what: "whose status names the claim of another pod",
      parts: {
        claims: [given("gpu", { pod })],
        pods: [using([], { entries: [templated("gpu")], status: statusWith({ gpu: "gpu" }) })],
      },
    },
    { what: "whose status does not name its claim yet", parts: { pods: [using([], { entries: [templated("gpu")] })] } },
    {
      what: "that needs no claim",
      parts: { pods: [using([], { entries: [templated("gpu")], status: statusWith({ gpu: undefined }) })] },
    },
    {
      what: "whose device has another effect",
      parts: { slices: [sliceOf("a", { "gpu-0": [unhealthy({ effect: "NoSchedule" })] })] },
    },
    {
      what: "whose device is not tainted, but another one is",
      parts: { slices: [sliceOf("a", { "gpu-0": [], "gpu-1": taints })] },
    },
    {
      what: "whose device is of another pool",
      parts: { slices: [sliceOf("a", { "gpu-0": taints }, { pool: "node-2" })] },
    },
    { what: "whose device is in no slice", parts: { slices: [] } },
    {
      what: "whose device is in a slice that a newer generation has replaced",
      parts: { slices: [sliceOf("a", { "gpu-0": taints }), sliceOf("b", {}, { generation: 2 })] },
    },
  ] satisfies readonly { what: string; parts: Parts }[]) {
    test(what, () => staysWith(parts));
  }

  test("and is deleted if the latest generation of its pool has the taint", () =>
    goesWith({ slices: [sliceOf("a", { "gpu-0": [] }), sliceOf("b", { "gpu-0": [unhealthy()] }, { generation: 2 })] }));
});

describe("a claim tolerates a taint", () => {
  for (const { what, toleration } of [
    { what: "with any key", toleration: forSeconds() },
    { what: "with its key", toleration: forSeconds(undefined, { key: "unhealthy" }) },
    {
      what: "with its key and value",
      toleration: { key: "unhealthy", operator: "Equal", value: "yes", effect: "NoExecute" },
    },
    {
      what: "without an operator, which means Equal",
      toleration: { key: "unhealthy", value: "yes", effect: "NoExecute" },
    },
  ]) {
    test(`${what} forever`, () =>
      staysWith({
        slices: [sliceOf("a", { "gpu-0": [unhealthy({ value: "yes" })] })],
        claims: [given("gpu", { pod, tolerations: [forSeconds(0, { key: "other" }), toleration, forSeconds(5)] })],
      }));
  }

  for (const { what, toleration } of [
    { what: "with another key", toleration: forSeconds(undefined, { key: "other" }) },
    {
      what: "with another value",
      toleration: { key: "unhealthy", operator: "Equal", value: "no", effect: "NoExecute" },
    },
    { what: "with another effect", toleration: { operator: "Exists", effect: "NoSchedule" } },
    { what: "with no effect, as upstream", toleration: { operator: "Exists" } },
    {
      what: "with an unknown operator",
      toleration: { key: "unhealthy", operator: "Like", effect: "NoExecute" },
    },
  ]) {
    test(`not ${what}`, () =>
      goesWith({
        slices: [sliceOf("a", { "gpu-0": [unhealthy({ value: "yes" })] })],
        claims: [given("gpu", { pod, tolerations: [toleration] })],
      }));
  }

  test("for a time, counted from when the taint was added; the shortest of several", async () => {
    put({
      slices: [sliceOf("a", { "gpu-0": [unhealthy({ timeAdded: formatTime(sceneStart - 10 * second) })] })],
      claims: [given("gpu", { pod, tolerations: [forSeconds(60), forSeconds(30), forSeconds(90)] })],
    });
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(scene.requeues).toEqual([{ ms: 20 * second, why: "its tolerations end" }]);
    expect(sentences()).toEqual([
      `it tolerates the taint unhealthy:NoExecute of ${gpu} for 20 s more → delete it then`,
    ]);
    scene.now += 20 * second - 1;
    await scene.sync(key);
    expect(calls()).toEqual([]);
    scene.now += 1;
    await scene.sync(key);
    expect(calls()).toEqual(deleted);
  });

  test("for 0 s or less not at all", () =>
    goesWith({ claims: [given("gpu", { pod, tolerations: [forSeconds(-5)] })] }));

  test("of several claims and taints the first end counts", async () => {
    const early = [unhealthy(), unhealthy({ key: "hot", timeAdded: formatTime(sceneStart - 40 * second) })];
    put({
      slices: [sliceOf("a", { "gpu-0": [unhealthy()], "gpu-1": early })],
      claims: [
        given("gpu", { pod, tolerations: [forSeconds(30)] }),
        given("more", { pod, devices: ["gpu-1"], tolerations: [forSeconds(60)] }),
      ],
      pods: [using(["gpu", "more"])],
    });
    await scene.sync(key);
    expect(scene.requeues.map(({ ms }) => ms)).toEqual([20 * second]);
  });
});

describe("a pod that waits for its time", () => {
  const waiting = { claims: [given("gpu", { pod, tolerations: [forSeconds(60)] })] };

  test("stays if the taint is removed, and one Event says so", async () => {
    put(waiting);
    await scene.sync(key);
    scene.put(ResourceSlices, sliceOf("a", { "gpu-0": [] }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(eventTexts()).toEqual(unmarked);
    expect(sentences()).toEqual([
      "none of its devices has a NoExecute taint any more that its claims do not tolerate → keep it",
    ]);
    await scene.sync(key);
    expect(eventTexts()).toEqual([]);
  });

  test("is forgotten when it is deleted: no Event, and another of its name is judged separately", async () => {
    put(waiting);
    await scene.sync(key);
    scene.deleteLive(Pods, key);
    scene.deliver();
    expect(scene.woken).toEqual([key]);
    await scene.sync(key);
    expect([calls(), eventTexts(), sentences()]).toEqual([[], [], []]);
    scene.put(Pods, using(["gpu"], { uid: "uid-other" }));
    await scene.sync(key);
    expect(eventTexts()).toEqual([]);
    expect(sentences()).toEqual(stays);
  });

  test("causes no Event about another of its name that was added before the cache showed the deletion", async () => {
    put(waiting);
    await scene.sync(key);
    scene.put(Pods, using(["gpu"], { uid: "uid-other" }));
    await scene.sync(key);
    expect([eventTexts(), sentences()]).toEqual([[], stays]);
  });
});

describe("which pods are enqueued", () => {
  const woken = (): readonly string[] => scene.woken.splice(0);
  const clean = sliceOf("a", { "gpu-0": [], "gpu-1": [] });
  const tainted = sliceOf("a", { "gpu-0": [unhealthy()], "gpu-1": [] });

  test("with claims: when they are added, get a node, or their status names other claims", () => {
    const change = (before: Pod, object: Pod): readonly string[] => {
      scene.notify(Pods, { type: "updated", before, object });
      return woken();
    };
    scene.notify(Pods, { type: "added", object: pod, initial: false });
    expect(woken()).toEqual([key]);
    scene.notify(Pods, { type: "added", object: using([]), initial: false });
    scene.notify(Pods, { type: "added", object: using(["gpu"], { node: "" }), initial: false });
    scene.notify(Pods, { type: "deleted", object: pod, tombstone: false });
    expect(woken()).toEqual([]);
    expect(change(using(["gpu"], { node: "" }), pod)).toEqual([key]);
    expect(change(pod, using(["gpu"], { status: statusWith({ gpu: "gpu" }) }))).toEqual([key]);
    expect(change(pod, { ...pod, status: { phase: "Running" } })).toEqual([]);
  });

  test("of a claim that gets devices, loses them, is reserved, or is deleted", () => {
    scene.put(Pods, pod, using(["gpu"], { name: "late", node: "" }), using(["other"], { name: "other" }));
    const empty = claimOf("gpu");
    scene.notify(ResourceClaims, { type: "added", object: empty, initial: false });
    expect(woken()).toEqual([]);
    scene.notify(ResourceClaims, { type: "updated", before: empty, object: given("gpu", {}) });
    expect(woken()).toEqual([]);
    scene.notify(ResourceClaims, { type: "updated", before: given("gpu", {}), object: given("gpu", { pod }) });
    expect(woken()).toEqual([key]);
    scene.notify(ResourceClaims, { type: "updated", before: given("gpu", { pod }), object: empty });
    expect(woken()).toEqual([key]);
    scene.notify(ResourceClaims, { type: "deleted", object: given("gpu", { pod }), tombstone: false });
    expect(woken()).toEqual([key]);
    const earlier = { ...pod, metadata: { ...pod.metadata, uid: "earlier" } };
    scene.notify(ResourceClaims, { type: "deleted", object: given("gpu", { pod: earlier }), tombstone: false });
    expect(woken()).toEqual([]);
  });

  test("whose devices get other taints, and no others", () => {
    const other = using(["second"], { name: "second" });
    put({
      slices: [clean],
      claims: [given("gpu", { pod }), given("second", { pod: other, devices: ["gpu-1"] })],
      pods: [pod, other],
    });
    const becomes = (before: ResourceSlice, object: ResourceSlice): readonly string[] => {
      scene.put(ResourceSlices, object);
      scene.notify(ResourceSlices, { type: "updated", before, object });
      return woken();
    };
    scene.notify(ResourceSlices, { type: "added", object: clean, initial: false });
    expect(woken()).toEqual([]);
    expect(becomes(clean, tainted)).toEqual([key]);
    expect(becomes(tainted, tainted)).toEqual([]);
    expect(becomes(tainted, clean)).toEqual([key]);
    expect(becomes(clean, tainted)).toEqual([key]);
    scene.deleteLive(ResourceSlices, tainted.metadata.name);
    scene.deliver();
    woken();
    scene.notify(ResourceSlices, { type: "deleted", object: tainted, tombstone: false });
    expect(woken()).toEqual([]);
  });

  test("whose device loses its taint in two slices that the cache has before the notifications", () => {
    const [before, second] = [sliceOf("a", { "gpu-0": [unhealthy()] }), sliceOf("b", { "gpu-9": [] })];
    put({ slices: [before, second] });
    for (const object of [before, second]) scene.notify(ResourceSlices, { type: "added", object, initial: true });
    woken();
    const [after, more] = [sliceOf("a", { "gpu-0": [] }, { generation: 2 }), sliceOf("b", {}, { generation: 2 })];
    scene.put(ResourceSlices, after, more);
    scene.notify(ResourceSlices, { type: "updated", before, object: after });
    scene.notify(ResourceSlices, { type: "updated", before: second, object: more });
    expect(woken()).toEqual([key]);
  });

  test("whose device is not in a newer generation of the pool", () => {
    const newer = sliceOf("b", {}, { generation: 2 });
    put({ slices: [tainted] });
    scene.notify(ResourceSlices, { type: "added", object: tainted, initial: true });
    woken();
    scene.put(ResourceSlices, newer);
    scene.notify(ResourceSlices, { type: "added", object: newer, initial: false });
    expect(woken()).toEqual([key]);
    scene.notify(ResourceSlices, {
      type: "deleted",
      object: sliceOf("c", { "gpu-0": [] }, { pool: "node-2" }),
      tombstone: false,
    });
    expect(woken()).toEqual([]);
  });
});
