/** Random scripts: overlapping ServiceCIDRs, and addresses, which are added and removed one at a time. */
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Script, Step } from "../../suite.ts";
import {
  type Address,
  act,
  addressesOf,
  cidrsOf,
  makeAddress,
  makeCidr,
  type Range,
  removeAddress,
  removeCidr,
} from "./acts.ts";
import { ownName } from "../../stage.ts";

const shapes: readonly { readonly name: string; readonly of: readonly Range[] }[] = [
  { name: "all", of: ["all4"] },
  { name: "low", of: ["low4", "low6"] },
  { name: "high", of: ["high4"] },
  { name: "both", of: ["all4", "all6"] },
];
const names: readonly Address[] = ["low4", "high4", "last4", "low6"];

function oneOf<T>(random: Random, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const random = seededRandom(seed);
  const steps = [add(random)];
  while (steps.length < length) steps.push(oneOf(random, [add, add, remove, turn, turn])(random));
  return { name: `seed ${seed}`, steps: steps.map((each, n) => ({ ...each, name: `${n + 1}. ${each.name}` })) };
}

function add(random: Random): Step {
  const { name, of } = oneOf(random, shapes);
  return act(`create ServiceCIDR ${name}, unless it exists`, async (stage) => {
    const there = await cidrsOf(stage);
    if (!there.some(({ metadata }) => metadata.name === ownName(stage, name))) await makeCidr(stage, name, of);
  });
}

function remove(random: Random): Step {
  const { name } = oneOf(random, shapes);
  return act(`delete ServiceCIDR ${name}`, async (stage) => {
    const there = await cidrsOf(stage);
    if (there.some(({ metadata }) => metadata.name === ownName(stage, name))) await removeCidr(stage, name);
  });
}

function turn(random: Random): Step {
  const name = oneOf(random, names);
  return act(`assign ${name} to a Service, or release it`, async (stage) =>
    (await addressesOf(stage)).includes(name) ? removeAddress(stage, name) : makeAddress(stage, name),
  );
}
