/** Scaling, with and without a rollout. */
import type { Script } from "../../play.ts";
import { allReady, create, image, pause, readyOneByOne, replicas, resume, spec, toReplicaSet } from "./acts.ts";

export const scaling: readonly Script[] = [
  {
    name: "up, down, to none and back",
    steps: [create(), allReady, replicas(5), allReady, replicas(2), replicas(0), replicas(3)],
  },
  {
    name: "the scale subresource",
    steps: [
      create(),
      {
        name: "5",
        order: true,
        act: (stage) => stage.patch("deployments", "web/scale", { spec: { replicas: 5 } }),
      },
    ],
  },
  {
    name: "up amid a rollout: in proportion",
    steps: [create({ replicas: 10, strategy: [3, 2] }), allReady, image(2), replicas(15), ...readyOneByOne(2)],
  },
  {
    name: "down amid a rollout: in proportion",
    race: "the new ReplicaSet is scaled down with the rest and up again for the old ones: whether its controller comes in between",
    steps: [create({ replicas: 10, strategy: [3, 2] }), allReady, image(2), replicas(5), ...readyOneByOne(2)],
  },
  {
    name: "to none amid a rollout, and back",
    steps: [create({ replicas: 4, strategy: [1, 1] }), allReady, image(2), replicas(0), replicas(4), allReady],
  },
  {
    name: "up amid a rollout of three templates",
    race: "the new ReplicaSet is scaled down with the rest and up again for the old ones: whether its controller comes in between",
    steps: [
      create({ replicas: 8, strategy: [4, 2] }),
      allReady,
      image(2),
      ...readyOneByOne(2),
      image(3),
      replicas(12),
      replicas(5),
    ],
  },
  {
    name: "scaled and another template in one write",
    race: "the old ReplicaSet is scaled up with the rest and down for the new one: whether its controller comes in between",
    steps: [
      create({ replicas: 4 }),
      allReady,
      spec("6 of image 2", { replicas: 6, template: { spec: { containers: [{ name: "main", image: "main:2" }] } } }),
      ...readyOneByOne(3),
    ],
  },
  {
    name: "annotations of sizes are tampered with",
    steps: [
      create({ replicas: 6, strategy: [2, 1] }),
      allReady,
      image(2),
      toReplicaSet("desired-replicas is gone", 0, (stage, name) =>
        stage.patch("replicasets", name, {
          metadata: { annotations: { "deployment.kubernetes.io/desired-replicas": null } },
        }),
      ),
      toReplicaSet("max-replicas is no number", 1, (stage, name) =>
        stage.patch("replicasets", name, {
          metadata: { annotations: { "deployment.kubernetes.io/max-replicas": "many" } },
        }),
      ),
      replicas(9),
      toReplicaSet("desired-replicas is another", 1, (stage, name) =>
        stage.patch("replicasets", name, {
          metadata: { annotations: { "deployment.kubernetes.io/desired-replicas": "1" } },
        }),
      ),
    ],
  },
  {
    name: "paused amid a rollout, scaled up, resumed",
    steps: [
      create({ replicas: 6, strategy: [2, 1] }),
      allReady,
      image(2),
      pause,
      replicas(10),
      resume,
      ...readyOneByOne(1),
    ],
  },
  {
    name: "paused amid a rollout, scaled down, resumed",
    steps: [
      create({ replicas: 6, strategy: [2, 1] }),
      allReady,
      image(2),
      pause,
      replicas(4),
      resume,
      ...readyOneByOne(1),
    ],
  },
];
