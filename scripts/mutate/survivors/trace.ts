import type { KnownSurvivor } from "../survivors.ts";

export const traceSurvivors: readonly KnownSurvivor[] = [];
