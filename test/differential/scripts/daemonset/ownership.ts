/** Owner references, finished pods, rejected requests, and statuses written by other clients. */
import { removePod, setPodState } from "../../acts.ts";
import type { Script, Step } from "../../play.ts";
import type { Stage } from "../../stage.ts";
import {
  addPod,
  allEnd,
  allReady,
  create,
  deleted,
  each,
  fails,
  image,
  nextRound,
  nodes,
  onNode,
  patch,
  podsThat,
  relabelled,
  revisionsOn,
  spec,
  succeeds,
  threeNodes,
} from "./acts.ts";

const orphan = (stage: Stage, resource: "pods" | "controllerrevisions", name: string): Promise<unknown> =>
  stage.patch(resource, name, { metadata: { ownerReferences: null } });

/** Deletes the set and the owner references of its pods and revisions, like the garbage collector with propagationPolicy Orphan. */
const orphanAll: Step = {
  name: "delete the set and orphan its pods and revisions",
  async act(stage) {
    await stage.remove("daemonsets", "agent", { propagationPolicy: "Background" });
    for (const { metadata } of await stage.pods()) await orphan(stage, "pods", metadata.name);
    for (const { metadata } of await revisionsOn(stage)) await orphan(stage, "controllerrevisions", metadata.name);
  },
};

const deletion = (propagationPolicy: string): Script => ({
  name: `a set is deleted with propagationPolicy ${propagationPolicy}`,
  steps: [
    threeNodes,
    create(),
    allReady,
    { name: "delete the set", act: (stage) => stage.remove("daemonsets", "agent", { propagationPolicy }) },
    relabelled(2, { app: "aside" }),
    deleted(1),
  ],
});

const alive = async (stage: Stage): Promise<number> => (await podsThat(stage, "alive")).length;

const noneHasFailed = async (stage: Stage): Promise<boolean> => (await podsThat(stage, "ended")).length === 0;

const status = (name: string, body: object): Step => ({
  name,
  act: (stage) => stage.patch("daemonsets", "agent/status", { status: body }),
});

export const ownership: readonly Script[] = [
  deletion("Background"),
  deletion("Orphan"),
  deletion("Foreground"),
  {
    name: "a recreated set adopts pods and revisions",
    steps: [threeNodes, create(), allReady, orphanAll, create(), image(2), ...nextRound],
  },
  {
    name: "a set recreated with another template adopts the pods and replaces them",
    steps: [
      threeNodes,
      create({ rolling: ["100%", 0] }),
      allReady,
      orphanAll,
      create({ image: 2, rolling: ["100%", 0] }),
      ...nextRound,
    ],
  },
  {
    name: "orphans that the set selects are adopted, one per node, others are not",
    steps: [
      nodes({}, {}),
      {
        name: "create pods, then the set",
        async act(stage) {
          await addPod(stage, "one", { n: 1, labels: { app: "agent" } });
          await addPod(stage, "aside", { n: 2, labels: { app: "aside" } });
          await addPod(stage, "nowhere", { n: 0, labels: { app: "agent" } });
          const uid = "7f2b1c9e-0000-4000-8000-000000000002";
          const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "other", uid, controller: true }];
          await addPod(stage, "other", { n: 2, labels: { app: "agent" }, ownerReferences });
          await create({ spec: { updateStrategy: { type: "OnDelete" } } }).act(stage);
        },
      },
      allReady,
      { name: "create another orphan", act: (stage) => addPod(stage, "two", { n: 2, labels: { app: "agent" } }) },
      allEnd,
    ],
  },
  {
    name: "a relabelled pod is released and replaced; when its label is restored, the surplus pod is deleted",
    steps: [
      nodes({}, {}),
      create(),
      allReady,
      relabelled(1, { app: "aside" }),
      allReady,
      onNode("restore its label", 1, async (stage, { metadata }) => {
        if (metadata.labels?.["app"] === "aside")
          await stage.patch("pods", metadata.name, { metadata: { labels: { app: "agent" } } });
      }),
      allEnd,
    ],
  },
  {
    name: "a pod without a hash label is identified by its template generation",
    steps: [
      nodes({}, {}),
      create(),
      allReady,
      relabelled(1, { "controller-revision-hash": null }),
      relabelled(2, { "controller-revision-hash": null, "pod-template-generation": null }),
      ...nextRound,
    ],
  },
  {
    name: "pods are deleted by hand, gracefully and immediately",
    steps: [
      threeNodes,
      create(),
      allReady,
      deleted(1),
      allEnd,
      allReady,
      each("delete all pods", "alive", removePod),
      allEnd,
      allReady,
      each("remove all pods", "alive", (stage, pod) => removePod(stage, pod, "at once")),
    ],
  },
  {
    name: "finished pods are deleted and recreated",
    steps: [threeNodes, create(), allReady, fails(1), succeeds(2), ...nextRound],
  },
  {
    name: "a pod that fails repeatedly is recreated after increasing delays",
    steps: [
      nodes({}),
      create(),
      allReady,
      fails(1),
      allEnd,
      allReady,
      fails(1, { until: noneHasFailed }),
      allEnd,
      allReady,
      fails(1, { until: noneHasFailed }),
      allEnd,
    ],
  },
  {
    name: "a failed pod with a finalizer does not prevent its replacement",
    steps: [
      nodes({}),
      create(),
      allReady,
      onNode("add a finalizer", 1, (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { finalizers: ["example.com/hold"] } }),
      ),
      onNode("the pod is deleted, and fails", 1, async (stage, pod) => {
        await removePod(stage, pod);
        await setPodState(stage, pod, { phase: "Failed", ready: false });
      }),
      allReady,
    ],
  },
  {
    name: "two sets on the same nodes",
    steps: [
      threeNodes,
      create({ rolling: ["100%", 0] }),
      create({ rolling: ["100%", 0] }, "other"),
      allReady,
      image(2),
      ...nextRound,
    ],
  },
  {
    name: "a status modified by hand is corrected, and keeps its conditions",
    steps: [
      nodes({}, {}),
      create(),
      allReady,
      status("set other counts and a condition", {
        numberReady: 7,
        numberMisscheduled: 3,
        conditions: [{ type: "Example", status: "True" }],
      }),
      status("set collisionCount", { collisionCount: 4 }),
      image(2),
      status("set observedGeneration above the generation", { observedGeneration: 100 }),
      patch("annotate the set", { metadata: { annotations: { note: "1" } } }),
      image(3),
    ],
  },
  {
    name: "a quota rejects pods",
    steps: [
      threeNodes,
      {
        name: "create a quota of one pod",
        act: (stage) => stage.create("resourcequotas", { metadata: { name: "limit" }, spec: { hard: { pods: "1" } } }),
      },
      create(),
      allReady,
      {
        name: "delete the quota",
        act: (stage) => stage.remove("resourcequotas", "limit"),
        until: async (stage) => (await alive(stage)) === 3,
      },
    ],
  },
  {
    name: "20 nodes: pods are created in growing batches",
    steps: [
      nodes(...Array.from({ length: 20 }, () => ({}))),
      { ...create(), order: true },
      allReady,
      spec("set maxUnavailable 100%", { updateStrategy: { rollingUpdate: { maxUnavailable: "100%" } } }),
      image(2),
      ...nextRound,
    ],
  },
];
