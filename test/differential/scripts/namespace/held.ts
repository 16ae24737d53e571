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
  name: "a ConfigMap that a finalizer holds, and one that is free",
  async act(stage) {
    await stage.create("configmaps", configMap("held", { finalizers: hold }));
    await stage.create("configmaps", configMap("free"));
  },
};

export const heldBack: readonly Script[] = [
  {
    name: "a finalizer holds a ConfigMap until it is taken away",
    steps: [held, { ...deleteNamespace, order: true }, letAllGoStep()],
  },
  {
    name: "several finalizers on several kinds, which go one after the other",
    steps: [
      {
        name: "five objects",
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
      { name: "those of the ConfigMaps", act: (stage) => letGo(stage, "configmaps") },
      { name: "that of the Lease", act: (stage) => letGo(stage, "leases") },
      letAllGoStep("the rest"),
    ],
  },
  {
    name: "a pod on a node has its grace, and all else waits for it",
    steps: [
      {
        name: "two pods and a ConfigMap",
        async act(stage) {
          await placedPod(stage, "slow", 600);
          await placedPod(stage, "slower", 1200);
          await stage.create("configmaps", configMap("a"));
        },
      },
      { ...deleteNamespace, order: true },
      {
        name: "one ends",
        async act(stage) {
          await stage.remove("pods", "slower", { gracePeriodSeconds: 0 });
          await wake(stage, "one ends");
        },
      },
      { ...letAllGoStep("the other ends"), order: true },
    ],
  },
  {
    name: "a pod that stays longer than its grace is a failure",
    steps: [
      { name: "a pod on a node", act: (stage) => placedPod(stage, "stuck", 1) },
      { name: "a ConfigMap", act: (stage) => stage.create("configmaps", configMap("a")) },
      deleteNamespace,
      // Failed deletions are retried soon, so no trigger is needed.
      { name: "it ends", act: letAllGo, until: isLetGo },
    ],
  },
  {
    name: "a pod that only a finalizer holds",
    steps: [
      {
        name: "a pod on no node, and a ConfigMap",
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
    name: "a pod on a node that a finalizer holds when its grace is over",
    steps: [
      { name: "the pod", act: (stage) => placedPod(stage, "held", 600, { finalizers: hold }) },
      deleteNamespace,
      {
        name: "it ends, and stays",
        async act(stage) {
          await stage.remove("pods", "held", { gracePeriodSeconds: 0 });
          await wake(stage, "it ends");
        },
      },
      letAllGoStep(),
    ],
  },
  {
    name: "a finalizer of the namespace itself holds it when it is empty",
    steps: [
      {
        name: "a finalizer and a ConfigMap",
        async act(stage) {
          await stage.patch("namespaces", stage.namespace, { metadata: { finalizers: hold } });
          await stage.create("configmaps", configMap("a"));
        },
      },
      deleteNamespace,
      { name: "it is touched", act: (stage) => wake(stage, "once"), waitMs: 6000 },
      {
        name: "the finalizer goes",
        act: (stage) => stage.patch("namespaces", stage.namespace, { metadata: { finalizers: null } }),
      },
    ],
  },
  {
    name: "another finalizer in the spec stays when ours has gone",
    steps: [
      {
        name: "two in the spec",
        act: (stage) => finalizeByHand(stage, ["kubernetes", "example.com/z", "example.com/a"]),
      },
      held,
      deleteNamespace,
      letAllGoStep(),
      { name: "it is touched", act: (stage) => wake(stage, "once"), waitMs: 6000 },
      { name: "the others go", act: (stage) => finalizeByHand(stage, []) },
    ],
  },
  {
    name: "somebody takes our finalizer out while the namespace is not empty",
    steps: [
      { name: "another one in the spec", act: (stage) => finalizeByHand(stage, ["kubernetes", "example.com/a"]) },
      held,
      deleteNamespace,
      { name: "ours goes", act: (stage) => finalizeByHand(stage, ["example.com/a"]), waitMs: 6000 },
      {
        name: "the ConfigMap goes",
        async act(stage) {
          await wake(stage, "the ConfigMap goes");
          await letGo(stage, "configmaps");
        },
      },
      { name: "the other goes", act: (stage) => finalizeByHand(stage, []) },
    ],
  },
  {
    name: "nobody can say that a namespace is active while it goes",
    steps: [
      held,
      deleteNamespace,
      {
        name: "Active again",
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
    name: "conditions that are taken away come back",
    steps: [
      held,
      deleteNamespace,
      {
        name: "none",
        act: (stage) => stage.patch("namespaces", `${stage.namespace}/status`, { status: { conditions: null } }),
      },
      letAllGoStep(),
    ],
  },
  {
    name: "conditions that are edited are put right, and others are kept",
    steps: [
      held,
      deleteNamespace,
      {
        name: "other conditions",
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
    name: "a ReplicaSet that is being deleted in the foreground",
    steps: [
      {
        name: "a ReplicaSet of none",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 0 })),
      },
      {
        name: "it is deleted",
        act: (stage) => stage.remove("replicasets", "web", { propagationPolicy: "Foreground" }),
      },
      deleteNamespace,
      letAllGoStep(),
    ],
  },
  {
    name: "a ReplicaSet whose pods are to be orphans",
    steps: [
      { name: "a ReplicaSet", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 0 })) },
      { name: "it is deleted", act: (stage) => stage.remove("replicasets", "web", { propagationPolicy: "Orphan" }) },
      deleteNamespace,
      letAllGoStep(),
    ],
  },
  {
    name: "a claim that is protected",
    steps: [
      {
        name: "a PersistentVolumeClaim",
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
    name: "objects that were deleted before their namespace",
    steps: [
      held,
      { name: "the held one is deleted", act: (stage) => stage.remove("configmaps", "held") },
      deleteNamespace,
      letAllGoStep(),
    ],
  },
  {
    name: "one of two namespaces is held",
    steps: [
      {
        name: "a ConfigMap in each",
        async act(stage) {
          await stage.create("configmaps", configMap("a"));
          await (await stage.beside("other")).create("configmaps", configMap("a", { finalizers: hold }));
        },
      },
      {
        name: "both are deleted",
        async act(stage) {
          await stage.remove("namespaces", (await stage.beside("other")).namespace);
          await stage.remove("namespaces", stage.namespace);
        },
      },
      {
        name: "the finalizer goes",
        act: async (stage) => tolerant(letGo(await stage.beside("other"), "configmaps")),
        waitMs: 3000,
      },
    ],
  },
];
