/** Namespaces whose deletion is held up. */
import { podNamed, replicaSet } from "../../objects.ts";
import type { Script, Step } from "../../suite.ts";
import {
  configMap,
  deleteNamespace,
  finalizeByHand,
  isLetGo,
  letAllGo,
  letAllGoStep,
  letGo,
  placedPod,
  tolerant,
  wake,
} from "./acts.ts";

const hold = ["example.com/hold"];
const held: Step = {
  name: "create a ConfigMap with a finalizer and one without",
  async act(stage) {
    await stage.create("configmaps", configMap("held", { finalizers: hold }));
    await stage.create("configmaps", configMap("free"));
  },
};

export const heldBack: readonly Script[] = [
  {
    name: "a ConfigMap with a finalizer holds the namespace until the finalizer is removed",
    steps: [held, { ...deleteNamespace, order: true }, letAllGoStep()],
  },
  {
    name: "finalizers of several kinds are removed one after the other",
    steps: [
      {
        name: "create five objects with finalizers",
        async act(stage) {
          await stage.create("configmaps", configMap("a", { finalizers: ["example.com/hold", "example.com/also"] }));
          await stage.create("configmaps", configMap("b", { finalizers: hold }));
          await stage.create("secrets", { metadata: { name: "a", finalizers: ["example.org/z"] } });
          await stage.create("leases", { metadata: { name: "a", finalizers: hold } });
          await stage.create("services", {
            metadata: { name: "a", finalizers: ["example.com/also"] },
            spec: { ports: [{ port: 80 }] },
          });
        },
      },
      deleteNamespace,
      { name: "remove the finalizers of the ConfigMaps", act: (stage) => letGo(stage, "configmaps") },
      { name: "remove the finalizer of the Lease", act: (stage) => letGo(stage, "leases") },
      letAllGoStep("remove the other finalizers"),
    ],
  },
  {
    name: "a bound pod has its grace period, and all other objects wait for it",
    steps: [
      {
        name: "create two pods and a ConfigMap",
        async act(stage) {
          await placedPod(stage, "slow", 600);
          await placedPod(stage, "slower", 1200);
          await stage.create("configmaps", configMap("a"));
        },
      },
      { ...deleteNamespace, order: true },
      {
        name: "remove one pod",
        async act(stage) {
          await stage.remove("pods", "slower", { gracePeriodSeconds: 0 });
          await wake(stage, "one ends");
        },
      },
      { ...letAllGoStep("remove the other pod"), order: true },
    ],
  },
  {
    name: "a pod that outlives its grace period is a failure",
    steps: [
      { name: "create a bound pod", act: (stage) => placedPod(stage, "stuck", 1) },
      { name: "create a ConfigMap", act: (stage) => stage.create("configmaps", configMap("a")) },
      deleteNamespace,
      // Failed deletions are retried soon, so no trigger is needed.
      { name: "remove it", act: letAllGo, until: isLetGo },
    ],
  },
  {
    name: "a pod without a node but with a finalizer",
    steps: [
      {
        name: "create the pod and a ConfigMap",
        async act(stage) {
          await stage.create("pods", podNamed("held", { app: "held" }, { metadata: { finalizers: hold } }));
          await stage.create("configmaps", configMap("a"));
        },
      },
      { ...deleteNamespace, order: true },
      letAllGoStep(),
    ],
  },
  {
    name: "a bound pod with a finalizer remains after its grace period",
    steps: [
      { name: "create the pod", act: (stage) => placedPod(stage, "held", 600, { finalizers: hold }) },
      deleteNamespace,
      {
        name: "end its grace period",
        async act(stage) {
          await stage.remove("pods", "held", { gracePeriodSeconds: 0 });
          await wake(stage, "it ends");
        },
      },
      letAllGoStep(),
    ],
  },
  {
    name: "a finalizer in the namespace's metadata keeps it after it is empty",
    steps: [
      {
        name: "add the finalizer, and create a ConfigMap",
        async act(stage) {
          await stage.patch("namespaces", stage.namespace, { metadata: { finalizers: hold } });
          await stage.create("configmaps", configMap("a"));
        },
      },
      deleteNamespace,
      { name: "patch the namespace", act: (stage) => wake(stage, "once"), waitMs: 6000 },
      {
        name: "remove the finalizer",
        act: (stage) => stage.patch("namespaces", stage.namespace, { metadata: { finalizers: null } }),
      },
    ],
  },
  {
    name: "other finalizers in the spec are kept when kubernetes is removed",
    steps: [
      {
        name: "set three finalizers in the spec",
        act: (stage) => finalizeByHand(stage, ["kubernetes", "example.com/z", "example.com/a"]),
      },
      held,
      deleteNamespace,
      letAllGoStep(),
      { name: "patch the namespace", act: (stage) => wake(stage, "once"), waitMs: 6000 },
      { name: "remove the other finalizers", act: (stage) => finalizeByHand(stage, []) },
    ],
  },
  {
    name: "the finalizer kubernetes is removed by hand while the namespace is not empty",
    steps: [
      {
        name: "add another finalizer to the spec",
        act: (stage) => finalizeByHand(stage, ["kubernetes", "example.com/a"]),
      },
      held,
      deleteNamespace,
      {
        name: "remove the finalizer kubernetes",
        act: (stage) => finalizeByHand(stage, ["example.com/a"]),
        waitMs: 6000,
      },
      {
        name: "remove the finalizer of the ConfigMap",
        async act(stage) {
          await wake(stage, "the ConfigMap goes");
          await letGo(stage, "configmaps");
        },
      },
      { name: "remove the other finalizer", act: (stage) => finalizeByHand(stage, []) },
    ],
  },
  {
    name: "the phase of a terminating namespace cannot be set to Active",
    steps: [
      held,
      deleteNamespace,
      {
        name: "set the phase Active",
        async act(stage) {
          const path = `/api/v1/namespaces/${stage.namespace}/status`;
          const body = { status: { phase: "Active" } };
          const headers = { "content-type": "application/merge-patch+json" };
          const { status } = await stage.cluster.request("PATCH", path, body, headers);
          if (status !== 422) throw new Error(`the phase was not refused, but answered with ${status}`);
          await wake(stage, "once");
        },
      },
      letAllGoStep(),
    ],
  },
  {
    name: "removed conditions are added again",
    steps: [
      held,
      deleteNamespace,
      {
        name: "remove the conditions",
        act: (stage) => stage.patch("namespaces", `${stage.namespace}/status`, { status: { conditions: null } }),
      },
      letAllGoStep(),
    ],
  },
  {
    name: "modified conditions are corrected, and other conditions are kept",
    steps: [
      held,
      deleteNamespace,
      {
        name: "set other conditions",
        act: (stage) =>
          stage.patch("namespaces", `${stage.namespace}/status`, {
            status: {
              conditions: [
                { type: "Example", status: "Unknown", reason: "ByHand", message: "kept" },
                { type: "NamespaceContentRemaining", status: "False", reason: "ByHand", message: "not so" },
                {
                  type: "NamespaceFinalizersRemaining",
                  status: "True",
                  reason: "SomeFinalizersRemain",
                  message: "another message",
                  lastTransitionTime: "2020-01-01T00:00:00Z",
                },
              ],
            },
          }),
      },
      letAllGoStep(),
    ],
  },
  {
    name: "a ReplicaSet in foreground deletion",
    steps: [
      {
        name: "create a ReplicaSet of 0",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 0 })),
      },
      {
        name: "delete it",
        act: (stage) => stage.remove("replicasets", "web", { propagationPolicy: "Foreground" }),
      },
      deleteNamespace,
      letAllGoStep(),
    ],
  },
  {
    name: "a ReplicaSet deleted with propagationPolicy Orphan",
    steps: [
      { name: "create a ReplicaSet", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 0 })) },
      { name: "delete it", act: (stage) => stage.remove("replicasets", "web", { propagationPolicy: "Orphan" }) },
      deleteNamespace,
      letAllGoStep(),
    ],
  },
  {
    name: "a PersistentVolumeClaim with the protection finalizer",
    steps: [
      {
        name: "create the PersistentVolumeClaim",
        act: (stage) =>
          stage.create("persistentvolumeclaims", {
            metadata: { name: "data", finalizers: ["kubernetes.io/pvc-protection"] },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          }),
      },
      deleteNamespace,
      letAllGoStep(),
    ],
  },
  {
    name: "objects deleted before their namespace",
    steps: [
      held,
      { name: "delete the ConfigMap with the finalizer", act: (stage) => stage.remove("configmaps", "held") },
      deleteNamespace,
      letAllGoStep(),
    ],
  },
  {
    name: "one of two deleted namespaces has a finalizer",
    steps: [
      {
        name: "create a ConfigMap in each, one with a finalizer",
        async act(stage) {
          await stage.create("configmaps", configMap("a"));
          await (await stage.beside("other")).create("configmaps", configMap("a", { finalizers: hold }));
        },
      },
      {
        name: "delete both",
        async act(stage) {
          await stage.remove("namespaces", (await stage.beside("other")).namespace);
          await stage.remove("namespaces", stage.namespace);
        },
      },
      {
        name: "remove the finalizer",
        act: async (stage) => tolerant(letGo(await stage.beside("other"), "configmaps")),
        waitMs: 3000,
      },
    ],
  },
];
