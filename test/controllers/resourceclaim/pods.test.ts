import { beforeEach, describe, expect, test } from "bun:test";
import { Pods, ResourceClaims, ResourceClaimTemplates } from "../../../src/api/kinds.ts";
import { generateNameOf } from "../../../src/controllers/resourceclaim/new-claim.ts";
import { resourceclaim } from "../../../src/controllers/resourceclaim/resourceclaim.ts";
import { expectExplained } from "../../support/explained-rules.ts";
import { rejection } from "../../support/rejection.ts";
import { type Call, refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { claimOf, entryAnnotation, named, ownerOf, podOf, statusWith, spec, templated, templateOf } from "./objects.ts";

const key = "shop/pod:web";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(resourceclaim);
});

const calls = (): string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const says = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);
const applied = (): unknown => scene.calls.find(({ verb }) => verb === "patch")?.body;
const statusBody = (statuses: readonly object[]): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "shop", name: "web" },
  status: { resourceClaimStatuses: statuses },
});

test("each rule says what it looks at, what it chooses and where it comes from", () => {
  expectExplained(resourceclaim);
});

describe("a pod", () => {
  test("gets a claim for each entry with a template, and its status has them by one apply", async () => {
    scene.put(
      ResourceClaimTemplates,
      templateOf("one", { labels: { a: "b" }, annotations: { c: "d" } }),
      templateOf("two"),
    );
    scene.put(Pods, podOf({ entries: [templated("gpu"), named("disk", "shared"), templated("nic", "two")] }));
    await scene.sync(key);
    expect(calls()).toEqual(["create ResourceClaim web-gpu-1", "create ResourceClaim web-nic-2", "patch Pod web"]);
    expect(scene.calls[0]?.body).toEqual({
      metadata: {
        namespace: "shop",
        generateName: "web-gpu-",
        ownerReferences: [ownerOf(podOf())],
        annotations: { c: "d", [entryAnnotation]: "gpu" },
        labels: { a: "b" },
      },
      spec,
    });
    expect(scene.calls[1]?.body).toMatchObject({ metadata: { annotations: { [entryAnnotation]: "nic" } } });
    expect(scene.calls[1]?.body).not.toHaveProperty("metadata.labels");
    expect(applied()).toEqual(
      statusBody([
        { name: "gpu", resourceClaimName: "web-gpu-1" },
        { name: "nic", resourceClaimName: "web-nic-2" },
      ]),
    );
    expect(says()).toEqual([
      "gpu has no ResourceClaim → create one from template one",
      "nic has no ResourceClaim → create one from template two",
      "its status does not name its claims → apply gpu: web-gpu-1, nic: web-nic-2",
    ]);
    scene.deliver();
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(says()).toEqual(["nothing to do for its claims: gpu, disk, nic"]);
  });

  test("leaves the template unchanged, and overrides its annotation for the entry", async () => {
    const template = templateOf("one", { annotations: { c: "d", [entryAnnotation]: "nic" } });
    scene.put(ResourceClaimTemplates, template);
    scene.put(Pods, podOf());
    await scene.sync(key);
    expect(scene.calls[0]?.body).toMatchObject({ metadata: { annotations: { c: "d", [entryAnnotation]: "gpu" } } });
    expect(template.spec.metadata?.annotations).toEqual({ c: "d", [entryAnnotation]: "nic" });
  });

  test("that was deleted, has no entries or is being deleted gets none", async () => {
    scene.put(ResourceClaimTemplates, templateOf());
    await scene.sync(key);
    scene.put(Pods, podOf({ entries: [] }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    scene.put(Pods, podOf({ isDeleted: true }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(says()).toEqual(["it is being deleted → create and reserve no claim"]);
  });

  test("that has finished still gets its claim", async () => {
    scene.put(ResourceClaimTemplates, templateOf());
    scene.put(Pods, podOf({ status: { phase: "Succeeded" } }));
    await scene.sync(key);
    expect(calls()).toEqual(["create ResourceClaim web-gpu-1", "patch Pod web"]);
  });

  test("waits for a missing template: an Event says so, later entries wait, and the status is not written", async () => {
    scene.put(ResourceClaimTemplates, templateOf());
    scene.put(Pods, podOf({ entries: [templated("a"), templated("b", "missing"), templated("c")] }));
    const why = 'resource claim template "missing": resourceclaimtemplate.resource.k8s.io "missing" not found';
    expect(await rejection(scene.sync(key))).toMatchObject({ message: `pod shop/web, PodResourceClaim b: ${why}` });
    expect(calls()).toEqual(["create ResourceClaim web-a-1"]);
    const event = { type: "Warning", reason: "FailedResourceClaimCreation", message: `PodResourceClaim b: ${why}` };
    expect(scene.events).toEqual([{ ...event, about: "Pod web" } as (typeof scene.events)[number]]);
    expect(scene.decisions.at(-1)?.rule).toBe("no-template");
    // The first claim is remembered although the cache does not contain it, so it is not created again.
    scene.put(ResourceClaimTemplates, templateOf("missing"));
    await scene.sync(key);
    expect(calls()).toEqual(["create ResourceClaim web-b-2", "create ResourceClaim web-c-3", "patch Pod web"]);
    expect(applied()).toEqual(
      statusBody([
        { name: "a", resourceClaimName: "web-a-1" },
        { name: "b", resourceClaimName: "web-b-2" },
        { name: "c", resourceClaimName: "web-c-3" },
      ]),
    );
  });

  test("is retried when the server refuses its claim", async () => {
    scene.put(ResourceClaimTemplates, templateOf());
    scene.put(Pods, podOf());
    scene.refuse = () => refusal(403, "Forbidden", "not here");
    const message = "PodResourceClaim gpu: create ResourceClaim : not here";
    expect(await rejection(scene.sync(key))).toMatchObject({ message: `pod shop/web, ${message}` });
    expect(scene.events.map((each) => each.message)).toEqual([message]);
  });

  test("is retried without an Event when the server refuses its status; the claim is not created twice", async () => {
    scene.put(ResourceClaimTemplates, templateOf());
    scene.put(Pods, podOf());
    scene.refuse = ({ verb }: Call) => (verb === "patch" ? refusal(500, "InternalError", "no") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({
      message: "update pod shop/web ResourceClaimStatuses: no",
    });
    expect(scene.events).toEqual([]);
    scene.refuse = () => undefined;
    await scene.sync(key);
    expect(calls()).toEqual(["patch Pod web"]);
  });

  test("whose entry has an unknown source records an Event", async () => {
    scene.put(Pods, podOf({ entries: [{ name: "gpu" }] }));
    const why = 'pod "shop/web", spec.resourceClaim "gpu": none of the supported fields are set';
    expect(await rejection(scene.sync(key))).toMatchObject({
      message: `pod shop/web, PodResourceClaim gpu: checking for claim before creating it: ${why}`,
    });
  });

  test("whose status has an entry without a claim needs none", async () => {
    scene.put(ResourceClaimTemplates, templateOf());
    scene.put(Pods, podOf({ node: "node-1", status: statusWith({ gpu: undefined }) }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });
});

describe("an existing claim", () => {
  const pod = podOf();

  test("is found by its owner and its annotation, and applied", async () => {
    scene.put(ResourceClaimTemplates, templateOf());
    scene.put(Pods, pod);
    scene.put(
      ResourceClaims,
      claimOf("other", { owner: pod, entry: "nic" }),
      claimOf("web-gpu-x", { owner: pod, entry: "gpu" }),
    );
    await scene.sync(key);
    expect(calls()).toEqual(["patch Pod web"]);
    expect(applied()).toEqual(statusBody([{ name: "gpu", resourceClaimName: "web-gpu-x" }]));
    expect(says()).toEqual(["its status does not name its claims → apply gpu: web-gpu-x"]);
  });

  for (const { what, claim } of [
    { what: "without an owner", claim: claimOf("web-gpu-x", { entry: "gpu" }) },
    { what: "without the annotation", claim: claimOf("web-gpu-x", { owner: pod }) },
    {
      what: "of an earlier pod of the name",
      claim: claimOf("web-gpu-x", { owner: podOf({ uid: "before" }), entry: "gpu" }),
    },
    { what: "of another entry", claim: claimOf("web-gpu-x", { owner: pod, entry: "nic" }) },
  ]) {
    test(`is not used if it is ${what}`, async () => {
      scene.put(ResourceClaimTemplates, templateOf());
      scene.put(Pods, pod);
      scene.put(ResourceClaims, claim);
      await scene.sync(key);
      expect(calls()).toEqual(["create ResourceClaim web-gpu-1", "patch Pod web"]);
    });
  }

  test("and in the status is left alone, whatever the template says", async () => {
    scene.put(Pods, podOf({ status: statusWith({ gpu: "web-gpu-x" }) }));
    scene.put(ResourceClaims, claimOf("web-gpu-x", { owner: pod }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });

  for (const { what, claims } of [
    { what: "was deleted", claims: [] },
    { what: "is another pod's", claims: [claimOf("web-gpu-x", { owner: podOf({ name: "api" }) })] },
  ]) {
    test(`in the status that ${what} is replaced`, async () => {
      scene.put(ResourceClaimTemplates, templateOf());
      scene.put(Pods, podOf({ status: statusWith({ gpu: "web-gpu-x" }) }));
      scene.put(ResourceClaims, ...claims);
      await scene.sync(key);
      expect(calls()).toEqual(["create ResourceClaim web-gpu-1", "patch Pod web"]);
      expect(says()[0]).toBe(
        "ResourceClaim web-gpu-x of gpu is gone, or is not this pod's → create another from template one",
      );
    });
  }
});

test("one of several claims was deleted: the apply with its successor has the others, too, in the order of the entries", async () => {
  scene.put(ResourceClaimTemplates, templateOf());
  const entries = ["a", "b", "c"].map((name) => templated(name));
  scene.put(Pods, podOf({ entries, status: statusWith({ c: "web-c-x", b: "web-b-x", a: "web-a-x" }) }));
  scene.put(ResourceClaims, claimOf("web-a-x", { owner: podOf() }), claimOf("web-c-x", { owner: podOf() }));
  await scene.sync(key);
  expect(calls()).toEqual(["create ResourceClaim web-b-1", "patch Pod web"]);
  expect(applied()).toEqual(
    statusBody([
      { name: "a", resourceClaimName: "web-a-x" },
      { name: "b", resourceClaimName: "web-b-1" },
      { name: "c", resourceClaimName: "web-c-x" },
    ]),
  );
  expect(says().at(-1)).toBe("its status does not name its claims → apply b: web-b-1");
});

describe("a deleted claim of this controller", () => {
  async function createdAndDeleted(): Promise<void> {
    scene.put(ResourceClaimTemplates, templateOf());
    scene.put(Pods, podOf());
    await scene.sync(key);
    scene.deliver();
    scene.deleteLive(ResourceClaims, "shop/web-gpu-1");
    scene.deliver();
  }

  test("is remembered for an hour: the status is applied again, and no other is created", async () => {
    await createdAndDeleted();
    scene.now += 3_599_000;
    await scene.sync(key);
    expect(calls()).toEqual(["patch Pod web"]);
    scene.now += 1000;
    await scene.sync(key);
    expect(calls()).toEqual(["create ResourceClaim web-gpu-2", "patch Pod web"]);
  });

  test("is created again if its pod was synced while the cache had it", async () => {
    scene.put(ResourceClaimTemplates, templateOf());
    scene.put(Pods, podOf());
    await scene.sync(key);
    scene.deliver();
    // The status write was lost, so the claim is looked up in the cache and found.
    scene.put(Pods, podOf());
    await scene.sync(key);
    expect(calls()).toEqual(["patch Pod web"]);
    scene.deliver();
    scene.deleteLive(ResourceClaims, "shop/web-gpu-1");
    scene.deliver();
    await scene.sync(key);
    expect(calls()).toEqual(["create ResourceClaim web-gpu-2", "patch Pod web"]);
  });

  test("is created again once 100 others were created", async () => {
    await createdAndDeleted();
    for (let n = 0; n < 100; n++) scene.put(Pods, podOf({ name: `p${n}` }));
    for (let n = 0; n < 99; n++) await scene.sync(`shop/pod:p${n}`);
    await scene.sync(key);
    expect(calls()).toEqual(["patch Pod web"]);
    await scene.sync("shop/pod:p99");
    await scene.sync(key);
    expect(calls()[0]).toStartWith("create ResourceClaim web-gpu-");
  });
});

describe("a pod on a node", () => {
  const pod = podOf({
    node: "node-1",
    entries: [templated("gpu"), named("disk", "shared")],
    status: statusWith({ gpu: "own" }),
  });
  const reservation = { resource: "pods", name: "web", uid: "uid-web" };

  test("has its allocated claims reserved, in addition to other reservations", async () => {
    const other = { apiGroup: "example.com", resource: "jobs", name: "big", uid: "x" };
    scene.put(Pods, pod);
    scene.put(ResourceClaims, claimOf("own", { owner: pod, isAllocated: true }));
    scene.put(ResourceClaims, claimOf("shared", { isAllocated: true, reservedFor: [other] }));
    await scene.sync(key);
    expect(calls()).toEqual(["updateStatus ResourceClaim own", "updateStatus ResourceClaim shared"]);
    expect(scene.calls.map(({ body }) => (body as { status: object }).status)).toMatchObject([
      { reservedFor: [reservation] },
      { reservedFor: [other, reservation] },
    ]);
    expect(says()).toEqual([
      "it is on node node-1, and ResourceClaim own is not reserved for it → reserve it",
      "it is on node node-1, and ResourceClaim shared is not reserved for it → reserve it",
    ]);
    scene.deliver();
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });

  test("has nothing reserved without devices, nor without a node", async () => {
    scene.put(Pods, pod);
    scene.put(ResourceClaims, claimOf("own", { owner: pod }), claimOf("shared"));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    scene.put(Pods, podOf({ entries: [named("disk", "shared")] }));
    scene.put(ResourceClaims, claimOf("shared", { isAllocated: true }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });

  test("waits for a missing named claim, and so do later entries", async () => {
    scene.put(Pods, podOf({ node: "node-1", entries: [named("a", "missing"), named("b", "shared")] }));
    scene.put(ResourceClaims, claimOf("shared", { isAllocated: true }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });

  test("is retried until its status has the claim that was just created", async () => {
    scene.put(ResourceClaimTemplates, templateOf());
    scene.put(Pods, podOf({ node: "node-1" }));
    expect(await rejection(scene.sync(key))).toMatchObject({
      message: 'pod "shop/web": ResourceClaim not created yet',
    });
    expect(calls()).toEqual(["create ResourceClaim web-gpu-1", "patch Pod web"]);
    expect(scene.events).toEqual([]);
  });

  test("gets another claim than that of another pod, which is not reserved for it", async () => {
    scene.put(ResourceClaimTemplates, templateOf());
    scene.put(Pods, podOf({ node: "node-1", status: statusWith({ gpu: "own" }) }));
    scene.put(ResourceClaims, claimOf("own", { isAllocated: true }));
    expect(await rejection(scene.sync(key))).toMatchObject({
      message: "ResourceClaim shop/own was not created for Pod shop/web (Pod is not owner)",
    });
    expect(calls()).toEqual(["create ResourceClaim web-gpu-1", "patch Pod web"]);
  });

  test("is retried when the claim has changed meanwhile", async () => {
    scene.put(Pods, pod);
    scene.put(ResourceClaims, claimOf("own", { owner: pod, isAllocated: true }));
    scene.refuse = () => refusal(409, "Conflict", "changed");
    expect(await rejection(scene.sync(key))).toMatchObject({ message: "reserve claim shop/own: changed" });
  });
});

describe("the name of a claim starts with", () => {
  for (const { pod, entry, is } of [
    { pod: "web", entry: "gpu", is: "web-gpu-" },
    { pod: "p".repeat(40), entry: "e".repeat(15), is: `${"p".repeat(40)}-${"e".repeat(15)}-` },
    // Beyond 57 characters, each part is cut to its share of 57, rounded down; the API server appends a unique suffix.
    { pod: "p".repeat(40), entry: "e".repeat(16), is: `${"p".repeat(39)}-${"e".repeat(15)}` },
    { pod: "p".repeat(200), entry: "e".repeat(60), is: `${"p".repeat(43)}-${"e".repeat(13)}` },
  ]) {
    test(`${is.length} characters for a pod's name of ${pod.length} and an entry's of ${entry.length}`, () => {
      expect(generateNameOf(pod, entry)).toBe(is);
    });
  }
});
