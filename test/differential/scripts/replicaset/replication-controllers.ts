/** ReplicationControllers, where they could differ from ReplicaSets. */
import { activePods, at, bind, removePod, scale, setPodState } from "../../acts.ts";
import { podNamed, replicaSet, replicationController } from "../../objects.ts";
import type { Script } from "../../play.ts";

export const replicationControllers: readonly Script[] = [
  {
    name: "a ReplicationController of 3, of 5, of 1, of none",
    steps: [
      {
        name: "3",
        act: (stage) => stage.create("replicationcontrollers", replicationController("web", { replicas: 3 })),
        order: true,
      },
      { name: "5", act: (stage) => scale(stage, "web", 5, "replicationcontrollers"), order: true },
      { name: "1", act: (stage) => scale(stage, "web", 1, "replicationcontrollers"), order: true },
      {
        name: "none",
        act: (stage) => stage.patch("replicationcontrollers", "web/scale", { spec: { replicas: 0 } }),
        order: true,
      },
    ],
  },
  {
    name: "a ReplicationController adopts, releases, replaces",
    steps: [
      {
        name: "an orphan",
        act: (stage) => stage.create("pods", podNamed("orphan", { app: "web" })),
      },
      {
        name: "2",
        order: true,
        act: (stage) => stage.create("replicationcontrollers", replicationController("web", { replicas: 2 })),
      },
      {
        name: "the orphan is relabelled",
        act: (stage) => stage.patch("pods", "orphan", { metadata: { labels: { app: "aside" } } }),
      },
      {
        name: "a pod fails",
        act: async (stage) => setPodState(stage, at(await activePods(stage, "web"), 0), { phase: "Failed" }),
      },
      {
        name: "a pod that runs is deleted",
        async act(stage) {
          const pod = at(await activePods(stage, "web"), 0);
          await bind(stage, pod, "one");
          await removePod(stage, pod);
        },
      },
      {
        name: "a pod is ready",
        async act(stage) {
          const pod = at(await activePods(stage, "web"), 0);
          await bind(stage, pod, "one");
          await setPodState(stage, pod, { ready: true });
        },
      },
    ],
  },
  {
    name: "the selector of a ReplicationController may change, and its pods with it",
    steps: [
      {
        name: "2",
        act: (stage) => stage.create("replicationcontrollers", replicationController("web", { replicas: 2 })),
      },
      {
        name: "another selector and template",
        order: true,
        act: (stage) =>
          stage.patch("replicationcontrollers", "web", {
            spec: {
              selector: { app: "web", track: "new" },
              template: { metadata: { labels: { app: "web", track: "new" } } },
            },
          }),
      },
    ],
  },
  {
    name: "a ReplicationController refused by a quota",
    steps: [
      {
        name: "no pods allowed",
        async act(stage) {
          const hard = { pods: "0" };
          await stage.create("resourcequotas", { metadata: { name: "small" }, spec: { hard } });
          await stage.patch("resourcequotas", "small/status", { status: { hard, used: { pods: "0" } } });
        },
      },
      {
        name: "2 desired",
        act: (stage) => stage.create("replicationcontrollers", replicationController("web", { replicas: 2 })),
      },
      {
        name: "the quota goes",
        async act(stage) {
          await stage.remove("resourcequotas", "small");
          await stage.patch("replicationcontrollers", "web", { metadata: { annotations: { touched: "yes" } } });
        },
        waitMs: 500,
      },
    ],
  },
  {
    name: "a ReplicationController and a ReplicaSet of one name and selector",
    steps: [
      {
        name: "2 and 2",
        async act(stage) {
          await stage.create("replicationcontrollers", replicationController("web", { replicas: 2 }));
          await stage.create("replicasets", replicaSet("web", { replicas: 2 }));
        },
      },
      {
        name: "the ReplicationController down to none",
        act: (stage) => scale(stage, "web", 0, "replicationcontrollers"),
      },
      {
        name: "it is deleted, and its like of 1 comes",
        act: async (stage) => {
          await stage.remove("replicationcontrollers", "web", { propagationPolicy: "Orphan" });
          await stage.patch("replicationcontrollers", "web", { metadata: { finalizers: null } });
          await stage.create("replicationcontrollers", replicationController("web", { replicas: 1 }));
        },
      },
    ],
  },
];
