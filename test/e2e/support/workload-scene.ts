/**
 * StatefulSets, DaemonSets, Jobs, CronJobs, budgets and an autoscaler that are changed at random, pods that are deleted, evicted and
 * finished, and nodes that are added and deleted, while all controllers run behind faulty proxies. The required final state follows from
 * the objects that exist at the end, read with plain requests.
 */
import { expect } from "bun:test";
import type { Cluster } from "../../support/cluster.ts";
import type { ConvergingScene } from "./faults.ts";
import type { FaultyRun } from "./faulty-run.ts";
import { lifeOf } from "./scene-life.ts";
import { eventually } from "./workload.ts";
import { changesOn, missRuns } from "./workload-changes.ts";
import { groundOf } from "./workload-ground.ts";
import { looksAt } from "./workload-look.ts";
import { autoscaler, budget, cronJob, deployment } from "./workload-manifests.ts";

const bounds = [2, 4] as const;
const waitMs = 120_000;

/** Creates the objects in a new namespace and waits until they converge. The controllers must already be running. */
export async function startWorkloadScene(
  cluster: Cluster,
  run: FaultyRun,
  namespace: string,
): Promise<ConvergingScene> {
  await cluster.createNamespace(namespace);
  const ground = groundOf(cluster, run, namespace);
  const { create, patch, list } = ground;
  const look = looksAt(ground);

  /** The autoscaler reports that it has no metrics, and keeps to its bounds; it syncs every 15 s. */
  async function lookAtAutoscaler(): Promise<void> {
    const [target] = (await list("deployments")).filter(({ metadata }) => metadata.name === "scaled");
    const [scaler] = await list("horizontalpodautoscalers");
    const { replicas = 0 } = target?.spec ?? {};
    const active = scaler?.status.conditions?.find(({ type }) => type === "ScalingActive");
    const isWithin = replicas >= bounds[0] && replicas <= bounds[1];
    const state = { isWithin, active: active?.status, reason: active?.reason };
    expect(state).toEqual({ isWithin: true, active: "False", reason: "FailedGetResourceMetric" });
  }

  await create("poddisruptionbudgets", budget("ordered", { maxUnavailable: 1 }));
  await create("poddisruptionbudgets", budget("parallel", { minAvailable: "50%" }));
  await create("cronjobs", cronJob("tick"));
  await missRuns(ground);
  await create("deployments", deployment("scaled", 1));
  await create("horizontalpodautoscalers", autoscaler("scaled", bounds));
  await patch("/api/v1/nodes/fake-0", { metadata: { labels: { pool: "gold" } } });
  await eventually(look, waitMs);
  return {
    namespace,
    failures: run.failures,
    ...lifeOf({ step: changesOn(ground), look, waitMs }),
    end: () => eventually(lookAtAutoscaler, waitMs),
  };
}
