/**
 * Random scripts in addition to those of the differential tests: StatefulSets that are rolled back, CronJob runs that are due once, Jobs in
 * sequence, Jobs with a TTL, and budgets with pods that should have been deleted but still exist.
 */
import { below, type Random, seededRandom } from "../../../src/platform/random.ts";
import { timeAgo } from "../../differential/acts.ts";
import type { Json } from "../../differential/objects.ts";
import { randomScript as randomCronJobs } from "../../differential/scripts/cronjob/grammar.ts";
import { due, endFirst, endJob, patchSpec, runningJobs } from "../../differential/scripts/cronjob/acts.ts";
import { report, runPod } from "../../differential/scripts/disruption/acts.ts";
import { randomScript as randomBudgets } from "../../differential/scripts/disruption/grammar.ts";
import { jobName } from "../../differential/scripts/job/acts.ts";
import { randomScript as randomJobs } from "../../differential/scripts/job/grammar.ts";
import { image } from "../../differential/scripts/statefulset/acts.ts";
import { randomScript as randomSets } from "../../differential/scripts/statefulset/grammar.ts";
import type { Stage } from "../../differential/stage.ts";
import type { Script, Step } from "../../differential/suite.ts";
import { withSecond } from "./scripted.ts";

/** For a Job that ended years ago: expired, or far from expired. */
const timesToLive = [0, 60, 2_000_000_000] as const;

function timeToLive(random: Random): number {
  return timesToLive[below(random, timesToLive.length)] ?? 0;
}

/** StatefulSets; every second one is first rolled back to an earlier template. */
export function setsRolledBack(seed: number, length: number): Script {
  const script = randomSets(seed, length);
  return seed % 2 === 1 ? script : withSecond(script, [image(8), image(9), image(8)]);
}

const dueAtOnce: Step = {
  name: "resume, and make a run due",
  async act(stage) {
    await patchSpec({ suspend: false }).act(stage);
    await due("0 0 6 1 *").act(stage);
  },
};

/** A run that ends and is removed from the history. */
const historyGoes = [dueAtOnce, endFirst("Complete"), patchSpec({ successfulJobsHistoryLimit: 0 })] as const;

/**
 * CronJobs whose runs are due only once, as retries of a run whose Job exists differ in time; every second one first has a complete run.
 */
export function runsDueOnce(seed: number, length: number): Script {
  const { name, steps } = randomCronJobs(seed, 2 * length);
  const names = new Set<string>();
  const once = steps.filter((step) => {
    const isAgain = names.has(step.name) && step.name.startsWith("make a run of ");
    names.add(step.name);
    return !isAgain && !step.name.startsWith("set the last run ");
  });
  const script = { name, steps: once };
  return seed % 2 === 1 ? script : withSecond(script, historyGoes);
}

/** Number of steps of each Job in a sequence on one stage. */
const stepsOfAJob = 5;

/**
 * Jobs in sequence, each with its own script. The previous Job is deleted first; its remaining pods are removed when the next one is
 * created, as a garbage collector would do.
 */
export function jobsInTurn(seed: number, length: number): Script {
  const steps: Step[] = [];
  for (let n = 0; steps.length < length; n++) {
    const [create, ...rest] = randomJobs(seed + 100 * n, 2 * stepsOfAJob).steps.filter(
      ({ name }) => !name.startsWith("recreate"),
    );
    if (create === undefined) throw new RangeError("A script begins with a Job");
    steps.push(n === 0 ? create : afterPods(create), ...rest.slice(0, stepsOfAJob - 2), jobGoes);
  }
  return { name: `seed ${seed}`, steps };
}

const jobGoes: Step = {
  name: "delete the Job",
  act: (stage) => stage.remove("jobs", jobName, { propagationPolicy: "Background" }),
};

function afterPods(create: Step): Step {
  return {
    name: create.name,
    async act(stage) {
      for (const { metadata } of await stage.pods()) {
        await stage.attempt("PATCH", `/pods/${metadata.name}`, { metadata: { finalizers: null } });
        await stage.attempt("DELETE", `/pods/${metadata.name}`, { gracePeriodSeconds: 0 });
      }
      await create.act(stage);
    },
  };
}

/** Jobs are created, end, and get a TTL before or after they have ended. */
export function jobsWithTimesToLive(seed: number, length: number): Script {
  const random = seededRandom(seed);
  const steps = Array.from({ length }, (_, n) => {
    if (n === 0) return aJob(random, n);
    const move = [aJob, anEnd, anEnd, anEnd, aChange, aChange][below(random, 6)] ?? aJob;
    return move(random, n);
  });
  return { name: `seed ${seed}`, steps };
}

function aJob(random: Random, n: number): Step {
  const ttl = random.next() < 0.5 ? { ttlSecondsAfterFinished: timeToLive(random) } : {};
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] } };
  return {
    name: `create two Jobs with ${JSON.stringify(ttl)}`,
    async act(stage) {
      for (const name of [`a${n}`, `b${n}`])
        await stage.create("jobs", { metadata: { name }, spec: { ...ttl, template } });
    },
  };
}

function anEnd(random: Random): Step {
  const [fraction, type] = [random.next(), random.next() < 0.5 ? "Complete" : "Failed"] as const;
  return {
    name: `finish a Job as ${type}`,
    async act(stage) {
      const jobs = await runningJobs(stage);
      const job = jobs[Math.floor(fraction * jobs.length)];
      if (job !== undefined) await endJob(stage, job.metadata.name, { type });
    },
  };
}

function aChange(random: Random): Step {
  const [fraction, ttlSecondsAfterFinished] = [random.next(), timeToLive(random)];
  return {
    name: `set the TTL of a Job to ${ttlSecondsAfterFinished} s`,
    async act(stage) {
      const jobs = (await stage.list("jobs")) as unknown as readonly (Json & {
        readonly metadata: { readonly name: string };
      })[];
      const job = jobs[Math.floor(fraction * jobs.length)];
      if (job !== undefined) await stage.patch("jobs", job.metadata.name, { spec: { ttlSecondsAfterFinished } });
    },
  };
}

/**
 * Budgets, and before every third step a pod whose disruption was announced three minutes or one minute ago but that still exists. Every
 * second seed has another such pod from one minute ago, which no other step changes.
 */
export function budgetsWithStalePods(seed: number, length: number): Script {
  const random = seededRandom(seed);
  const { name, steps } = randomBudgets(seed, length);
  const stale = steps.flatMap((step, n) => (n % 3 === 2 ? [stalePod(random), step] : [step]));
  const script = { name, steps: stale };
  return seed % 2 === 1 ? withSecond(script, [earlyPod]) : script;
}

const earlyPod: Step = {
  name: "create a pod whose disruption was announced a minute ago",
  act: (stage) => runPod(stage, "early", { conditions: [toGo(stage, 1)] }),
};

function stalePod(random: Random): Step {
  const [fraction, minutes] = [random.next(), random.next() < 0.8 ? 3 : 1];
  return {
    name: `announce a pod's disruption ${minutes} minutes ago`,
    async act(stage) {
      const pods = await stage.pods(
        ({ metadata }) => metadata.deletionTimestamp === undefined && metadata.name !== "early",
      );
      const pod = pods[Math.floor(fraction * pods.length)];
      if (pod !== undefined) await report(stage, pod.metadata.name, { conditions: [toGo(stage, minutes)] });
    },
  };
}

function toGo(stage: Stage, minutesAgo: number): object {
  const lastTransitionTime = timeAgo(stage, minutesAgo * 60_000);
  return { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", lastTransitionTime };
}
