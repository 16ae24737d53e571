/**
 * A scene in one process on virtual time: an embedded API server, informers, a queue, three workers, timers, and a user. Prints one line
 * per seed, a hash of the order of everything that happened, and fails if additional awaits around every request change it. The lines must
 * be the same on Bun and on Deno; npm test compares them.
 *
 * usage: scene.ts [SEEDS]      default 20
 */
import process from "node:process";
import { Pods, ReplicaSets } from "../../src/api/kinds.ts";
import type { CreateInput } from "../../src/api/object.ts";
import type { ReplicaSet } from "../../src/api/types.ts";
import { SharedInformerFactory } from "../../src/cache/shared-informer-factory.ts";
import { createClient } from "../../src/client/api/client.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { ControllerManager } from "../../src/controller/runtime/controller-manager.ts";
import { replicaset } from "../../src/controllers/replicaset/replicaset.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { sleep } from "../../src/platform/timeline.ts";
import { virtualTimeline, type VirtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { delayed } from "./delayed.ts";

const names = ["api", "db", "web", "worker"];

function replicaSet(name: string, replicas: number): CreateInput<ReplicaSet> {
  return {
    metadata: { namespace: "default", name },
    spec: {
      replicas,
      minReadySeconds: 1,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  };
}

/** Creates, scales and deletes while the controller works. */
async function user(client: Client, timeline: VirtualTimeline): Promise<void> {
  for (const [index, name] of names.entries()) await client.create(ReplicaSets, replicaSet(name, index + 1));
  await sleep(timeline, 3, "user");
  for (const [index, name] of names.entries()) {
    await client.patch(
      ReplicaSets,
      { namespace: "default", name },
      { type: "merge", body: { spec: { replicas: 4 - index } } },
    );
    await sleep(timeline, 1, "user");
  }
  const pods = await client.list(Pods, { namespace: "default", labelSelector: "app=api" });
  for (const { metadata } of pods.items) await client.delete(Pods, { namespace: "default", name: metadata.name });
}

interface Outcome {
  readonly hash: string;
  readonly events: number;
  readonly pods: number;
}

async function scene(seed: number, awaits: number): Promise<Outcome> {
  const timeline = virtualTimeline(Date.UTC(2026, 0, 1), seededRandom(seed));
  const random = seededRandom(seed + 1);
  const bus = new TraceBus({ now: () => timeline.now() });
  let hash = 0xcbf29ce484222325n;
  let events = 0;
  bus.listen((event) => {
    events++;
    for (const byte of new TextEncoder().encode(JSON.stringify(event))) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    }
  });
  const sandbox = await createSandbox({ timeline, random });
  const clientOf = (actor: string): Client =>
    createClient({ transport: delayed(sandbox.transport({ actor }), awaits), bus, timeline, fieldManager: actor });
  const manager = new ControllerManager({
    controllers: [replicaset],
    informers: new SharedInformerFactory({ client: clientOf("informers"), timeline, random, bus, freeze: true }),
    clientOf: ({ name }) => clientOf(name),
    bus,
    timeline,
    random,
    workers: 3,
  });
  const started = manager.fillCaches().then(() => manager.startWorkers());
  const acted = started.then(() => user(clientOf("user"), timeline));
  const end = await timeline.runUntil({ ms: 60_000, steps: 200_000 });
  if (end !== "steady") throw new Error(`seed ${seed}: the scene did not come to rest: ${end}`);
  await acted;
  const pods = clientOf("count").list(Pods, { namespace: "default" });
  await timeline.runUntil();
  return { hash: hash.toString(16).padStart(16, "0"), events, pods: (await pods).items.length };
}

const seeds = Number(process.argv[2] ?? 20);
const hashes = new Set<string>();
for (let seed = 1; seed <= seeds; seed++) {
  const plain = await scene(seed, 0);
  for (const awaits of [1, 5]) {
    const other = await scene(seed, awaits);
    if (other.hash !== plain.hash) throw new Error(`seed ${seed}: ${awaits} extra awaits change the order`);
  }
  hashes.add(plain.hash);
  console.log(`hash seed ${seed}: ${plain.hash}, ${plain.events} events, ${plain.pods} pods`);
}
if (hashes.size < seeds * 0.9) throw new Error(`only ${hashes.size} of ${seeds} seeds gave an order of their own`);
