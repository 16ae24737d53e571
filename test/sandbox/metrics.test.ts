import { afterEach, describe, expect, test } from "bun:test";
import { Deployments, HorizontalPodAutoscalers, Namespaces, Nodes, Pods, Services } from "../../src/api/kinds.ts";
import type { Kind } from "../../src/api/kind.ts";
import type { CreateInput, StoredObject } from "../../src/api/object.ts";
import { discover } from "../../src/client/api/discovery.ts";
import { deployment } from "../../src/controllers/deployment/deployment.ts";
import { horizontalPodAutoscaler } from "../../src/controllers/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { replicaset } from "../../src/controllers/replicaset/replicaset.ts";
import { type EmbeddedScene, embeddedScene } from "../support/embedded-scene.ts";
import { rejection } from "../support/rejection.ts";

let scene: EmbeddedScene;
afterEach(() => scene.stop());

const prefix = "sandbox.kubectl-reconcile.io/";
const labels = { app: "web" };

async function begin(options: Parameters<typeof embeddedScene>[0] = {}): Promise<void> {
  scene = await embeddedScene({ controllers: [deployment, replicaset], nodes: 1, ...options });
}

/** Creates a Deployment of pods with these containers, whose usage is defined by the annotations. */
async function run(
  replicas: number,
  annotations: object,
  containers = [{ name: "web", image: "web:1" }],
): Promise<void> {
  const named = Object.fromEntries(Object.entries(annotations).map(([name, value]) => [`${prefix}${name}`, value]));
  const template = { metadata: { labels }, spec: { containers } };
  const metadata = { namespace: "default", name: "web", annotations: named };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  await scene.during(scene.you.create(Deployments, { metadata, spec }));
  await scene.run(10_000);
}

async function annotate(kind: Kind, name: string, annotations: Readonly<Record<string, string>>): Promise<void> {
  const named = Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`${prefix}${key}`, value]));
  const at = { namespace: kind.namespaced ? "default" : "", name };
  await scene.during(scene.you.patch(kind, at, { type: "merge", body: { metadata: { annotations: named } } }));
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads fields that it knows to exist
async function get(path: string): Promise<any> {
  return scene.during(scene.you.raw(path));
}

/** CPU and memory of each container of each pod. */
async function usage(query = ""): Promise<readonly string[]> {
  const { items } = await get(`/apis/metrics.k8s.io/v1beta1/namespaces/default/pods${query}`);
  return items.flatMap((item: { readonly containers: readonly { usage: { cpu: string; memory: string } }[] }) =>
    item.containers.map(({ usage: { cpu, memory } }) => `${cpu} ${memory}`),
  );
}

async function podNames(): Promise<readonly string[]> {
  return (await scene.list(Pods)).map(({ metadata }) => metadata.name).sort();
}

describe("usage of pods in a sandbox", () => {
  test("is zero without annotations", async () => {
    await begin();
    await run(1, {});
    expect(await usage()).toEqual(["0 0"]);
  });

  test("is the share of the ready pods in their Deployment's value", async () => {
    await begin();
    await run(3, { cpu: "900m", memory: "300Mi" });
    expect(await usage()).toEqual(["300m 100Mi", "300m 100Mi", "300m 100Mi"]);
    expect(await usage("?labelSelector=app%3Dother")).toEqual([]);
  });

  test("is the pod's own value if it has one, and the others share the rest of the load", async () => {
    await begin();
    await run(2, { cpu: "400m" });
    const [name = ""] = await podNames();
    await annotate(Pods, name, { cpu: "50m" });
    expect([...(await usage())].sort()).toEqual(["400m 0", "50m 0"]);
  });

  test("is divided among containers, or set for each, and is capped by a limit", async () => {
    await begin();
    const limited = { name: "b", image: "b:1", resources: { limits: { cpu: "100m" } } };
    await run(1, { cpu: "400m" }, [{ name: "a", image: "a:1" }, limited]);
    expect(await usage()).toEqual(["200m 0", "100m 0"]);
    const [name = ""] = await podNames();
    await annotate(Pods, name, { "cpu.b": "30m" });
    expect(await usage()).toEqual(["200m 0", "30m 0"]);
  });

  test("is summed for nodes", async () => {
    await begin();
    await run(2, { cpu: "500m", memory: "64Mi" });
    const [node] = await scene.list(Nodes, "");
    const metrics = await get(`/apis/metrics.k8s.io/v1beta1/nodes/${node?.metadata.name}`);
    expect(metrics).toMatchObject({ kind: "NodeMetrics", usage: { cpu: "500m", memory: "64Mi" } });
  });

  test("does not exist for a pod that is not running", async () => {
    await begin({ scheduler: false });
    await run(1, { cpu: "1" });
    expect(await usage()).toEqual([]);
    const [name] = await podNames();
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/${name}`;
    expect((await rejection(get(path))).message).toContain(`pods.metrics.k8s.io "default/${name}" not found`);
  });
});

describe("other metrics in a sandbox", () => {
  const custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default";
  const values = async (path: string): Promise<readonly string[]> =>
    (await get(path)).items.map(({ value }: { readonly value: string }) => value);

  test("are annotations of pods, workloads, objects and namespaces", async () => {
    await begin();
    await run(2, { "metric.qps": "30" });
    expect(await values(`${custom}/pods/*/qps?labelSelector=app%3Dweb`)).toEqual(["15", "15"]);
    const service: CreateInput<StoredObject> = { metadata: { namespace: "default", name: "web" } };
    const spec = { ports: [{ port: 80 }] };
    await scene.during(scene.you.create(Services, { ...service, spec }));
    await annotate(Services, "web", { "metric.qps": "7" });
    await annotate(Namespaces, "default", { "metric.qps": "8", "external.depth": "9" });
    expect(await values(`${custom}/services/web/qps`)).toEqual(["7"]);
    expect(await values(`${custom}/metrics/qps`)).toEqual(["8"]);
    const external = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default";
    expect(await values(`${external}/depth`)).toEqual(["9"]);
    expect(await values(`${external}/none`)).toEqual([]);
    expect((await rejection(get(`${custom}/services/web/none`))).message).toContain("not found");
  });
});

test("discovery has the kinds of metrics.k8s.io if a kubelet runs, and no metrics otherwise", async () => {
  await begin();
  const listed = async (): Promise<readonly string[]> => {
    const { kinds } = await scene.during(discover(scene.you));
    return kinds
      .filter(({ group }) => group.endsWith("metrics.k8s.io"))
      .map(({ plural, verbs }) => `${plural} ${verbs.join()}`);
  };
  expect([...(await listed())].sort()).toEqual(["nodes get,list", "pods get,list"]);
  await scene.stop();
  await begin({ kubelet: false });
  expect(await listed()).toEqual([]);
  expect((await rejection(get("/apis/metrics.k8s.io/v1beta1/nodes"))).message).toContain("404");
});

test("an annotation scales a Deployment up and down again", async () => {
  await begin({ controllers: [deployment, replicaset, horizontalPodAutoscaler] });
  const resources = { requests: { cpu: "200m" } };
  await run(2, { cpu: "200m" }, [{ name: "web", image: "web:1", resources } as { name: string; image: string }]);
  const target = { type: "Utilization", averageUtilization: 50 };
  const metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  const spec = { scaleTargetRef, minReplicas: 1, maxReplicas: 9, metrics };
  await scene.during(
    scene.you.create(HorizontalPodAutoscalers, { metadata: { namespace: "default", name: "web" }, spec }),
  );
  const replicasAfter = async (ms: number): Promise<number | undefined> => {
    scene.timeline.after(ms, "test", () => undefined);
    await scene.run(ms);
    return (await scene.list(Deployments))[0]?.spec?.replicas;
  };
  expect(await replicasAfter(60_000)).toBe(2);
  await annotate(Deployments, "web", { cpu: "700m" });
  expect(await replicasAfter(60_000)).toBe(7);
  expect(await podNames()).toHaveLength(7);
  await annotate(Deployments, "web", { cpu: "100m" });
  expect(await replicasAfter(120_000)).toBe(7);
  expect(await replicasAfter(300_000)).toBe(1);
});
