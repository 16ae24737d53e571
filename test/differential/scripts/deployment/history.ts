/** Revisions and rollbacks. */
import type { Script } from "../../play.ts";
import { allReady, create, image, patch, pause, replicas, spec, toReplicaSet } from "./acts.ts";

const rollbackTo = (revision: string): object => ({
  metadata: { annotations: { "deprecated.deployment.rollback.to": revision } },
});
const revisionIs = (revision: string | null): object => ({
  metadata: { annotations: { "deployment.kubernetes.io/revision": revision } },
});
// With one pod that can be unavailable, a rollout takes two steps.
const quick = { replicas: 1, strategy: [0, 1] } as const;
const to = (version: number): ReturnType<typeof image>[] => [
  image(version),
  { ...allReady, name: `all pods of image ${version} become ready` },
];

export const history: readonly Script[] = [
  {
    name: "revisionHistoryLimit 2",
    steps: [create({ ...quick, spec: { revisionHistoryLimit: 2 } }), allReady, ...to(2), ...to(3), ...to(4), ...to(5)],
  },
  {
    name: "revisionHistoryLimit 0, then unlimited",
    steps: [
      create({ ...quick, spec: { revisionHistoryLimit: 0 } }),
      allReady,
      ...to(2),
      spec("set no limit", { revisionHistoryLimit: 2_147_483_647 }),
      ...to(3),
      ...to(4),
    ],
  },
  {
    name: "revisionHistoryLimit is lowered while the Deployment is paused",
    steps: [
      create(quick),
      allReady,
      ...to(2),
      ...to(3),
      ...to(4),
      pause,
      spec("set revisionHistoryLimit 1", { revisionHistoryLimit: 1 }),
    ],
  },
  {
    name: "an old ReplicaSet held by a finalizer is not deleted twice",
    steps: [
      create({ ...quick, spec: { revisionHistoryLimit: 0 } }),
      allReady,
      toReplicaSet("add a finalizer to the ReplicaSet", 0, (stage, name) =>
        stage.patch("replicasets", name, { metadata: { finalizers: ["example.com/held"] } }),
      ),
      ...to(2),
      ...to(3),
    ],
  },
  {
    name: "the ReplicaSet of a template that is used again gets a new revision",
    steps: [create(quick), allReady, ...to(2), ...to(1), ...to(2), ...to(3), ...to(1)],
  },
  {
    name: "the rollback annotation: a revision, the previous one, a missing one, the current one",
    steps: [
      create({ ...quick, metadata: { annotations: { "kubernetes.io/change-cause": "first" } } }),
      allReady,
      patch("set image 2 with another change-cause", {
        metadata: { annotations: { "kubernetes.io/change-cause": "second" } },
        spec: { template: { spec: { containers: [{ name: "main", image: "main:2" }] } } },
      }),
      allReady,
      patch("roll back to 1", rollbackTo("1")),
      allReady,
      patch("roll back to the previous revision", rollbackTo("0")),
      allReady,
      patch("roll back to 77", rollbackTo("77")),
      patch("roll back to the current revision", rollbackTo("4")),
    ],
  },
  {
    name: "a rollback to the previous revision when there is none",
    steps: [create(quick), allReady, patch("roll back to the previous revision", rollbackTo("0"))],
  },
  {
    name: "a rollback waits while the Deployment is paused",
    steps: [
      create(quick),
      allReady,
      ...to(2),
      pause,
      patch("roll back to 1", rollbackTo("1")),
      spec("resume", { paused: false }),
    ],
  },
  {
    name: "the revision annotations of ReplicaSets are modified by hand",
    steps: [
      create(quick),
      allReady,
      ...to(2),
      toReplicaSet("set a revision that is not a number", 1, (stage, name) =>
        stage.patch("replicasets", name, revisionIs("second")),
      ),
      patch("annotate the Deployment", { metadata: { annotations: { note: "new" } } }),
      replicas(2),
      toReplicaSet("remove the revision", 0, (stage, name) => stage.patch("replicasets", name, revisionIs(null))),
      ...to(3),
    ],
  },
  {
    name: "the revision of an old ReplicaSet is raised by hand",
    steps: [
      create(quick),
      allReady,
      ...to(2),
      toReplicaSet("set revision 41", 0, (stage, name) => stage.patch("replicasets", name, revisionIs("41"))),
      ...to(3),
    ],
  },
  {
    name: "the revision annotation of the Deployment is modified by hand",
    steps: [
      create(quick),
      allReady,
      patch("set revision 9", revisionIs("9")),
      patch("remove the revision", revisionIs(null)),
    ],
  },
  {
    name: "an equal template with other notation does not start a rollout",
    steps: [
      create({
        ...quick,
        podSpec: {
          containers: [{ name: "main", image: "main:1", resources: { limits: { memory: "1Gi", cpu: "1" } } }],
        },
      }),
      allReady,
      spec("set 1024Mi and 1000m", {
        template: {
          spec: {
            containers: [{ name: "main", image: "main:1", resources: { limits: { memory: "1024Mi", cpu: "1000m" } } }],
          },
        },
      }),
      spec("set the memory limit in bytes", {
        template: {
          spec: {
            containers: [{ name: "main", image: "main:1", resources: { limits: { memory: "1073741824", cpu: "1" } } }],
          },
        },
      }),
      spec("set an empty list", { template: { spec: { tolerations: [] } } }),
    ],
  },
];
