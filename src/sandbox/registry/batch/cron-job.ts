/** CronJobs. Source: kubernetes v1.36 pkg/apis/batch/validation/validation.go validateCronJobSpec. */
import { invalid, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { isTimeZone } from "../../../api/cron/time-zone.ts";
import { scheduleProblem } from "./cron-schedule.ts";
import { jobWarnings } from "./job.ts";
import { jobSpecErrors } from "./job-spec.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { isOneOf, negativeErrors } from "../../validation/spec-checks.ts";

const policies = ["Allow", "Forbid", "Replace"];

function scheduleErrors(spec: Fields, old: Fields | undefined): FieldError[] {
  const schedule = typeof spec["schedule"] === "string" ? spec["schedule"] : "";
  const field = "spec.schedule";
  if (schedule === "") return [required(field)];
  const problem = scheduleProblem(schedule);
  const errors = problem === undefined ? [] : [invalid(field, schedule, problem)];
  if (!schedule.includes("TZ")) return errors;
  // Schedules with a time zone inside predate the `timeZone` field.
  const tolerated = typeof old?.["schedule"] === "string" && old["schedule"].includes("TZ");
  if (!tolerated)
    errors.push(invalid(field, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
  else if (spec["timeZone"] !== undefined)
    errors.push(invalid(field, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"));
  return errors;
}

function zoneErrors(zone: unknown): FieldError[] {
  if (typeof zone !== "string") return [];
  const field = "spec.timeZone";
  if (zone === "") return [invalid(field, zone, "timeZone must be nil or non-empty string")];
  const odd = zone
    .split("/")
    .some((part) => part === "." || part === ".." || part.startsWith("-") || !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part));
  if (odd) return [invalid(field, zone, `unknown time zone ${zone}`)];
  if (zone.toLowerCase() === "local") {
    const explicit = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    // The real server knows `Local` as a zone, but in no other spelling.
    return [
      invalid(field, zone, explicit),
      ...(zone === "Local" ? [] : [invalid(field, zone, `unknown time zone ${zone}`)]),
    ];
  }
  return isTimeZone(zone) ? [] : [invalid(field, zone, `unknown time zone ${zone}`)];
}

function templateErrors(spec: Fields): FieldError[] {
  const template = isFields(spec["jobTemplate"]) ? spec["jobTemplate"] : {};
  const job = isFields(template["spec"]) ? template["spec"] : {};
  const field = "spec.jobTemplate.spec";
  const errors = jobSpecErrors(job, field);
  if (job["selector"] !== undefined) {
    errors.push(invalid(`${field}.selector`, job["selector"], "`selector` will be auto-generated"));
  }
  if (job["manualSelector"] === true) errors.push(notSupported(`${field}.manualSelector`, true, ["nil", "false"]));
  return errors;
}

function specErrors({ spec = {} }: ApiObject, old?: ApiObject): FieldError[] {
  const errors = [
    ...scheduleErrors(spec, old?.spec),
    ...negativeErrors(spec, "spec", "startingDeadlineSeconds"),
    ...(old?.spec?.["timeZone"] === spec["timeZone"] && old !== undefined ? [] : zoneErrors(spec["timeZone"])),
  ];
  const policy = spec["concurrencyPolicy"];
  if (!isOneOf(policy, policies)) errors.push(notSupported("spec.concurrencyPolicy", policy, policies));
  return [
    ...errors,
    ...templateErrors(spec),
    ...negativeErrors(spec, "spec", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"),
  ];
}

/** A Job's name is the CronJob's name plus eleven characters. */
const longestName = 52;

const timeZoneInSchedule =
  "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";

const templatePath = ["spec", "jobTemplate", "spec"];

/** CronJobs: schedule, time zone and Job template. */
export const cronJobStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  updateSteps: [validateObjectMetaUpdate, validateChange],
  status: { updateSteps: [] },
  warningsOnCreate: (cronJob) => jobWarnings(cronJob, undefined, templatePath),
  warningsOnUpdate: (cronJob, old) => [
    ...jobWarnings(cronJob, old, templatePath),
    ...(textOf(cronJob.spec?.["schedule"]).includes("TZ") ? [timeZoneInSchedule] : []),
  ],
  validate(cronJob) {
    const { name = "" } = cronJob.metadata;
    const tooLong = name.length > longestName;
    return [
      ...specErrors(cronJob),
      ...(tooLong ? [invalid("metadata.name", name, `must be no more than ${longestName} characters`)] : []),
    ];
  },
  validateUpdate: specErrors,
});
