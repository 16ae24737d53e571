/**
 * ALL=1: runs a suite with every controller on each side, as in a normal cluster: kube-controller-manager with all of its controllers, and
 * on our side everything that `run all` runs, except what the suite excludes. Only the writes of the suite's own controllers, and the final
 * objects, are compared.
 */
import { controllersEnabledByDefault } from "../../src/controllers/index.ts";
import { upstreamClientOf } from "../support/upstream-clients.ts";
import type { Suite } from "./suite.ts";

/** Whether every controller runs on each side, and not only those of the suite. */
export const allRun: boolean = process.env["ALL"] === "1";

/** Returns the suite, extended to all controllers if ALL=1 is set. */
export function withEnvironment(suite: Suite): Suite {
  if (!allRun) return suite;
  const off = suite.runsWithout ?? [];
  const named = suite.ours.map(({ name }) => name);
  const others = controllersEnabledByDefault.filter(({ name }) => !named.includes(name) && !off.includes(name));
  const ours = [...suite.ours, ...others];
  const theirs = named.map(upstreamClientOf);
  return {
    ...suite,
    oracle: ["*", ...off.map((name) => `-${name}-controller`)].join(","),
    ours,
    // Some of kube-controller-manager's controllers share a client.
    only: { theirs, ours: ours.map(({ name }) => name).filter((name) => theirs.includes(upstreamClientOf(name))) },
  };
}
