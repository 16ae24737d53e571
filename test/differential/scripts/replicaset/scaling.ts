/** Scaling. */
import { activePods, at, removePod, scale, setPodState } from "../../acts.ts";
import { replicaSet } from "../../objects.ts";
import type { Script } from "../../play.ts";

export const scaling: readonly Script[] = [
  {
    name: "a ReplicaSet is scaled to 0, 3, 5, 2 and 0",
    steps: [
      {
        name: "create a ReplicaSet of 0",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 0 })),
      },
      { name: "scale to 3", act: (stage) => scale(stage, "web", 3), order: true },
      { name: "scale to 5", act: (stage) => scale(stage, "web", 5), order: true },
      { name: "scale to 2", act: (stage) => scale(stage, "web", 2), order: true },
      { name: "scale to 0", act: (stage) => scale(stage, "web", 0), order: true },
    ],
  },
  {
    name: "more than one burst: 0 → 600 → 50",
    alone: true,
    steps: [
      {
        name: "create a ReplicaSet of 600",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 600 })),
        order: true,
      },
      { name: "scale to 50", act: (stage) => scale(stage, "web", 50), order: true },
    ],
  },
  {
    name: "deleted pods are replaced",
    steps: [
      {
        name: "create a ReplicaSet of 3",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 3 })),
      },
      {
        name: "delete one",
        act: async (stage) => removePod(stage, at(await activePods(stage, "web"), 0)),
      },
      {
        name: "remove all",
        act: async (stage) => {
          for (const pod of await activePods(stage, "web")) await removePod(stage, pod, "at once");
        },
      },
    ],
  },
  {
    name: "the scale subresource",
    steps: [
      { name: "create a ReplicaSet of 1", act: (stage) => stage.create("replicasets", replicaSet("web")) },
      { name: "scale to 4", act: (stage) => stage.patch("replicasets", "web/scale", { spec: { replicas: 4 } }) },
      { name: "scale to 1", act: (stage) => stage.patch("replicasets", "web/scale", { spec: { replicas: 1 } }) },
    ],
  },
  {
    name: "finished pods are inactive: they are replaced, but not deleted",
    steps: [
      {
        name: "create a ReplicaSet of 3",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 3 })),
      },
      {
        name: "one fails",
        act: async (stage) => setPodState(stage, at(await activePods(stage, "web"), 0), { phase: "Failed" }),
      },
      {
        name: "one succeeds",
        act: async (stage) => setPodState(stage, at(await activePods(stage, "web"), 0), { phase: "Succeeded" }),
      },
      { name: "scale to 0", act: (stage) => scale(stage, "web", 0) },
    ],
  },
];
