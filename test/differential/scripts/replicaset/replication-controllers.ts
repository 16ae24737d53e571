/** ReplicationControllers, where they could differ from ReplicaSets. */
import { activePods, at, bind, removePod, scale, setPodState } from "../../acts.ts";
import { podNamed, replicaSet, replicationController } from "../../objects.ts";
import type { Script } from "../../play.ts";

export const replicationControllers: readonly Script[] = [
  {
    name: "a ReplicationController is scaled to 3, 5, 1 and 0",
    steps: [
      {
        name: "create a ReplicationController of 3",
        act: (stage) => stage.create("replicationcontrollers", replicationController("web", { replicas: 3 })),
        order: true,
      },
      { name: "scale to 5", act: (stage) => scale(stage, "web", 5, "replicationcontrollers"), order: true },
      { name: "scale to 1", act: (stage) => scale(stage, "web", 1, "replicationcontrollers"), order: true },
      {
        name: "scale to 0 by the scale subresource",
        act: (stage) => stage.patch("replicationcontrollers", "web/scale", { spec: { replicas: 0 } }),
        order: true,
      },
    ],
  },
  {
    name: "a ReplicationController adopts, releases and replaces pods",
    steps: [
      {
        name: "create an orphan",
        act: (stage) => stage.create("pods", podNamed("orphan", { app: "web" })),
      },
      {
        name: "create a ReplicationController of 2",
        order: true,
        act: (stage) => stage.create("replicationcontrollers", replicationController("web", { replicas: 2 })),
      },
      {
        name: "relabel the orphan",
        act: (stage) => stage.patch("pods", "orphan", { metadata: { labels: { app: "aside" } } }),
      },
      {
        name: "a pod fails",
        act: async (stage) => setPodState(stage, at(await activePods(stage, "web"), 0), { phase: "Failed" }),
      },
      {
        name: "delete a bound pod",
        async act(stage) {
          const pod = at(await activePods(stage, "web"), 0);
          await bind(stage, pod, "one");
          await removePod(stage, pod);
        },
      },
      {
        name: "a pod becomes ready",
        async act(stage) {
          const pod = at(await activePods(stage, "web"), 0);
          await bind(stage, pod, "one");
          await setPodState(stage, pod, { ready: true });
        },
      },
    ],
  },
  {
    name: "the selector of a ReplicationController can change, and it gets other pods",
    steps: [
      {
        name: "create a ReplicationController of 2",
        act: (stage) => stage.create("replicationcontrollers", replicationController("web", { replicas: 2 })),
      },
      {
        name: "change the selector and the template",
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
    name: "a quota rejects the pods of a ReplicationController",
    steps: [
      {
        name: "create a quota that allows no pods",
        async act(stage) {
          const hard = { pods: "0" };
          await stage.create("resourcequotas", { metadata: { name: "small" }, spec: { hard } });
          await stage.patch("resourcequotas", "small/status", { status: { hard, used: { pods: "0" } } });
        },
      },
      {
        name: "create a ReplicationController of 2",
        act: (stage) => stage.create("replicationcontrollers", replicationController("web", { replicas: 2 })),
      },
      {
        name: "delete the quota",
        async act(stage) {
          await stage.remove("resourcequotas", "small");
          await stage.patch("replicationcontrollers", "web", { metadata: { annotations: { touched: "yes" } } });
        },
        waitMs: 500,
      },
    ],
  },
  {
    name: "a ReplicationController and a ReplicaSet with the same name and selector",
    steps: [
      {
        name: "create one of 2 each",
        async act(stage) {
          await stage.create("replicationcontrollers", replicationController("web", { replicas: 2 }));
          await stage.create("replicasets", replicaSet("web", { replicas: 2 }));
        },
      },
      {
        name: "scale the ReplicationController to 0",
        act: (stage) => scale(stage, "web", 0, "replicationcontrollers"),
      },
      {
        name: "recreate the ReplicationController with 1 replica",
        act: async (stage) => {
          await stage.remove("replicationcontrollers", "web", { propagationPolicy: "Orphan" });
          await stage.patch("replicationcontrollers", "web", { metadata: { finalizers: null } });
          await stage.create("replicationcontrollers", replicationController("web", { replicas: 1 }));
        },
      },
    ],
  },
];
