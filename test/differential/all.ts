/**
 * ALL=1: runs a suite with every controller on each side, as in a normal cluster: kube-controller-manager with all of its controllers, and
 * on our side everything that `run all` runs. Only the writes of the suite's own controllers, and the final objects, are compared.
 */
import { controllersEnabledByDefault } from "../../src/controllers/index.ts";
import { upstreamClientOf } from "../support/upstream-clients.ts";
import type { Suite } from "./suite.ts";

/** Returns the suite, extended to all controllers if ALL=1 is set. */
export function withEnvironment(suite: Suite): Suite {
  if (process.env["ALL"] !== "1") return suite;
  const own = suite.ours.map(({ name }) => name);
  return {
    ...suite,
    oracle: "*",
    ours: [...suite.ours, ...controllersEnabledByDefault.filter(({ name }) => !own.includes(name))],
    only: { theirs: own.map(upstreamClientOf), ours: own },
  };
}
