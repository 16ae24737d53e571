/** Workloads: ReplicaSets and similar kinds, Jobs, CronJobs. */
import { get, patch, paths, put } from "../case.ts";
import { podSpec } from "./core-kinds.ts";
import type { Dice } from "./dice.ts";
import type { Body, RandomKind, RandomPatch } from "./kind.ts";

const labels = { app: "a" };

function template(dice: Dice, more: Body = {}): Body {
  return { metadata: { labels: dice.chance(0.95) ? labels : { app: "b" } }, spec: podSpec(dice, more) };
}

function selector(dice: Dice): Body | undefined {
  if (dice.chance(0.9)) return { matchLabels: labels };
  return dice.one<Body | undefined>([
    undefined,
    {},
    { matchExpressions: [{ key: "app", operator: "In", values: ["a", "b"] }] },
    { matchExpressions: [{ key: "app", operator: "Near", values: ["a"] }] },
    { matchLabels: { app: "not good" } },
  ]);
}

const replicas = (dice: Dice): number | undefined => (dice.chance(0.05) ? -1 : dice.maybe(0.85, () => dice.below(4)));

const image = (dice: Dice): RandomPatch => [
  "strategic",
  { spec: { template: { spec: { containers: [{ name: dice.one(["c", "d"]), image: dice.one(["i", "j"]) }] } } } },
];
const scaled = (dice: Dice): RandomPatch => [
  "merge",
  { spec: { replicas: dice.below(5) - (dice.chance(0.1) ? 5 : 0) } },
];

export function scale(dice: Dice, object: string, name: string): ReturnType<typeof get> {
  if (dice.chance(0.3)) return get(`${object}/scale`);
  const wanted = dice.chance(0.1) ? -1 : dice.below(5);
  return dice.chance(0.5)
    ? patch("merge", `${object}/scale`, { spec: { replicas: wanted } })
    : put(`${object}/scale`, { metadata: { name }, spec: { replicas: wanted } });
}

const replicaSets: RandomKind = {
  name: "replicasets",
  path: paths.replicasets,
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      replicas: replicas(dice),
      selector: selector(dice),
      template: template(dice),
      minReadySeconds: dice.maybe(0.1, () => dice.one([5, -1])),
    },
  }),
  patches: (dice) => [image(dice), scaled(dice), ["merge", { spec: { selector: { matchLabels: { app: "b" } } } }]],
  status: (dice) => ({
    replicas: dice.below(3),
    readyReplicas: dice.below(3),
    availableReplicas: dice.maybe(0.3, () => dice.below(3)),
  }),
  others: scale,
  fields: ["status.replicas=1", "spec.replicas=1"],
};

const deployments: RandomKind = {
  name: "deployments",
  path: paths.deployments,
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      replicas: replicas(dice),
      selector: selector(dice),
      template: template(dice),
      strategy: dice.maybe(0.3, () =>
        dice.one<Body>([
          { type: "Recreate" },
          { type: "Recreate", rollingUpdate: { maxSurge: 1 } },
          { rollingUpdate: { maxSurge: dice.one([0, 1, "50%", "a"]), maxUnavailable: dice.one([0, "10%", "120%"]) } },
          { type: "Sideways" },
        ]),
      ),
      progressDeadlineSeconds: dice.maybe(0.1, () => dice.one([60, 0, -1])),
      revisionHistoryLimit: dice.maybe(0.1, () => dice.one([2, -1])),
      minReadySeconds: dice.maybe(0.1, () => dice.one([5, 700])),
      paused: dice.maybe(0.1, () => true),
    },
  }),
  patches: (dice) => [
    image(dice),
    scaled(dice),
    ["merge", { spec: { paused: dice.one([true, null]) } }],
    ["strategic", { spec: { strategy: { type: "Recreate", $retainKeys: ["type"] } } }],
    ["merge", { metadata: { annotations: { "deployment.kubernetes.io/revision": dice.one(["1", "2"]) } } }],
  ],
  status: (dice) => ({
    replicas: dice.below(3),
    updatedReplicas: dice.below(3),
    observedGeneration: dice.one([1, 2, -1]),
  }),
  others: scale,
};

const claim = (name: string): Body => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});

const statefulSets: RandomKind = {
  name: "statefulsets",
  path: paths.statefulsets,
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      serviceName: dice.maybe(0.8, () => dice.one(["a", "b", "Not a name"])),
      replicas: replicas(dice),
      selector: selector(dice),
      template: template(dice, { restartPolicy: dice.maybe(0.05, () => "Never") }),
      podManagementPolicy: dice.maybe(0.2, () => dice.one(["Parallel", "OrderedReady", "Sideways"])),
      updateStrategy: dice.maybe(0.3, () =>
        dice.one<Body>([
          { type: "OnDelete" },
          { type: "OnDelete", rollingUpdate: { partition: 1 } },
          {
            type: "RollingUpdate",
            rollingUpdate: {
              partition: dice.one([1, -1]),
              maxUnavailable: dice.maybe(0.5, () => dice.one([1, 0, "20%"])),
            },
          },
          { type: "Sideways" },
        ]),
      ),
      volumeClaimTemplates: dice.maybe(0.15, () => [claim("data")]),
      persistentVolumeClaimRetentionPolicy: dice.maybe(0.1, () => ({ whenDeleted: dice.one(["Delete", "Keep"]) })),
      ordinals: dice.maybe(0.1, () => ({ start: dice.one([0, 5, -1]) })),
      minReadySeconds: dice.maybe(0.1, () => dice.one([5, -1])),
      revisionHistoryLimit: dice.maybe(0.1, () => dice.one([2, -1])),
    },
  }),
  patches: (dice) => [
    image(dice),
    scaled(dice),
    ["merge", { spec: { serviceName: dice.one(["a", "z"]) } }],
    ["merge", { spec: { updateStrategy: { type: "OnDelete", rollingUpdate: null } } }],
    ["merge", { spec: { minReadySeconds: dice.below(9) } }],
  ],
  status: (dice) => ({
    replicas: dice.below(3),
    readyReplicas: dice.below(3),
    currentRevision: dice.maybe(0.3, () => "r"),
    collisionCount: dice.maybe(0.2, () => dice.one([1, -1])),
  }),
  others: scale,
};

const daemonSets: RandomKind = {
  name: "daemonsets",
  path: paths.daemonsets,
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      selector: selector(dice),
      template: template(dice, { activeDeadlineSeconds: dice.maybe(0.05, () => 5) }),
      updateStrategy: dice.maybe(0.3, () =>
        dice.one<Body>([
          { type: "OnDelete" },
          {
            type: "RollingUpdate",
            rollingUpdate: {
              maxUnavailable: dice.one([0, 1, "10%", "x"]),
              maxSurge: dice.maybe(0.5, () => dice.one([0, 1])),
            },
          },
          { type: "Sideways" },
        ]),
      ),
      minReadySeconds: dice.maybe(0.1, () => dice.one([5, -1])),
      revisionHistoryLimit: dice.maybe(0.1, () => dice.one([2, -1])),
    },
  }),
  patches: (dice) => [image(dice), ["merge", { spec: { updateStrategy: { type: "OnDelete", rollingUpdate: null } } }]],
  status: (dice) => ({
    currentNumberScheduled: dice.below(3),
    numberMisscheduled: dice.below(2),
    desiredNumberScheduled: dice.below(3),
    numberReady: dice.below(3) - (dice.chance(0.1) ? 3 : 0),
  }),
};

function jobSpec(dice: Dice): Body {
  return {
    parallelism: dice.maybe(0.4, () => dice.one([0, 1, 3, -1])),
    completions: dice.maybe(0.4, () => dice.one([1, 3, -1])),
    backoffLimit: dice.maybe(0.3, () => dice.one([0, 2, -1])),
    activeDeadlineSeconds: dice.maybe(0.15, () => dice.one([60, -1])),
    ttlSecondsAfterFinished: dice.maybe(0.15, () => dice.one([0, 60, -1])),
    completionMode: dice.maybe(0.2, () => dice.one(["Indexed", "NonIndexed", "Sideways"])),
    suspend: dice.maybe(0.2, () => dice.chance(0.5)),
    manualSelector: dice.maybe(0.05, () => true),
    selector: dice.maybe(0.06, () => ({ matchLabels: labels })),
    template: {
      metadata: dice.maybe(0.7, () => ({ labels })),
      spec: podSpec(dice, {
        restartPolicy: dice.chance(0.92) ? dice.one(["Never", "OnFailure"]) : dice.one([undefined, "Always"]),
      }),
    },
  };
}

const jobs: RandomKind = {
  name: "jobs",
  path: paths.jobs,
  body: (dice, name) => ({ metadata: { name }, spec: jobSpec(dice) }),
  patches: (dice) => [
    ["merge", { spec: { parallelism: dice.below(4) } }],
    ["merge", { spec: { suspend: dice.one([true, false]) } }],
    ["merge", { spec: { completions: dice.below(4) } }],
    ["merge", { spec: { backoffLimit: dice.below(4) } }],
    image(dice),
  ],
  status: (dice) => ({
    active: dice.maybe(0.7, () => dice.below(3) - (dice.chance(0.1) ? 3 : 0)),
    startTime: dice.maybe(0.5, () => "2026-01-02T03:04:05Z"),
    ready: dice.maybe(0.3, () => dice.below(2)),
  }),
  fields: ["status.successful=1", "status.successful=0", "status.active=1"],
};

const cronJobs: RandomKind = {
  name: "cronjobs",
  path: paths.cronjobs,
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      schedule: dice.chance(0.85)
        ? dice.one(["* * * * *", "@hourly", "*/5 1-3 * 1,2 0"])
        : dice.one(["", "every day", "61 * * * *", "TZ=UTC * * * * *"]),
      timeZone: dice.maybe(0.15, () => dice.one(["Etc/UTC", "Europe/Berlin", "Local", "Nowhere/None", ""])),
      concurrencyPolicy: dice.maybe(0.3, () => dice.one(["Forbid", "Replace", "Sideways"])),
      startingDeadlineSeconds: dice.maybe(0.2, () => dice.one([10, -1])),
      successfulJobsHistoryLimit: dice.maybe(0.2, () => dice.one([0, 5, -1])),
      failedJobsHistoryLimit: dice.maybe(0.1, () => dice.one([0, -1])),
      suspend: dice.maybe(0.2, () => true),
      jobTemplate: { spec: jobSpec(dice) },
    },
  }),
  patches: (dice) => [
    ["merge", { spec: { suspend: dice.one([true, false]) } }],
    ["merge", { spec: { schedule: dice.one(["@daily", "bad"]) } }],
  ],
  status: () => ({ lastScheduleTime: "2026-01-02T03:04:05Z" }),
};

export const workloadKinds: readonly RandomKind[] = [
  replicaSets,
  deployments,
  statefulSets,
  daemonSets,
  jobs,
  cronJobs,
];
