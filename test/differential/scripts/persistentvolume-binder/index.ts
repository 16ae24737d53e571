/** All written scripts. */
import type { Script } from "../../suite.ts";
import { binding } from "./binding.ts";
import { provisioning } from "./provisioning.ts";
import { reclaiming } from "./reclaiming.ts";

export const scripts: readonly Script[] = [...binding, ...provisioning, ...reclaiming];
