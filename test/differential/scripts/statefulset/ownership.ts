/** Owners: adoption and release of pods and revisions, deletions, sets that replace each other. */
import { podNamed } from "../../objects.ts";
import type { Script, Step } from "../../play.ts";
import type { Stage } from "../../stage.ts";
import { create, ends, image, patch, podsThat, ready, replicas, revisionsOn, toPod } from "./acts.ts";

const allArePods = async (stage: Stage): Promise<boolean> => (await podsThat(stage, "alive")).length === 2;

/** Deletes the set and the owner references of its pods and revisions, like the garbage collector with propagationPolicy Orphan. */
const orphanAll: Step = {
  name: "delete the set and orphan its pods and revisions",
  async act(stage) {
    await stage.remove("statefulsets", "db", { propagationPolicy: "Background" });
    for (const { metadata } of await stage.pods()) await orphan(stage, "pods", metadata.name);
    for (const { metadata } of await revisionsOn(stage)) await orphan(stage, "controllerrevisions", metadata.name);
  },
};

const orphan = (stage: Stage, resource: "pods" | "controllerrevisions", name: string): Promise<unknown> =>
  stage.patch(resource, name, { metadata: { ownerReferences: null } });

const deletion = (propagationPolicy: string): Script => ({
  name: `a set is deleted with propagationPolicy ${propagationPolicy}`,
  steps: [
    create({ replicas: 2 }),
    ready("db-0"),
    { name: "delete the set", act: (stage) => stage.remove("statefulsets", "db", { propagationPolicy }) },
    toPod("relabel a pod", "db-1", (stage, { metadata }) =>
      stage.patch("pods", metadata.name, { metadata: { labels: { app: "aside" } } }),
    ),
  ],
});

export const ownership: readonly Script[] = [
  deletion("Background"),
  deletion("Orphan"),
  deletion("Foreground"),
  {
    name: "a recreated set adopts pods and revisions",
    steps: [create({ replicas: 2 }), ready("db-0"), ready("db-1"), orphanAll, create({ replicas: 2 }), replicas(1)],
  },
  {
    name: "a set recreated with another template adopts the pods and updates them",
    steps: [
      create({ replicas: 2 }),
      ready("db-0"),
      ready("db-1"),
      orphanAll,
      create({ replicas: 2, image: 2 }),
      ends("db-1"),
      ready("db-1"),
      ends("db-0"),
    ],
  },
  {
    name: "orphans with the set's selector and a name of its pods are adopted, others are not",
    steps: [
      {
        name: "create pods, then the set",
        async act(stage) {
          await stage.create("pods", podNamed("db-0", { app: "db" }));
          await stage.create("pods", podNamed("db-7", { app: "db" }));
          await stage.create("pods", podNamed("db-1", { app: "other" }));
          await stage.create("pods", podNamed("aside-1", { app: "db" }));
          await stage.create("pods", podNamed("db-x", { app: "db" }));
          await create({ replicas: 1 }).act(stage);
        },
      },
      ready("db-0"),
    ],
  },
  {
    name: "a pod is not created if another owner's pod has its name",
    steps: [
      {
        name: "create a pod with another owner, then the set",
        async act(stage) {
          const uid = "7f2b1c9e-0000-4000-8000-000000000002";
          const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "other", uid, controller: true }];
          await stage.create("pods", podNamed("db-0", { app: "db" }, { metadata: { ownerReferences } }));
          await create({ replicas: 1 }).act(stage);
        },
      },
    ],
  },
  {
    name: "labels of the set's pods are removed and restored",
    steps: [
      create({ replicas: 2 }),
      ready("db-0"),
      ready("db-1"),
      toPod("relabel db-1", "db-1", (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { labels: { app: "aside" } } }),
      ),
      toPod("restore the label of db-1", "db-1", (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { labels: { app: "db" } } }),
      ),
      toPod("remove the pod-name label of db-0", "db-0", (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { labels: { "statefulset.kubernetes.io/pod-name": null } } }),
      ),
      toPod("remove the pod-index label of db-1", "db-1", (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { labels: { "apps.kubernetes.io/pod-index": null } } }),
      ),
      toPod("remove the revision label of db-1", "db-1", (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { labels: { "controller-revision-hash": null } } }),
      ),
    ],
  },
  {
    name: "a status modified by hand is corrected, and the next change removes its conditions",
    steps: [
      create({ replicas: 1 }),
      ready("db-0"),
      {
        name: "set other counts and a condition",
        act: (stage) =>
          stage.patch("statefulsets", "db/status", {
            status: { replicas: 3, currentReplicas: 2, conditions: [{ type: "Example", status: "True" }] },
          }),
      },
      {
        name: "set only a condition",
        act: (stage) =>
          stage.patch("statefulsets", "db/status", { status: { conditions: [{ type: "Example", status: "True" }] } }),
      },
      {
        name: "set observedGeneration above the generation",
        act: (stage) => stage.patch("statefulsets", "db/status", { status: { observedGeneration: 100 } }),
      },
      {
        name: "set another currentRevision",
        act: (stage) => stage.patch("statefulsets", "db/status", { status: { currentRevision: "db-none" } }),
      },
      image(2),
      patch("annotate the set", { metadata: { annotations: { note: "1" } } }),
    ],
  },
  {
    name: "a quota rejects pods",
    steps: [
      {
        name: "create a quota of one pod",
        act: (stage) => stage.create("resourcequotas", { metadata: { name: "limit" }, spec: { hard: { pods: "1" } } }),
      },
      create({ replicas: 2 }),
      ready("db-0"),
      { name: "delete the quota", act: (stage) => stage.remove("resourcequotas", "limit"), until: allArePods },
    ],
  },
];
