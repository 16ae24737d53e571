/** The RollingUpdate strategy. */
import { removePod, setPodState } from "../../acts.ts";
import type { Script } from "../../play.ts";
import { allReady, create, image, podsThat, readyOneByOne, spec } from "./acts.ts";

export const rolling: readonly Script[] = [
  {
    name: "3 pods, another template, with the default bounds",
    steps: [create(), allReady, image(2), ...readyOneByOne(4)],
  },
  {
    name: "1 pod, another template",
    steps: [create({ replicas: 1 }), allReady, image(2), ...readyOneByOne(2)],
  },
  {
    name: "none, another template",
    steps: [create({ replicas: 0 }), image(2), image(3)],
  },
  {
    name: "maxSurge 0, maxUnavailable 1",
    steps: [create({ strategy: [0, 1] }), allReady, image(2), ...readyOneByOne(3)],
  },
  {
    name: "maxSurge 0 and 1% of 2 pods: one may be unavailable all the same",
    steps: [create({ replicas: 2, strategy: [0, "1%"] }), allReady, image(2), ...readyOneByOne(2)],
  },
  {
    name: "maxSurge 1% of 2 pods is 1",
    steps: [create({ replicas: 2, strategy: ["1%", 0] }), allReady, image(2), ...readyOneByOne(2)],
  },
  {
    name: "maxSurge 100%: all new pods at once",
    steps: [create({ strategy: ["100%", 0] }), allReady, image(2), ...readyOneByOne(3)],
  },
  {
    name: "maxUnavailable 100%: all old pods at once",
    steps: [create({ strategy: [0, "100%"] }), allReady, image(2), allReady],
  },
  {
    name: "10 pods by thirds: rounding",
    steps: [create({ replicas: 10, strategy: ["33%", "33%"] }), allReady, image(2), ...readyOneByOne(6)],
  },
  {
    name: "7 pods, maxSurge 2, maxUnavailable 3",
    steps: [create({ replicas: 7, strategy: [2, 3] }), allReady, image(2), ...readyOneByOne(5)],
  },
  {
    name: "a third template before the second is done",
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
    name: "back to the first template amid the rollout to the second",
    steps: [create({ replicas: 4, strategy: [2, 1] }), allReady, image(2), image(1), ...readyOneByOne(3)],
  },
  {
    name: "old pods that are not ready go first",
    steps: [
      create({ replicas: 4, strategy: [1, 1] }),
      allReady,
      {
        name: "2 lose readiness",
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
    name: "new pods that never work, and the way back",
    steps: [create({ strategy: [1, 0] }), allReady, image(2), image(3), image(1), ...readyOneByOne(1)],
  },
  {
    name: "a pod dies amid the rollout",
    steps: [
      create({ strategy: [1, 1] }),
      allReady,
      image(2),
      {
        name: "an old pod goes",
        async act(stage) {
          const [pod] = await podsThat(stage, "ready");
          if (pod !== undefined) await removePod(stage, pod);
        },
      },
      ...readyOneByOne(4),
    ],
  },
  {
    name: "other bounds amid the rollout",
    steps: [
      create({ replicas: 4, strategy: [1, 0] }),
      allReady,
      image(2),
      spec("maxSurge 3", { strategy: { rollingUpdate: { maxSurge: 3 } } }),
      spec("maxUnavailable 2", { strategy: { rollingUpdate: { maxUnavailable: 2 } } }),
      ...readyOneByOne(4),
    ],
  },
  {
    name: "minReadySeconds hold the rollout up",
    steps: [
      create({ replicas: 2, strategy: [1, 0], spec: { minReadySeconds: 43_200, progressDeadlineSeconds: 90_000 } }),
      allReady,
      spec("the first pods count", { minReadySeconds: 1 }, { waitMs: 1500 }),
      image(2),
      ...readyOneByOne(1),
      spec("half a day again", { minReadySeconds: 43_200 }),
      ...readyOneByOne(1),
    ],
  },
];
