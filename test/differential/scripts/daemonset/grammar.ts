/**
 * Random scripts. All random values are drawn before the script runs, as fractions: the node, pod or revision that a fraction selects is
 * determined on each side.
 */
import { below, type Random, seededRandom } from "../../../../src/platform/random.ts";
import { removePod, setPodState } from "../../acts.ts";
import type { PodObject } from "../../objects.ts";
import type { Script, Step } from "../../play.ts";
import type { Stage } from "../../stage.ts";
import {
  addNode,
  allEnd,
  allReady,
  containersOf,
  create,
  full,
  gpu,
  type NodeParts,
  nodes,
  nodesOn,
  type Place,
  placesOn,
  podsThat,
  rolling,
  run,
  spec,
  type Which,
} from "./acts.ts";

interface Scene {
  readonly random: Random;
  /** Whether all nodes are identical and stay so. */
  readonly alike: boolean;
  byHand: boolean;
  exists: boolean;
  nodes: number;
}

const rollsMeanwhile = "a rollout deletes a pod either before or after the script makes it ready";

/** Returns the script for a seed: a DaemonSet, and changes of it, its nodes and its pods. */
export function randomScript(seed: number, length: number): Script {
  const random = seededRandom(seed);
  const scene: Scene = { random, alike: random.next() < 0.4, byHand: false, exists: false, nodes: 3 };
  const steps: Step[] = [nodes(...Array.from({ length: 3 }, () => partsOf(scene))), newSet(scene)];
  while (steps.length < length) {
    const step = scene.exists ? [(pick(moves, random.next()) as Move)(scene)].flat() : [newSet(scene)];
    steps.push(...step);
  }
  // Numbers make the names of steps unique.
  const numbered = steps.map((step, n) => ({ ...step, name: `${n + 1}. ${step.name}` }));
  return { name: `seed ${seed}`, steps: numbered, race: rollsMeanwhile };
}

function pick<T>(items: readonly T[], fraction: number): T | undefined {
  return items[Math.floor(fraction * items.length)];
}

const disks = ["ssd", "hdd"] as const;
const taintsToDraw = [
  [],
  [],
  [gpu],
  [full],
  [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
] as const;

function partsOf({ alike, random }: Scene): NodeParts {
  if (alike) return {};
  return {
    labels: { disk: pick(disks, random.next()) as string },
    taints: random.next() < 0.6 ? [] : (pick(taintsToDraw, random.next()) ?? []),
  };
}

type Bounds = readonly [maxUnavailable: number | string, maxSurge: number | string];

/** If nodes differ, all are replaced at once, because the node with which kube-controller-manager begins is random. */
const allAtOnce: readonly Bounds[] = [
  [50, 0],
  [0, 50],
];
/** If nodes are identical, that does not matter, as long as each rollout completes before the next one begins. */
const someAtOnce: readonly Bounds[] = [...allAtOnce, [1, 0], [2, 0], [0, 1], [0, "50%"]];

const boundsOf = ({ alike, random }: Scene): Bounds => pick(alike ? someAtOnce : allAtOnce, random.next()) as Bounds;

const podSpecs = [
  {},
  { nodeSelector: { disk: "ssd" } },
  { tolerations: [{ key: "dedicated", operator: "Exists" }] },
] as const;

function newSet(scene: Scene): Step {
  scene.exists = true;
  const { random } = scene;
  const { nodeSelector, ...rest } = (scene.alike ? {} : (pick(podSpecs, random.next()) ?? {})) as {
    nodeSelector?: Record<string, string>;
  };
  scene.byHand = random.next() < 0.15;
  return create({
    image: 1 + below(random, 3),
    podSpec: rest,
    ...(nodeSelector !== undefined && { nodeSelector }),
    ...(scene.byHand ? { spec: { updateStrategy: { type: "OnDelete" } } } : { rolling: boundsOf(scene) }),
  });
}

type Move = (scene: Scene) => Step | readonly Step[];

/** Unbound pods are left to the controller to delete. */
const boundPodsEnd: Step = {
  name: "remove the pods of deleted nodes",
  async act(stage) {
    const there = new Set((await nodesOn(stage)).map(({ metadata }) => metadata.name));
    const bound = await stage.pods(({ spec: { nodeName } }) => nodeName !== undefined && !there.has(nodeName));
    for (const pod of bound) await removePod(stage, pod, "at once");
  },
};

function newImage({ alike, byHand, nodes: count, random }: Scene): readonly Step[] {
  const version = 1 + below(random, 4);
  const update = spec(`set image ${version}`, { template: { spec: { containers: containersOf(version) } } });
  const rounds = alike && !byHand ? count + 1 : 0;
  return [
    ...(rounds > 0 ? [allEnd, allReady] : []),
    update,
    ...Array.from({ length: rounds }, () => [allEnd, allReady]).flat(),
  ];
}

/** A move that is listed n times is n times as likely. */
const moves: readonly Move[] = [
  () => allReady,
  () => allReady,
  () => allReady,
  () => allEnd,
  () => allEnd,
  () => [allEnd, allReady],
  newImage,
  newImage,
  // OnDelete leaves pods of several templates, so all of them are replaced at once.
  (scene) => {
    const [maxUnavailable, maxSurge] = scene.byHand ? (allAtOnce[0] as Bounds) : boundsOf(scene);
    scene.byHand = false;
    return [rolling(maxUnavailable, maxSurge), ...(scene.alike ? [allEnd, allReady] : [])];
  },
  ({ random }) => {
    const limit = below(random, 3);
    return spec(`set revisionHistoryLimit ${limit}`, { revisionHistoryLimit: limit });
  },
  ({ alike, random }) => {
    if (alike) return allReady;
    const taints = pick(taintsToDraw, random.next()) ?? [];
    const named = taints.map(({ key }) => key).join(", ") || "no taint";
    return toPlace(`set the taints of a node: ${named}`, random.next(), (stage, { node }) =>
      stage.patch("nodes", node.metadata.name, { spec: { taints } }),
    );
  },
  ({ alike, random }) => {
    if (alike) return allReady;
    const disk = pick(disks, random.next()) as string;
    return toPlace(`set the disk of a node to ${disk}`, random.next(), (stage, { node }) =>
      stage.patch("nodes", node.metadata.name, { metadata: { labels: { disk } } }),
    );
  },
  (scene) => {
    const parts = partsOf(scene);
    const n = ++scene.nodes;
    return { name: "create a node", act: (stage) => addNode(stage, n, parts) };
  },
  // In two steps, because which of two watches is faster is random.
  ({ random }) => [
    toPlace("delete a node", random.next(), (stage, { node }) => stage.remove("nodes", node.metadata.name)),
    boundPodsEnd,
  ],
  ({ random }) => {
    const phase = random.next() < 0.7 ? "Failed" : "Succeeded";
    return toPod(`set a pod to ${phase}`, { are: "alive", fraction: random.next() }, async (stage, pod) => {
      await run(stage, pod, { phase, ready: false });
    });
  },
  ({ random }) =>
    toPod("a pod becomes unready", { are: "ready", fraction: random.next() }, (stage, pod) =>
      setPodState(stage, pod, { ready: false }),
    ),
  ({ random }) =>
    toPod("a pod becomes ready", { are: "not ready", fraction: random.next() }, (stage, pod) => run(stage, pod)),
  ({ random }) => toPod("delete a pod", { are: "alive", fraction: random.next() }, removePod),
  ({ random }) =>
    toPod("remove a pod", { are: "alive", fraction: random.next() }, (stage, pod) => removePod(stage, pod, "at once")),
  ({ random }) =>
    toPod("relabel a pod", { are: "alive", fraction: random.next() }, (stage, { metadata }) =>
      stage.patch("pods", metadata.name, { metadata: { labels: { app: "aside" } } }),
    ),
  (scene) => {
    scene.exists = false;
    return {
      name: "delete the set, and remove its pods and revisions",
      async act(stage) {
        await stage.remove("daemonsets", "agent", { propagationPolicy: "Background" });
        for (const pod of await stage.pods()) await removePod(stage, pod, "at once");
        for (const { metadata } of (await stage.list("controllerrevisions")) as readonly {
          metadata: { name: string };
        }[])
          await stage.remove("controllerrevisions", metadata.name);
      },
    };
  },
];

function toPlace(name: string, fraction: number, act: (stage: Stage, place: Place) => Promise<unknown>): Step {
  return {
    name,
    async act(stage) {
      const place = pick(await placesOn(stage), fraction);
      if (place !== undefined) await act(stage, place);
    },
  };
}

function toPod(
  name: string,
  { are, fraction }: { readonly are: Which; readonly fraction: number },
  act: (stage: Stage, pod: PodObject) => Promise<unknown>,
): Step {
  return {
    name,
    async act(stage) {
      const pod = pick(await podsThat(stage, are), fraction);
      if (pod !== undefined) await act(stage, pod);
    },
  };
}
