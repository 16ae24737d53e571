/** All written scripts. */
import type { Script } from "../../suite.ts";
import { measuring } from "./measuring.ts";
import { scaling } from "./scaling.ts";

export const scripts: readonly Script[] = [...scaling, ...measuring];
