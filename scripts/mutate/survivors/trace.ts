import type { KnownSurvivor } from "./known-survivor.ts";

export const traceSurvivors: readonly KnownSurvivor[] = [];
