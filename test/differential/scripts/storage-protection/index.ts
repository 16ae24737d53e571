/** All written scripts. */
import type { Script } from "../../suite.ts";
import { claims } from "./claims.ts";
import { volumesAndClasses } from "./volumes.ts";

export const scripts: readonly Script[] = [...claims, ...volumesAndClasses];
