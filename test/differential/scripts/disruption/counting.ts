/** How many pods a budget expects, and how many of them must be healthy. */
import { at } from "../../acts.ts";
import type { Script, Step } from "../../suite.ts";
import type { Stage } from "../../stage.ts";
import {
  budget,
  changeBudget,
  controlledBy,
  define,
  labels,
  oldWorkload,
  report,
  runPod,
  widgets,
  workload,
} from "./acts.ts";

function budgetStep(spec: object): Step {
  return { name: "create the budget", act: (stage) => stage.create("poddisruptionbudgets", budget(spec)) };
}

/** Creates pods `a`, `b`, … of a ReplicaSet `web`. */
function ofReplicaSet(names: string, replicas: number): Step {
  return {
    name: `create ${names.length} pods of a ReplicaSet of ${replicas}`,
    async act(stage) {
      await stage.create("replicasets", workload("web", replicas));
      for (const name of names) await runPod(stage, name, { of: ["replicasets", "web"] });
    },
  };
}

const naked: Step = {
  name: "create two pods without a controller",
  async act(stage) {
    await runPod(stage, "a");
    await runPod(stage, "b", { ready: false });
  },
};

/** Creates two ReplicaSets of a Deployment, with one pod each. */
async function rollout(stage: Stage): Promise<void> {
  await stage.create("deployments", workload("web", 7));
  const ownerReferences = [await controlledBy(stage, "deployments", "web")];
  for (const name of ["web-1", "web-2"]) {
    const set = workload(name, 1) as { readonly metadata: object };
    await stage.create("replicasets", { ...set, metadata: { ...set.metadata, ownerReferences } });
    await runPod(stage, `of-${name}`, { of: ["replicasets", name] });
  }
}

/** kube-controller-manager rediscovers the server's kinds every 30 s, our controller when one is missing. */
const knownAfterMs = 31_000;

export const counting: readonly Script[] = [
  {
    name: "minAvailable as a number counts the existing pods",
    steps: [
      budgetStep({ minAvailable: 1 }),
      naked,
      { name: "the other pod becomes ready", act: (stage) => report(stage, "b", { ready: true }) },
      { name: "one becomes unready", act: (stage) => report(stage, "a", { ready: false }) },
      { name: "delete one", act: (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 }) },
      { name: "create another", act: (stage) => runPod(stage, "c") },
    ],
  },
  {
    name: "minAvailable as a percentage refers to the replicas, rounded up",
    steps: [
      ofReplicaSet("abc", 7),
      budgetStep({ minAvailable: "30%" }),
      { name: "scale to 11", act: (stage) => scaleAndTouch(stage, "replicasets", 11) },
      { name: "set 50 %", act: (stage) => changeBudget(stage, { minAvailable: "50%" }) },
      { name: "scale to 0", act: (stage) => scaleAndTouch(stage, "replicasets", 0) },
    ],
  },
  {
    name: "a scale alone wakes no budget, the next event of a pod does",
    steps: [
      {
        name: "create a StatefulSet of 3 with two pods",
        async act(stage) {
          await stage.create("statefulsets", workload("db", 3, { serviceName: "db" }));
          for (const name of ["a", "b"]) await runPod(stage, name, { of: ["statefulsets", "db"] });
        },
      },
      budgetStep({ maxUnavailable: 1 }),
      {
        name: "scale to 5",
        act: (stage) => stage.patch("statefulsets", "db", { spec: { replicas: 5 } }),
        waitMs: 3000,
      },
      { name: "a pod becomes unready", act: (stage) => report(stage, "a", { ready: false }) },
    ],
  },
  {
    name: "maxUnavailable as a number and as a percentage",
    steps: [
      ofReplicaSet("abcd", 4),
      budgetStep({ maxUnavailable: 1 }),
      { name: "set more than exist", act: (stage) => changeBudget(stage, { maxUnavailable: 9 }) },
      { name: "set a percentage", act: (stage) => changeBudget(stage, { maxUnavailable: "26%" }) },
      { name: "set 0", act: (stage) => changeBudget(stage, { maxUnavailable: 0 }) },
      {
        name: "set minAvailable instead",
        act: (stage) => changeBudget(stage, { maxUnavailable: null, minAvailable: 2 }),
      },
    ],
  },
  {
    name: "pods without a controller cause a warning if the budget needs a scale",
    steps: [
      naked,
      budgetStep({ maxUnavailable: 1 }),
      {
        name: "create pods with a controller",
        async act(stage) {
          await stage.create("replicasets", workload("web", 3));
          for (const name of ["c", "d", "e"]) await runPod(stage, name, { of: ["replicasets", "web"] });
        },
      },
    ],
  },
  {
    name: "pods of the ReplicaSets of a Deployment count for the Deployment",
    steps: [
      { name: "create a Deployment with two ReplicaSets", act: rollout },
      budgetStep({ maxUnavailable: "20%" }),
      { name: "scale the Deployment", act: (stage) => scaleAndTouch(stage, "deployments", 3) },
      {
        name: "delete the Deployment and keep its ReplicaSets",
        async act(stage) {
          await stage.remove("deployments", "web", { propagationPolicy: "Background" });
          await touch(stage);
        },
      },
    ],
  },
  {
    name: "the scales of several controllers are added",
    steps: [
      {
        name: "create a StatefulSet, a ReplicationController and a ReplicaSet",
        async act(stage) {
          await stage.create("statefulsets", workload("db", 3, { serviceName: "db" }));
          await stage.create("replicationcontrollers", oldWorkload("old", 2));
          await stage.create("replicasets", workload("web", 5));
          await runPod(stage, "a", { of: ["statefulsets", "db"] });
          await runPod(stage, "b", { of: ["replicationcontrollers", "old"] });
          for (const name of ["c", "d"]) await runPod(stage, name, { of: ["replicasets", "web"] });
        },
      },
      budgetStep({ maxUnavailable: 7 }),
      {
        name: "delete the only pod of the StatefulSet",
        act: (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 }),
      },
    ],
  },
  {
    name: "a custom resource with the scale subresource",
    steps: [
      {
        name: "define a kind and create an object and its pods",
        async act(stage) {
          await define(stage, true);
          const { group, version, kind } = widgets(stage);
          const object = { apiVersion: `${group}/${version}`, kind, metadata: { name: "w" }, spec: { replicas: 3 } };
          await stage.create(widgets(stage), object);
          for (const name of ["a", "b", "c"]) await runPod(stage, name, { of: [widgets(stage), "w"] });
        },
        waitMs: knownAfterMs,
      },
      budgetStep({ maxUnavailable: 1 }),
      {
        name: "scale the object",
        async act(stage) {
          await stage.patch(widgets(stage), "w", { spec: { replicas: 2 } });
          await touch(stage);
        },
      },
      // In separate steps, because a sync in between would otherwise find pods that it cannot count.
      { name: "delete a pod", act: (stage) => stage.remove("pods", "b", { gracePeriodSeconds: 0 }) },
      { name: "delete another pod", act: (stage) => stage.remove("pods", "c", { gracePeriodSeconds: 0 }) },
      {
        name: "delete the object",
        async act(stage) {
          await stage.remove(widgets(stage), "w");
          await touch(stage);
        },
      },
    ],
  },
  {
    name: "controllers without a scale",
    steps: [
      {
        name: "create a pod of a Job",
        async act(stage) {
          const spec = { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] };
          await stage.create("jobs", { metadata: { name: "j" }, spec: { template: { spec } } });
          await runPod(stage, "a", { of: ["jobs", "j"] });
        },
      },
      budgetStep({ maxUnavailable: 1 }),
      // In a separate step, because otherwise it would be random whether a sync sees the state without pods.
      { name: "delete the pod", act: (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 }) },
      {
        name: "create a pod of a ReplicaSet",
        async act(stage) {
          await stage.create("replicasets", workload("web", 1));
          await runPod(stage, "b", { of: ["replicasets", "web"] });
        },
      },
      { name: "set minAvailable, which needs no scale", act: (stage) => changeBudget(stage, minOnly(1)) },
    ],
  },
  {
    name: "a custom resource without scale, and an owner of a missing kind",
    steps: [
      {
        name: "define a kind and create an object and its pod",
        async act(stage) {
          await define(stage, false);
          const { group, version, kind } = widgets(stage);
          await stage.create(widgets(stage), { apiVersion: `${group}/${version}`, kind, metadata: { name: "w" } });
          await runPod(stage, "a", { of: [widgets(stage), "w"] });
        },
        waitMs: knownAfterMs,
      },
      budgetStep({ maxUnavailable: "50%" }),
      // In a separate step, because otherwise it would be random whether a sync sees the state without pods.
      { name: "delete the pod", act: (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 }) },
      {
        name: "create a pod of a missing kind",
        async act(stage) {
          const ownerReferences = [
            { apiVersion: "gone.example.com/v1", kind: "Gadget", name: "g", uid: "1", controller: true },
          ];
          await stage.create("pods", {
            metadata: { name: "b", labels, ownerReferences },
            spec: { containers: [{ name: "main", image: "main:1" }] },
          });
        },
      },
    ],
  },
  {
    name: "a controller is deleted, and recreated with the same name",
    steps: [
      ofReplicaSet("a", 2),
      budgetStep({ maxUnavailable: 1 }),
      {
        name: "delete the ReplicaSet and keep its pod",
        async act(stage) {
          await stage.remove("replicasets", "web", { propagationPolicy: "Background" });
          await touch(stage);
        },
      },
      {
        name: "recreate the ReplicaSet",
        async act(stage) {
          await stage.create("replicasets", workload("web", 2));
          await touch(stage);
        },
      },
      { name: "delete the pod", act: (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 }) },
    ],
  },
  {
    name: "an empty selector, and none",
    steps: [
      naked,
      {
        name: "create a budget with an empty selector",
        act: (stage) =>
          stage.create("poddisruptionbudgets", { metadata: { name: "web" }, spec: { selector: {}, minAvailable: 1 } }),
      },
      { name: "create a pod without labels", act: (stage) => stage.create("pods", { ...pod("c") }) },
      {
        name: "recreate the budget without a selector",
        async act(stage) {
          await stage.remove("poddisruptionbudgets", "web");
          await stage.create("poddisruptionbudgets", { metadata: { name: "web" }, spec: { minAvailable: 1 } });
        },
      },
    ],
  },
  {
    name: "a budget is deleted and recreated",
    steps: [
      ofReplicaSet("ab", 2),
      budgetStep({ maxUnavailable: 1 }),
      { name: "delete the budget", act: (stage) => stage.remove("poddisruptionbudgets", "web") },
      { name: "a pod becomes unready", act: async (stage) => report(stage, at(["a", "b"], 0), { ready: false }) },
      budgetStep({ minAvailable: "100%" }),
    ],
  },
];

function minOnly(minAvailable: number): object {
  return { maxUnavailable: null, minAvailable };
}

function pod(name: string): object {
  return { metadata: { name }, spec: { containers: [{ name: "main", image: "main:1" }] } };
}

/** Changes of the pods' controllers trigger no sync, so this changes the budget. */
async function touch(stage: Stage): Promise<void> {
  const { metadata } = await stage.get("poddisruptionbudgets", "web");
  const { touched = "" } = (metadata as { readonly annotations?: Readonly<Record<string, string>> }).annotations ?? {};
  await stage.patch("poddisruptionbudgets", "web", { metadata: { annotations: { touched: `${touched}x` } } });
}

async function scaleAndTouch(stage: Stage, resource: "replicasets" | "deployments", replicas: number): Promise<void> {
  await stage.patch(resource, "web", { spec: { replicas } });
  // Time for the controller's cache to show the change.
  await Bun.sleep(300);
  await touch(stage);
}
