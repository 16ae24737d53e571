/** CronJobs with runs that are due when a script decides: it sets the last schedule time back by years. */
import type { Json } from "../../objects.ts";
import type { Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";

export const cronName = "nightly";

export interface CronParts {
  readonly spec?: object;
  readonly jobSpec?: object;
  readonly template?: object;
}

/** Scheduled for New Year, so that no run is due soon. */
export function cronJobOf({ spec, jobSpec, template }: CronParts = {}): object {
  const pod = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] } };
  return {
    metadata: { name: cronName },
    spec: {
      schedule: "0 0 1 1 *",
      jobTemplate: { ...(template !== undefined && { metadata: template }), spec: { template: pod, ...jobSpec } },
      ...spec,
    },
  };
}

export function create(parts: CronParts = {}): Step {
  return { name: `create ${JSON.stringify(parts)}`, act: (stage) => stage.create("cronjobs", cronJobOf(parts)) };
}

export function patchSpec(spec: object): Step {
  return { name: `patch ${JSON.stringify(spec)}`, act: (stage) => stage.patch("cronjobs", cronName, { spec }) };
}

/** Sets the last schedule time back: the latest missed run is then due. */
export function lastRunAt(time = "2020-01-01T00:00:00Z"): Step {
  return {
    name: `set the last run to ${time}`,
    act: (stage) => stage.patch("cronjobs", `${cronName}/status`, { status: { lastScheduleTime: time } }),
  };
}

/** Changes the schedule, and then the status to trigger a sync: a changed schedule alone waits for its next run. */
export function due(schedule: string): Step {
  return {
    name: `make a run of ${schedule} due`,
    async act(stage) {
      await stage.patch("cronjobs", cronName, { spec: { schedule } });
      await lastRunAt().act(stage);
    },
  };
}

export interface JobObject extends Json {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export function isOver({ status }: JobObject): boolean {
  return (
    status?.conditions?.some(({ type, status: is }) => /^(?:Complete|Failed)$/.test(type) && is === "True") === true
  );
}

/** Unfinished Jobs, sorted by name. */
export async function runningJobs(stage: Stage): Promise<readonly JobObject[]> {
  const jobs = (await stage.list("jobs")) as unknown as readonly JobObject[];
  return jobs.filter((job) => !isOver(job)).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** Writes the status that the Job controller writes at the end. `started` is a time of day that distinguishes Jobs. */
export async function endJob(
  stage: Stage,
  name: string,
  { type, started = "00:00:00" }: { readonly type: "Complete" | "Failed"; readonly started?: string },
): Promise<void> {
  const [startTime, completionTime] = [`2020-01-01T${started}Z`, "2020-01-02T00:00:00Z"];
  const condition = (of: string): object => ({
    type: of,
    status: "True",
    lastTransitionTime: completionTime,
    reason: "Test",
  });
  const announced = type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget";
  await stage.patch("jobs", `${name}/status`, {
    status: {
      startTime,
      ...(type === "Complete" && { completionTime, succeeded: 1 }),
      conditions: [condition(announced), condition(type)],
      uncountedTerminatedPods: {},
    },
  });
}

/** Finishes the first running Job. */
export function endFirst(type: "Complete" | "Failed", started?: string): Step {
  return {
    name: `finish the first Job as ${type}`,
    async act(stage) {
      const [job] = await runningJobs(stage);
      if (job !== undefined)
        await endJob(stage, job.metadata.name, { type, ...(started !== undefined && { started }) });
    },
  };
}

/** Creates a Job that the CronJob owns but did not create. */
export async function createOwned(stage: Stage, name: string): Promise<void> {
  const { metadata } = (await stage.get("cronjobs", cronName)) as { readonly metadata: { readonly uid: string } };
  const owner = { apiVersion: "batch/v1", kind: "CronJob", name: cronName, uid: metadata.uid, controller: true };
  await stage.create("jobs", {
    metadata: { name, ownerReferences: [owner] },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] } } },
  });
}
