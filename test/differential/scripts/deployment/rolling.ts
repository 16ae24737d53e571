/** The RollingUpdate strategy. */
import { removePod, setPodState } from "../../acts.ts";
import type { Script } from "../../play.ts";
import { allReady, create, image, podsThat, readyOneByOne, spec } from "./acts.ts";

export const rolling: readonly Script[] = [
  {
    name: "3 pods, the template changes, with the default strategy",
    steps: [create(), allReady, image(2), ...readyOneByOne(4)],
  },
  {
    name: "1 pod, the template changes",
    steps: [create({ replicas: 1 }), allReady, image(2), ...readyOneByOne(2)],
  },
  {
    name: "0 pods, the template changes",
    steps: [create({ replicas: 0 }), image(2), image(3)],
  },
  {
    name: "maxSurge 0, maxUnavailable 1",
    steps: [create({ strategy: [0, 1] }), allReady, image(2), ...readyOneByOne(3)],
  },
  {
    name: "maxSurge 0 and maxUnavailable 1% of 2 pods: one may still be unavailable",
    steps: [create({ replicas: 2, strategy: [0, "1%"] }), allReady, image(2), ...readyOneByOne(2)],
  },
  {
    name: "maxSurge 1% of 2 pods is 1",
    steps: [create({ replicas: 2, strategy: ["1%", 0] }), allReady, image(2), ...readyOneByOne(2)],
  },
  {
    name: "maxSurge 100%: all new pods are created together",
    steps: [create({ strategy: ["100%", 0] }), allReady, image(2), ...readyOneByOne(3)],
  },
  {
    name: "maxUnavailable 100%: all old pods are deleted together",
    steps: [create({ strategy: [0, "100%"] }), allReady, image(2), allReady],
  },
  {
    name: "10 pods with 33% and 33%: rounding",
    steps: [create({ replicas: 10, strategy: ["33%", "33%"] }), allReady, image(2), ...readyOneByOne(6)],
  },
  {
    name: "7 pods, maxSurge 2, maxUnavailable 3",
    steps: [create({ replicas: 7, strategy: [2, 3] }), allReady, image(2), ...readyOneByOne(5)],
  },
  {
    name: "a third template before the rollout of the second is complete",
    steps: [create(), allReady, image(2), image(3), ...readyOneByOne(4)],
  },
  {
    name: "a third template when the second has one pod ready",
    steps: [
      create({ replicas: 4, strategy: [1, 1] }),
      allReady,
      image(2),
      ...readyOneByOne(1),
      image(3),
      ...readyOneByOne(4),
    ],
  },
  {
    name: "back to the first template during the rollout of the second",
    steps: [create({ replicas: 4, strategy: [2, 1] }), allReady, image(2), image(1), ...readyOneByOne(3)],
  },
  {
    name: "old pods that are not ready are deleted first",
    steps: [
      create({ replicas: 4, strategy: [1, 1] }),
      allReady,
      {
        name: "2 pods become unready",
        async act(stage) {
          for (const pod of (await podsThat(stage, "ready")).slice(0, 2)) {
            await setPodState(stage, pod, { ready: false });
          }
        },
      },
      image(2),
      ...readyOneByOne(4),
    ],
  },
  {
    name: "new pods never become ready, and the Deployment is rolled back",
    steps: [create({ strategy: [1, 0] }), allReady, image(2), image(3), image(1), ...readyOneByOne(1)],
  },
  {
    name: "a pod is deleted during the rollout",
    steps: [
      create({ strategy: [1, 1] }),
      allReady,
      image(2),
      {
        name: "delete an old pod",
        async act(stage) {
          const [pod] = await podsThat(stage, "ready");
          if (pod !== undefined) await removePod(stage, pod);
        },
      },
      ...readyOneByOne(4),
    ],
  },
  {
    name: "maxSurge and maxUnavailable change during the rollout",
    steps: [
      create({ replicas: 4, strategy: [1, 0] }),
      allReady,
      image(2),
      spec("set maxSurge 3", { strategy: { rollingUpdate: { maxSurge: 3 } } }),
      spec("set maxUnavailable 2", { strategy: { rollingUpdate: { maxUnavailable: 2 } } }),
      ...readyOneByOne(4),
    ],
  },
  {
    name: "minReadySeconds delays the rollout",
    steps: [
      create({ replicas: 2, strategy: [1, 0], spec: { minReadySeconds: 43_200, progressDeadlineSeconds: 90_000 } }),
      allReady,
      spec("set minReadySeconds 1: the first pods become available", { minReadySeconds: 1 }, { waitMs: 1500 }),
      image(2),
      ...readyOneByOne(1),
      spec("set minReadySeconds to half a day again", { minReadySeconds: 43_200 }),
      ...readyOneByOne(1),
    ],
  },
];
