import type { KnownSurvivor } from "../survivors.ts";

export const workqueueSurvivors: readonly KnownSurvivor[] = [];
