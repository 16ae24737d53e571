import type { Script } from "../../play.ts";
import { ownership } from "./ownership.ts";
import { placing } from "./placing.ts";
import { updating } from "./updating.ts";

export const scripts: readonly Script[] = [...placing, ...updating, ...ownership];
