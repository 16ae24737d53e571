/** All written scripts for Deployments. */
import type { Script } from "../../play.ts";
import { history } from "./history.ts";
import { ownership } from "./ownership.ts";
import { pausing } from "./pausing.ts";
import { recreate } from "./recreate.ts";
import { rolling } from "./rolling.ts";
import { scaling } from "./scaling.ts";

export const scripts: readonly Script[] = [...rolling, ...recreate, ...scaling, ...pausing, ...history, ...ownership];
