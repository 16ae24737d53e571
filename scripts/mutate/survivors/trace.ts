import type { KnownSurvivor } from "./known-survivor.ts";

const generationalCache = "src/trace/generational-cache.ts";
const emptyMap = "saves work: a Map that is empty has nothing under any name, but is asked for its hash all the same";

export const traceSurvivors: readonly KnownSurvivor[] = [
  {
    file: "src/trace/bus.ts",
    line: "this.#heard = wanted.includes(undefined) ? undefined : new Set(wanted.flatMap((stages) => [...(stages ?? [])]));",
    replacement: '["Stryker was here"]',
    why: "equivalent: none is undefined there; only the type says so",
  },
  {
    file: generationalCache,
    line: "(this.#young.size > 0 ? this.#young.get(name) : undefined) ??",
    replacement: "true",
    why: emptyMap,
  },
  {
    file: generationalCache,
    line: "(this.#young.size > 0 ? this.#young.get(name) : undefined) ??",
    replacement: "this.#young.size >= 0",
    why: emptyMap,
  },
  {
    file: generationalCache,
    line: "(this.#old.size > 0 ? this.#old.get(name) : undefined)",
    replacement: "true",
    why: emptyMap,
  },
  {
    file: generationalCache,
    line: "(this.#old.size > 0 ? this.#old.get(name) : undefined)",
    replacement: "this.#old.size >= 0",
    why: emptyMap,
  },
];
