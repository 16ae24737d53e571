/**
 * The sandbox under measurement, compiled as `dist/kubectl-reconcile` is. Each figure has a separate process; it prints one JSON line and
 * runs until its standard input is closed, so its memory can be read.
 *
 * `sandbox-ours start` · `creates N` · `custom N` · `replicaset N` · `fill N` · `watched N`
 */
import { ReplicaSets } from "../../src/api/kinds.ts";
import { readAll, type Transport } from "../../src/api/transport.ts";
import { replicaset } from "../../src/controllers/replicaset/replicaset.ts";
import { startEmbedded } from "../../src/modes/run/embedded.ts";
import { releaseMemory } from "../../src/platform/memory.ts";
import { realRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { customDefinition, customObject, customPath, definitionsPath } from "./custom-kind.ts";

const timeline = realTimeline();
const random = realRandom();
const encoder = new TextEncoder();
const pods = "/api/v1/namespaces/default/pods";
/** Concurrent requests. */
const lanes = 16;

function say(phase: string, figures: Readonly<Record<string, number>>): void {
  process.stdout.write(`${JSON.stringify({ peer: "ours", phase, ...figures })}\n`);
}

async function send(transport: Transport, method: "GET" | "POST", path: string, body?: unknown): Promise<void> {
  const response = await transport.send({
    method,
    path,
    headers: { "content-type": "application/json", accept: "application/json", "user-agent": "bench" },
    ...(body !== undefined && { body: encoder.encode(JSON.stringify(body)) }),
    signal: new AbortController().signal,
  });
  await readAll(response.body);
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status}`);
}

/** The pod of the ReplicaSet in the other figures. */
function pod(name: string): unknown {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "bench" } },
    spec: { containers: [{ name: "main", image: "registry.example.com/main:1" }] },
  };
}

/** Creates `count` objects; returns milliseconds. */
async function createAll(count: number, create: (n: number) => Promise<void>): Promise<number> {
  const start = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await create(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return performance.now() - start;
}

/** Creates `count` pods; returns milliseconds. */
function createPods(transport: Transport, from: number, count: number): Promise<number> {
  return createAll(count, (n) => send(transport, "POST", pods, pod(`pod-${from + n}`)));
}

function fresh(): Promise<Sandbox> {
  return createSandbox({ timeline, random });
}

/** Time to the first response. */
async function start(): Promise<void> {
  const from = performance.now();
  const sandbox = await fresh();
  await send(sandbox.transport({ actor: "bench" }), "GET", "/api/v1/namespaces");
  say("start", { ms: performance.now() - from });
}

/** A first half is for the compiler. */
async function creates(count: number): Promise<void> {
  const transport = (await fresh()).transport({ actor: "bench" });
  await createPods(transport, 0, count);
  const ms = await createPods(transport, count, count);
  say("creates", { per_s: (count / ms) * 1000 });
}

/** Objects of a kind with 20 rules in CEL. A first half is for the compiler. */
async function custom(count: number): Promise<void> {
  const sandbox = await fresh();
  const transport = sandbox.transport({ actor: "bench" });
  await send(transport, "POST", definitionsPath, customDefinition);
  // The kind is served a moment later.
  while (sandbox.server.registry.ofKind("bench.example.com/v1", "Pool") === undefined) await Bun.sleep(1);
  const create = (from: number): Promise<number> =>
    createAll(count, (n) => send(transport, "POST", customPath, customObject(`pool-${from + n}`)));
  await create(0);
  const ms = await create(count);
  say("custom", { per_s: (count / ms) * 1000 });
}

/** Our controller from one pod to `count`, as in the figures of `replicaset`; nothing else runs in the cluster. */
async function replicas(count: number): Promise<void> {
  const cluster = await startEmbedded({
    timeline,
    random,
    controllers: [replicaset],
    scheduler: false,
    kubelet: false,
  });
  const client = cluster.clientFor("bench");
  const labels = { app: "bench" };
  await client.create(ReplicaSets, {
    metadata: { namespace: "default", name: "bench" },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "main", image: "registry.example.com/main:1" }] },
      },
    },
  });
  // As long as for the other side.
  await Bun.sleep(1000);
  const all = cluster.sandbox.server.store.collection("pods", true);
  const there = new Promise<void>((resolve) => {
    const listener = (): void => void (all.size >= count && resolve());
    all.listeners.add(listener);
  });
  const from = performance.now();
  const spec = { replicas: count };
  await client.patch(ReplicaSets, { namespace: "default", name: "bench" }, { type: "merge", body: { spec } });
  await there;
  say("replicaset", { ms: performance.now() - from });
}

/** Only objects, without clients that watch them. */
async function fill(count: number): Promise<void> {
  const transport = (await fresh()).transport({ actor: "bench" });
  await createPods(transport, 0, count);
  releaseMemory();
  say("fill", { objects: count });
}

const watchers = 1000;

/** Creates among `count` objects, with 1,000 watches that each select something else: processor time of one create, in µs. */
async function watched(count: number): Promise<void> {
  const sandbox = await fresh();
  const transport = sandbox.transport({ actor: "bench" });
  await createPods(transport, 0, count);
  for (let i = 0; i < watchers; i++) {
    const response = await sandbox.transport({ actor: `watch ${i}` }).send({
      method: "GET",
      path: pods,
      query: [
        ["watch", "1"],
        ["resourceVersion", String(sandbox.revision)],
        ["labelSelector", `app=other-${i}`],
      ],
      signal: new AbortController().signal,
    });
    void response.body.next();
  }
  const before = process.cpuUsage();
  const measured = 5000;
  await createPods(transport, count, measured);
  const { user, system } = process.cpuUsage(before);
  say("watched", { us: (user + system) / measured });
}

const [mode, count] = process.argv.slice(2);
const n = Number(count ?? 0);
const modes: Readonly<Record<string, () => Promise<void>>> = {
  start,
  creates: () => creates(n),
  custom: () => custom(n),
  replicaset: () => replicas(n),
  fill: () => fill(n),
  watched: () => watched(n),
};
const run = modes[mode ?? ""];
if (run === undefined) {
  process.stderr.write("usage: sandbox-ours start | creates N | custom N | replicaset N | fill N | watched N\n");
  process.exit(2);
}
await run();
process.stdin.on("data", () => undefined).on("end", () => process.exit(0));
