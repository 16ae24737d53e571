/** ResourceClaims in a dry run: pods whose claims have devices run, those that certainly get none wait, and the others are unknown. */
import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../../src/api/object.ts";
import type { Pod, ResourceClaim } from "../../../src/api/types.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { resourceclaim } from "../../../src/controllers/resourceclaim/resourceclaim.ts";
import type { ToApply } from "../../../src/modes/dry-run/apply.ts";
import type { InitialState } from "../../../src/modes/dry-run/dry-run.ts";
import { emptyCluster } from "../../../src/modes/dry-run/initial-state.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { verdictsOf } from "../../../src/modes/dry-run/verdicts.ts";
import { apply, play } from "./scene.ts";

const controllers = [deployment, replicaset, resourceclaim];
const driver = "gpu.example.com";
const requests = { devices: { requests: [{ name: "one", exactly: { deviceClassName: driver } }] } };

const object = (kind: string, name: string, more: object): StoredObject => ({
  apiVersion: "resource.k8s.io/v1",
  kind,
  metadata: {
    name,
    uid: `${kind}-${name}`,
    resourceVersion: "1",
    creationTimestamp: "2025-12-31T00:00:00Z",
    ...(kind !== "DeviceClass" && { namespace: "default" }),
  },
  ...more,
});

const deviceClass = object("DeviceClass", driver, { spec: {} });
const template = object("ResourceClaimTemplate", "one", { spec: { spec: requests } });

function claim(status: object = {}, metadata: object = {}): StoredObject {
  const plain = object("ResourceClaim", "gpu", { spec: requests, status });
  return { ...plain, metadata: { ...plain.metadata, ...metadata } };
}

const given = (nodes?: readonly string[]): object => {
  const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In", values: nodes }];
  return {
    allocation: {
      devices: { results: [{ request: "one", driver, pool: "pool", device: "gpu-0" }] },
      allocationTimestamp: "2025-12-31T00:00:00Z",
      ...(nodes !== undefined && { nodeSelector: { nodeSelectorTerms: [{ matchExpressions }] } }),
    },
  };
};

const shared = { name: "gpu", resourceClaimName: "gpu" };
const own = { name: "gpu", resourceClaimTemplateName: "one" };

function web(entry: object, replicas = 3): ToApply {
  const labels = { app: "web" };
  const pod = { containers: [{ name: "web", image: "nginx" }], resourceClaims: [entry] };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
  } as ToApply;
}

/** A cluster in which everything has been read except the kinds in `unread` (`group/Kind`). */
function cluster(objects: readonly StoredObject[], unread: readonly string[] = []): InitialState {
  const empty = emptyCluster(["default"]);
  const scope = { ...empty.scope, unread: new Map(unread.map((kind) => [kind, "no right to list"])) };
  return { ...empty, objects: [...empty.objects, ...objects], scope };
}

const verdictOf = (run: DryRun): ReturnType<typeof verdictsOf>["available"] =>
  verdictsOf({ ...run, controllers, changes: [], liveRefusals: new Map() }).available;

async function summaryOf(entry: object, initialState: InitialState): Promise<object> {
  const run = await play({ initialState, controllers, requestedChanges: [apply(web(entry))] });
  const verdict = verdictOf(run);
  const [first] = run.availability;
  return {
    available: first?.available,
    is: verdict.is,
    ...(first?.why !== undefined && { why: first.why }),
    ...(verdict.is === "cannot tell" && { because: verdict.because }),
  };
}

describe("a Deployment whose pods use a ResourceClaim", () => {
  test.each([
    {
      name: "is not available without it",
      there: [deviceClass],
      why: "there is no ResourceClaim default/gpu",
    },
    {
      name: "is not available while it is being deleted",
      there: [
        deviceClass,
        claim(given(), { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["example.com/hold"] }),
      ],
      why: "ResourceClaim default/gpu is being deleted",
    },
    {
      name: "is not available without the class that it requests",
      there: [claim()],
      why: "request one: there is no DeviceClass gpu.example.com",
    },
  ])("$name", async ({ there, why }) => {
    const pod = "Pod web-…: ";
    const expected = { available: 0, is: "found", why: `${pod}${why} (.spec.resourceClaims[0])` };
    const summary = (await summaryOf(shared, cluster(there))) as { readonly why: string };
    expect({ ...summary, why: summary.why.replace(/web-\S+…/, "web-…") }).toEqual(expected);
  });

  test("is available with devices, and gets a reservation", async () => {
    const initialState = cluster([deviceClass, claim(given())]);
    expect(await summaryOf(shared, initialState)).toEqual({ available: 3, is: "well" });
    const run = await play({ initialState, controllers, requestedChanges: [apply(web(shared))] });
    const after = [...run.state.values()].find(({ of }) => of.kind === "ResourceClaim")?.object;
    expect((after as ResourceClaim | undefined)?.status?.reservedFor?.length).toBe(3);
  });

  test("runs only on nodes that can use its devices", async () => {
    const run = await play({
      initialState: cluster([deviceClass, claim(given(["node-2"]))]),
      controllers,
      requestedChanges: [apply(web(shared))],
    });
    const nodes = [...run.state.values()].flatMap(({ of, object: each }) =>
      of.kind === "Pod" ? [(each as Pod).spec?.nodeName] : [],
    );
    expect(nodes).toEqual(["node-2", "node-2", "node-2"]);
    const reservedFor = [{ resource: "pods", name: "other", uid: "other" }];
    const nowhere = claim({ ...given(["node-9"]), reservedFor });
    // The pod that uses it runs on another node.
    const unread = ["resource.k8s.io/ResourceClaimTemplate"];
    expect(await summaryOf(shared, cluster([deviceClass, nowhere], unread))).toMatchObject({
      available: 0,
      is: "found",
      why: expect.stringContaining("0/3 nodes are available: 3 resourceclaim not available on the node.") as string,
    });
  });

  test("is unknown if the claim is unused and no node can use its devices: it may get others", async () => {
    expect(await summaryOf(shared, cluster([deviceClass, claim(given(["node-9"]))]))).toEqual({
      available: 3,
      is: "cannot tell",
      because:
        "not seen: Deployment default/web (a dry run allocates no devices, and does not know whether there are any for ResourceClaim default/gpu)",
    });
  });

  test("is unknown if it has no devices yet", async () => {
    expect(await summaryOf(shared, cluster([deviceClass, claim()]))).toEqual({
      available: 3,
      is: "cannot tell",
      because:
        "not seen: Deployment default/web (a dry run allocates no devices, and does not know whether there are any for ResourceClaim default/gpu)",
    });
  });

  test("is unknown if claims could not be read", async () => {
    expect(await summaryOf(shared, cluster([], ["resource.k8s.io/ResourceClaim"]))).toEqual({
      available: 3,
      is: "cannot tell",
      because: "not seen: Deployment default/web (ResourceClaim default/gpu was not checked: no right to list)",
    });
  });
});

describe("a Deployment whose pods have claims from a template", () => {
  test("is not available without it, nor without the class that it requests", async () => {
    expect(await summaryOf(own, cluster([deviceClass]))).toMatchObject({
      available: 0,
      is: "found",
      why: expect.stringContaining("there is no ResourceClaimTemplate default/one") as string,
    });
    expect(await summaryOf(own, cluster([template]))).toMatchObject({
      available: 0,
      is: "found",
      why: expect.stringContaining("there is no DeviceClass gpu.example.com") as string,
    });
  });

  test("is unknown, whether the class is known or not", async () => {
    const because =
      "not seen: Deployment default/web (a dry run allocates no devices, and does not know whether there are any for a ResourceClaim of template default/one)";
    expect(await summaryOf(own, cluster([deviceClass, template]))).toEqual({
      available: 3,
      is: "cannot tell",
      because,
    });
    const unread = cluster([template], ["resource.k8s.io/DeviceClass"]);
    expect(await summaryOf(own, unread)).toEqual({ available: 3, is: "cannot tell", because });
  });

  test("stays available if its pods have their devices", async () => {
    const before = await play({
      initialState: cluster([deviceClass, template]),
      controllers,
      requestedChanges: [apply(web(own))],
    });
    const claims = [...before.state.values()].filter(({ of }) => of.kind === "ResourceClaim");
    expect(claims.length).toBe(3);
    const objects = [...before.state.values()].flatMap(({ of, object: each }): readonly StoredObject[] => {
      if (of.kind === "Event") return [];
      const head = { apiVersion: of.group === "" ? "v1" : `${of.group}/v1`, kind: of.kind };
      return [{ ...each, ...head, ...(of.kind === "ResourceClaim" && { status: given() }) }];
    });
    const settled = objects.filter(({ kind }) => kind === "Pod").map(({ metadata }) => metadata.uid);
    const base = cluster([]);
    const initialState = { ...base, objects, settledPods: new Set(settled) };
    expect(await summaryOf(own, initialState)).toEqual({ available: 3, is: "well" });
    const more = await play({ initialState, controllers, requestedChanges: [apply(web(own, 4))] });
    expect(verdictOf(more).is).toBe("cannot tell");
  });
});

test("dangling references to claims, templates and classes are reported", async () => {
  const bare = { apiVersion: "resource.k8s.io/v1", kind: "ResourceClaimTemplate" };
  const either = {
    devices: { requests: [{ name: "one", firstAvailable: [{ name: "a", deviceClassName: "none", count: 1 }] }] },
  };
  const run = await play({
    initialState: cluster([]),
    controllers,
    requestedChanges: [
      apply({ ...bare, metadata: { name: "two" }, spec: { spec: either } } as ToApply),
      apply(web(shared, 0)),
      apply({ ...web(own, 0), metadata: { name: "other" } }),
    ],
  });
  expect(run.references.dangling.map(({ field, why }) => `${field}: ${why}`)).toEqual([
    ".spec.spec.devices.requests[0].firstAvailable[0].deviceClassName: there is no DeviceClass none",
    ".spec.template.spec.resourceClaims[0].resourceClaimName: there is no ResourceClaim default/gpu",
    ".spec.template.spec.resourceClaims[0].resourceClaimTemplateName: there is no ResourceClaimTemplate default/one",
  ]);
});
