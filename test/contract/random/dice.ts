/** Random choices that depend on a seed. */
import { below, type Random } from "../../../src/platform/random.ts";

export interface Dice {
  /** One of the values. */
  one<T>(values: readonly T[]): T;
  /** Returns true with the probability `share`. */
  chance(share: number): boolean;
  /** The value with the probability `share`, otherwise undefined, which JSON omits. */
  maybe<T>(share: number, value: () => T): T | undefined;
  /** An integer in [0, bound). */
  below(bound: number): number;
  /** A random subset: each value with a probability of one half. */
  some<T>(values: readonly T[]): T[];
}

export function diceOf(random: Random): Dice {
  const chance = (share: number): boolean => random.next() < share;
  return {
    one: <T>(values: readonly T[]): T => values[below(random, values.length)] as T,
    chance,
    maybe: (share, value) => (chance(share) ? value() : undefined),
    below: (bound) => below(random, bound),
    some: (values) => values.filter(() => chance(0.5)),
  };
}
