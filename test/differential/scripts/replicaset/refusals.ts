/** Requests that the API server rejects. */
import { activePods, at, removePod, scale } from "../../acts.ts";
import { replicaSet } from "../../objects.ts";
import type { Script } from "../../play.ts";
import type { Stage } from "../../stage.ts";

/** Creates a quota. Its controller does not run, so admission adds to the usage in the status. */
async function quota(stage: Stage, pods: number, used: number): Promise<void> {
  const hard = { pods: String(pods) };
  await stage.create("resourcequotas", { metadata: { name: "small" }, spec: { hard } });
  await stage.patch("resourcequotas", "small/status", { status: { hard, used: { pods: String(used) } } });
}

/** Triggers a sync. */
function touch(stage: Stage, name: string): Promise<unknown> {
  return stage.patch("replicasets", name, { metadata: { annotations: { touched: "yes" } } });
}

export const refusals: readonly Script[] = [
  {
    name: "a quota allows no pods: ReplicaFailure is set, and removed after the quota is deleted",
    steps: [
      { name: "create the quota", act: (stage) => quota(stage, 0, 0) },
      {
        name: "create a ReplicaSet of 4",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 4 })),
      },
      {
        name: "delete the quota",
        async act(stage) {
          await stage.remove("resourcequotas", "small");
          await touch(stage, "web");
        },
        waitMs: 500,
      },
    ],
  },
  {
    name: "a quota allows 1 of 4 pods",
    steps: [
      { name: "create the quota", act: (stage) => quota(stage, 1, 0) },
      {
        name: "create a ReplicaSet of 4",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 4 })),
      },
      { name: "scale to 1, which the quota allows", act: (stage) => scale(stage, "web", 1), waitMs: 500 },
    ],
  },
  {
    name: "a quota stops a slow start in its second batch",
    steps: [
      { name: "create the quota", act: (stage) => quota(stage, 3, 0) },
      {
        name: "create a ReplicaSet of 20",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 20 })),
      },
    ],
  },
  {
    name: "ReplicaFailure keeps its first reason and message until nothing fails",
    steps: [
      { name: "create a quota that is used up", act: (stage) => quota(stage, 2, 2) },
      {
        name: "create a ReplicaSet of 2",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })),
      },
      { name: "scale to 3", act: (stage) => scale(stage, "web", 3) },
      { name: "scale to 0", act: (stage) => scale(stage, "web", 0) },
    ],
  },
  {
    name: "the server rejects invalid pods",
    steps: [
      {
        name: "create a ReplicaSet whose template is valid, but whose pods are not",
        act: (stage) =>
          stage.create("replicasets", replicaSet("web", { replicas: 3, spec: { serviceAccountName: "nobody" } })),
      },
      {
        name: "correct the template",
        act: (stage) =>
          stage.patch("replicasets", "web", {
            spec: { template: { spec: { serviceAccountName: null, serviceAccount: null } } },
          }),
        waitMs: 500,
      },
    ],
  },
  {
    name: "a LimitRange rejects some pods and sets defaults on others",
    steps: [
      {
        name: "create the LimitRange",
        act: (stage) =>
          stage.create("limitranges", {
            metadata: { name: "limits" },
            spec: {
              limits: [
                { type: "Container", max: { cpu: "1" }, default: { cpu: "500m" }, defaultRequest: { cpu: "250m" } },
              ],
            },
          }),
      },
      {
        name: "create a ReplicaSet of 2 without resources",
        act: (stage) => stage.create("replicasets", replicaSet("meek", { replicas: 2 })),
      },
      {
        name: "create a ReplicaSet of 2 above the maximum",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet("greedy", {
              replicas: 2,
              spec: { containers: [{ name: "main", image: "main:1", resources: { limits: { cpu: "2" } } }] },
            }),
          ),
      },
    ],
  },
  {
    name: "a terminating namespace rejects pods, without an Event or a condition",
    withoutOthers: "the namespace controller would delete everything in it",
    steps: [
      {
        name: "create a ReplicaSet of 2",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })),
      },
      {
        name: "delete the namespace",
        act: (stage) => stage.cluster.request("DELETE", `/api/v1/namespaces/${stage.namespace}`),
      },
      { name: "scale to 4", act: (stage) => scale(stage, "web", 4) },
      { name: "delete a pod", act: async (stage) => removePod(stage, at(await activePods(stage, "web"), 0)) },
      { name: "scale to 0", act: (stage) => scale(stage, "web", 0) },
    ],
  },
];
