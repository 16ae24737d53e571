import type { KnownSurvivor } from "../survivors.ts";

export const controllersSurvivors: readonly KnownSurvivor[] = [];
