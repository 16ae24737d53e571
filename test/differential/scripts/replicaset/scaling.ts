/** Scaling. */
import { activePods, at, removePod, scale, setPodState } from "../../acts.ts";
import { replicaSet } from "../../objects.ts";
import type { Script } from "../../play.ts";

export const scaling: readonly Script[] = [
  {
    name: "a ReplicaSet of none, of 3, of 5, of 2, of none",
    steps: [
      { name: "none", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 0 })) },
      { name: "3", act: (stage) => scale(stage, "web", 3), order: true },
      { name: "5", act: (stage) => scale(stage, "web", 5), order: true },
      { name: "2", act: (stage) => scale(stage, "web", 2), order: true },
      { name: "none again", act: (stage) => scale(stage, "web", 0), order: true },
    ],
  },
  {
    name: "more than one burst: 0 → 600 → 50",
    alone: true,
    steps: [
      { name: "600", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 600 })), order: true },
      { name: "50", act: (stage) => scale(stage, "web", 50), order: true },
    ],
  },
  {
    name: "deleted pods are replaced",
    steps: [
      { name: "3", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 3 })) },
      {
        name: "one goes",
        act: async (stage) => removePod(stage, at(await activePods(stage, "web"), 0)),
      },
      {
        name: "all go",
        act: async (stage) => {
          for (const pod of await activePods(stage, "web")) await removePod(stage, pod, "at once");
        },
      },
    ],
  },
  {
    name: "the scale subresource",
    steps: [
      { name: "1", act: (stage) => stage.create("replicasets", replicaSet("web")) },
      { name: "4", act: (stage) => stage.patch("replicasets", "web/scale", { spec: { replicas: 4 } }) },
      { name: "1 again", act: (stage) => stage.patch("replicasets", "web/scale", { spec: { replicas: 1 } }) },
    ],
  },
  {
    name: "ended pods are inactive, and are replaced but not deleted",
    steps: [
      { name: "3", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 3 })) },
      {
        name: "one fails",
        act: async (stage) => setPodState(stage, at(await activePods(stage, "web"), 0), { phase: "Failed" }),
      },
      {
        name: "one succeeds",
        act: async (stage) => setPodState(stage, at(await activePods(stage, "web"), 0), { phase: "Succeeded" }),
      },
      { name: "down to none", act: (stage) => scale(stage, "web", 0) },
    ],
  },
];
