import type { Script } from "../../suite.ts";
import { cascades } from "./cascades.ts";
import { custom } from "./custom.ts";
import { references } from "./references.ts";

/** The slowest scripts come first. */
export const scripts: readonly Script[] = [...custom, ...cascades, ...references];
