/** Random choices from a seed. */
import { below, type Random } from "../../../src/platform/random.ts";

export interface Dice {
  /** Returns one of the values. */
  one<T>(values: readonly T[]): T;
  /** Returns true in this share of all calls. */
  chance(share: number): boolean;
  /** Returns the value in this share of all calls, otherwise undefined: JSON omits the field. */
  maybe<T>(share: number, value: () => T): T | undefined;
  /** Returns an integer in [0, bound). */
  below(bound: number): number;
  /** Returns each of the values with a probability of one half. */
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
