/** Which pods are deleted first: each criterion decides once, with all criteria before it equal. */
import { activePods, at, bind, mark, type PodState, removePod, scale, setPodState } from "../../acts.ts";
import { costAnnotation, type PodObject, replicaSet } from "../../objects.ts";
import type { Script, Step } from "../../play.ts";
import { parentOn, type Stage } from "../../stage.ts";

const marks = ["first", "second", "third", "fourth"];

/** Creates four marked pods, lets `difference` distinguish the n-th, and then removes them one at a time by scaling down. */
function ranking(name: string, difference: (stage: Stage, pod: PodObject, n: number) => Promise<unknown>): Script {
  return {
    name: `scaled down, it deletes ${name}`,
    steps: [
      { name: "4", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 4 })) },
      {
        name: "each pod is told apart",
        async act(stage) {
          const pods = await activePods(stage, "web");
          await mark(stage, pods, marks);
          for (const [n, pod] of pods.entries()) await difference(stage, pod, n);
        },
      },
      { name: "2", act: (stage) => scale(stage, "web", 2) },
      { name: "1", act: (stage) => scale(stage, "web", 1) },
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
  name: "scaled down, it deletes the pods with more restarts of sidecars",
  steps: [
    {
      name: "3 with a sidecar",
      act: (stage) =>
        stage.create("replicasets", replicaSet("web", { replicas: 3, spec: { initContainers: [sidecar] } })),
    },
    {
      name: "each sidecar has restarted another number of times",
      async act(stage) {
        const pods = await activePods(stage, "web");
        await mark(stage, pods, ["five times", "once", "twice"]);
        for (const [n, restarts] of [5, 1, 2].entries()) {
          await onNodeWith(stage, at(pods, n), n, running({ restarts: 0, sidecarRestarts: restarts }));
        }
      },
    },
    { name: "2", act: (stage) => scale(stage, "web", 2) },
    { name: "1", act: (stage) => scale(stage, "web", 1) },
  ],
};

const byAge: Script = {
  name: "scaled down, it deletes the youngest pods",
  steps: [
    { name: "2", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })) },
    {
      name: "they grow old",
      act: async (stage) => mark(stage, await activePods(stage, "web"), ["old", "old"]),
      waitMs: 9000,
    },
    {
      name: "2 more, and at once too many",
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
  name: `deletion costs ${texts.join(", ")}`,
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
  ranking("pending before unknown before running pods", (stage, pod, n) =>
    onNodeWith(stage, pod, n, {
      phase: at(["Running", "Unknown", "Pending", "Pending"], n),
      ...(n === 3 && { ready: true }),
    }),
  ),
  ranking("pods that are not ready first", async (stage, pod, n) =>
    onNodeWith(stage, pod, n, running({ ready: n < 1, restarts: n })),
  ),
  ranking("pods that became ready last", (stage, pod, n) =>
    onNodeWith(stage, pod, n, running({ readyForMs: 10 ** (n + 6) })),
  ),
  ranking("pods with more restarts", (stage, pod, n) => onNodeWith(stage, pod, n, running({ restarts: 3 - n }))),
  bySidecarRestarts,
  byAge,
  {
    name: "scaled down, it deletes pods of the lowest deletion cost, no cost being 0",
    steps: [
      { name: "6", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 6 })) },
      costs(["10", "-5", "2147483647", "-2147483648", "0"]),
      {
        name: "one more, of a cost above 0, without an annotation there at first",
        async act(stage) {
          const [plain] = await stage.pods(({ metadata }) => metadata.annotations === undefined);
          await stage.patch("pods", plain?.metadata.name ?? "", {
            metadata: { annotations: { [costAnnotation]: "1" } },
          });
        },
      },
      ...[5, 4, 3, 2, 1].map((replicas) => ({
        name: `${replicas}`,
        act: (stage: Stage) => scale(stage, "web", replicas),
      })),
    ],
  },
  {
    name: "scaled down, it deletes from the node with most of its pods",
    steps: [
      {
        name: "4 of a parent",
        act: (stage) =>
          stage.create("replicasets", replicaSet("web", { replicas: 4, own: { ownerReferences: [parentOn(stage)] } })),
      },
      { name: "three on one node", act: (stage) => placed(stage, { web: ["a", "a", "a", "b"] }) },
      { name: "2", act: (stage) => scale(stage, "web", 2) },
      {
        name: "one of the others goes by itself",
        act: async (stage) => removePod(stage, at(await activePods(stage, "web"), 0), "at once"),
      },
    ],
  },
  {
    name: "two ReplicaSets of one parent: the pods of both count on a node",
    steps: [
      {
        name: "2 and 3",
        async act(stage) {
          const own = { ownerReferences: [parentOn(stage)] };
          await stage.create("replicasets", related("new", 2, own));
          await stage.create("replicasets", related("old", 3, own));
        },
      },
      {
        name: "the other's pods are all on one node",
        act: (stage) => placed(stage, { new: ["a", "b"], old: ["b", "b", "b"] }),
      },
      { name: "the crowded node loses one", act: (stage) => scale(stage, "new", 1) },
    ],
  },
];
