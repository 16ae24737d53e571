/**
 * A year of CronJobs, or a part of it, on virtual time: three time zones with clock changes, in an embedded cluster with only the CronJob
 * controller; Jobs end as planned. Prints a line of JSON for each CronJob, in the form that kube-controller-manager's own controller gave
 * (test/controllers/cronjob/golden-year.json), and a hash of every byte of the stage events. The lines must be the same on Bun and on Deno.
 *
 * usage: year.ts PERIOD [SEED]      PERIOD: spring, autumn or year; default of SEED: 1
 */
import process from "node:process";
import { CronJobs, Jobs } from "../../src/api/kinds.ts";
import type { CreateInput } from "../../src/api/object.ts";
import { formatTime } from "../../src/api/time.ts";
import type { CronJob, Job } from "../../src/api/types.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { cronjob } from "../../src/controllers/cronjob/cronjob.ts";
import { startEmbedded } from "../../src/modes/run/embedded.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { type Period, periods, type YearPlan } from "../controllers/cronjob/year-plans.ts";
import { eventHash } from "./event-hash.ts";

const namespace = "default";
const dayMs = 86_400_000;
/** The minute at which a Job was due, from its name, in minutes since 1970. */
const minuteOf = (name: string): number => Number(name.slice(name.lastIndexOf("-") + 1));

function cronJobOf({ name, schedule, timeZone, policy, deadline }: YearPlan): CreateInput<CronJob> {
  return {
    metadata: { namespace, name },
    spec: {
      schedule,
      timeZone,
      concurrencyPolicy: policy,
      ...(deadline !== undefined && { startingDeadlineSeconds: deadline }),
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] } } },
      },
    },
  };
}

/** The history of one CronJob's Jobs, in the form of the golden table. */
class Life {
  readonly #plan: YearPlan;
  readonly #there: string[] = [];
  readonly #runs: number[] = [];
  readonly #offsets: string[] = [];
  readonly #late: number[] = [];
  readonly #deleted: number[] = [];
  #last: number;

  constructor(plan: YearPlan, start: number) {
    this.#plan = plan;
    this.#last = start / 60;
  }

  /** Records the creation of a Job. Returns its duration in seconds. */
  made({ metadata }: Job): number {
    const { seconds } = this.#plan;
    const takes = seconds[this.#runs.length % seconds.length] ?? 0;
    const stamp = metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"] ?? "";
    this.#there.push(metadata.name);
    this.#runs.push(minuteOf(metadata.name) - this.#last);
    this.#last = minuteOf(metadata.name);
    this.#offsets.push(stamp.slice("2027-03-01T00:00:00".length));
    this.#late.push((Date.parse(metadata.creationTimestamp ?? "") - Date.parse(stamp)) / 1000);
    return takes;
  }

  /** Whether the Job exists: a Job that was replaced does not end. */
  has(name: string): boolean {
    return this.#there.includes(name);
  }

  gone(name: string): void {
    const index = this.#there.indexOf(name);
    if (index < 0) throw new Error(`${name} was deleted, but not made`);
    this.#deleted.push(this.#there.length - 1 - index);
    this.#there.splice(index, 1);
  }

  outcome({ status = {} }: CronJob): object {
    return {
      name: this.#plan.name,
      runs: repeated(this.#runs),
      offsets: repeated(this.#offsets),
      late: repeated(this.#late),
      deleted: repeated(this.#deleted),
      status: `${status.lastScheduleTime ?? "-"} ${status.lastSuccessfulTime ?? "-"} ${status.active?.length ?? 0}`,
    };
  }
}

/** Abbreviates repetitions: `7 7 7 8` becomes `7×3 8`. */
function repeated(values: readonly (number | string)[]): string {
  const parts: { readonly value: string; times: number }[] = [];
  for (const each of values) {
    const last = parts.at(-1);
    if (last?.value === String(each)) last.times++;
    else parts.push({ value: String(each), times: 1 });
  }
  return parts.map(({ value, times }) => (times === 1 ? value : `${value}×${times}`)).join(" ");
}

async function finish(client: Client, name: string, now: number): Promise<void> {
  const at = formatTime(now);
  const condition = (type: string): object => ({ type, status: "True", lastProbeTime: at, lastTransitionTime: at });
  const status = {
    startTime: at,
    completionTime: at,
    conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
  };
  await client.patch(Jobs, { namespace, name }, { type: "merge", body: { status } }, { subresource: "status" });
}

async function play({ start, end, plans }: Period, seed: number): Promise<void> {
  const timeline = virtualTimeline(start * 1000, seededRandom(seed));
  const bus = new TraceBus({ now: () => timeline.now() });
  const hash = eventHash();
  const lives = new Map(plans.map((plan) => [plan.name, new Life(plan, start)]));
  const failed: unknown[] = [];
  const background = (work: Promise<unknown>): void => void work.catch((error: unknown) => failed.push(error));
  let user: Client | undefined;

  async function made(name: string, client: Client): Promise<void> {
    const job = await client.get(Jobs, { namespace, name });
    const owner = job.metadata.ownerReferences?.[0]?.name ?? "";
    const takes = lives.get(owner)?.made(job) ?? 0;
    const end = (): void => {
      if (lives.get(owner)?.has(name) === true) background(finish(client, name, timeline.now()));
    };
    timeline.after(takes * 1000, "the end of a Job", end);
  }

  bus.listen((event) => {
    hash.add(event);
    if (event.stage !== "write" || event.of.kind !== "Job" || event.controller !== "cronjob") return;
    const name = event.key.slice(namespace.length + 1);
    // A sync may run before the cache has the last write; its repeated create or delete is then refused, upstream too.
    if (event.error !== undefined) return;
    if (event.verb === "create" && user !== undefined) background(made(name, user));
    else if (event.verb === "delete") lives.get(name.slice(0, name.lastIndexOf("-")))?.gone(name);
  });

  const started = startEmbedded({
    timeline,
    random: seededRandom(seed + 1),
    bus,
    controllers: [cronjob],
    freeze: true,
    nodes: 0,
    scheduler: false,
    kubelet: false,
  }).then(async (cluster) => {
    const client = cluster.clientFor("user");
    user = client;
    for (const plan of plans) await client.create(CronJobs, cronJobOf(plan));
    for (const { name, suspended = [] } of plans) {
      for (const [index, at] of suspended.entries()) {
        const body = { spec: { suspend: index === 0 } };
        const change = (): void => background(client.patch(CronJobs, { namespace, name }, { type: "merge", body }));
        timeline.after(at * 1000 - timeline.now(), "a change", change);
      }
    }
    return client;
  });
  while (timeline.now() < end * 1000 - 1) {
    const ms = Math.min(dayMs, end * 1000 - 1 - timeline.now());
    // Between due runs no foreground work is left, so this timer keeps virtual time running.
    timeline.after(ms, "the end of a day", () => undefined);
    const ended = await timeline.runUntil({ ms, steps: 500_000 });
    if (ended === "steps") throw new Error(`the cluster does not come to rest at ${formatTime(timeline.now())}`);
  }
  const listed = (await started).list(CronJobs, { namespace });
  await timeline.runUntil({ ms: 1, steps: 10_000 });
  const { items } = await listed;
  if (failed.length > 0) throw failed[0];
  for (const { name } of plans) {
    const found = items.find(({ metadata }) => metadata.name === name);
    console.log(JSON.stringify(lives.get(name)?.outcome(found as CronJob)));
  }
  console.log(`hash seed ${seed}: ${hash.digest()}, ${hash.events} events`);
}

const [name = "", seed = "1"] = process.argv.slice(2);
const period = Object.entries(periods).find(([each]) => each === name)?.[1];
if (period === undefined) throw new Error(`${name} is not a period: spring, autumn or year`);
await play(period, Number(seed));
