/** Random scripts: a budget for pods of several workloads, and changes of all of them. */
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Script, Step } from "../../suite.ts";
import type { Stage } from "../../stage.ts";
import { budget, changeBudget, evict, labels, oldWorkload, report, runPod, workload } from "./acts.ts";

const owners = [undefined, ["replicasets", "web"], ["statefulsets", "db"], ["replicationcontrollers", "old"]] as const;

interface Scene {
  readonly random: Random;
  /** Names of the pods created so far, including deleted ones. */
  readonly pods: string[];
  exists: boolean;
}

function oneOf<T>({ random }: Scene, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), pods: [], exists: true };
  const steps = [begin(spec(scene))];
  while (steps.length < length) steps.push(oneOf(scene, moves)(scene));
  return { name: `seed ${seed}`, steps };
}

function begin(ofBudget: object): Step {
  return {
    name: `create the workloads and a budget with ${JSON.stringify(ofBudget)}`,
    async act(stage) {
      await stage.create("replicasets", workload("web", 3));
      await stage.create("statefulsets", workload("db", 2, { serviceName: "db" }));
      await stage.create("replicationcontrollers", oldWorkload("old", 1));
      await stage.create("poddisruptionbudgets", budget(ofBudget));
    },
  };
}

function spec(scene: Scene): object {
  const bound = oneOf(scene, [0, 1, 2, 5, "0%", "20%", "50%", "100%"]);
  return scene.random.next() < 0.5 ? { minAvailable: bound } : { maxUnavailable: bound };
}

const moves: readonly ((scene: Scene) => Step)[] = [
  addPod,
  addPod,
  addPod,
  addPod,
  turn,
  turn,
  removePod,
  relabel,
  evictOne,
  evictOne,
  scale,
  change,
  change,
  replace,
];

function addPod(scene: Scene): Step {
  const name = `p${scene.pods.length}`;
  scene.pods.push(name);
  const of = oneOf(scene, owners);
  const ready = scene.random.next() < 0.8;
  return {
    name: `create pod ${name} of ${of?.join("/") ?? "no controller"}, ${ready ? "ready" : "not ready"}`,
    act: (stage) => runPod(stage, name, { ready, ...(of !== undefined && { of }) }),
  };
}

/** Acts on a pod if it still exists. */
function toPod(scene: Scene, what: string, act: (stage: Stage, name: string) => Promise<unknown>): Step {
  const name = oneOf(scene, scene.pods.length === 0 ? ["none"] : scene.pods);
  return {
    name: `${what} ${name}`,
    async act(stage) {
      const there = await stage.pods(({ metadata }) => metadata.name === name);
      if (there.length > 0) await act(stage, name);
    },
  };
}

function turn(scene: Scene): Step {
  const ready = scene.random.next() < 0.5;
  return toPod(scene, ready ? "make ready:" : "make unready:", (stage, name) => report(stage, name, { ready }));
}

function removePod(scene: Scene): Step {
  return toPod(scene, "delete", (stage, name) => stage.remove("pods", name, { gracePeriodSeconds: 0 }));
}

function relabel(scene: Scene): Step {
  const app = scene.random.next() < 0.5 ? labels.app : "aside";
  return toPod(scene, `label app=${app}`, (stage, name) =>
    stage.patch("pods", name, { metadata: { labels: { app } } }),
  );
}

function evictOne(scene: Scene): Step {
  return toPod(scene, "evict", evict);
}

function scale(scene: Scene): Step {
  const [resource, name] = oneOf(scene, owners.slice(1)) ?? ["replicasets", "web"];
  const replicas = Math.floor(scene.random.next() * 6);
  return {
    name: `scale ${resource}/${name} to ${replicas}`,
    act: (stage) => stage.patch(resource, name, { spec: { replicas } }),
  };
}

function change(scene: Scene): Step {
  const next = { minAvailable: null, maxUnavailable: null, ...spec(scene) };
  return {
    name: `change the budget to ${JSON.stringify(next)}`,
    async act(stage) {
      // Time for the caches to show the new scale.
      await Bun.sleep(300);
      await changeBudget(stage, next);
    },
  };
}

function replace(scene: Scene): Step {
  const next = spec(scene);
  return {
    name: `replace the budget with ${JSON.stringify(next)}`,
    async act(stage) {
      await stage.remove("poddisruptionbudgets", "web");
      await Bun.sleep(300);
      await stage.create("poddisruptionbudgets", budget(next));
    },
  };
}
