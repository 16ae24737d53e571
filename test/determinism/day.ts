/**
 * A day of load on virtual time: an embedded cluster with a Deployment that an autoscaler scales every 15 seconds, while the CPU usage of
 * its pods changes every five minutes. Prints one line per seed: a hash of every byte of the stage events and the replicas of each hour.
 * The lines must be the same on Bun and on Deno; npm test compares them.
 *
 * usage: day.ts [SEEDS]      default 1
 */
import process from "node:process";
import { Deployments, HorizontalPodAutoscalers } from "../../src/api/kinds.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { deployment } from "../../src/controllers/deployment/deployment.ts";
import { horizontalPodAutoscaler } from "../../src/controllers/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { replicaset } from "../../src/controllers/replicaset/replicaset.ts";
import { startEmbedded } from "../../src/modes/run/embedded.ts";
import { type Random, seededRandom } from "../../src/platform/random.ts";
import { sleep, type Timeline } from "../../src/platform/timeline.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { eventHash } from "./event-hash.ts";

const at = { namespace: "default", name: "web" };
const stepMs = 5 * 60_000;
const stepsOfAnHour = 12;
const hours = 24;

async function begin(client: Client): Promise<void> {
  const labels = { app: "web" };
  const containers = [{ name: "web", image: "web:1", resources: { requests: { cpu: "200m" } } }];
  await client.create(Deployments, {
    metadata: at,
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
  const target = { type: "Utilization", averageUtilization: 60 };
  await client.create(HorizontalPodAutoscalers, {
    metadata: at,
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 2,
      maxReplicas: 12,
      metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
    },
  });
}

/** Low at night, high in the afternoon, with random noise. */
function loadAt(step: number, random: Random): number {
  const day = step / (hours * stepsOfAnHour);
  return Math.round((700 - 600 * Math.cos(2 * Math.PI * day)) * (0.8 + 0.4 * random.next()));
}

/** Sets the CPU usage of the pods and records the replicas of every hour. */
async function live(client: Client, { timeline, random }: { timeline: Timeline; random: Random }): Promise<number[]> {
  await begin(client);
  const replicas: number[] = [];
  for (let step = 0; step < hours * stepsOfAnHour; step++) {
    const annotations = { "sandbox.kubectl-reconcile.io/cpu": `${loadAt(step, random)}m` };
    await client.patch(Deployments, at, { type: "merge", body: { metadata: { annotations } } });
    await sleep(timeline, stepMs, "user");
    if (step % stepsOfAnHour === stepsOfAnHour - 1)
      replicas.push((await client.get(Deployments, at)).spec?.replicas ?? 0);
  }
  return replicas;
}

async function day(
  seed: number,
): Promise<{ readonly hash: string; readonly events: number; readonly replicas: number[] }> {
  const timeline = virtualTimeline(Date.UTC(2026, 0, 1), seededRandom(seed));
  const bus = new TraceBus({ now: () => timeline.now() });
  const hash = eventHash();
  bus.listen((event) => hash.add(event));
  const controllers = [deployment, replicaset, horizontalPodAutoscaler];
  const started = startEmbedded({ timeline, random: seededRandom(seed + 1), bus, controllers, nodes: 1, freeze: true });
  const random = seededRandom(seed + 2);
  const lived = started.then((cluster) => live(cluster.clientFor("user"), { timeline, random }));
  const progress = { isOver: false };
  const over = (): void => void (progress.isOver = true);
  lived.then(over, over);
  for (let hour = 0; !progress.isOver && hour <= hours; hour++) await timeline.runUntil({ ms: 3_600_000 });
  return { hash: hash.digest(), events: hash.events, replicas: await lived };
}

const seeds = Number(process.argv[2] ?? 1);
for (let seed = 1; seed <= seeds; seed++) {
  const { hash, events, replicas } = await day(seed);
  if (new Set(replicas).size < 4) throw new Error(`seed ${seed}: the load changed nothing: ${replicas.join(" ")}`);
  console.log(`hash seed ${seed}: ${hash}, ${events} events, replicas by the hour ${replicas.join(" ")}`);
}
