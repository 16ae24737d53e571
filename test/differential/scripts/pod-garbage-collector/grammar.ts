/** Random scripts: pods and nodes in any state, then a wait until everything that should be deleted is gone. */
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { keepOneAside, makePod, type NodeParts, type PodParts, removeNode, setNode } from "./acts.ts";

const states = ["True", "False", "Unknown"] as const;
const nodes = ["n1", "n2", "n3"] as const;

interface Scene {
  readonly random: Random;
  readonly there: Map<string, NodeParts>;
  readonly pods: Map<string, PodParts>;
}

/** Returns the script for a seed, with `length` rounds. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), there: new Map(), pods: new Map() };
  return { name: `seed ${seed}`, steps: Array.from({ length }, (_, n) => round(scene, n + 1)) };
}

function oneOf<T>({ random }: Scene, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

function round(scene: Scene, number: number): Step {
  const { there, pods, random } = scene;
  const acts: ((stage: Stage) => Promise<unknown>)[] = [keepOneAside];
  for (const node of nodes) {
    if (there.has(node) && random.next() < 0.3) {
      there.delete(node);
      acts.push((stage) => removeNode(stage, node));
    } else if (random.next() < 0.7) {
      const parts = { ready: oneOf(scene, states), outOfService: random.next() < 0.5 };
      there.set(node, parts);
      acts.push((stage) => setNode(stage, node, parts));
    }
  }
  for (let n = 0; n < 8; n++) {
    const name = `pod-${number}-${n}`;
    const parts = partsOf(scene);
    pods.set(name, parts);
    acts.push((stage) => makePod(stage, name, parts));
  }
  const going = [...pods].filter(([, parts]) => goes(parts, there));
  for (const [name, { held }] of going) if (held !== true) pods.delete(name);
  const until = untilGone(new Set(going.map(([name]) => name)), new Set(pods.keys()));
  return {
    name: `round ${number}`,
    async act(stage) {
      for (const act of acts) await act(stage);
    },
    // At least one scan.
    waitMs: 22_000,
    until,
  };
}

function goes({ node, deleted, phase }: PodParts, there: ReadonlyMap<string, NodeParts>): boolean {
  if (phase === "Failed") return true;
  if (node === undefined) return deleted === true;
  const at = there.get(node);
  return at === undefined || (deleted === true && at.outOfService === true && at.ready !== "True");
}

/** Until only the expected pods are left, and those of them that a finalizer holds have the phase Failed. */
function untilGone(going: ReadonlySet<string>, left: ReadonlySet<string>): (stage: Stage) => Promise<boolean> {
  return async (stage) => {
    const pods = await stage.pods();
    return (
      pods.length === left.size &&
      pods.every(({ metadata: { name }, status }) => left.has(name) && (!going.has(name) || status?.phase === "Failed"))
    );
  };
}

/** All finished pods are evicted ones: which of the others are kept would depend on concurrent scripts. */
function partsOf(scene: Scene): PodParts {
  const node = oneOf(scene, [undefined, "gone", ...nodes]);
  const ended = scene.random.next() < 0.2;
  const phase = node === undefined ? "Pending" : oneOf(scene, ["Pending", "Running", "Unknown"] as const);
  return {
    ...(node !== undefined && { node }),
    ...(ended ? { phase: "Failed", reason: "Evicted" } : { phase }),
    held: scene.random.next() < 0.3,
    deleted: scene.random.next() < 0.5,
  };
}
