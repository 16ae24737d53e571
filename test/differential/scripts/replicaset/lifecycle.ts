/** Pods and owners that become ready, change, and are deleted. */
import { activePods, at, bind, removePod, scale, setPodState } from "../../acts.ts";
import { replicaSet } from "../../objects.ts";
import type { Script, Step } from "../../play.ts";
import type { Stage } from "../../stage.ts";

const minute = 60_000;
async function oneIsAvailable(stage: Stage): Promise<boolean> {
  const { status } = (await stage.get("replicasets", "web")) as { readonly status?: { availableReplicas?: number } };
  return status?.availableReplicas === 1;
}

const three: Step = {
  name: "create a ReplicaSet of 3",
  act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 3 })),
};

async function allRun(stage: Stage): Promise<void> {
  for (const pod of await activePods(stage, "web")) {
    await bind(stage, pod, "one");
    await setPodState(stage, pod, { ready: true });
  }
}

/** Deletes the ReplicaSet while it has pods, some of which are then removed. The garbage collector does not run. */
function deletion(propagationPolicy: string): Script {
  return {
    name: `a ReplicaSet is deleted with propagationPolicy ${propagationPolicy}`,
    steps: [
      three,
      { name: "all pods become ready", act: allRun },
      { name: "delete the ReplicaSet", act: (stage) => stage.remove("replicasets", "web", { propagationPolicy }) },
      {
        name: "remove a pod",
        act: async (stage) => removePod(stage, at(await activePods(stage, "web"), 0), "at once"),
      },
      {
        name: "relabel a pod",
        act: async (stage) => {
          const { name } = at(await activePods(stage, "web"), 0).metadata;
          await stage.patch("pods", name, { metadata: { labels: { app: "aside" } } });
        },
      },
    ],
  };
}

/** Long enough that the server truncates generated names: they have 58 characters and a suffix. */
const long = "a-replica-set-of-a-name-that-is-longer-than-what-fits-before-a-suffix";

export const lifecycle: readonly Script[] = [
  deletion("Background"),
  deletion("Orphan"),
  deletion("Foreground"),
  {
    name: "readyReplicas follows the pods' readiness",
    steps: [
      three,
      { name: "all pods become ready", act: allRun },
      {
        name: "one becomes unready",
        act: async (stage) => setPodState(stage, at(await activePods(stage, "web"), 0), { ready: false }),
      },
      {
        name: "all become ready again",
        act: async (stage) =>
          Promise.all((await activePods(stage, "web")).map((pod) => setPodState(stage, pod, { ready: true }))),
      },
    ],
  },
  {
    name: "a ready pod is available after minReadySeconds",
    steps: [
      {
        name: "create a ReplicaSet of 3",
        act: (stage) =>
          stage.create("replicasets", replicaSet("web", { replicas: 3, rest: { minReadySeconds: 3600 } })),
      },
      {
        name: "one is ready for 2 hours, one for 30 minutes, one is unready",
        async act(stage) {
          const pods = await activePods(stage, "web");
          await setPodState(stage, at(pods, 0), { ready: true, readyForMs: 120 * minute });
          await setPodState(stage, at(pods, 1), { ready: true, readyForMs: 30 * minute });
          await setPodState(stage, at(pods, 2), { ready: false });
        },
      },
      {
        name: "shorten minReadySeconds",
        act: (stage) => stage.patch("replicasets", "web", { spec: { minReadySeconds: 600 } }),
      },
      {
        name: "lengthen minReadySeconds",
        act: (stage) => stage.patch("replicasets", "web", { spec: { minReadySeconds: 36_000 } }),
      },
    ],
  },
  {
    name: "a pod becomes available when minReadySeconds have passed, without an event",
    steps: [
      {
        name: "create a ReplicaSet of 2",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2, rest: { minReadySeconds: 4 } })),
      },
      {
        name: "one becomes ready",
        act: async (stage) =>
          setPodState(stage, at(await activePods(stage, "web"), 0), {
            ready: true,
            // A time that is the same on every side and in the future.
            readyForMs: -4000,
          }),
        until: oneIsAvailable,
      },
    ],
  },
  {
    name: "terminating pods are replaced, and counted until they are removed",
    steps: [
      three,
      { name: "all pods become ready", act: allRun },
      {
        name: "delete one gracefully",
        act: async (stage) => removePod(stage, at(await activePods(stage, "web"), 0)),
      },
      {
        name: "remove it",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined))
            await removePod(stage, pod, "at once");
        },
      },
    ],
  },
  {
    name: "deleted pods with finalizers are counted until the finalizers are removed",
    steps: [
      {
        name: "create a ReplicaSet of 3 whose pods have a finalizer",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet("web", { replicas: 3, metadata: { labels: { app: "web" }, finalizers: ["example.com/keep"] } }),
          ),
      },
      { name: "scale to 1", act: (stage) => scale(stage, "web", 1) },
      {
        name: "remove the finalizers",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined)) {
            await stage.patch("pods", pod.metadata.name, { metadata: { finalizers: null } });
          }
        },
      },
    ],
  },
  {
    name: "a template change does not affect existing pods",
    steps: [
      three,
      {
        name: "change the template's image and annotations",
        act: (stage) =>
          stage.patch("replicasets", "web", {
            spec: {
              template: {
                metadata: { annotations: { note: "new" } },
                spec: { containers: [{ name: "main", image: "main:2" }] },
              },
            },
          }),
      },
      { name: "scale up by one", act: (stage) => scale(stage, "web", 4) },
    ],
  },
  {
    name: "pods get the labels, annotations and finalizers of the template",
    steps: [
      {
        name: "create a ReplicaSet of 2",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet("web", {
              replicas: 2,
              metadata: {
                name: "ignored",
                generateName: "ignored-",
                namespace: "ignored",
                labels: { app: "web", "example.com/tier": "front" },
                annotations: { "example.com/note": "two\nlines" },
                finalizers: ["example.com/keep", "example.com/hold"],
                ownerReferences: [
                  { apiVersion: "v1", kind: "ConfigMap", name: "ignored", uid: "7f2b1c9e-0000-4000-8000-000000000003" },
                ],
              },
              spec: {
                containers: [
                  {
                    name: "main",
                    image: "main:1",
                    env: [{ name: "A", value: "" }],
                    resources: { requests: { cpu: "1000m", memory: "1024Ki" } },
                  },
                ],
                terminationGracePeriodSeconds: 0,
                nodeSelector: { disk: "fast" },
              },
            }),
          ),
      },
      {
        name: "add a label to the template",
        act: (stage) =>
          stage.patch("replicasets", "web", { spec: { template: { metadata: { labels: { added: "yes" } } } } }),
      },
      { name: "scale to 3", act: (stage) => scale(stage, "web", 3) },
    ],
  },
  {
    name: "a long name is truncated in the names of its pods",
    steps: [
      {
        name: "create a ReplicaSet of 2 with a long name",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet(long, { replicas: 2, labels: { app: "web" }, selector: { matchLabels: { app: "web" } } }),
          ),
      },
      {
        name: "create one whose name has the maximum length",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet("x".repeat(253), { replicas: 1, labels: { app: "x" }, selector: { matchLabels: { app: "x" } } }),
          ),
      },
      {
        name: "create one with dots in its name",
        act: (stage) => stage.create("replicasets", replicaSet("a.b.c", { replicas: 1 })),
      },
    ],
  },
  {
    name: "a status modified by hand is corrected",
    steps: [
      three,
      {
        name: "change the counts",
        act: (stage) =>
          stage.patch("replicasets", "web/status", {
            status: { replicas: 9, readyReplicas: 7, availableReplicas: 7, fullyLabeledReplicas: 8 },
          }),
      },
      {
        name: "add conditions",
        act: (stage) =>
          stage.patch("replicasets", "web/status", {
            status: {
              conditions: [
                { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "by hand" },
                { type: "Example", status: "Unknown", reason: "ByHand" },
              ],
            },
          }),
      },
      {
        name: "set observedGeneration above the generation",
        act: (stage) => stage.patch("replicasets", "web/status", { status: { observedGeneration: 100 } }),
      },
    ],
  },
];
