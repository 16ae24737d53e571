import { beforeEach, describe, expect, test } from "bun:test";
import { Endpoints, Pods, Services } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Endpoints as EndpointsObject } from "../../../src/api/types.ts";
import { triggerTimeAnnotation } from "../../../src/controller/workload/service/trigger-times.ts";
import { endpoints } from "../../../src/controllers/endpoints/endpoints.ts";
import { syncEndpoints } from "../../../src/controllers/endpoints/sync.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { created, podOf, type ServiceParts, serviceOf } from "../endpointslice/objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(endpoints);
});

const calls = (): string[] => scene.calls.map(({ verb, name }) => `${verb} ${name}`);
const rulesUsed = (): string[] => scene.decisions.map(({ rule }) => rule);
const body = (): EndpointsObject => scene.calls[0]?.body as EndpointsObject;
const put = (parts?: ServiceParts): void => scene.put(Services, serviceOf(parts));
const addresses = (): readonly string[] =>
  (body()?.subsets ?? []).flatMap(({ addresses: ready = [], notReadyAddresses: not = [] }) => [
    ...ready.map(({ ip }) => ip),
    ...not.map(({ ip }) => `${ip} not ready`),
  ]);
const managed = { "endpoints.kubernetes.io/managed-by": "endpoint-controller" };

describe("a Service", () => {
  test("gets Endpoints of its name with its labels, ready and not-ready addresses, and ports", async () => {
    put({ meta: { labels: { team: "red" } } });
    scene.put(Pods, podOf("b", { ips: ["10.1.0.2"], ready: false }), podOf("a", { ips: ["10.1.0.1"] }));
    await scene.sync("shop/web");
    const of = (ip: string, name: string): object => ({
      ip,
      nodeName: "node-1",
      targetRef: { kind: "Pod", namespace: "shop", name, uid: `uid-${name}` },
    });
    expect(calls()).toEqual(["create web"]);
    expect(body()).toEqual({
      metadata: {
        namespace: "shop",
        name: "web",
        labels: { team: "red", ...managed },
        annotations: { [triggerTimeAnnotation]: created },
      },
      subsets: [
        {
          addresses: [of("10.1.0.1", "a")],
          notReadyAddresses: [of("10.1.0.2", "b")],
          ports: [{ name: "http", port: 8080, protocol: "TCP" }],
        },
      ],
    } as unknown as EndpointsObject);
    scene.deliver();
    await scene.sync("shop/web");
    expect(calls()).toEqual([]);
    expect(rulesUsed()).toEqual(["steady"]);
  });

  for (const { says, spec } of [
    { says: "without a selector", spec: { selector: {} } },
    { says: "of type ExternalName", spec: { type: "ExternalName" } },
  ]) {
    test(`${says} is left alone`, async () => {
      put({ spec });
      await scene.sync("shop/web");
      expect(calls()).toEqual([]);
      expect(rulesUsed()).toEqual(["left-alone"]);
    });
  }

  test("that was deleted has its Endpoints deleted, whether they exist or not", async () => {
    await scene.sync("shop/web");
    expect(calls()).toEqual(["delete web"]);
    scene.refuse = () => refusal(500, "InternalError", "no");
    expect(await rejection(scene.sync("shop/web"))).toMatchObject({ message: "no" });
  });

  test("with a cluster IP and without ports has no addresses", async () => {
    put({ spec: { ports: [] } });
    scene.put(Pods, podOf("a"));
    await scene.sync("shop/web");
    expect(body().subsets).toEqual([]);
  });

  test("that is headless gets the label for it, and may have no ports", async () => {
    put({ spec: { clusterIP: "None", ports: [] } });
    scene.put(Pods, podOf("a", { ips: ["10.1.0.1"] }));
    await scene.sync("shop/web");
    expect(body().metadata.labels).toEqual({ ...managed, "service.kubernetes.io/headless": "" });
    expect(body().subsets?.[0]).not.toHaveProperty("ports");
    expect(addresses()).toEqual(["10.1.0.1"]);
  });
});

describe("a pod", () => {
  const outcome = async (
    pod: Parameters<typeof podOf>[1],
    spec: ServiceParts["spec"] = {},
  ): Promise<readonly string[]> => {
    put({ spec });
    scene.put(Pods, podOf("a", { ips: ["10.1.0.1"], ...pod }));
    await scene.sync("shop/web");
    return addresses();
  };
  const deleted = { meta: { labels: { app: "web" }, deletionTimestamp: formatTime(sceneStart) } };

  test("that is being deleted is left out", async () => expect(await outcome(deleted)).toEqual([]));
  test("that is being deleted or not ready is ready if the Service publishes not-ready addresses", async () =>
    expect(await outcome({ ...deleted, ready: false }, { publishNotReadyAddresses: true })).toEqual(["10.1.0.1"]));
  test("that has finished is left out", async () => expect(await outcome({ phase: "Failed" })).toEqual([]));
  test("without the port is left out", async () =>
    expect(await outcome({}, { ports: [{ port: 80, targetPort: "absent", protocol: "TCP" }] })).toEqual([]));
  test("has its first address of the Service's first IP family", async () => {
    const ips = ["10.1.0.1", "2001:DB8::0:1", "2001:db8::2"];
    expect(await outcome({ ips }, { ipFamilies: ["IPv6", "IPv4"] })).toEqual(["2001:db8::1"]);
  });
  test("has an address of the family of the cluster IP, if the Service has no families", async () =>
    expect(await outcome({ ips: ["10.1.0.1", "2001:db8::1"] }, { ipFamilies: [], clusterIP: "fd00::1" })).toEqual([
      "2001:db8::1",
    ]));
  test("of another IP family is left out", async () => expect(await outcome({ ips: ["2001:db8::1"] })).toEqual([]));
  test("in the subdomain of the Service has its hostname", async () => {
    await outcome({ spec: { hostname: "db", subdomain: "web" } });
    expect(body().subsets?.[0]?.addresses?.[0]?.hostname).toBe("db");
  });
});

describe("Endpoints", () => {
  const existing = async (): Promise<void> => {
    put();
    scene.put(Pods, podOf("a", { ips: ["10.1.0.1"] }));
    await scene.sync("shop/web");
    scene.deliver();
  };
  const change = (changed: (object: EndpointsObject) => EndpointsObject): void => {
    const [object] = scene.cached(Endpoints);
    if (object === undefined) throw new Error("there are no Endpoints");
    scene.put(Endpoints, changed(object));
  };
  const withMeta =
    (meta: object) =>
    (object: EndpointsObject): EndpointsObject => ({ ...object, metadata: { ...object.metadata, ...meta } });

  for (const { says, meta } of [
    { says: "with a label that the Service does not have", meta: { labels: { ...managed, mine: "yes" } } },
    { says: "that others manage", meta: { labels: {} } },
    {
      says: "with the annotation over-capacity",
      meta: { annotations: { "endpoints.kubernetes.io/over-capacity": "truncated" } },
    },
  ]) {
    test(`${says} are written`, async () => {
      await existing();
      change(withMeta(meta));
      await scene.sync("shop/web");
      expect(calls()).toEqual(["update web"]);
      expect(body().metadata.labels).toEqual(managed);
      expect(body().metadata.annotations).toEqual({});
    });
  }

  test("are not written for the headless label alone, nor for versions of pods", async () => {
    await existing();
    change(withMeta({ labels: { ...managed, "service.kubernetes.io/headless": "" } }));
    change((object) => ({
      ...object,
      subsets:
        object.subsets?.map((subset) => ({
          ...subset,
          addresses:
            subset.addresses?.map((each) => ({ ...each, targetRef: { ...each.targetRef, resourceVersion: "5" } })) ??
            [],
        })) ?? [],
    }));
    await scene.sync("shop/web");
    expect(calls()).toEqual([]);
  });

  test("have at most 1,000 addresses, and an annotation says so", async () => {
    put();
    for (let n = 0; n < 1001; n++)
      scene.put(Pods, podOf(`p${n}`, { ips: [`10.${n >> 8}.1.${n & 255}`], ready: n > 0 }));
    await scene.sync("shop/web");
    expect(addresses()).toHaveLength(1000);
    expect(addresses().filter((text) => text.endsWith("not ready"))).toEqual([]);
    expect(body().metadata.annotations).toHaveProperty(["endpoints.kubernetes.io/over-capacity"], "truncated");
  });

  test("that the cache shows as they were before the last write are not written again", async () => {
    await existing();
    scene.put(Pods, podOf("b", { ips: ["10.1.0.2"], since: -5 }));
    await scene.sync("shop/web");
    expect(calls()).toEqual(["update web"]);
    expect(body().metadata.annotations).toEqual({ [triggerTimeAnnotation]: formatTime(sceneStart - 5000) });
    expect(await rejection(scene.sync("shop/web"))).toMatchObject({ name: "CacheBehindError" });
    scene.deliver();
    await scene.sync("shop/web");
    expect(calls()).toEqual([]);
  });
});

test("an update without changes on the server is not waited for", async () => {
  put();
  scene.put(Pods, podOf("a", { ips: ["10.1.0.1"] }));
  await scene.sync("shop/web");
  scene.deliver();
  scene.put(Pods, podOf("b", { ips: ["10.1.0.2"] }));
  const context = scene.context("shop/web");
  const [current] = scene.cached(Endpoints);
  // The server returns the unchanged object.
  const client = { ...context.client, update: () => Promise.resolve(current as never) };
  await syncEndpoints({ ...context, client });
  await scene.sync("shop/web");
  expect(calls()).toEqual(["update web"]);
});

describe("a refusal of the API server", () => {
  const refused = async (error: Error): Promise<void> => {
    scene.refuse = () => error;
    await scene.sync("shop/web");
  };

  test("is reported in an Event about the Endpoints", async () => {
    put();
    expect(await rejection(refused(refusal(403, "Forbidden", "no")))).toMatchObject({ message: "no" });
    expect(scene.events).toEqual([
      {
        type: "Warning",
        reason: "FailedToCreateEndpoint",
        message: "Failed to create endpoint for service shop/web: no",
        about: "Endpoints web",
      },
    ]);
  });

  test("of a create is about an object without a namespace, so that the Event is in default, as upstream's", async () => {
    put();
    scene.refuse = () => refusal(403, "Forbidden", "no");
    const about: unknown[] = [];
    const context = { ...scene.context("shop/web"), event: (_: unknown, object: unknown) => void about.push(object) };
    await rejection(syncEndpoints(context));
    expect(about).toEqual([{ metadata: { name: "web", uid: "", resourceVersion: "", creationTimestamp: "" } }]);
  });

  test("of an update has another reason", async () => {
    put();
    await scene.sync("shop/web");
    scene.deliver();
    scene.put(Pods, podOf("a"));
    expect(await rejection(refused(refusal(409, "Conflict", "changed")))).toMatchObject({ code: 409 });
    expect(scene.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      "FailedToUpdateEndpoint: Failed to update endpoint shop/web: changed",
    ]);
  });

  test("because the namespace is being deleted is not a failure", async () => {
    put();
    await refused(refusal(403, "Forbidden", "no", "NamespaceTerminating"));
    expect(scene.events).toEqual([]);
  });
});

describe("a change of Endpoints", () => {
  const object = (annotations: Readonly<Record<string, string>> = {}): EndpointsObject => ({
    metadata: { ...serviceOf().metadata, annotations },
  });
  test("enqueues the Service when they are deleted, and at the start", () => {
    scene.notify(Endpoints, { type: "deleted", object: object(), tombstone: false });
    scene.notify(Endpoints, { type: "added", object: object(), initial: true });
    expect(scene.woken).toEqual(["shop/web", "shop/web"]);
  });
  test("does not otherwise, nor for a leader election record", () => {
    scene.notify(Endpoints, { type: "added", object: object(), initial: false });
    scene.notify(Endpoints, { type: "updated", before: object(), object: object() });
    const leader = object({ "control-plane.alpha.kubernetes.io/leader": "{}" });
    scene.notify(Endpoints, { type: "added", object: leader, initial: true });
    expect(scene.woken).toEqual([]);
  });
});
