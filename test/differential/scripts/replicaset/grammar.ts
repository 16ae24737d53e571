/**
 * Random scripts. All random values are drawn before the script runs, as fractions: the pod that a fraction selects is determined on each
 * side among its pods, sorted by class. Every property that distinguishes pods affects the deletion ranking, so that
 * kube-controller-manager has no choice: the node affects the restarts, the template and being an orphan affect the deletion cost.
 */
import { below, type Random, seededRandom } from "../../../../src/platform/random.ts";
import { activePods, bind, removePod, setPodState } from "../../acts.ts";
import { costAnnotation, podNamed, type PodObject, replicaSet, replicationController } from "../../objects.ts";
import type { Script, Step } from "../../play.ts";
import { parentOn, type Resource, type Stage } from "../../stage.ts";

interface Owner {
  readonly name: string;
  readonly resource: Resource;
  /** Whether it exists at this point of the script. */
  exists: boolean;
  /** Whether it existed before. */
  isBack: boolean;
}

interface Scene {
  readonly random: Random;
  readonly owners: readonly Owner[];
  /** Whether the ReplicaSets have the same controller, so that the pods of both are counted per node. */
  readonly parent: boolean;
  quota: boolean;
  images: number;
  /** Whether the ReplicationController may have pods to adopt. */
  adopts: boolean;
}

const hour = 3_600_000;
const hourCounts = [1, 100, 10_000];

const adoptsTwice =
  "a ReplicationController, which does not wait for its own writes, adopts a pod again if its cache is a sync behind";

/** Returns the script for a seed: two ReplicaSets and a ReplicationController, and changes of them and their pods. */
export function randomScript(seed: number, length: number): Script {
  const random = seededRandom(seed);
  const scene: Scene = {
    random,
    parent: random.next() < 0.5,
    quota: false,
    images: 1,
    adopts: false,
    owners: [
      { name: "a", resource: "replicasets", exists: false, isBack: false },
      { name: "b", resource: "replicasets", exists: false, isBack: false },
      { name: "c", resource: "replicationcontrollers", exists: false, isBack: false },
    ],
  };
  const steps = [create(scene, pick(scene.owners, random.next()) as Owner)];
  while (steps.length < length) steps.push(draw(scene));
  return { name: `seed ${seed}`, steps, ...(scene.adopts && { race: adoptsTwice }) };
}

function pick<T>(items: readonly T[], fraction: number): T | undefined {
  return items[Math.floor(fraction * items.length)];
}

type Move = (scene: Scene, owner: Owner) => Step;

/** A move that is listed n times is n times as likely, among those that fit the scene. */
const moves: readonly Move[] = [
  scaleTo,
  scaleTo,
  scaleTo,
  place,
  place,
  place,
  change,
  change,
  end,
  removeOne,
  removeOne,
  finish,
  cost,
  orphan,
  aside,
  back,
  template,
  minReady,
  editStatus,
  removeOwner,
  toggleQuota,
];

function draw(scene: Scene): Step {
  const owner = pick(scene.owners, scene.random.next()) as Owner;
  if (!owner.exists) return create(scene, owner);
  return (pick(moves, scene.random.next()) as Move)(scene, owner);
}

function create(scene: Scene, owner: Owner): Step {
  const replicas = below(scene.random, 6);
  owner.exists = true;
  // Its pods may still exist after it was deleted.
  if (owner.isBack) mayAdopt(scene, owner);
  owner.isBack = true;
  const isSet = owner.resource === "replicasets";
  const hasParent = isSet && scene.parent;
  const object = async (stage: Stage): Promise<object> => {
    const parts = {
      replicas,
      ...(hasParent && { own: { ownerReferences: [await parentOn(stage)] } }),
      metadata: { labels: { app: owner.name }, annotations: { [costAnnotation]: "1" } },
    };
    return isSet ? replicaSet(owner.name, parts) : replicationController(owner.name, parts);
  };
  return {
    name: `create ${owner.name} with ${replicas} replicas${hasParent ? ", owned by a parent" : ""}`,
    act: async (stage) => stage.create(owner.resource, await object(stage)),
  };
}

function scaleTo({ random }: Scene, { name, resource }: Owner): Step {
  const replicas = below(random, 8);
  return { name: `scale ${name} to ${replicas}`, act: (stage) => stage.patch(resource, name, { spec: { replicas } }) };
}

/** Acts on one of the pods that fit, if there are any. */
function toOne(
  { random }: Scene,
  owner: Owner,
  what: { readonly name: string; fits?(pod: PodObject): boolean; act(stage: Stage, pod: PodObject): Promise<unknown> },
): Step {
  const fraction = random.next();
  return {
    name: `${what.name} (${owner.name}, at ${fraction.toFixed(2)})`,
    async act(stage) {
      const pods = (await activePods(stage, owner.name)).filter((pod) => what.fits?.(pod) ?? true);
      const pod = pick(pods, fraction);
      if (pod !== undefined) await what.act(stage, pod);
    },
  };
}

interface DrawnState {
  readonly phase: string;
  readonly ready: boolean;
  readonly readyForMs: number;
}

function drawState(random: Random): DrawnState {
  const phase = pick(["Pending", "Running", "Running", "Running", "Unknown"], random.next()) as string;
  const ready = random.next() < 0.7;
  const hours = pick(hourCounts, random.next()) as number;
  return { phase, ready, readyForMs: (ready ? hours : 1) * hour };
}

function nodeNumber(pod: PodObject): number {
  return Number(pod.spec.nodeName?.slice("node-".length) ?? 0);
}

function place(scene: Scene, owner: Owner): Step {
  const node = 1 + below(scene.random, 3);
  const state = drawState(scene.random);
  return toOne(scene, owner, {
    name: `bind a pod to node-${node} and set its state to ${JSON.stringify(state)}`,
    fits: ({ spec }) => spec.nodeName === undefined,
    async act(stage, pod) {
      await bind(stage, pod, `node-${node}`);
      await setPodState(stage, pod, { ...state, restarts: node });
    },
  });
}

function change(scene: Scene, owner: Owner): Step {
  const state = drawState(scene.random);
  return toOne(scene, owner, {
    name: `set the state of a bound pod to ${JSON.stringify(state)}`,
    fits: ({ spec }) => spec.nodeName !== undefined,
    act: (stage, pod) => setPodState(stage, pod, { ...state, restarts: nodeNumber(pod) }),
  });
}

function end(scene: Scene, owner: Owner): Step {
  const phase = scene.random.next() < 0.5 ? "Failed" : "Succeeded";
  return toOne(scene, owner, {
    name: `set a pod's phase to ${phase}`,
    act: (stage, pod) => setPodState(stage, pod, { phase }),
  });
}

function removeOne(scene: Scene, owner: Owner): Step {
  const how = scene.random.next() < 0.5 ? "gracefully" : "at once";
  return toOne(scene, owner, { name: `delete a pod ${how}`, act: (stage, pod) => removePod(stage, pod, how) });
}

function finish(): Step {
  return {
    name: "remove the terminating pods",
    async act(stage) {
      const going = await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined);
      for (const pod of going) await removePod(stage, pod, "at once");
    },
  };
}

/** The tens are random; the last digit encodes the template, or an orphan (7). */
function cost(scene: Scene, owner: Owner): Step {
  const tens = below(scene.random, 4) - 1;
  return toOne(scene, owner, {
    name: `set a pod's deletion cost to ${tens} tens`,
    act: (stage, pod) => {
      const digit = Number(pod.metadata.annotations?.[costAnnotation] ?? 0);
      const value = String(tens * 10 + (((digit % 10) + 10) % 10));
      return stage.patch("pods", pod.metadata.name, { metadata: { annotations: { [costAnnotation]: value } } });
    },
  });
}

function mayAdopt(scene: Scene, { resource }: Owner): void {
  if (resource === "replicationcontrollers") scene.adopts = true;
}

function orphan(scene: Scene, owner: Owner): Step {
  mayAdopt(scene, owner);
  const name = "orphan";
  return {
    name: `create an orphan that matches ${owner.name}`,
    async act(stage) {
      const metadata = { generateName: "orphan-", name: undefined, annotations: { [costAnnotation]: "7" } };
      // A quota can reject it.
      await stage.attempt("POST", "/pods", podNamed(name, { app: owner.name }, { metadata }));
    },
  };
}

function aside(scene: Scene, owner: Owner): Step {
  return toOne(scene, owner, {
    name: "relabel a pod so that its owner no longer selects it",
    act: (stage, pod) => stage.patch("pods", pod.metadata.name, { metadata: { labels: { app: `not-${owner.name}` } } }),
  });
}

function back(scene: Scene, owner: Owner): Step {
  const { random } = scene;
  mayAdopt(scene, owner);
  const fraction = random.next();
  return {
    name: `restore a pod's label (${owner.name}, at ${fraction.toFixed(2)})`,
    async act(stage) {
      const pods = await stage.pods(({ metadata }) => metadata.labels?.["app"] === `not-${owner.name}`);
      const pod = pick(pods, fraction);
      if (pod === undefined) return;
      await stage.patch("pods", pod.metadata.name, { metadata: { labels: { app: owner.name } } });
    },
  };
}

function template(scene: Scene, { name, resource }: Owner): Step {
  const image = (scene.images = 1 + (scene.images % 5));
  const metadata = { annotations: { [costAnnotation]: String(image) } };
  const containers = [{ name: "main", image: `main:${image}` }];
  return {
    name: `set the image in the template of ${name} to ${image}`,
    act: (stage) => stage.patch(resource, name, { spec: { template: { metadata, spec: { containers } } } }),
  };
}

function minReady({ random }: Scene, { name, resource }: Owner): Step {
  // Half a day, while pods have been ready for an hour or for days.
  const minReadySeconds = random.next() < 0.5 ? 0 : 43_200;
  return {
    name: `set minReadySeconds of ${name} to ${minReadySeconds}`,
    act: (stage) => stage.patch(resource, name, { spec: { minReadySeconds } }),
  };
}

function editStatus({ random }: Scene, { name, resource }: Owner): Step {
  const replicas = below(random, 10);
  return {
    name: `overwrite the status of ${name} with ${replicas} replicas`,
    act: (stage) =>
      stage.patch(resource, `${name}/status`, {
        status: { replicas, fullyLabeledReplicas: 0, readyReplicas: 0, availableReplicas: 0 },
      }),
  };
}

/** Keeps its pods as orphans, as the garbage collector does with propagationPolicy Orphan. */
function removeOwner(_scene: Scene, owner: Owner): Step {
  const { name, resource } = owner;
  owner.exists = false;
  return {
    name: `delete ${name} and orphan its pods`,
    async act(stage) {
      await stage.remove(resource, name, { propagationPolicy: "Background" });
      const owned = await stage.pods(({ metadata }) => metadata.ownerReferences?.[0]?.name === name);
      for (const { metadata } of owned)
        await stage.patch("pods", metadata.name, { metadata: { ownerReferences: null } });
    },
  };
}

/** Adds a quota that allows no more pods, or removes it and then patches every owner to trigger a sync. */
function toggleQuota(scene: Scene): Step {
  scene.quota = !scene.quota;
  const there = scene.owners.filter(({ exists }) => exists);
  if (!scene.quota) {
    return {
      name: "delete the quota",
      async act(stage) {
        await stage.remove("resourcequotas", "none-more");
        for (const { resource, name } of there) {
          await stage.patch(resource, name, { metadata: { annotations: { touched: "yes" } } });
        }
      },
      waitMs: 400,
    };
  }
  return {
    name: "create a quota that allows no more pods",
    async act(stage) {
      const hard = { pods: "0" };
      await stage.create("resourcequotas", { metadata: { name: "none-more" }, spec: { hard } });
      await stage.patch("resourcequotas", "none-more/status", { status: { hard, used: hard } });
    },
  };
}
