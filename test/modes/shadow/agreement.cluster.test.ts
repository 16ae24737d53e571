/**
 * Shadow beside the real kube-controller-manager, over random changes: whether our controllers decide what the real ones write. That is
 * judged from the API server's audit log; shadow's own verdict is compared with it, and the judge must detect controllers with a missing
 * behavior.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { garbageCollector } from "../../../src/controllers/garbage-collector/garbage-collector.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import type { AgreementEvent } from "../../../src/trace/events.ts";
import { quotaInForce } from "../../e2e/support/quota.ts";
import { eventually } from "../../e2e/support/workload.ts";
import { type Cluster, controllersMissing, startCluster } from "../../support/cluster.ts";
import { tries } from "../../support/long.ts";
import { describeAgreement, type Suite } from "./agreement.ts";
import { Changes } from "./changes.ts";
import { Garbage } from "./garbage.ts";
import { mutants } from "./mutants.ts";
import { mutantsOf, playRounds, type Side } from "./played.ts";
import { shadowAgent, shadowBeside } from "./support.ts";

/** Five in the long form; SEED=n sets one. */
const seeds =
  process.env["SEED"] === undefined ? [20261121, 1, 2, 3, 4].slice(0, tries(1, 5)) : [Number(process.env["SEED"])];
const rounds = tries(4, 20);
/** Number of objects of each suite that are changed in one round, each once. */
const objects = 6;
const suites: readonly Suite[] = [
  { name: "replicaset", shows: ["create pods", "delete pods", "patch pods", "update replicasets.apps/status"] },
  {
    name: "deployment",
    shows: ["create replicasets.apps", "update replicasets.apps", "update deployments.apps/status"],
  },
  { name: "garbage-collector", shows: ["delete configmaps", "delete pods", "patch configmaps"] },
];

describe.skipIf(controllersMissing !== undefined)("shadow beside kube-controller-manager", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    // One request of a controller every 40 ms, so that its writes do not overtake our decisions.
    const kcmFlags = ["--kube-api-qps=25", "--kube-api-burst=1"];
    cluster = await startCluster({ controllers: "*", audit: true, kcmFlags });
  });
  afterAll(() => cluster.stop());

  for (const seed of seeds) {
    describeAgreement({
      seed,
      suites,
      mutants: seed === seeds[0] ? mutants : [],
      play: async () => playRounds(cluster, await sidesOf(cluster, seed), { rounds, objects }),
    });
  }

  test("an attempt of the owner that a quota or a webhook refused is not a difference", async () => {
    const namespace = "refused";
    await cluster.createNamespace(namespace);
    await quotaInForce(cluster, namespace, { name: "none", hard: { pods: "0" } });
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const set = { metadata: { name: "web" }, spec: { replicas: 2, selector: { matchLabels: labels }, template } };
    const path = `/apis/apps/v1/namespaces/${namespace}/replicasets`;
    await cluster.request("POST", path, set);
    await eventually(async () => {
      const { body } = await cluster.request("GET", `${path}/web`);
      expect(JSON.stringify(body)).toContain("exceeded quota");
    });
    const scene = await shadowBeside(cluster, [replicaset], { namespace });
    const refused = (): AgreementEvent[] => scene.agreements.filter(({ is }) => is === "owner was refused");
    try {
      await eventually(async () => expect(refused()).toHaveLength(2), 60_000);
    } finally {
      await scene.stop();
    }
    expect(scene.agreements.filter(({ is }) => is === "differs")).toEqual([]);
    expect(refused()).toHaveLength(2);
    expect(refused()[0]?.why).toMatch(/^owner tried, was refused: .*exceeded quota: none, requested: pods=1/);
  });

  test("only reads were sent", async () => {
    const events = await cluster.audit();
    const ours = events.filter(({ userAgent }) => userAgent?.startsWith(shadowAgent) === true);
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter(({ verb }) => !["get", "list", "watch"].includes(verb))).toEqual([]);
  });
});

/** All controllers unchanged; with the first seed also their mutants, over the same changes. */
async function sidesOf(cluster: Cluster, seed: number): Promise<readonly Side[]> {
  const namespaceOf = (name: string): string => `agree-${name}-${seed}`;
  for (const { name } of suites) await cluster.createNamespace(namespaceOf(name));
  // Separate random sources, because the suites are changed concurrently.
  const [first, second, third] = [0, 1, 2].map((each) => seededRandom(3 * seed + each));
  if (first === undefined || second === undefined || third === undefined) throw new Error("three were asked for");
  const sets = new Changes({ cluster, namespace: namespaceOf("replicaset"), kind: "replicasets", random: first });
  const rollouts = new Changes({ cluster, namespace: namespaceOf("deployment"), kind: "deployments", random: second });
  const garbage = new Garbage({ cluster, namespace: namespaceOf("garbage-collector"), random: third });
  const sides: Readonly<Record<string, Side>> = {
    replicaset: { controller: replicaset, namespace: namespaceOf("replicaset"), change: (n) => sets.change(n) },
    deployment: { controller: deployment, namespace: namespaceOf("deployment"), change: (n) => rollouts.change(n) },
    // It works in all namespaces.
    "garbage-collector": { controller: garbageCollector, change: (n) => garbage.change(n) },
  };
  const own = Object.values(sides);
  return [...own, ...(seed === seeds[0] ? mutantsOf(own, mutants) : [])];
}
