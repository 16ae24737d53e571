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
    name: "a quota allows none: ReplicaFailure comes, and goes with the quota",
    steps: [
      { name: "the quota", act: (stage) => quota(stage, 0, 0) },
      { name: "4", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 4 })) },
      {
        name: "the quota goes",
        async act(stage) {
          await stage.remove("resourcequotas", "small");
          await touch(stage, "web");
        },
        waitMs: 500,
      },
    ],
  },
  {
    name: "a quota allows one of 4",
    steps: [
      { name: "the quota", act: (stage) => quota(stage, 1, 0) },
      { name: "4", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 4 })) },
      { name: "down to what there is", act: (stage) => scale(stage, "web", 1), waitMs: 500 },
    ],
  },
  {
    name: "a quota stops a slow start in its second batch",
    steps: [
      { name: "the quota", act: (stage) => quota(stage, 3, 0) },
      { name: "20", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 20 })) },
    ],
  },
  {
    name: "a ReplicaFailure stays as it first was until nothing fails",
    steps: [
      { name: "the quota", act: (stage) => quota(stage, 2, 2) },
      { name: "2", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })) },
      { name: "3", act: (stage) => scale(stage, "web", 3) },
      { name: "none", act: (stage) => scale(stage, "web", 0) },
    ],
  },
  {
    name: "pods that are not valid are refused",
    steps: [
      {
        name: "a template that a ReplicaSet may have and a pod may not",
        act: (stage) =>
          stage.create("replicasets", replicaSet("web", { replicas: 3, spec: { serviceAccountName: "nobody" } })),
      },
      {
        name: "the template is mended",
        act: (stage) =>
          stage.patch("replicasets", "web", {
            spec: { template: { spec: { serviceAccountName: null, serviceAccount: null } } },
          }),
        waitMs: 500,
      },
    ],
  },
  {
    name: "a LimitRange refuses pods, and gives others what they lack",
    steps: [
      {
        name: "the LimitRange",
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
      { name: "2 that say nothing", act: (stage) => stage.create("replicasets", replicaSet("meek", { replicas: 2 })) },
      {
        name: "2 that ask for too much",
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
    name: "a namespace that is being deleted takes no pods, and nobody complains",
    steps: [
      { name: "2", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })) },
      {
        name: "the namespace goes",
        act: (stage) => stage.cluster.request("DELETE", `/api/v1/namespaces/${stage.namespace}`),
      },
      { name: "4", act: (stage) => scale(stage, "web", 4) },
      { name: "a pod goes", act: async (stage) => removePod(stage, at(await activePods(stage, "web"), 0)) },
      { name: "none", act: (stage) => scale(stage, "web", 0) },
    ],
  },
];
