/**
 * A whole embedded cluster on virtual time: API server, nodes, scheduler, kubelet, the ReplicaSet controller, containers that crash, a node
 * that becomes silent, and a user. Prints one line per seed, a hash of every byte of the stage events, and fails if additional awaits
 * around every request change it. The lines must be the same on Bun and on Deno; npm test compares them.
 *
 * usage: embedded.ts [SEEDS]      default 10
 */
import process from "node:process";
import { Nodes, Pods, ReplicaSets } from "../../src/api/kinds.ts";
import type { CreateInput } from "../../src/api/object.ts";
import type { ReplicaSet } from "../../src/api/types.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { replicaset } from "../../src/controllers/replicaset/replicaset.ts";
import { startEmbedded } from "../../src/modes/run/embedded.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { sleep, type Timeline } from "../../src/platform/timeline.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { delayed } from "./delayed.ts";
import { eventHash } from "./event-hash.ts";

const annotation = (name: string): string => `sandbox.kubectl-reconcile.io/${name}`;

function replicaSet(name: string, replicas: number, annotations: Record<string, string>): CreateInput<ReplicaSet> {
  return {
    metadata: { namespace: "default", name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, annotations },
        spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1500m" } } }] },
      },
    },
  };
}

/** Creates and scales ReplicaSets, deletes pods, and silences a node. */
async function user(client: Client, timeline: Timeline): Promise<void> {
  await client.create(ReplicaSets, replicaSet("steady", 4, {}));
  await client.create(ReplicaSets, replicaSet("crashing", 3, { [annotation("crashes")]: "3" }));
  await client.create(ReplicaSets, replicaSet("flapping", 2, { [annotation("readiness-fails-after")]: "5s" }));
  await sleep(timeline, 2500, "user");
  // More pods than the nodes have room for.
  const many = { type: "merge", body: { spec: { replicas: 12 } } } as const;
  await client.patch(ReplicaSets, { namespace: "default", name: "steady" }, many);
  await sleep(timeline, 1500, "user");
  const silent = { type: "merge", body: { metadata: { annotations: { [annotation("silent")]: "true" } } } } as const;
  await client.patch(Nodes, { namespace: "", name: "node-2" }, silent);
  const pods = await client.list(Pods, { namespace: "default", labelSelector: "app=steady" });
  for (const { metadata } of pods.items.slice(0, 3)) {
    await client.delete(Pods, { namespace: "default", name: metadata.name });
  }
  await sleep(timeline, 20_000, "user");
  const few = { type: "merge", body: { spec: { replicas: 2 } } } as const;
  await client.patch(ReplicaSets, { namespace: "default", name: "steady" }, few);
}

interface Outcome {
  readonly hash: string;
  readonly events: number;
  readonly running: number;
}

async function scene(seed: number, awaits: number): Promise<Outcome> {
  const timeline = virtualTimeline(Date.UTC(2026, 0, 1), seededRandom(seed));
  const bus = new TraceBus({ now: () => timeline.now() });
  const hash = eventHash();
  bus.listen((event) => hash.add(event));
  const started = startEmbedded({
    timeline,
    random: seededRandom(seed + 1),
    bus,
    controllers: [replicaset],
    freeze: true,
    wrap: (transport) => delayed(transport, awaits),
  });
  const acted = started.then((cluster) => user(cluster.clientFor("user"), timeline));
  const end = await timeline.runUntil({ ms: 120_000, steps: 500_000 });
  if (end !== "steady") throw new Error(`seed ${seed}: the cluster did not come to rest: ${end}`);
  await acted;
  const cluster = await started;
  const pods = cluster.clientFor("count").list(Pods, { namespace: "default" });
  await timeline.runUntil();
  const running = (await pods).items.filter(({ status }) => status?.phase === "Running").length;
  return { hash: hash.digest(), events: hash.events, running };
}

const seeds = Number(process.argv[2] ?? 10);
const hashes = new Set<string>();
for (let seed = 1; seed <= seeds; seed++) {
  const plain = await scene(seed, 0);
  const other = await scene(seed, 3);
  if (other.hash !== plain.hash) throw new Error(`seed ${seed}: extra awaits change the order`);
  hashes.add(plain.hash);
  console.log(`hash seed ${seed}: ${plain.hash}, ${plain.events} events, ${plain.running} pods run`);
}
if (hashes.size < seeds * 0.9) throw new Error(`only ${hashes.size} of ${seeds} seeds gave an order of their own`);
