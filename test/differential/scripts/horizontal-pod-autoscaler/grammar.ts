/** Random scripts: a Deployment under load, whose pods, bounds and autoscaler change. */
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Script, Step } from "../../suite.ts";
import { autoscaler, begin, change, cpu, load, report, runPod, scaleTo, step } from "./acts.ts";

interface Scene {
  readonly random: Random;
  /** Names of the pods created so far, including deleted ones. */
  readonly pods: string[];
}

function oneOf<T>({ random }: Scene, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), pods: ["a", "b"] };
  const steps = [begin(spec(scene), { replicas: oneOf(scene, [1, 2, 3]), use: use(scene) })];
  while (steps.length < length) steps.push(oneOf(scene, moves)(scene));
  return { name: `seed ${seed}`, steps };
}

function use(scene: Scene): Readonly<Record<string, string>> {
  return {
    cpu: oneOf(scene, ["0", "40m", "95m", "105m", "150m", "220m", "410m", "1300m"]),
    memory: oneOf(scene, ["64Mi", "100Mi", "200Mi", "1025Ki"]),
    "metric.qps": oneOf(scene, ["5", "30", "41", "150"]),
  };
}

function spec(scene: Scene): object {
  const minReplicas = oneOf(scene, [1, 1, 2, 4]);
  const maxReplicas = minReplicas + oneOf(scene, [0, 2, 6, 20]);
  return { minReplicas, maxReplicas, metrics: metrics(scene), behavior: behavior(scene) };
}

function metrics(scene: Scene): readonly object[] {
  const all = [
    cpu(oneOf(scene, [30, 50, 80, 150])),
    { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "50Mi" } } },
    { type: "Pods", pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "20" } } },
  ];
  const chosen = all.filter(() => scene.random.next() < 0.5);
  return chosen.length === 0 ? all.slice(0, 1) : chosen;
}

/** Periods are longer than a script, so that the scaling they allow does not depend on timing. */
function behavior(scene: Scene): object | null {
  if (scene.random.next() < 0.5) return null;
  const rules = (): object => ({
    stabilizationWindowSeconds: oneOf(scene, [0, 1]),
    selectPolicy: oneOf(scene, ["Max", "Max", "Min", "Disabled"]),
    policies: [1, 2].map(() => ({
      type: oneOf(scene, ["Pods", "Percent"]),
      value: oneOf(scene, [1, 3, 50, 100, 400]),
      periodSeconds: 1800,
    })),
    ...(scene.random.next() < 0.4 && { tolerance: oneOf(scene, ["0", "0.05", "0.6"]) }),
  });
  return { scaleUp: rules(), scaleDown: rules() };
}

const moves: readonly ((scene: Scene) => Step)[] = [
  (scene) => load(use(scene)),
  (scene) => load(use(scene)),
  (scene) => load({ cpu: oneOf(scene, ["10m", "200m", "900m"]) }),
  addPod,
  removePod,
  turn,
  (scene) => scaleTo(oneOf(scene, [0, 1, 2, 5, 12])),
  (scene) => change(spec(scene)),
  replace,
];

function addPod(scene: Scene): Step {
  const name = `p${scene.pods.length}`;
  scene.pods.push(name);
  return step(`create pod ${name}`, (stage) => runPod(stage, name));
}

/** Deletes a pod if it still exists. */
function removePod(scene: Scene): Step {
  const name = oneOf(scene, scene.pods);
  return step(`delete ${name}`, async (stage) => {
    const there = await stage.pods(({ metadata }) => metadata.name === name);
    if (there.length > 0) await stage.remove("pods", name, { gracePeriodSeconds: 0 });
  });
}

function turn(scene: Scene): Step {
  const name = oneOf(scene, scene.pods);
  const parts = oneOf(scene, [{ ready: true }, { ready: false }, { ready: false, readyMsAgo: 60_000 }]);
  return step(`set pod ${name} to ${JSON.stringify(parts)}`, async (stage) => {
    const there = await stage.pods(({ metadata }) => metadata.name === name);
    if (there.length > 0) await report(stage, name, parts);
  });
}

function replace(scene: Scene): Step {
  const next = spec(scene);
  return step(`replace the autoscaler with ${JSON.stringify(next)}`, async (stage) => {
    await stage.remove("horizontalpodautoscalers", "web");
    // Longer than a sync period, so that the recommendations of the previous autoscaler are forgotten.
    await Bun.sleep(2500);
    await stage.create("horizontalpodautoscalers", autoscaler(next));
  });
}
