import type { Script } from "../../play.ts";
import { claims } from "./claims.ts";
import { ownership } from "./ownership.ts";
import { scaling } from "./scaling.ts";
import { updating } from "./updating.ts";

export const scripts: readonly Script[] = [...scaling, ...updating, ...claims, ...ownership];
