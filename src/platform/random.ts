/** A source of random numbers. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
}

/** Random numbers from the runtime. */
export function realRandom(): Random {
  return { next: () => Math.random() };
}

/** Deterministic random numbers for a seed, equal on every runtime (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    },
  };
}

/** A whole number in [0, below). */
export function below(random: Random, bound: number): number {
  return Math.floor(random.next() * bound);
}

const letters = "bcdfghjklmnpqrstvwxz2456789";

/** The suffix of generated names, as the API server and client-go produce it: no vowels, so that no words appear. */
export function randomSuffix(random: Random, length = 5): string {
  let text = "";
  for (let i = 0; i < length; i++) text += letters[below(random, letters.length)];
  return text;
}

/** A version 4 UUID; from a seeded source it is not suitable as a secret. */
export function randomUuid(random: Random): string {
  const hex = Array.from({ length: 32 }, (_, i) => {
    if (i === 12) return "4";
    return (i === 16 ? 8 + below(random, 4) : below(random, 16)).toString(16);
  }).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
