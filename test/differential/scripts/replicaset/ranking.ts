/** Which pods are deleted first: each criterion decides once, with all criteria before it equal. */
import { activePods, at, bind, mark, type PodState, removePod, scale, setPodState } from "../../acts.ts";
import { costAnnotation, type PodObject, replicaSet } from "../../objects.ts";
import type { Script, Step } from "../../play.ts";
import { parentOn, type Stage } from "../../stage.ts";

const marks = ["first", "second", "third", "fourth"];

/** Creates four marked pods, lets `difference` distinguish the n-th, and then removes them one at a time by scaling down. */
function ranking(name: string, difference: (stage: Stage, pod: PodObject, n: number) => Promise<unknown>): Script {
  return {
    name: `scaling down deletes ${name}`,
    steps: [
      {
        name: "create a ReplicaSet of 4",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 4 })),
      },
      {
        name: "give each pod a different state",
        async act(stage) {
          const pods = await activePods(stage, "web");
          await mark(stage, pods, marks);
          for (const [n, pod] of pods.entries()) await difference(stage, pod, n);
        },
      },
      { name: "scale to 2", act: (stage) => scale(stage, "web", 2) },
      { name: "scale to 1", act: (stage) => scale(stage, "web", 1) },
    ],
  };
}

const running = (state: PodState): PodState => ({ phase: "Running", ready: true, ...state });
const day = 86_400_000;

/** Binds each pod to a separate node, so that no node has more pods than another. */
async function onNodeWith(stage: Stage, pod: PodObject, n: number, state: PodState): Promise<void> {
  await bind(stage, pod, `node-${n}`);
  await setPodState(stage, pod, state);
}

const sidecar = { name: "side", image: "side:1", restartPolicy: "Always" };

const bySidecarRestarts: Script = {
  name: "scaling down deletes the pods with more sidecar restarts first",
  steps: [
    {
      name: "create a ReplicaSet of 3 with a sidecar",
      act: (stage) =>
        stage.create("replicasets", replicaSet("web", { replicas: 3, spec: { initContainers: [sidecar] } })),
    },
    {
      name: "give each sidecar a different restart count",
      async act(stage) {
        const pods = await activePods(stage, "web");
        await mark(stage, pods, ["five times", "once", "twice"]);
        for (const [n, restarts] of [5, 1, 2].entries()) {
          await onNodeWith(stage, at(pods, n), n, running({ restarts: 0, sidecarRestarts: restarts }));
        }
      },
    },
    { name: "scale to 2", act: (stage) => scale(stage, "web", 2) },
    { name: "scale to 1", act: (stage) => scale(stage, "web", 1) },
  ],
};

const byAge: Script = {
  name: "scaling down deletes the youngest pods first",
  steps: [
    {
      name: "create a ReplicaSet of 2",
      act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })),
    },
    {
      name: "wait until the pods are older",
      act: async (stage) => mark(stage, await activePods(stage, "web"), ["old", "old"]),
      waitMs: 9000,
    },
    {
      name: "scale to 4 and immediately back to 2",
      async act(stage) {
        await scale(stage, "web", 4);
        await untilThereAre(stage, 4);
        await scale(stage, "web", 2);
      },
    },
  ],
};

async function untilThereAre(stage: Stage, count: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if ((await activePods(stage, "web")).length === count) return;
    await Bun.sleep(20);
  }
  throw new Error(`Cannot see ${count} pods within 2 s`);
}

/** Binds pods of both ReplicaSets to these nodes, all running and ready for an hour. */
async function placed(stage: Stage, places: Readonly<Record<string, readonly string[]>>): Promise<void> {
  for (const [name, nodes] of Object.entries(places)) {
    const pods = await activePods(stage, name);
    for (const [n, node] of nodes.entries()) {
      const pod = at(pods, n);
      await bind(stage, pod, node);
      await setPodState(stage, pod, running({}));
    }
  }
}

const related = (name: string, replicas: number, own: object): object =>
  replicaSet(name, { replicas, own, labels: { app: "parent", of: name }, selector: { matchLabels: { of: name } } });

const costs = (texts: readonly string[]): Step => ({
  name: `set the deletion costs ${texts.join(", ")}`,
  async act(stage) {
    const pods = await activePods(stage, "web");
    for (const [n, cost] of texts.entries()) {
      await stage.patch("pods", at(pods, n).metadata.name, { metadata: { annotations: { [costAnnotation]: cost } } });
    }
  },
});

export const rankings: readonly Script[] = [
  ranking("pods without a node first", async (stage, pod, n) => {
    if (n < 3) await bind(stage, pod, `node-${n}`);
    if (n < 2) await setPodState(stage, pod, running({ readyForMs: (n + 1) * 30 * day }));
  }),
  ranking("pending, then unknown, then running pods", (stage, pod, n) =>
    onNodeWith(stage, pod, n, {
      phase: at(["Running", "Unknown", "Pending", "Pending"], n),
      ...(n === 3 && { ready: true }),
    }),
  ),
  ranking("pods that are not ready first", async (stage, pod, n) =>
    onNodeWith(stage, pod, n, running({ ready: n < 1, restarts: n })),
  ),
  ranking("the pods that became ready last first", (stage, pod, n) =>
    onNodeWith(stage, pod, n, running({ readyForMs: 10 ** (n + 6) })),
  ),
  ranking("the pods with more restarts first", (stage, pod, n) =>
    onNodeWith(stage, pod, n, running({ restarts: 3 - n })),
  ),
  bySidecarRestarts,
  byAge,
  {
    name: "scaling down deletes the pods with the lowest deletion cost, 0 if unset",
    steps: [
      {
        name: "create a ReplicaSet of 6",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 6 })),
      },
      costs(["10", "-5", "2147483647", "-2147483648", "0"]),
      {
        name: "set a cost of 1 on the pod without annotations",
        async act(stage) {
          const [plain] = await stage.pods(({ metadata }) => metadata.annotations === undefined);
          await stage.patch("pods", plain?.metadata.name ?? "", {
            metadata: { annotations: { [costAnnotation]: "1" } },
          });
        },
      },
      ...[5, 4, 3, 2, 1].map((replicas) => ({
        name: `scale to ${replicas}`,
        act: (stage: Stage) => scale(stage, "web", replicas),
      })),
    ],
  },
  {
    name: "scaling down deletes from the node with the most of its pods",
    steps: [
      {
        name: "create a ReplicaSet of 4 with a parent",
        async act(stage) {
          const own = { ownerReferences: [await parentOn(stage)] };
          await stage.create("replicasets", replicaSet("web", { replicas: 4, own }));
        },
      },
      { name: "place three of the pods on one node", act: (stage) => placed(stage, { web: ["a", "a", "a", "b"] }) },
      { name: "scale to 2", act: (stage) => scale(stage, "web", 2) },
      {
        name: "remove one of the remaining pods",
        act: async (stage) => removePod(stage, at(await activePods(stage, "web"), 0), "at once"),
      },
    ],
  },
  {
    name: "two ReplicaSets with the same owner: the pods of both are counted per node",
    steps: [
      {
        name: "create one of 2 and one of 3",
        async act(stage) {
          const own = { ownerReferences: [await parentOn(stage)] };
          await stage.create("replicasets", related("new", 2, own));
          await stage.create("replicasets", related("old", 3, own));
        },
      },
      {
        name: "place all pods of one on the same node",
        act: (stage) => placed(stage, { new: ["a", "b"], old: ["b", "b", "b"] }),
      },
      { name: "scale down the other, with a pod on that node", act: (stage) => scale(stage, "new", 1) },
    ],
  },
];
