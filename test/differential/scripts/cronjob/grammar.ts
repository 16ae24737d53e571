/** Random scripts for one CronJob and its Jobs. All random values are drawn before the script runs. */
import { below, type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Script, Step } from "../../suite.ts";
import { create, createOwned, cronName, due, endJob, lastRunAt, patchSpec, runningJobs } from "./acts.ts";

interface Scene {
  readonly random: Random;
  /** Number of Jobs that the script created with the CronJob as their owner. */
  strangers: number;
  /** Number of finished Jobs: each has a different start time. */
  ended: number;
}

const triedAgain =
  "a run whose Job exists is retried repeatedly: one of the retries may come between the two actions of a step";

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), strangers: 0, ended: 0 };
  const steps = [create({ spec: drawSpec(scene.random) })];
  while (steps.length < length) steps.push(pick(moves, scene.random.next())(scene));
  return { name: `seed ${seed}`, steps, race: triedAgain };
}

function pick<T>(items: readonly T[], fraction: number): T {
  const item = items[Math.floor(fraction * items.length)];
  if (item === undefined) throw new RangeError(`Cannot pick at ${fraction} of ${items.length}`);
  return item;
}

const policies = ["Allow", "Forbid", "Replace"];
/** Mostly yearly, but also monthly, weekly and on leap days. Each has a missed run since the time that `lastRunAt` sets. */
const schedules = ["0 0 1 1 *", "30 3 2 1 *", "15 12 3 1 *", "0 0 4 * *", "0 0 5 1 *", "0 6 * * 1", "0 0 29 2 *"];
const zones = ["UTC", "Asia/Kathmandu", "America/New_York", null];

function drawSpec(random: Random): object {
  return {
    schedule: pick(schedules, random.next()),
    concurrencyPolicy: pick(policies, random.next()),
    successfulJobsHistoryLimit: below(random, 3),
    failedJobsHistoryLimit: below(random, 2),
    ...(random.next() < 0.2 && { suspend: true }),
    ...(random.next() < 0.3 && { timeZone: "Asia/Kathmandu" }),
  };
}

type Move = (scene: Scene) => Step;

/** A move that is listed n times is n times as likely. */
const moves: readonly Move[] = [
  ({ random }) => due(pick(schedules, random.next())),
  ({ random }) => due(pick(schedules, random.next())),
  ({ random }) => due(pick(schedules, random.next())),
  () => lastRunAt(),
  end,
  end,
  end,
  end,
  remove,
  stranger,
  ({ random }) => patchSpec({ concurrencyPolicy: pick(policies, random.next()) }),
  ({ random }) => patchSpec({ suspend: random.next() < 0.5 }),
  ({ random }) => patchSpec({ timeZone: pick(zones, random.next()) }),
  ({ random }) => patchSpec({ successfulJobsHistoryLimit: below(random, 3), failedJobsHistoryLimit: below(random, 2) }),
  ({ random }) => patchSpec({ startingDeadlineSeconds: random.next() < 0.5 ? 60 : null }),
];

function end(scene: Scene): Step {
  const type = scene.random.next() < 0.6 ? "Complete" : "Failed";
  const fraction = scene.random.next();
  const started = `${String(scene.ended++ % 24).padStart(2, "0")}:00:00`;
  return {
    name: `finish a Job as ${type} (at ${fraction.toFixed(2)})`,
    async act(stage) {
      const jobs = await runningJobs(stage);
      if (jobs.length > 0) await endJob(stage, pick(jobs, fraction).metadata.name, { type, started });
    },
  };
}

function remove({ random }: Scene): Step {
  const fraction = random.next();
  return {
    name: `delete a Job (at ${fraction.toFixed(2)})`,
    async act(stage) {
      const jobs = await runningJobs(stage);
      if (jobs.length === 0) return;
      await stage.remove("jobs", pick(jobs, fraction).metadata.name, { propagationPolicy: "Background" });
    },
  };
}

function stranger(scene: Scene): Step {
  const name = `${cronName}-own-${scene.strangers++}`;
  return { name: `create the Job ${name}, owned by the CronJob`, act: (stage) => createOwned(stage, name) };
}
