import { describe, expect, test } from "bun:test";
import { type Kind, kindOf } from "../../../src/api/kind.ts";
import { Deployments, Pods, ResourceQuotas } from "../../../src/api/kinds.ts";
import type { StoredObject, CreateInput } from "../../../src/api/object.ts";
import type { ResourceQuota } from "../../../src/api/types.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { countedKinds } from "../../../src/controllers/resourcequota/counted-kinds.ts";
import { resourcequota } from "../../../src/controllers/resourcequota/resourcequota.ts";
import { sleep } from "../../../src/platform/timeline.ts";
import { type EmbeddedScene, embeddedScene } from "../../support/embedded-scene.ts";

const Jobs: Kind = kindOf({ group: "batch", version: "v1", kind: "Job", plural: "jobs", namespaced: true });
const ConfigMaps: Kind = kindOf({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
});

/** Long enough for syncs to finish, and shorter than the full resync of all quotas. */
const soonMs = 60_000;

async function scene(): Promise<EmbeddedScene> {
  return embeddedScene({ controllers: [deployment, replicaset, resourcequota] });
}

/** An object with fields for which the kinds here have no type. */
function unstored(name: string, fields: object = {}): CreateInput<StoredObject> {
  return { metadata: { namespace: "default", name }, ...fields };
}

async function makeQuota(
  cluster: EmbeddedScene,
  hard: Readonly<Record<string, string>>,
  more: object = {},
): Promise<void> {
  const metadata = { namespace: "default", name: "q" };
  await cluster.during(cluster.you.create(ResourceQuotas, { metadata, spec: { hard, ...more } }));
  await cluster.run(soonMs);
}

async function statusOf(cluster: EmbeddedScene): Promise<ResourceQuota["status"]> {
  const [quota] = await cluster.list(ResourceQuotas);
  return quota?.status;
}

function pod(name: string, fields: object = {}): CreateInput<StoredObject> {
  const resources = { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "200m", memory: "64Mi" } };
  return unstored(name, { spec: { containers: [{ name: "c", image: "i", resources }], ...fields } });
}

describe("the ResourceQuota controller", () => {
  test("with a quota of one permits one of a Deployment's three pods", async () => {
    const cluster = await scene();
    await makeQuota(cluster, { pods: "1" });
    const labels = { app: "d" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } };
    const spec = { replicas: 3, selector: { matchLabels: labels }, template };
    await cluster.during(cluster.you.create(Deployments, { metadata: { namespace: "default", name: "d" }, spec }));
    await cluster.run(soonMs);
    expect(await cluster.list(Pods)).toHaveLength(1);
    expect(await statusOf(cluster)).toEqual({ hard: { pods: "1" }, used: { pods: "1" } });
    await cluster.stop();
  });

  test("counts what existed before the quota, and releases it when it is deleted", async () => {
    const cluster = await scene();
    for (const name of ["a", "b"]) await cluster.during(cluster.you.create(Pods as Kind, pod(name)));
    await makeQuota(cluster, { pods: "5", "requests.cpu": "1", "limits.memory": "1Gi", "count/pods": "9" });
    const hard = { pods: "5", "requests.cpu": "1", "limits.memory": "1Gi", "count/pods": "9" };
    const two = { pods: "2", "requests.cpu": "200m", "limits.memory": "128Mi", "count/pods": "2" };
    expect(await statusOf(cluster)).toEqual({ hard, used: two });
    await cluster.during(cluster.you.delete(Pods, { namespace: "default", name: "a" }));
    await cluster.run(soonMs);
    const one = { pods: "1", "requests.cpu": "100m", "limits.memory": "64Mi", "count/pods": "1" };
    expect(await statusOf(cluster)).toEqual({ hard, used: one });
    await cluster.stop();
  });

  test("counts objects that come at the same time as their limit, in every order", async () => {
    const used: unknown[] = [];
    for (let seed = 1; seed <= 40; seed++) {
      const cluster = await embeddedScene({ controllers: [resourcequota], seed });
      await makeQuota(cluster, { pods: "9" });
      const limit = { type: "merge", body: { spec: { hard: { "count/configmaps": "9" } } } } as const;
      const names = ["a", "b", "c", "d", "e"];
      await cluster.during(
        Promise.all([
          cluster.you.patch(ResourceQuotas, { namespace: "default", name: "q" }, limit),
          ...names.map(async (name, turn) => {
            await sleep(cluster.timeline, turn * 3, "test");
            await cluster.you.create(ConfigMaps, unstored(name));
          }),
        ]),
      );
      await cluster.run(soonMs);
      used.push((await statusOf(cluster))?.used?.["count/configmaps"]);
      await cluster.stop();
    }
    expect(new Set(used)).toEqual(new Set(["5"]));
  });

  test("counts objects of any kind; an unknown resource has no usage, but a decision", async () => {
    const cluster = await scene();
    await cluster.during(cluster.you.create(ConfigMaps, unstored("a")));
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    await cluster.during(cluster.you.create(Jobs, unstored("j", { spec: { template } })));
    await cluster.run(soonMs);
    await makeQuota(cluster, {
      configmaps: "9",
      "count/configmaps": "9",
      "count/jobs.batch": "9",
      "count/no.such": "9",
    });
    const used = (await statusOf(cluster))?.used;
    expect(used).toEqual({ configmaps: "1", "count/configmaps": "1", "count/jobs.batch": "1" });
    const sentences = cluster.events.flatMap((event) =>
      event.stage === "decision" && event.controller === "resourcequota" ? [event.sentence] : [],
    );
    expect(sentences).toContain("no known kind is counted under count/no.such → no usage for it");
    await cluster.stop();
  });

  test("counts only objects in a quota's scope", async () => {
    const cluster = await scene();
    await cluster.during(cluster.you.create(Pods as Kind, pod("burstable")));
    await cluster.during(
      cluster.you.create(Pods as Kind, unstored("best", { spec: { containers: [{ name: "c", image: "i" }] } })),
    );
    await makeQuota(cluster, { pods: "9" }, { scopes: ["BestEffort"] });
    expect((await statusOf(cluster))?.used).toEqual({ pods: "1" });
    await cluster.stop();
  });

  test("removes a limit from the status when it is removed from the spec", async () => {
    const cluster = await scene();
    await makeQuota(cluster, { pods: "9", secrets: "4" });
    const [quota] = await cluster.list(ResourceQuotas);
    if (quota === undefined) throw new Error("no quota");
    await cluster.during(cluster.you.update(ResourceQuotas, { ...quota, spec: { hard: { pods: "3" } } }));
    await cluster.run(soonMs);
    expect(await statusOf(cluster)).toEqual({ hard: { pods: "3" }, used: { pods: "0" } });
    await cluster.stop();
  });
});

test("kinds named events count, except Kubernetes' own", () => {
  const kinds = ["", "events.k8s.io", "example.com"].map((group) => ({
    ...kindOf({
      group,
      version: "v1",
      kind: "Event",
      plural: "events",
      namespaced: true,
    }),
    singular: "event",
    verbs: ["create", "list", "watch", "delete"],
    categories: [],
    preferred: true,
  }));
  expect(countedKinds(kinds).map(({ group }) => group)).toEqual(["example.com"]);
});
