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
  return { name: "the budget", act: (stage) => stage.create("poddisruptionbudgets", budget(spec)) };
}

/** Creates pods `a`, `b`, … of a ReplicaSet `web`. */
function ofReplicaSet(names: string, replicas: number): Step {
  return {
    name: `${names.length} pods of a ReplicaSet of ${replicas}`,
    async act(stage) {
      await stage.create("replicasets", workload("web", replicas));
      for (const name of names) await runPod(stage, name, { of: ["replicasets", "web"] });
    },
  };
}

const naked: Step = {
  name: "two pods of nobody",
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
    name: "minAvailable as a number counts the pods that are there",
    steps: [
      budgetStep({ minAvailable: 1 }),
      naked,
      { name: "the other is ready too", act: (stage) => report(stage, "b", { ready: true }) },
      { name: "one is not", act: (stage) => report(stage, "a", { ready: false }) },
      { name: "one goes", act: (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 }) },
      { name: "one more comes", act: (stage) => runPod(stage, "c") },
    ],
  },
  {
    name: "a share is one of the replicas, rounded up",
    steps: [
      ofReplicaSet("abc", 7),
      budgetStep({ minAvailable: "30%" }),
      { name: "of more replicas", act: (stage) => scaleAndTouch(stage, "replicasets", 11) },
      { name: "50 %", act: (stage) => changeBudget(stage, { minAvailable: "50%" }) },
      { name: "of none", act: (stage) => scaleAndTouch(stage, "replicasets", 0) },
    ],
  },
  {
    name: "maxUnavailable as a number and as a share",
    steps: [
      ofReplicaSet("abcd", 4),
      budgetStep({ maxUnavailable: 1 }),
      { name: "more than there are", act: (stage) => changeBudget(stage, { maxUnavailable: 9 }) },
      { name: "a share", act: (stage) => changeBudget(stage, { maxUnavailable: "26%" }) },
      { name: "none", act: (stage) => changeBudget(stage, { maxUnavailable: 0 }) },
      {
        name: "minAvailable instead",
        act: (stage) => changeBudget(stage, { maxUnavailable: null, minAvailable: 2 }),
      },
    ],
  },
  {
    name: "pods without a controller are warned of where a share is asked for",
    steps: [
      naked,
      budgetStep({ maxUnavailable: 1 }),
      {
        name: "some of a controller",
        async act(stage) {
          await stage.create("replicasets", workload("web", 3));
          for (const name of ["c", "d", "e"]) await runPod(stage, name, { of: ["replicasets", "web"] });
        },
      },
    ],
  },
  {
    name: "the ReplicaSets of a Deployment count as it",
    steps: [
      { name: "a Deployment with two ReplicaSets", act: rollout },
      budgetStep({ maxUnavailable: "20%" }),
      { name: "the Deployment is scaled", act: (stage) => scaleAndTouch(stage, "deployments", 3) },
      {
        name: "it goes, and its ReplicaSets stay",
        async act(stage) {
          await stage.remove("deployments", "web", { propagationPolicy: "Background" });
          await touch(stage);
        },
      },
    ],
  },
  {
    name: "controllers of several kinds add up",
    steps: [
      {
        name: "a StatefulSet, a ReplicationController, a ReplicaSet",
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
      { name: "one kind has no pod left", act: (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 }) },
    ],
  },
  {
    name: "a custom resource with scale",
    steps: [
      {
        name: "a kind and an object of it",
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
        name: "it is scaled",
        async act(stage) {
          await stage.patch(widgets(stage), "w", { spec: { replicas: 2 } });
          await touch(stage);
        },
      },
      // In separate steps, because a sync in between would otherwise find pods that it cannot count.
      { name: "a pod goes", act: (stage) => stage.remove("pods", "b", { gracePeriodSeconds: 0 }) },
      { name: "another pod goes", act: (stage) => stage.remove("pods", "c", { gracePeriodSeconds: 0 }) },
      {
        name: "it goes",
        async act(stage) {
          await stage.remove(widgets(stage), "w");
          await touch(stage);
        },
      },
    ],
  },
  {
    name: "controllers that have no scale",
    steps: [
      {
        name: "a pod of a Job",
        async act(stage) {
          const spec = { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] };
          await stage.create("jobs", { metadata: { name: "j" }, spec: { template: { spec } } });
          await runPod(stage, "a", { of: ["jobs", "j"] });
        },
      },
      budgetStep({ maxUnavailable: 1 }),
      // In a separate step, because otherwise it would be random whether a sync sees the state without pods.
      { name: "the pod goes", act: (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 }) },
      {
        name: "a pod of a ReplicaSet in its place",
        async act(stage) {
          await stage.create("replicasets", workload("web", 1));
          await runPod(stage, "b", { of: ["replicasets", "web"] });
        },
      },
      { name: "minAvailable, for which nobody is asked", act: (stage) => changeBudget(stage, minOnly(1)) },
    ],
  },
  {
    name: "a custom resource without scale, and one of a kind that is not there",
    steps: [
      {
        name: "a kind and an object of it",
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
      { name: "the pod goes", act: (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 }) },
      {
        name: "a pod of a Gadget in its place",
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
    name: "a controller that is gone, and another one of its name",
    steps: [
      ofReplicaSet("a", 2),
      budgetStep({ maxUnavailable: 1 }),
      {
        name: "the ReplicaSet goes, and its pod stays",
        async act(stage) {
          await stage.remove("replicasets", "web", { propagationPolicy: "Background" });
          await touch(stage);
        },
      },
      {
        name: "another ReplicaSet web",
        async act(stage) {
          await stage.create("replicasets", workload("web", 2));
          await touch(stage);
        },
      },
      { name: "the pod goes", act: (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 }) },
    ],
  },
  {
    name: "a selector that takes everything, and none",
    steps: [
      naked,
      {
        name: "an empty selector",
        act: (stage) =>
          stage.create("poddisruptionbudgets", { metadata: { name: "web" }, spec: { selector: {}, minAvailable: 1 } }),
      },
      { name: "a pod without labels", act: (stage) => stage.create("pods", { ...pod("c") }) },
      {
        name: "no selector",
        async act(stage) {
          await stage.remove("poddisruptionbudgets", "web");
          await stage.create("poddisruptionbudgets", { metadata: { name: "web" }, spec: { minAvailable: 1 } });
        },
      },
    ],
  },
  {
    name: "a budget goes and comes again",
    steps: [
      ofReplicaSet("ab", 2),
      budgetStep({ maxUnavailable: 1 }),
      { name: "it goes", act: (stage) => stage.remove("poddisruptionbudgets", "web") },
      { name: "a pod is not ready", act: async (stage) => report(stage, at(["a", "b"], 0), { ready: false }) },
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
