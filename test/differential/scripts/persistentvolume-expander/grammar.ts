/** Random scripts: claims that are created, grow, get what they request or less, and are deleted. */
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { grow, has, makeClaim, makeClass, sources, step } from "./acts.ts";

interface Scene {
  readonly random: Random;
  /** The requested size of each claim, in Gi. */
  readonly requests: number[];
}

/** A random integer from 0 to `count` - 1. */
const below = ({ random }: Scene, count: number): number => Math.floor(random.next() * count);

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), requests: [] };
  const steps = [step("create the class", makeClass), addClaim(scene)];
  while (steps.length < length) {
    const move = [addClaim, request, request, request, give, give][below(scene, 6)] ?? request;
    steps.push(move(scene));
  }
  return { name: `seed ${seed}`, steps };
}

function addClaim(scene: Scene): Step {
  const name = `c${scene.requests.length}`;
  scene.requests.push(1);
  const names = Object.keys(sources);
  const source = names[below(scene, names.length)] ?? "csi";
  return step(`create claim ${name} on ${source}`, (stage) => makeClaim(stage, name, { source }));
}

function ofClaim(
  scene: Scene,
  act: (stage: Stage, name: string, size: string) => Promise<unknown>,
  what: string,
): Step {
  const n = below(scene, scene.requests.length);
  const before = scene.requests[n] ?? 1;
  const isRequest = what === "requests";
  const size = isRequest ? before + 1 + below(scene, 3) : 1 + below(scene, before);
  if (isRequest) scene.requests[n] = size;
  return step(`c${n} ${what} ${size}Gi`, (stage) => act(stage, `c${n}`, `${size}Gi`));
}

const request = (scene: Scene): Step => ofClaim(scene, grow, "requests");
const give = (scene: Scene): Step => ofClaim(scene, has, "has");
