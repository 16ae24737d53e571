/** Shadow beside the real kube-controller-manager, over random changes: how often both mean the same. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ControllerDefinition } from "../../../src/controller/definition.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { garbageCollector } from "../../../src/controllers/garbage-collector/garbage-collector.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { type Cluster, controllersMissing, startCluster } from "../../support/cluster.ts";
import type { AgreementEvent } from "../../../src/trace/events.ts";
import { eventually } from "../../e2e/support/workload.ts";
import { tries } from "../../support/long.ts";
import { Changes } from "./changes.ts";
import { differencesIn, episodesIn, shadowAgent, shadowBeside } from "./support.ts";

/** In the long form five; SEED=n is one of your own. */
const seeds =
  process.env["SEED"] === undefined ? [20261121, 1, 2, 3, 4].slice(0, tries(1, 5)) : [Number(process.env["SEED"])];
/** Objects that are changed in one round, each once. */
const objects = 10;

interface Suite {
  readonly name: string;
  readonly controllers: readonly ControllerDefinition[];
  readonly kind: "replicasets" | "deployments";
  readonly rounds: number;
  /** So often both mean the same in a round, at least: a comparison of nothing shows nothing. */
  readonly least: number;
}

const suites: readonly Suite[] = [
  { name: "replicaset", controllers: [replicaset], kind: "replicasets", rounds: tries(3, 20), least: 3 },
  { name: "deployment", controllers: [deployment], kind: "deployments", rounds: tries(3, 20), least: 3 },
  { name: "garbage-collector", controllers: [garbageCollector], kind: "replicasets", rounds: tries(3, 20), least: 1 },
];

describe.skipIf(controllersMissing !== undefined)("shadow beside kube-controller-manager", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ controllers: "*", audit: true });
  }, 120_000);
  afterAll(() => cluster.stop());

  test.each(suites.flatMap((suite) => seeds.map((seed) => ({ ...suite, seed }))))(
    "our $name means what the owner does, in at least 99 of 100 episodes: seed $seed",
    async ({ name, controllers, kind, rounds, least, seed }) => {
      // The garbage collector has no namespace of its own, and nothing to do but after deletions.
      const everywhere = controllers.includes(garbageCollector);
      const namespace = `agree-${name}-${seed}`;
      await cluster.createNamespace(namespace);
      const scene = await shadowBeside(cluster, controllers, everywhere ? undefined : namespace);
      const changes = new Changes({ cluster, namespace, kind, deletes: everywhere, random: seededRandom(seed) });
      let episodes = 0;
      const differing: string[] = [];
      try {
        for (let round = 0; round < rounds; round++) {
          const from = scene.agreements.length;
          const done: string[] = [];
          for (let number = 0; number < objects; number++) done.push(await changes.change(number));
          await scene.quiet(2500);
          const agreements = scene.agreements.slice(from);
          const found = episodesIn(agreements);
          episodes += found.all.size;
          if (found.differing.size > 0)
            differing.push(`${done.join("; ")}\n    ${differencesIn(agreements).join("\n    ")}`);
          for (const _ of found.differing) differing.push("");
        }
      } finally {
        await scene.stop();
      }
      const wrong = differing.filter((each) => each === "").length;
      const counts = Map.groupBy(scene.agreements, ({ is }) => is);
      const told = [...counts].map(([is, all]) => `${all.length} ${is}`).join(", ");
      console.log(`${name}, seed ${seed}: ${rounds * objects} changes, ${episodes} episodes, ${wrong} differ; ${told}`);
      if (wrong > 0) console.log(differing.filter((each) => each !== "").join("\n"));
      expect(scene.agreements.filter(({ is }) => is === "same").length).toBeGreaterThan(rounds * least);
      expect(wrong).toBeLessThanOrEqual(episodes / 100);
    },
    1_200_000,
  );

  test("what the owner tried and a quota or a webhook refused is no difference", async () => {
    const namespace = "refused";
    await cluster.createNamespace(namespace);
    await quotaInForce(cluster, namespace);
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const set = { metadata: { name: "web" }, spec: { replicas: 2, selector: { matchLabels: labels }, template } };
    const path = `/apis/apps/v1/namespaces/${namespace}/replicasets`;
    await cluster.request("POST", path, set);
    await eventually(async () => {
      const { body } = await cluster.request("GET", `${path}/web`);
      expect(JSON.stringify(body)).toContain("exceeded quota");
    }, 60_000);
    const scene = await shadowBeside(cluster, [replicaset], namespace);
    const refused = (): AgreementEvent[] => scene.agreements.filter(({ is }) => is === "owner was refused");
    try {
      await eventually(async () => expect(refused()).toHaveLength(2), 60_000);
    } finally {
      await scene.stop();
    }
    expect(scene.agreements.filter(({ is }) => is === "differs")).toEqual([]);
    expect(refused()).toHaveLength(2);
    expect(refused()[0]?.why).toMatch(/^owner tried, was refused: .*exceeded quota: none, requested: pods=1/);
  }, 180_000);

  test("nothing but reads was sent", async () => {
    const events = await cluster.audit();
    const ours = events.filter(({ userAgent }) => userAgent?.startsWith(shadowAgent) === true);
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.filter(({ verb }) => !["get", "list", "watch"].includes(verb))).toEqual([]);
  });
});

/**
 * A quota that lets no pod in. The quota controller has to count first, and admission has to see it count: until then pods are
 * let in, or refused with "status unknown for quota". So pods are sent until one is refused as the test needs it.
 */
async function quotaInForce(cluster: Cluster, namespace: string): Promise<void> {
  const core = `/api/v1/namespaces/${namespace}`;
  const quota = { metadata: { name: "none" }, spec: { hard: { pods: "0" } } };
  await cluster.request("POST", `${core}/resourcequotas`, quota);
  const pod = { metadata: { generateName: "probe-" }, spec: { containers: [{ name: "c", image: "i" }] } };
  await eventually(async () => {
    const { body } = await cluster.request("POST", `${core}/pods`, pod);
    expect(JSON.stringify(body)).toContain("exceeded quota");
  }, 60_000);
}
