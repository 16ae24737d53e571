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
  { ...allReady, name: `${version} is ready` },
];

export const history: readonly Script[] = [
  {
    name: "revisionHistoryLimit 2",
    steps: [create({ ...quick, spec: { revisionHistoryLimit: 2 } }), allReady, ...to(2), ...to(3), ...to(4), ...to(5)],
  },
  {
    name: "revisionHistoryLimit 0, and for ever",
    steps: [
      create({ ...quick, spec: { revisionHistoryLimit: 0 } }),
      allReady,
      ...to(2),
      spec("for ever", { revisionHistoryLimit: 2_147_483_647 }),
      ...to(3),
      ...to(4),
    ],
  },
  {
    name: "the limit is lowered while it is paused",
    steps: [create(quick), allReady, ...to(2), ...to(3), ...to(4), pause, spec("1", { revisionHistoryLimit: 1 })],
  },
  {
    name: "an old ReplicaSet that is held by a finalizer is not deleted twice",
    steps: [
      create({ ...quick, spec: { revisionHistoryLimit: 0 } }),
      allReady,
      toReplicaSet("a finalizer", 0, (stage, name) =>
        stage.patch("replicasets", name, { metadata: { finalizers: ["example.com/held"] } }),
      ),
      ...to(2),
      ...to(3),
    ],
  },
  {
    name: "back to an earlier template: its ReplicaSet gets a new revision",
    steps: [create(quick), allReady, ...to(2), ...to(1), ...to(2), ...to(3), ...to(1)],
  },
  {
    name: "the rollback annotation: a revision, the last one, none, the same",
    steps: [
      create({ ...quick, metadata: { annotations: { "kubernetes.io/change-cause": "first" } } }),
      allReady,
      patch("2, for another cause", {
        metadata: { annotations: { "kubernetes.io/change-cause": "second" } },
        spec: { template: { spec: { containers: [{ name: "main", image: "main:2" }] } } },
      }),
      allReady,
      patch("to 1", rollbackTo("1")),
      allReady,
      patch("to the last", rollbackTo("0")),
      allReady,
      patch("to 77", rollbackTo("77")),
      patch("to what is there", rollbackTo("4")),
    ],
  },
  {
    name: "the last revision where there is none",
    steps: [create(quick), allReady, patch("to the last", rollbackTo("0"))],
  },
  {
    name: "a rollback while it is paused waits",
    steps: [
      create(quick),
      allReady,
      ...to(2),
      pause,
      patch("to 1", rollbackTo("1")),
      spec("resume", { paused: false }),
    ],
  },
  {
    name: "revisions are edited by hand",
    steps: [
      create(quick),
      allReady,
      ...to(2),
      toReplicaSet("the new one's is no number", 1, (stage, name) =>
        stage.patch("replicasets", name, revisionIs("second")),
      ),
      patch("an annotation", { metadata: { annotations: { note: "new" } } }),
      replicas(2),
      toReplicaSet("it is gone", 0, (stage, name) => stage.patch("replicasets", name, revisionIs(null))),
      ...to(3),
    ],
  },
  {
    name: "the old one's revision is raised by hand",
    steps: [
      create(quick),
      allReady,
      ...to(2),
      toReplicaSet("41", 0, (stage, name) => stage.patch("replicasets", name, revisionIs("41"))),
      ...to(3),
    ],
  },
  {
    name: "the Deployment's revision is edited by hand",
    steps: [create(quick), allReady, patch("9", revisionIs("9")), patch("none", revisionIs(null))],
  },
  {
    name: "the same template in other words is no other template",
    steps: [
      create({
        ...quick,
        podSpec: {
          containers: [{ name: "main", image: "main:1", resources: { limits: { memory: "1Gi", cpu: "1" } } }],
        },
      }),
      allReady,
      spec("1024Mi, 1000m", {
        template: {
          spec: {
            containers: [{ name: "main", image: "main:1", resources: { limits: { memory: "1024Mi", cpu: "1000m" } } }],
          },
        },
      }),
      spec("in bytes", {
        template: {
          spec: {
            containers: [{ name: "main", image: "main:1", resources: { limits: { memory: "1073741824", cpu: "1" } } }],
          },
        },
      }),
      spec("an empty list", { template: { spec: { tolerations: [] } } }),
    ],
  },
];
