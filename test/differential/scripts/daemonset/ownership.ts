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
  name: "the set goes, what it owns stays without an owner",
  async act(stage) {
    await stage.remove("daemonsets", "agent", { propagationPolicy: "Background" });
    for (const { metadata } of await stage.pods()) await orphan(stage, "pods", metadata.name);
    for (const { metadata } of await revisionsOn(stage)) await orphan(stage, "controllerrevisions", metadata.name);
  },
};

const deletion = (propagationPolicy: string): Script => ({
  name: `a set is deleted: ${propagationPolicy}`,
  steps: [
    threeNodes,
    create(),
    allReady,
    { name: "it is deleted", act: (stage) => stage.remove("daemonsets", "agent", { propagationPolicy }) },
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
    name: "a set that is made anew adopts pods and revisions",
    steps: [threeNodes, create(), allReady, orphanAll, create(), image(2), ...nextRound],
  },
  {
    name: "a set that is made anew with another template adopts and replaces",
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
    name: "orphans: those that it selects are adopted, one a node, others are not",
    steps: [
      nodes({}, {}),
      {
        name: "pods, then the set",
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
      { name: "another one comes", act: (stage) => addPod(stage, "two", { n: 2, labels: { app: "agent" } }) },
      allEnd,
    ],
  },
  {
    name: "a pod that is relabelled is released, and another one made; it comes back and is too many",
    steps: [
      nodes({}, {}),
      create(),
      allReady,
      relabelled(1, { app: "aside" }),
      allReady,
      onNode("it comes back", 1, async (stage, { metadata }) => {
        if (metadata.labels?.["app"] === "aside")
          await stage.patch("pods", metadata.name, { metadata: { labels: { app: "agent" } } });
      }),
      allEnd,
    ],
  },
  {
    name: "a pod loses the label of its hash: it is of the template's generation all the same",
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
    name: "pods are deleted by hand, gracefully and at once",
    steps: [
      threeNodes,
      create(),
      allReady,
      deleted(1),
      allEnd,
      allReady,
      each("all are deleted", "alive", removePod),
      allEnd,
      allReady,
      each("all are gone", "alive", (stage, pod) => removePod(stage, pod, "at once")),
    ],
  },
  {
    name: "pods end: they are deleted and made anew",
    steps: [threeNodes, create(), allReady, fails(1), succeeds(2), ...nextRound],
  },
  {
    name: "a pod fails again and again: its node waits longer each time",
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
    name: "a pod that has ended with a finalizer does not keep another one away",
    steps: [
      nodes({}),
      create(),
      allReady,
      onNode("it has a finalizer", 1, (stage, { metadata }) =>
        stage.patch("pods", metadata.name, { metadata: { finalizers: ["example.com/hold"] } }),
      ),
      onNode("it goes, and fails", 1, async (stage, pod) => {
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
    name: "a status that was edited by hand is mended, and keeps its conditions",
    steps: [
      nodes({}, {}),
      create(),
      allReady,
      status("other counts, and a condition", {
        numberReady: 7,
        numberMisscheduled: 3,
        conditions: [{ type: "Example", status: "True" }],
      }),
      status("a collision", { collisionCount: 4 }),
      image(2),
      status("an observed generation of the future", { observedGeneration: 100 }),
      patch("annotations change", { metadata: { annotations: { note: "1" } } }),
      image(3),
    ],
  },
  {
    name: "pods that are refused",
    steps: [
      threeNodes,
      {
        name: "no more than one pod",
        act: (stage) => stage.create("resourcequotas", { metadata: { name: "limit" }, spec: { hard: { pods: "1" } } }),
      },
      create(),
      allReady,
      {
        name: "more pods",
        act: (stage) => stage.remove("resourcequotas", "limit"),
        until: async (stage) => (await alive(stage)) === 3,
      },
    ],
  },
  {
    name: "many nodes: pods come in growing batches",
    steps: [
      nodes(...Array.from({ length: 20 }, () => ({}))),
      { ...create(), order: true },
      allReady,
      spec("all at once", { updateStrategy: { rollingUpdate: { maxUnavailable: "100%" } } }),
      image(2),
      ...nextRound,
    ],
  },
];
