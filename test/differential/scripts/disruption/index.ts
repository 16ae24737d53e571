/** All written scripts. */
import type { Script } from "../../suite.ts";
import { counting } from "./counting.ts";
import { evictions } from "./evictions.ts";

export const scripts: readonly Script[] = [...counting, ...evictions];
