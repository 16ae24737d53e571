/** Random scripts: nodes with various taints, and pods that tolerate some of them. */
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Script, Step } from "../../suite.ts";
import { makeNode, makePod, noExecute, setTaints, step, type Taint, type Toleration, tolerating } from "./acts.ts";
import { ownName } from "../../stage.ts";

const nodes = ["n1", "n2"] as const;
/** Long compared to a script. Shorter tolerations are covered by the written scripts. */
const seconds = [undefined, 0, 300, 600] as const;
const taints: readonly Taint[] = [
  noExecute("a"),
  noExecute("b"),
  noExecute("b", "x"),
  { key: "a", effect: "NoSchedule" },
  noExecute("node.kubernetes.io/unreachable"),
];
const finalizers = ["example.com/hold"];

interface Scene {
  readonly random: Random;
  pods: number;
}

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), pods: 0 };
  const begin = step("create nodes", async (stage) => {
    for (const node of nodes) await makeNode(stage, node);
  });
  const steps = [begin, addPods(scene)];
  while (steps.length < length) steps.push(oneOf(scene, moves)(scene));
  return { name: `seed ${seed}`, steps: steps.map((each, n) => ({ ...each, name: `${n + 1}. ${each.name}` })) };
}

function oneOf<T>({ random }: Pick<Scene, "random">, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

function some<T>({ random }: Scene, items: readonly T[]): readonly T[] {
  return items.filter(() => random.next() < 0.35);
}

/** Draws at most one taint per key and effect. */
function someTaints(scene: Scene): readonly Taint[] {
  const drawn = some(scene, taints);
  return drawn.filter(
    ({ key, effect }, n) => drawn.findIndex((other) => other.key === key && other.effect === effect) === n,
  );
}

function tolerationsOf(scene: Scene): readonly Toleration[] {
  if (scene.random.next() < 0.15) return [{ operator: "Exists" }];
  const keys = some(scene, ["a", "b"]);
  return [
    ...keys.map((key) => tolerating(key, oneOf(scene, seconds))),
    ...(scene.random.next() < 0.3 ? [{ key: "b", operator: "Equal", value: "x", effect: "NoExecute" }] : []),
  ];
}

function addPods(scene: Scene): Step {
  const parts = Array.from({ length: 3 }, () => ({
    name: `pod-${++scene.pods}`,
    node: oneOf(scene, nodes),
    tolerations: tolerationsOf(scene),
    finalizers: scene.random.next() < 0.2 ? finalizers : [],
  }));
  return step("create pods", async (stage) => {
    for (const { name, ...rest } of parts) await makePod(stage, name, rest);
  });
}

const taint = (scene: Scene): Step => {
  const node = oneOf(scene, nodes);
  const drawn = someTaints(scene);
  const named = drawn.map(({ key, value = "", effect }) => `${key}=${value}:${effect}`).join(", ") || "none";
  return step(`set the taints of ${node}: ${named}`, (stage) => setTaints(stage, node, drawn));
};

const moves: readonly ((scene: Scene) => Step)[] = [
  addPods,
  taint,
  taint,
  taint,
  ({ random }) => {
    const fraction = random.next();
    return step("remove a pod", async (stage) => {
      const pods = await stage.pods();
      const pod = pods[Math.floor(fraction * pods.length)];
      if (pod !== undefined) await stage.remove("pods", pod.metadata.name, { gracePeriodSeconds: 0 });
    });
  },
  (scene) => {
    const fraction = scene.random.next();
    const added = { operator: "Exists", key: oneOf(scene, ["a", "b"]) };
    return step(`add a toleration of ${added.key} to a pod`, async (stage) => {
      const pods = await stage.pods();
      const pod = pods[Math.floor(fraction * pods.length)];
      if (pod === undefined) return;
      const { tolerations = [] } = pod.spec as { readonly tolerations?: readonly Toleration[] };
      await stage.patch("pods", pod.metadata.name, { spec: { tolerations: [...tolerations, added] } });
    });
  },
  (scene) => {
    const node = oneOf(scene, nodes);
    return step(`recreate ${node}`, async (stage) => {
      await stage.remove("nodes", ownName(stage, node));
      await makeNode(stage, node);
    });
  },
];
