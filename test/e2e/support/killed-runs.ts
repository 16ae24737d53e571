/** `kubectl reconcile run`, killed with SIGKILL in the middle of its work and started again a given number of times. */
import { expect } from "bun:test";
import { below, type Random } from "../../../src/platform/random.ts";
import type { Cluster } from "../../support/cluster.ts";
import { type Program, startProgram } from "./program.ts";
import { eventually } from "./workload.ts";

/** Slow enough that a burst of writes lasts until it can be killed in its middle. */
const slow = ["--kube-api-qps", "150", "--kube-api-burst", "5"];
/** Fast enough that only the server limits the work. */
const fast = ["--kube-api-qps", "1000", "--kube-api-burst", "1000"];
const waitMs = 300_000;

export interface KilledRuns {
  readonly controller: string;
  readonly namespace: string;
  readonly kills: number;
  /** The kinds of writes during which to kill it, in turn: `create pods`, `update jobs/status`. */
  readonly during: readonly string[];
  /** Each copy is killed after at most this many of these writes: all copies together must not finish the work by then. */
  readonly mostWrites: number;
  readonly random: Random;
  /** Throws until the work is done. */
  readonly done: () => Promise<void>;
}

/**
 * Each copy except the last is killed after a few writes, with requests in flight; the last finishes the work and gets a SIGINT.
 * @throws if the work was done before the last copy started: then no kill was in its middle.
 */
export async function throughKills(cluster: Cluster, runs: KilledRuns): Promise<void> {
  const { namespace, controller, kills, during, mostWrites, random, done } = runs;
  const start = (rate: readonly string[]): Program =>
    startProgram(["run", controller, "-n", namespace, ...rate], { kubeconfig: cluster.kubeconfig });
  for (let kill = 0; kill < kills; kill++) {
    await using copy = start(slow);
    const what = during[kill % during.length] ?? "";
    const writes = 1 + below(random, mostWrites);
    await written(cluster, { namespace, what, writes });
    copy.signal("SIGKILL");
    await copy.end();
    const isDone = await done().then(
      () => true,
      () => false,
    );
    expect({ kill, what, writes, isDone }).toEqual({ kill, what, writes, isDone: false });
  }
  await using last = start(fast);
  await eventually(done, waitMs);
  last.signal("SIGINT");
  expect((await last.end()).code).toBe(0);
}

interface Writes {
  readonly namespace: string;
  readonly what: string;
  readonly writes: number;
}

/** Resolves once the program has completed `writes` more writes of a kind in the namespace. Polls often, because a burst is soon over. */
async function written(cluster: Cluster, { namespace, what, writes }: Writes): Promise<void> {
  let seen = (await cluster.audit()).length;
  let left = writes;
  const until = performance.now() + waitMs;
  while (left > 0) {
    if (performance.now() > until)
      throw new Error(`No ${writes} × ${what} within ${waitMs / 1000} s: ${left} are missing`);
    await Bun.sleep(3);
    const events = await cluster.audit();
    for (const { verb, userAgent = "", objectRef: { resource, subresource, ...ref } = {} } of events.slice(seen)) {
      const where = subresource === undefined ? resource : `${resource}/${subresource}`;
      const isOurs = ref.namespace === namespace && userAgent.startsWith("kubectl-reconcile");
      if (isOurs && `${verb} ${where}` === what) left--;
    }
    seen = events.length;
  }
}
