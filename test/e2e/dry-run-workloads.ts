/** Random scenarios for dry-run with the other workload kinds, seeded like those of dry-run-scenarios.ts. */
import { below, type Random } from "../../src/platform/random.ts";
import { type Json, type Part, pick, type Scenario, scenarioOf } from "./dry-run-scenarios.ts";

const image = (random: Random): string => `nginx:1.${below(random, 3)}`;

function templateOf(app: string, spec: Json): Json {
  return { metadata: { labels: { app } }, spec: { terminationGracePeriodSeconds: 0, ...spec } };
}

function inApps(kind: string, name: string, { template, ...spec }: Json & { readonly template: Json }): Json {
  const selector = { matchLabels: { app: name } };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name },
    spec: { ...spec, selector, template: templateOf(name, template) },
  };
}

const claims: Json = {
  volumeClaimTemplates: [
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};

function statefulSet(random: Random, name: string): Part {
  const policies = ["Retain", "Delete"] as const;
  // Nothing provisions volumes: pods with claims stay Pending, and with OrderedReady only the first one is created.
  const hasClaims = below(random, 4) === 0;
  const fixed = {
    serviceName: name,
    podManagementPolicy: pick(random, ["OrderedReady", "Parallel"]),
    ...(hasClaims && claims),
  };
  const draw = (): Json =>
    inApps("StatefulSet", name, {
      ...fixed,
      replicas: below(random, 5),
      updateStrategy: pick(random, [
        { type: "RollingUpdate" },
        { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
        { type: "OnDelete" },
      ]),
      ordinals: { start: pick(random, [0, 0, 0, 2]) },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: pick(random, policies), whenScaled: pick(random, policies) },
      template: { containers: [{ name: "main", image: image(random) }] },
    });
  return { target: `statefulset/${name}`, object: draw(), changed: draw, scales: true, ends: true };
}

function daemonSet(random: Random, name: string): Part {
  const selectors = [
    {},
    {},
    { nodeSelector: { "kubernetes.io/hostname": "fake-1" } },
    { nodeSelector: { no: "where" } },
  ];
  const strategies = [
    { type: "RollingUpdate" },
    { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "50%" } },
    { type: "OnDelete" },
  ];
  const draw = (): Json =>
    inApps("DaemonSet", name, {
      updateStrategy: pick(random, strategies),
      minReadySeconds: pick(random, [0, 0, 1]),
      revisionHistoryLimit: pick(random, [0, 2]),
      template: { containers: [{ name: "main", image: image(random) }], ...pick(random, selectors) },
    });
  return { target: `daemonset/${name}`, object: draw(), changed: draw, scales: false, ends: true };
}

function job(random: Random, name: string): Part {
  const fixed = {
    completions: 1 + below(random, 4),
    completionMode: pick(random, ["NonIndexed", "Indexed"]),
    ...pick(random, [{}, {}, { ttlSecondsAfterFinished: 1 }]),
    template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "work:1" }] } },
  };
  const draw = (): Json => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, labels: { drawn: `${below(random, 100)}` } },
    spec: { ...fixed, parallelism: below(random, 4), suspend: below(random, 3) === 0 },
  });
  return { target: `job/${name}`, object: draw(), changed: draw, scales: false, ends: true };
}

function cronJob(random: Random, name: string): Part {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "work:1" }] } };
  const draw = (): Json => ({
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name },
    // Dates that do not exist in February, so that no run becomes due, whenever the scenario is played.
    spec: {
      schedule: pick(random, ["0 0 30 2 *", "30 12 31 2 *"]),
      suspend: below(random, 2) === 0,
      successfulJobsHistoryLimit: below(random, 3),
      jobTemplate: { spec: { template } },
    },
  });
  return { target: `cronjob/${name}`, object: draw(), changed: draw, scales: false, ends: true };
}

function budget(random: Random, name: string, app: string): Part {
  const draw = (): Json => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name },
    spec: {
      selector: { matchLabels: { app } },
      ...pick(random, [{ minAvailable: 1 }, { minAvailable: "50%" }, { maxUnavailable: 1 }, { maxUnavailable: 0 }]),
    },
  });
  return { target: `poddisruptionbudget/${name}`, object: draw(), changed: draw, scales: false, ends: true };
}

/** A Deployment and its autoscaler. Without metrics, the autoscaler only brings the replicas within its bounds. */
function autoscaled(random: Random, name: string): readonly Part[] {
  const deployment = (): Json => ({
    ...inApps("Deployment", name, {
      replicas: 1 + below(random, 6),
      template: { containers: [{ name: "main", image: image(random) }] },
    }),
    metadata: { name, labels: { autoscaled: "yes" } },
  });
  const autoscaler = (): Json => {
    const minReplicas = 1 + below(random, 3);
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
    const cpu = { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } };
    return {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name },
      spec: {
        scaleTargetRef,
        minReplicas,
        maxReplicas: minReplicas + below(random, 3),
        metrics: [{ type: "Resource", resource: cpu }],
      },
    };
  };
  return [
    { target: `deployment/${name}`, object: deployment(), changed: deployment, scales: true, ends: true },
    {
      target: `horizontalpodautoscaler/${name}`,
      object: autoscaler(),
      changed: autoscaler,
      scales: false,
      ends: false,
    },
  ];
}

function drawn(random: Random, name: string): readonly Part[] {
  switch (below(random, 8)) {
    case 0:
    case 1:
      return [daemonSet(random, name)];
    case 2:
    case 3:
      return [job(random, name)];
    case 4:
      return [cronJob(random, name)];
    case 5:
      return autoscaled(random, name);
    default: {
      const set = statefulSet(random, name);
      return below(random, 2) === 0 ? [set] : [set, budget(random, `${name}-budget`, name)];
    }
  }
}

/** One or two workloads, the actions on them, and possibly another workload that is applied later. */
export function workloadScenario(seed: number): Scenario {
  return scenarioOf(seed, drawn);
}
