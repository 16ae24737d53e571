import type { KnownSurvivor } from "../survivors.ts";

export const cacheSurvivors: readonly KnownSurvivor[] = [];
