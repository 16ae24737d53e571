/** Owners: adoption and release of pods and revisions, deletions, sets that replace each other. */
import { podNamed } from "../../objects.ts";
import type { Script, Step } from "../../play.ts";
import type { Stage } from "../../stage.ts";
import { create, ends, image, patch, podsThat, ready, replicas, revisionsOn, toPod } from "./acts.ts";

const allArePods = async (stage: Stage): Promise<boolean> => (await podsThat(stage, "alive")).length === 2;

/** Deletes the set and the owner references of its pods and revisions, like the garbage collector with propagationPolicy Orphan. */
const orphanAll: Step = {
  name: "the set goes, what it owns stays without an owner",
  async act(stage) {
    await stage.remove("statefulsets", "db", { propagationPolicy: "Background" });
    for (const { metadata } of await stage.pods()) await orphan(stage, "pods", metadata.name);
    for (const { metadata } of await revisionsOn(stage)) await orphan(stage, "controllerrevisions", metadata.name);
  },
};

const orphan = (stage: Stage, resource: "pods" | "controllerrevisions", name: string): Promise<unknown> =>
  stage.patch(resource, name, { metadata: { ownerReferences: null } });

const deletion = (propagationPolicy: string): Script => ({
  name: `a set is deleted: ${propagationPolicy}`,
  steps: [
    create({ replicas: 2 }),
    ready("db-0"),
    { name: "it is deleted", act: (stage) => stage.remove("statefulsets", "db", { propagationPolicy }) },
    toPod("a pod is relabelled", "db-1", (stage, { metadata }) =>
      stage.patch("pods", metadata.name, { metadata: { labels: { app: "aside" } } }),
    ),
  ],
});

export const ownership: readonly Script[] = [
  deletion("Background"),
  deletion("Orphan"),
  deletion("Foreground"),
  {
    name: "a set that is made anew adopts pods and revisions",
    steps: [create({ replicas: 2 }), ready("db-0"), ready("db-1"), orphanAll, create({ replicas: 2 }), replicas(1)],
  },
  {
    name: "a set that is made anew with another template adopts and updates",
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
    name: "orphans: of the set's name and selector they are adopted, others are not",
    steps: [
      {
        name: "pods, then the set",
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
    name: "a pod of the name that is not the set's keeps it from being made",
    steps: [
      {
        name: "a pod of another owner, then the set",
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
    name: "pods lose what makes them the set's, and get it back",
    steps: [
      create({ replicas: 2 }),
      ready("db-0"),
      ready("db-1"),
      toPod("db-1 is released", "db-1", (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { labels: { app: "aside" } } }),
      ),
      toPod("db-1 comes back", "db-1", (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { labels: { app: "db" } } }),
      ),
      toPod("db-0 loses the label of its name", "db-0", (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { labels: { "statefulset.kubernetes.io/pod-name": null } } }),
      ),
      toPod("db-1 loses that of its ordinal", "db-1", (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { labels: { "apps.kubernetes.io/pod-index": null } } }),
      ),
      toPod("db-1 loses that of its revision", "db-1", (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { labels: { "controller-revision-hash": null } } }),
      ),
    ],
  },
  {
    name: "a status that was edited by hand is mended, and loses its conditions with the next change",
    steps: [
      create({ replicas: 1 }),
      ready("db-0"),
      {
        name: "other counts, and a condition",
        act: (stage) =>
          stage.patch("statefulsets", "db/status", {
            status: { replicas: 3, currentReplicas: 2, conditions: [{ type: "Example", status: "True" }] },
          }),
      },
      {
        name: "a condition alone",
        act: (stage) =>
          stage.patch("statefulsets", "db/status", { status: { conditions: [{ type: "Example", status: "True" }] } }),
      },
      {
        name: "an observed generation of the future",
        act: (stage) => stage.patch("statefulsets", "db/status", { status: { observedGeneration: 100 } }),
      },
      {
        name: "another current revision",
        act: (stage) => stage.patch("statefulsets", "db/status", { status: { currentRevision: "db-none" } }),
      },
      image(2),
      patch("annotations change", { metadata: { annotations: { note: "1" } } }),
    ],
  },
  {
    name: "pods that are refused",
    steps: [
      {
        name: "no more than one pod",
        act: (stage) => stage.create("resourcequotas", { metadata: { name: "limit" }, spec: { hard: { pods: "1" } } }),
      },
      create({ replicas: 2 }),
      ready("db-0"),
      { name: "more pods", act: (stage) => stage.remove("resourcequotas", "limit"), until: allArePods },
    ],
  },
];
