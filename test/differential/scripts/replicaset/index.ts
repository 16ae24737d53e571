/** All written scripts. */
import type { Script } from "../../play.ts";
import { lifecycle } from "./lifecycle.ts";
import { ownership } from "./ownership.ts";
import { rankings } from "./ranking.ts";
import { refusals } from "./refusals.ts";
import { replicationControllers } from "./replication-controllers.ts";
import { scaling } from "./scaling.ts";

export const scripts: readonly Script[] = [
  ...rankings,
  ...scaling,
  ...ownership,
  ...refusals,
  ...lifecycle,
  ...replicationControllers,
];
