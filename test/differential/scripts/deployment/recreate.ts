/** The Recreate strategy. */
import { bind, removePod, setPodState } from "../../acts.ts";
import type { Script, Step } from "../../play.ts";
import { allReady, create, image, pause, podsThat, readyOneByOne, replicas, resume, spec, strategyOf } from "./acts.ts";

/** Bound pods terminate only when their kubelet says so: here in a later step. */
const placed: Step = {
  name: "bind all pods; they become ready",
  async act(stage) {
    for (const pod of await podsThat(stage, "not ready")) {
      await bind(stage, pod, "node-1");
      await setPodState(stage, pod, { ready: true });
    }
  },
};

const terminatingEnd: Step = {
  name: "remove the terminating pods",
  async act(stage) {
    for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined)) {
      await removePod(stage, pod, "at once");
    }
  },
};

const strategy = "Recreate";

export const recreate: readonly Script[] = [
  {
    name: "Recreate: the template changes",
    steps: [create({ strategy }), allReady, image(2), allReady],
  },
  {
    name: "Recreate: the new ReplicaSet waits until the old pods are removed",
    steps: [create({ strategy }), placed, image(2), terminatingEnd, placed],
  },
  {
    name: "Recreate: a third template while the second waits for old pods",
    steps: [create({ strategy }), placed, image(2), image(3), terminatingEnd, placed],
  },
  {
    name: "Recreate: back to the first template while its pods still terminate",
    steps: [create({ strategy }), placed, image(2), image(1), terminatingEnd, placed],
  },
  {
    name: "Recreate: the new ReplicaSet does not wait for finished pods",
    steps: [
      create({ strategy, replicas: 2 }),
      placed,
      {
        name: "one fails, one succeeds",
        async act(stage) {
          const [one, other] = await podsThat(stage, "ready");
          if (one !== undefined) await setPodState(stage, one, { phase: "Failed" });
          if (other !== undefined) await setPodState(stage, other, { phase: "Succeeded" });
        },
      },
      image(2),
      terminatingEnd,
      placed,
    ],
  },
  {
    name: "Recreate: scaled and paused, the template changes",
    steps: [create({ strategy }), allReady, replicas(5), pause, image(2), replicas(2), resume, allReady],
  },
  {
    name: "the strategy changes from RollingUpdate to Recreate during a rollout, and back",
    steps: [
      create({ strategy: [1, 0] }),
      allReady,
      image(2),
      spec("set the strategy Recreate", { strategy: strategyOf("Recreate") }),
      allReady,
      spec("set the strategy RollingUpdate", { strategy: strategyOf([1, 0]) }),
      image(3),
      ...readyOneByOne(3),
    ],
  },
  {
    name: "Recreate with 0 replicas",
    steps: [create({ strategy, replicas: 0 }), image(2), replicas(1)],
  },
];
