import type { Script } from "../../suite.ts";
import { failures } from "./failures.ts";
import { indexedJobs } from "./indexed.ts";
import { lifecycle } from "./lifecycle.ts";
import { suspension } from "./suspension.ts";
import { timesToLive } from "./ttl.ts";

export const scripts: readonly Script[] = [...lifecycle, ...failures, ...indexedJobs, ...suspension, ...timesToLive];
