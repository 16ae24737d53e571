/**
 * Random scripts. All random values are drawn before the script runs, as fractions: the pod or ReplicaSet that a fraction selects is
 * determined on each side. Pods become ready and unready one at a time, so that a rollout takes the same steps on every side.
 */
import { below, type Random, seededRandom } from "../../../../src/platform/random.ts";
import { removePod, setPodState } from "../../acts.ts";
import type { Script, Step } from "../../play.ts";
import type { Stage } from "../../stage.ts";
import { containersOf, deploymentNamed, podsOfSets, podsThat, replicaSetsOn, strategyOf } from "./acts.ts";

interface Scene {
  readonly random: Random;
  exists: boolean;
  paused: boolean;
}

type Strategy = Parameters<typeof strategyOf>[0];

const strategies: readonly Strategy[] = [["25%", "25%"], [1, 0], [0, 1], [2, 1], ["100%", 0], [0, "50%"], "Recreate"];

/** Returns the script for a seed: a Deployment, and changes of it, its ReplicaSets and its pods. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), exists: false, paused: false };
  const steps = [create(scene)];
  while (steps.length < length) {
    steps.push(scene.exists ? (pick(moves, scene.random.next()) as Move)(scene) : create(scene));
  }
  // Numbers make the names of steps unique.
  return { name: `seed ${seed}`, steps: steps.map((step, n) => ({ ...step, name: `${n + 1}. ${step.name}` })) };
}

function pick<T>(items: readonly T[], fraction: number): T | undefined {
  return items[Math.floor(fraction * items.length)];
}

type Move = (scene: Scene) => Step;

/** A move that is listed n times is n times as likely. */
const moves: readonly Move[] = [
  getReady,
  getReady,
  getReady,
  getReady,
  getReady,
  getReady,
  setImage,
  setImage,
  setImage,
  scaleTo,
  scaleTo,
  loseReadiness,
  removeOne,
  togglePause,
  togglePause,
  changeStrategy,
  changeStrategy,
  annotate,
  minReady,
  limitHistory,
  orphan,
  tamper,
  removeReplicaSet,
  rollback,
  removeDeployment,
];

function change(name: string, body: object): Step {
  return { name, order: true, act: (stage) => stage.patch("deployments", "web", body) };
}

function create(scene: Scene): Step {
  const { random } = scene;
  const replicas = below(random, 6);
  const strategy = pick(strategies, random.next()) as Strategy;
  const image = 1 + below(random, 3);
  const parts = { replicas, strategy, image, spec: { revisionHistoryLimit: 2, progressDeadlineSeconds: 90_000 } };
  Object.assign(scene, { exists: true, paused: false });
  return {
    name: `create web with ${replicas} replicas, image ${image}, strategy ${JSON.stringify(strategy)}`,
    order: true,
    act: (stage) => stage.create("deployments", deploymentNamed("web", parts)),
  };
}

function getReady({ random }: Scene): Step {
  const fraction = random.next();
  return {
    name: "a pod becomes ready",
    order: true,
    async act(stage) {
      const pod = pick(await podsThat(stage, "not ready"), fraction);
      if (pod !== undefined) await setPodState(stage, pod, { ready: true });
    },
  };
}

function loseReadiness({ random }: Scene): Step {
  const fraction = random.next();
  return {
    name: "a pod becomes unready",
    order: true,
    async act(stage) {
      const pod = pick(await podsThat(stage, "ready"), fraction);
      if (pod !== undefined) await setPodState(stage, pod, { ready: false });
    },
  };
}

function removeOne({ random }: Scene): Step {
  const fraction = random.next();
  return {
    name: "delete a pod",
    async act(stage) {
      const pod = pick(await podsOfSets(stage), fraction);
      if (pod !== undefined) await removePod(stage, pod);
    },
  };
}

function setImage({ random }: Scene): Step {
  const image = 1 + below(random, 4);
  return change(`set image ${image}`, { spec: { template: { spec: { containers: containersOf(image) } } } });
}

function scaleTo({ random }: Scene): Step {
  const replicas = below(random, 8);
  return change(`scale to ${replicas}`, { spec: { replicas } });
}

function togglePause(scene: Scene): Step {
  scene.paused = !scene.paused;
  return change(scene.paused ? "pause" : "resume", { spec: { paused: scene.paused } });
}

function changeStrategy({ random }: Scene): Step {
  const strategy = pick(strategies, random.next()) as Strategy;
  return change(JSON.stringify(strategy), { spec: { strategy: strategyOf(strategy) } });
}

function annotate({ random }: Scene): Step {
  const cause = String(below(random, 3));
  return change(`set change-cause ${cause}`, { metadata: { annotations: { "kubernetes.io/change-cause": cause } } });
}

function minReady({ random }: Scene): Step {
  // Half a day, while pods have been ready for an hour.
  const minReadySeconds = random.next() < 0.6 ? 0 : 43_200;
  return change(`set minReadySeconds ${minReadySeconds}`, { spec: { minReadySeconds } });
}

function limitHistory({ random }: Scene): Step {
  const revisionHistoryLimit = below(random, 3);
  return change(`set revisionHistoryLimit ${revisionHistoryLimit}`, { spec: { revisionHistoryLimit } });
}

function rollback({ random }: Scene): Step {
  const revision = String(below(random, 4));
  return change(`roll back to ${revision}`, {
    metadata: { annotations: { "deprecated.deployment.rollback.to": revision } },
  });
}

/** Acts on one of the ReplicaSets, if there are any. */
function toOne(name: string, random: Random, act: (stage: Stage, name: string) => Promise<unknown>): Step {
  const fraction = random.next();
  return {
    name,
    order: true,
    async act(stage) {
      const one = pick(await replicaSetsOn(stage), fraction);
      if (one !== undefined) await act(stage, one.metadata.name);
    },
  };
}

function orphan({ random }: Scene): Step {
  return toOne("remove the owner of a ReplicaSet", random, (stage, name) =>
    stage.patch("replicasets", name, { metadata: { ownerReferences: null } }),
  );
}

/** Changes the recorded maximum size, from which a ReplicaSet's share of a scaling is computed. */
function tamper({ random }: Scene): Step {
  const most = pick(["0", "3", "20", "many", null], random.next()) as string | null;
  const annotations = { "deployment.kubernetes.io/max-replicas": most };
  return toOne(`set the max-replicas annotation of a ReplicaSet to ${most}`, random, (stage, name) =>
    stage.patch("replicasets", name, { metadata: { annotations } }),
  );
}

/** Keeps the pods: if they were deleted too, it would be random whether the ReplicaSet still replaces some of them. */
function removeReplicaSet({ random }: Scene): Step {
  return toOne("delete a ReplicaSet and keep its pods", random, (stage, name) =>
    stage.remove("replicasets", name, { propagationPolicy: "Background" }),
  );
}

/** Keeps its ReplicaSets, which lose their owner reference. */
function removeDeployment(scene: Scene): Step {
  scene.exists = false;
  return {
    name: "delete web and orphan its ReplicaSets",
    async act(stage) {
      await stage.remove("deployments", "web", { propagationPolicy: "Background" });
      for (const { metadata } of await replicaSetsOn(stage)) {
        await stage.patch("replicasets", metadata.name, { metadata: { ownerReferences: null } });
      }
    },
  };
}
