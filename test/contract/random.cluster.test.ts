/**
 * The same random requests to a real kube-apiserver and to the sandbox: every answer and the final state are the same. Fixed
 * seeds; LONG=1 runs 100 seeds of 1,000 requests, SEED=n one of them, REQUESTS=n so many requests of each.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Transport } from "../../src/api/transport.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { knownDifferences, type KnownDifference, withoutKnown } from "./random/known.ts";
import { randomCase } from "./random/steps.ts";
import { realTransport } from "./real.ts";
import { runCase } from "./run.ts";

const long = process.env["LONG"] === "1";
const only = process.env["SEED"];
const requests = Number(process.env["REQUESTS"] ?? (long ? 1000 : 150));
const seeds = only === undefined ? Array.from({ length: long ? 100 : 12 }, (_, index) => index + 1) : [Number(only)];

describe.skipIf(clusterMissing !== undefined)("random requests, real and sandbox side by side", () => {
  let cluster: Cluster;
  let real: Transport;
  let mine: Transport;
  const met = new Set<KnownDifference>();
  beforeAll(async () => {
    cluster = await startCluster();
    real = realTransport(cluster.url, cluster.token);
    const sandbox = await createSandbox({
      timeline: realTimeline(),
      random: seededRandom(1),
      defaultServiceAccounts: false,
    });
    mine = sandbox.transport({ actor: "random" });
  }, 120_000);
  afterAll(() => cluster.stop());

  test.each(seeds)(
    "seed %p (again: SEED=n bun test test/contract/random.cluster.test.ts)",
    async (seed) => {
      const made = randomCase(seededRandom(seed), requests, `seed ${seed}`);
      const namespace = `random-${seed}`;
      const theirs = await runCase(real, made, namespace);
      const ours = await runCase(mine, made, namespace);
      expect(ours.length).toBe(theirs.length);
      for (const [index, answer] of theirs.entries()) {
        const step = made.steps[index];
        const compared = withoutKnown(answer, ours[index] ?? answer);
        for (const known of compared.met) met.add(known);
        expect({ index, step, result: compared.ours }).toEqual({ index, step, result: compared.theirs });
      }
    },
    long ? 300_000 : 60_000,
  );

  test.skipIf(!long)("every difference that is known was met", () => {
    expect(knownDifferences.filter((known) => !met.has(known)).map(({ reason }) => reason)).toEqual([]);
  });
});
