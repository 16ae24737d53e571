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

const three: Step = { name: "3", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 3 })) };

async function allRun(stage: Stage): Promise<void> {
  for (const pod of await activePods(stage, "web")) {
    await bind(stage, pod, "one");
    await setPodState(stage, pod, { ready: true });
  }
}

/** Deletes the ReplicaSet while it has pods, some of which are then removed. The garbage collector does not run. */
function deletion(propagationPolicy: string): Script {
  return {
    name: `a ReplicaSet is deleted: ${propagationPolicy}`,
    steps: [
      three,
      { name: "they run", act: allRun },
      { name: "it is deleted", act: (stage) => stage.remove("replicasets", "web", { propagationPolicy }) },
      { name: "a pod ends", act: async (stage) => removePod(stage, at(await activePods(stage, "web"), 0), "at once") },
      {
        name: "a pod is relabelled",
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
    name: "readiness comes and goes",
    steps: [
      three,
      { name: "all run and are ready", act: allRun },
      {
        name: "one is not ready",
        act: async (stage) => setPodState(stage, at(await activePods(stage, "web"), 0), { ready: false }),
      },
      {
        name: "all are ready again",
        act: async (stage) =>
          Promise.all((await activePods(stage, "web")).map((pod) => setPodState(stage, pod, { ready: true }))),
      },
    ],
  },
  {
    name: "pods that are ready are available after minReadySeconds",
    steps: [
      {
        name: "3",
        act: (stage) =>
          stage.create("replicasets", replicaSet("web", { replicas: 3, rest: { minReadySeconds: 3600 } })),
      },
      {
        name: "ready for two hours, for half an hour, not at all",
        async act(stage) {
          const pods = await activePods(stage, "web");
          await setPodState(stage, at(pods, 0), { ready: true, readyForMs: 120 * minute });
          await setPodState(stage, at(pods, 1), { ready: true, readyForMs: 30 * minute });
          await setPodState(stage, at(pods, 2), { ready: false });
        },
      },
      {
        name: "minReadySeconds becomes shorter",
        act: (stage) => stage.patch("replicasets", "web", { spec: { minReadySeconds: 600 } }),
      },
      { name: "and longer", act: (stage) => stage.patch("replicasets", "web", { spec: { minReadySeconds: 36_000 } }) },
    ],
  },
  {
    name: "a pod becomes available by itself when minReadySeconds have gone by",
    steps: [
      {
        name: "2",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2, rest: { minReadySeconds: 4 } })),
      },
      {
        name: "one is ready now",
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
    name: "pods that are being deleted are replaced, and counted until they are gone",
    steps: [
      three,
      { name: "they run", act: allRun },
      {
        name: "one is deleted gracefully",
        act: async (stage) => removePod(stage, at(await activePods(stage, "web"), 0)),
      },
      {
        name: "it ends",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined))
            await removePod(stage, pod, "at once");
        },
      },
    ],
  },
  {
    name: "finalizers hold pods that are deleted",
    steps: [
      {
        name: "3 with a finalizer",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet("web", { replicas: 3, metadata: { labels: { app: "web" }, finalizers: ["example.com/keep"] } }),
          ),
      },
      { name: "down to 1", act: (stage) => scale(stage, "web", 1) },
      {
        name: "the finalizers go",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined)) {
            await stage.patch("pods", pod.metadata.name, { metadata: { finalizers: null } });
          }
        },
      },
    ],
  },
  {
    name: "another template changes no pod that is there",
    steps: [
      three,
      {
        name: "another image, and annotations",
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
      { name: "another pod", act: (stage) => scale(stage, "web", 4) },
    ],
  },
  {
    name: "labels, annotations and finalizers of the template are the pods'",
    steps: [
      {
        name: "2",
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
        name: "the template's labels grow",
        act: (stage) =>
          stage.patch("replicasets", "web", { spec: { template: { metadata: { labels: { added: "yes" } } } } }),
      },
      { name: "3", act: (stage) => scale(stage, "web", 3) },
    ],
  },
  {
    name: "a long name is cut for its pods",
    steps: [
      {
        name: "2",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet(long, { replicas: 2, labels: { app: "web" }, selector: { matchLabels: { app: "web" } } }),
          ),
      },
      {
        name: "of a longest name",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet("x".repeat(253), { replicas: 1, labels: { app: "x" }, selector: { matchLabels: { app: "x" } } }),
          ),
      },
      { name: "with dots", act: (stage) => stage.create("replicasets", replicaSet("a.b.c", { replicas: 1 })) },
    ],
  },
  {
    name: "a status that was edited by hand is mended",
    steps: [
      three,
      {
        name: "other counts",
        act: (stage) =>
          stage.patch("replicasets", "web/status", {
            status: { replicas: 9, readyReplicas: 7, availableReplicas: 7, fullyLabeledReplicas: 8 },
          }),
      },
      {
        name: "conditions",
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
        name: "an observed generation of the future",
        act: (stage) => stage.patch("replicasets", "web/status", { status: { observedGeneration: 100 } }),
      },
    ],
  },
];
