/** Random scripts of nodes in addition to those of the differential tests: each begins with a ready pod on a node that is not. */
import { makeNode, makePod, report, step } from "../../differential/scripts/node-lifecycle/acts.ts";
import { randomScript } from "../../differential/scripts/node-lifecycle/grammar.ts";
import type { Script } from "../../differential/suite.ts";
import { withSecond } from "./scripted.ts";

/** The fourth step creates that pod. */
export function nodesUnready(seed: number, length: number): Script {
  return withSecond(randomScript(seed, length), [
    // False is its first report: a second one in the same second is no new heartbeat to a side that has seen the first.
    step("create first", (stage) => makeNode(stage, "first", { ready: undefined })),
    step("first reports False", (stage) => report(stage, "first", ["False"])),
    step("create a pod on first", (stage) => makePod(stage, "on-first", "first", { ready: "True" })),
  ]);
}
