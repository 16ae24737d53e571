/** All scripts of kubectl commands. */
import type { Script } from "./script.ts";
import { applying } from "./scripts/applying.ts";
import { askingScripts } from "./scripts/asking.ts";
import { governing } from "./scripts/governing.ts";
import { managingScripts } from "./scripts/managing.ts";
import { nodesAndPods } from "./scripts/nodes-and-pods.ts";
import { reading } from "./scripts/reading.ts";
import { runningScripts } from "./scripts/running.ts";
import { showingScripts } from "./scripts/showing.ts";
import { writing } from "./scripts/writing.ts";

export const scripts: readonly Script[] = [
  ...askingScripts,
  ...showingScripts,
  ...reading,
  ...writing,
  ...runningScripts,
  ...nodesAndPods,
  ...applying,
  ...managingScripts,
  ...governing,
];
