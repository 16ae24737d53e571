/**
 * A Job whose pods fail until its back-off reaches the maximum, and an Indexed Job with a failing index, on virtual time. Prints when their
 * pods were created, in seconds after the first, and a hash of every byte of the stage events.
 *
 * usage: backoffs.ts FAILURES SECONDS     each pod fails after SECONDS
 */
import process from "node:process";
import { Jobs, Pods } from "../../src/api/kinds.ts";
import type { CreateInput } from "../../src/api/object.ts";
import { formatTime } from "../../src/api/time.ts";
import type { Job } from "../../src/api/types.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { job } from "../../src/controllers/job/job.ts";
import { startEmbedded } from "../../src/modes/run/embedded.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { eventHash } from "./event-hash.ts";

const namespace = "default";

function jobNamed(name: string, spec: object): CreateInput<Job> {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] } };
  return { metadata: { namespace, name }, spec: { ...spec, template } };
}

/** Writes a failed pod's status as a kubelet does. */
async function fail(client: Client, name: string, now: number): Promise<void> {
  const terminated = { exitCode: 1, finishedAt: formatTime(now) };
  const container = {
    name: "main",
    image: "main:1",
    imageID: "",
    ready: false,
    restartCount: 0,
    state: { terminated },
  };
  const body = { status: { phase: "Failed", containerStatuses: [container] } };
  await client.patch(Pods, { namespace, name }, { type: "strategic", body }, { subresource: "status" });
}

async function play(failures: number, takes: number): Promise<void> {
  const timeline = virtualTimeline(Date.UTC(2026, 0, 1), seededRandom(1));
  const bus = new TraceBus({ now: () => timeline.now() });
  const hash = eventHash();
  const created = new Map<string, number[]>();
  const failed: unknown[] = [];
  let user: Client | undefined;
  bus.listen((event) => {
    hash.add(event);
    if (event.stage !== "write" || event.of.kind !== "Pod" || event.verb !== "create" || event.error !== undefined)
      return;
    const name = event.key.slice(namespace.length + 1);
    const owner = name.split("-")[0] ?? "";
    created.set(owner, [...(created.get(owner) ?? []), Math.floor(timeline.now() / 1000)]);
    const client = user;
    const end = (): void => {
      if (client !== undefined) fail(client, name, timeline.now()).catch((error: unknown) => failed.push(error));
    };
    timeline.after(takes * 1000, "the end of a pod", end);
  });
  const started = startEmbedded({
    timeline,
    random: seededRandom(2),
    bus,
    controllers: [job],
    freeze: true,
    nodes: 0,
    scheduler: false,
    kubelet: false,
  }).then(async (cluster) => {
    const client = cluster.clientFor("user");
    user = client;
    await client.create(Jobs, jobNamed("plain", { backoffLimit: failures - 1 }));
    const indexed = { completionMode: "Indexed", completions: 1, parallelism: 1, backoffLimitPerIndex: failures - 1 };
    await client.create(Jobs, jobNamed("indexed", indexed));
    return client;
  });
  const ms = 4 * 3_600_000;
  // During a back-off no foreground work is left, so this timer keeps virtual time running.
  timeline.after(ms, "the end", () => undefined);
  await timeline.runUntil({ ms, steps: 500_000 });
  const listed = (await started).list(Jobs, { namespace });
  await timeline.runUntil({ ms: 1, steps: 10_000 });
  const { items } = await listed;
  if (failed.length > 0) throw failed[0];
  for (const { metadata, status } of items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
    const times = created.get(metadata.name) ?? [];
    const conditions = status?.conditions?.map(({ type, reason }) => `${type} ${reason ?? ""}`);
    const outcome = { created: times.map((at) => at - (times[0] ?? 0)), failed: status?.failed, conditions };
    console.log(`${metadata.name} ${JSON.stringify(outcome)}`);
  }
  console.log(`hash ${hash.digest()}, ${hash.events} events`);
}

const [failures, takes] = process.argv.slice(2).map(Number);
await play(failures ?? 0, takes ?? 0);
