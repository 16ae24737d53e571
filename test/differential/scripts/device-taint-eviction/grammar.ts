/** Random scripts: devices with various taints, and claims that tolerate some of them. */
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import { ResourceClaims } from "../../../../src/api/kinds.ts";
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { noExecute, type Taint, type Toleration, tolerating } from "../taint-eviction/acts.ts";
import { act, claimsOn } from "../resourceclaim/acts.ts";
import {
  type ClaimParts,
  type Devices,
  makeClaim,
  makeSlice,
  makeUser,
  removeSlice,
  reserve,
  setDevices,
} from "./acts.ts";

const names = ["gpu-0", "gpu-1", "gpu-2", "gpu-3"] as const;
/**
 * The possible slices and their devices. `s` and `u` have odd generations, `t` has even ones, so that no device is in two slices of one
 * generation: which of them counts would be random upstream.
 */
const slices = { s: ["gpu-0", "gpu-1"], u: ["gpu-2", "gpu-3"], t: names } as const;
type Slice = keyof typeof slices;
/** Long compared to a script. Shorter tolerations are covered by the written scripts. */
const seconds = [undefined, 0, 300, 600] as const;
const taints: readonly Taint[] = [
  noExecute("a"),
  noExecute("b"),
  noExecute("b", "x"),
  { key: "a", effect: "NoSchedule" },
];

interface Scene {
  readonly random: Random;
  users: number;
  /** The generations of the existing slices. */
  readonly slices: Map<Slice, number>;
}

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), users: 0, slices: new Map() };
  const steps = [publishing(scene, "s"), using(scene)];
  while (steps.length < length) steps.push(oneOf(scene, moves)(scene));
  return { name: `seed ${seed}`, steps: steps.map((each, n) => ({ ...each, name: `${n + 1}. ${each.name}` })) };
}

function oneOf<T>({ random }: Pick<Scene, "random">, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

function some<T>({ random }: Scene, items: readonly T[], share = 0.35): readonly T[] {
  return items.filter(() => random.next() < share);
}

function someDevices(scene: Scene, slice: Slice): Devices {
  return Object.fromEntries(some(scene, slices[slice], 0.8).map((name) => [name, some(scene, taints, 0.25)]));
}

function tolerationsOf(scene: Scene): readonly Toleration[] {
  if (scene.random.next() < 0.15) return [{ operator: "Exists", effect: "NoExecute" }];
  const keys = some(scene, ["a", "b"]);
  return [
    ...keys.map((key) => tolerating(key, oneOf(scene, seconds))),
    ...(scene.random.next() < 0.3 ? [{ key: "b", operator: "Equal", value: "x", effect: "NoExecute" }] : []),
  ];
}

/** Creates a slice, or replaces its devices, sometimes in a newer generation. */
function publishing(scene: Scene, name: Slice = oneOf(scene, ["s", "s", "u", "t"])): Step {
  const devices = someDevices(scene, name);
  const before = scene.slices.get(name);
  const newest = Math.max(0, ...scene.slices.values());
  const wanted =
    before === undefined || scene.random.next() < 0.2 ? newest + (scene.random.next() < 0.5 ? 1 : 0) : before;
  const generation = wanted % 2 === (name === "t" ? 0 : 1) ? wanted : wanted + 1;
  scene.slices.set(name, generation);
  const text = `${name} of generation ${generation}: ${JSON.stringify(devices)}`;
  return before === undefined
    ? act(`create slice ${text}`, (stage) => makeSlice(stage, name, devices, { generation }))
    : act(`set the devices of ${text}`, (stage) => setDevices(stage, name, devices, generation));
}

/** Creates a pod with one or two claims of its own. The second one tolerates all taints; see docs/differences.md. */
function using(scene: Scene): Step {
  const name = `pod-${++scene.users}`;
  const claims = scene.random.next() < 0.3 ? [`${name}-a`, `${name}-b`] : [`${name}-a`];
  const parts: ClaimParts[] = claims.map((_, n) => ({
    devices: [oneOf(scene, names)],
    tolerations: n === 0 ? tolerationsOf(scene) : [{ operator: "Exists", effect: "NoExecute" }],
    pods: scene.random.next() < 0.9 ? [name] : [],
  }));
  return act(`create pod ${name} with ${JSON.stringify(parts)}`, async (stage) => {
    await makeUser(stage, name, { claims });
    for (const [n, claim] of claims.entries()) await makeClaim(stage, claim, parts[n]);
  });
}

async function someClaim(stage: Stage, fraction: number): Promise<string | undefined> {
  const claims = await claimsOn(stage);
  return claims[Math.floor(fraction * claims.length)]?.metadata.name;
}

const moves: readonly ((scene: Scene) => Step)[] = [
  using,
  using,
  publishing,
  publishing,
  publishing,
  (scene) => {
    const [name] = [...scene.slices.keys()].slice(-1);
    if (name === undefined) return publishing(scene);
    scene.slices.delete(name);
    return act(`delete slice ${name}`, (stage) => removeSlice(stage, name));
  },
  ({ random }) => {
    const fraction = random.next();
    return act("release a claim", async (stage) => {
      const name = await someClaim(stage, fraction);
      if (name !== undefined) await reserve(stage, name, []);
    });
  },
  ({ random }) => {
    const fraction = random.next();
    return act("delete a claim", async (stage) => {
      const name = await someClaim(stage, fraction);
      if (name !== undefined) await stage.remove(ResourceClaims, name);
    });
  },
];
