/** Choices that a seed makes. */
import { below, type Random } from "../../../src/platform/random.ts";

export interface Dice {
  /** One of the values. */
  one<T>(values: readonly T[]): T;
  /** Whether something happens that does so in `share` of all cases. */
  chance(share: number): boolean;
  /** The value in `share` of all cases, otherwise nothing: JSON leaves the field out. */
  maybe<T>(share: number, value: () => T): T | undefined;
  /** A whole number in [0, bound). */
  below(bound: number): number;
  /** Each of the values in half of all cases. */
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
