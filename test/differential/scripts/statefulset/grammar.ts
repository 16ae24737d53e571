/**
 * Random scripts. All random values are drawn before the script runs, as fractions: the pod or revision that a fraction selects is
 * determined on each side.
 */
import { below, type Random, seededRandom } from "../../../../src/platform/random.ts";
import { removePod, setPodState } from "../../acts.ts";
import type { PodObject } from "../../objects.ts";
import type { Script, Step } from "../../play.ts";
import type { Stage } from "../../stage.ts";
import {
  claimsOn,
  containersOf,
  podsThat,
  retentionOf,
  revisionsOn,
  run,
  type StatefulSetParts,
  statefulSetNamed,
  type Which,
} from "./acts.ts";

interface Scene {
  readonly random: Random;
  exists: boolean;
  claims: boolean;
  parallel: boolean;
}

const policies = ["Retain", "Delete"] as const;

/** Returns the script for a seed: a StatefulSet, and changes of it, its pods, claims and revisions. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), exists: false, claims: false, parallel: false };
  const steps = [create(scene)];
  while (steps.length < length) {
    steps.push(...(scene.exists ? [(pick(moves, scene.random.next()) as Move)(scene)].flat() : [create(scene)]));
  }
  // Numbers make the names of steps unique.
  return { name: `seed ${seed}`, steps: steps.map((step, n) => ({ ...step, name: `${n + 1}. ${step.name}` })) };
}

function pick<T>(items: readonly T[], fraction: number): T | undefined {
  return items[Math.floor(fraction * items.length)];
}

type Move = (scene: Scene) => Step | readonly Step[];

/** A move that is listed n times is n times as likely. */
const moves: readonly Move[] = [
  ...Array.from({ length: 8 }, (): Move => getReady),
  ...Array.from({ length: 6 }, (): Move => ends),
  setImage,
  setImage,
  setImage,
  scaleTo,
  scaleTo,
  scaleTo,
  loseReadiness,
  removeOne,
  fail,
  fail,
  changeStrategy,
  changeStrategy,
  startFrom,
  minReady,
  limitHistory,
  changePolicy,
  unlabel,
  release,
  orphanRevision,
  removeRevision,
  removeClaim,
  removeSet,
];

function change({ parallel }: Scene, name: string, body: object): Step {
  return { name, order: !parallel, act: (stage) => stage.patch("statefulsets", "db", body) };
}

function strategyOf(random: Random): object {
  const drawn = below(random, 5);
  if (drawn === 4) return { type: "OnDelete", rollingUpdate: null };
  // Always with a partition: otherwise the revision of a new pod would depend on an intermediate status.
  return { type: "RollingUpdate", rollingUpdate: { partition: drawn % 3 } };
}

const policyOf = (random: Random): readonly [string, string] => [
  pick(policies, random.next()) as string,
  pick(policies, random.next()) as string,
];

function create(scene: Scene): Step {
  const { random } = scene;
  const parallel = random.next() < 0.4;
  const claims = random.next() < 0.5;
  const parts: StatefulSetParts = {
    replicas: below(random, 5),
    image: 1 + below(random, 3),
    parallel,
    retention: policyOf(random),
    ...(claims && { claims: ["data"] }),
    spec: { revisionHistoryLimit: 2, updateStrategy: strategyOf(random) },
  };
  Object.assign(scene, { exists: true, claims, parallel });
  return {
    name: `create db with ${JSON.stringify(parts)}`,
    order: !parallel,
    act: (stage) => stage.create("statefulsets", statefulSetNamed("db", parts)),
  };
}

/** Acts on one of the pods in a state, if there are any. */
function toOne(
  { random, parallel }: Scene,
  name: string,
  which: Which,
  act: (stage: Stage, pod: PodObject) => Promise<unknown>,
): Step {
  const fraction = random.next();
  return {
    name,
    order: !parallel,
    async act(stage) {
      const pod = pick(await podsThat(stage, which), fraction);
      if (pod !== undefined) await act(stage, pod);
    },
  };
}

function getReady(scene: Scene): Step {
  return toOne(scene, "a pod becomes ready", "not ready", run);
}

function ends(scene: Scene): Step {
  return toOne(scene, "remove a terminating pod", "going", (stage, pod) => removePod(stage, pod, "at once"));
}

function loseReadiness(scene: Scene): Step {
  return toOne(scene, "a pod becomes unready", "ready", (stage, pod) => setPodState(stage, pod, { ready: false }));
}

function removeOne(scene: Scene): Step {
  return toOne(scene, "delete a pod", "alive", removePod);
}

function fail(scene: Scene): Step {
  const phase = scene.random.next() < 0.6 ? "Failed" : "Succeeded";
  return toOne(scene, `set a pod to ${phase}`, "alive", (stage, pod) =>
    setPodState(stage, pod, { phase, ready: false }),
  );
}

function unlabel(scene: Scene): Step {
  const labels = { "statefulset.kubernetes.io/pod-name": null };
  return toOne(scene, "remove a pod's pod-name label", "alive", (stage, { metadata }) =>
    stage.patch("pods", metadata.name, { metadata: { labels } }),
  );
}

function release(scene: Scene): Step {
  return toOne(scene, "remove a pod's owner", "alive", (stage, { metadata }) =>
    stage.patch("pods", metadata.name, { metadata: { ownerReferences: null } }),
  );
}

function setImage(scene: Scene): Step {
  const image = 1 + below(scene.random, 4);
  return change(scene, `set image ${image}`, { spec: { template: { spec: { containers: containersOf(image) } } } });
}

function scaleTo(scene: Scene): Step {
  const replicas = below(scene.random, 6);
  return change(scene, `scale to ${replicas}`, { spec: { replicas } });
}

function changeStrategy(scene: Scene): Step {
  const updateStrategy = strategyOf(scene.random);
  return change(scene, JSON.stringify(updateStrategy), { spec: { updateStrategy } });
}

function startFrom(scene: Scene): Step {
  const start = below(scene.random, 3);
  return change(scene, `set the start ordinal ${start}`, { spec: { ordinals: { start } } });
}

function minReady(scene: Scene): Step {
  // Half a day, while pods have been ready for an hour.
  const minReadySeconds = scene.random.next() < 0.6 ? 0 : 43_200;
  return change(scene, `set minReadySeconds ${minReadySeconds}`, { spec: { minReadySeconds } });
}

function limitHistory(scene: Scene): Step {
  const revisionHistoryLimit = below(scene.random, 3);
  return change(scene, `set revisionHistoryLimit ${revisionHistoryLimit}`, { spec: { revisionHistoryLimit } });
}

function changePolicy(scene: Scene): Step {
  const policy = policyOf(scene.random);
  return change(scene, `set whenDeleted ${policy[0]}, whenScaled ${policy[1]}`, { spec: retentionOf(policy) });
}

/** Claims and revisions trigger no sync, so the set is patched once the caches have their changes. */
function touch({ random }: Scene): Step {
  const touched = String(below(random, 1000));
  return {
    name: "label the set",
    act: (stage) => stage.patch("statefulsets", "db", { metadata: { labels: { touched } } }),
  };
}

/** Acts on one of the revisions. */
function toRevision(
  scene: Scene,
  name: string,
  act: (stage: Stage, name: string) => Promise<unknown>,
): readonly Step[] {
  const fraction = scene.random.next();
  const change: Step = {
    name,
    async act(stage) {
      const revision = pick(await revisionsOn(stage), fraction);
      if (revision !== undefined) await act(stage, revision.metadata.name);
    },
  };
  return [change, touch(scene)];
}

function orphanRevision(scene: Scene): readonly Step[] {
  return toRevision(scene, "remove a revision's owner", (stage, name) =>
    stage.patch("controllerrevisions", name, { metadata: { ownerReferences: null } }),
  );
}

function removeRevision(scene: Scene): readonly Step[] {
  return toRevision(scene, "delete a revision", (stage, name) => stage.remove("controllerrevisions", name));
}

/** Removes a claim, as if a garbage collector ran and no protection controller. */
function removeClaim(scene: Scene): readonly Step[] {
  const fraction = scene.random.next();
  const remove: Step = {
    name: "remove a claim",
    async act(stage) {
      const claim = pick(await claimsOn(stage), fraction);
      if (claim === undefined) return;
      await stage.patch("persistentvolumeclaims", claim.metadata.name, { metadata: { finalizers: null } });
      await stage.remove("persistentvolumeclaims", claim.metadata.name);
    },
  };
  const first = touch(scene);
  const second = touch(scene);
  // Whether the first sync already sees the claim that it created, and sets its owner, is random.
  const both: Step = {
    name: "label the set twice",
    async act(stage) {
      await first.act(stage);
      await Bun.sleep(400);
      await second.act(stage);
    },
  };
  return [remove, both];
}

/** Keeps its pods and revisions, which lose their owner reference. */
function removeSet(scene: Scene): Step {
  scene.exists = false;
  return {
    name: "delete db and orphan its pods and revisions",
    async act(stage) {
      await stage.remove("statefulsets", "db", { propagationPolicy: "Background" });
      for (const { metadata } of await stage.pods()) {
        await stage.patch("pods", metadata.name, { metadata: { ownerReferences: null } });
      }
      for (const { metadata } of await revisionsOn(stage)) {
        await stage.patch("controllerrevisions", metadata.name, { metadata: { ownerReferences: null } });
      }
    },
  };
}
