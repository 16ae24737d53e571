/** Scaling, with and without a rollout. */
import type { Script } from "../../play.ts";
import { allReady, create, image, pause, readyOneByOne, replicas, resume, spec, toReplicaSet } from "./acts.ts";

export const scaling: readonly Script[] = [
  {
    name: "scaled up, down, to 0 and back",
    steps: [create(), allReady, replicas(5), allReady, replicas(2), replicas(0), replicas(3)],
  },
  {
    name: "the scale subresource",
    steps: [
      create(),
      {
        name: "scale to 5",
        order: true,
        act: (stage) => stage.patch("deployments", "web/scale", { spec: { replicas: 5 } }),
      },
    ],
  },
  {
    name: "scaled up during a rollout, proportionally",
    steps: [create({ replicas: 10, strategy: [3, 2] }), allReady, image(2), replicas(15), ...readyOneByOne(2)],
  },
  {
    name: "scaled down during a rollout, proportionally",
    race: "the new ReplicaSet is scaled down with the others and up again: its controller may or may not sync in between",
    steps: [create({ replicas: 10, strategy: [3, 2] }), allReady, image(2), replicas(5), ...readyOneByOne(2)],
  },
  {
    name: "scaled to 0 during a rollout, and back",
    steps: [create({ replicas: 4, strategy: [1, 1] }), allReady, image(2), replicas(0), replicas(4), allReady],
  },
  {
    name: "scaled up during a rollout of three templates",
    race: "the new ReplicaSet is scaled down with the others and up again: its controller may or may not sync in between",
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
    name: "the replicas and the template change in one write",
    race: "the old ReplicaSet is scaled up with the others and down again: its controller may or may not sync in between",
    steps: [
      create({ replicas: 4 }),
      allReady,
      spec("scale to 6 with image 2", {
        replicas: 6,
        template: { spec: { containers: [{ name: "main", image: "main:2" }] } },
      }),
      ...readyOneByOne(3),
    ],
  },
  {
    name: "annotations with sizes are modified by hand",
    steps: [
      create({ replicas: 6, strategy: [2, 1] }),
      allReady,
      image(2),
      toReplicaSet("remove desired-replicas", 0, (stage, name) =>
        stage.patch("replicasets", name, {
          metadata: { annotations: { "deployment.kubernetes.io/desired-replicas": null } },
        }),
      ),
      toReplicaSet("set max-replicas to something that is not a number", 1, (stage, name) =>
        stage.patch("replicasets", name, {
          metadata: { annotations: { "deployment.kubernetes.io/max-replicas": "many" } },
        }),
      ),
      replicas(9),
      toReplicaSet("change desired-replicas", 1, (stage, name) =>
        stage.patch("replicasets", name, {
          metadata: { annotations: { "deployment.kubernetes.io/desired-replicas": "1" } },
        }),
      ),
    ],
  },
  {
    // kubernetes/kubernetes#138036: a race between a rollout and a user leaves such an annotation.
    name: "an annotation with another size than the Deployment's prevents a rollout until it is scaled",
    steps: [
      create({ replicas: 4, strategy: [1, 1] }),
      allReady,
      toReplicaSet("set desired-replicas to 5", 0, (stage, name) =>
        stage.patch("replicasets", name, {
          metadata: { annotations: { "deployment.kubernetes.io/desired-replicas": "5" } },
        }),
      ),
      image(2),
      replicas(3),
      ...readyOneByOne(2),
    ],
  },
  {
    name: "paused during a rollout, scaled up, resumed",
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
    name: "paused during a rollout, scaled down, resumed",
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
