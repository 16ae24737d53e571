/**
 * Validates changes of a Job's status. Source: kubernetes v1.36 pkg/apis/batch/validation/validation.go validateJobStatus;
 * pkg/registry/batch/job/strategy.go: most fields are validated only if they have changed.
 */
import { deepEqual } from "../../../api/field-changes.ts";
import { duplicate, invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { at, fieldsIn, textsIn, type ApiObject, type Fields } from "../../meta/object.ts";
import { negativeErrors } from "../../validation/spec-checks.ts";
import { indexErrors } from "./job-status-indexes.ts";

const field = "status.conditions";
/** The lists in `uncountedTerminatedPods`. */
const uncountedKeys = ["succeeded", "failed"];
const plain = (why: string): FieldError => ({ reason: "FieldValueInvalid", field, message: `Invalid value: ${why}` });

interface Outcome {
  readonly complete: boolean;
  readonly failed: boolean;
  readonly failureTarget: boolean;
  readonly success: boolean;
  readonly finished: boolean;
}

function outcomeOf({ status = {} }: ApiObject): Outcome {
  const conditions = fieldsIn(status["conditions"]);
  const is = (type: string): boolean => conditions.some((c) => c["type"] === type && c["status"] === "True");
  const [complete, failed] = [is("Complete"), is("Failed")];
  return {
    complete,
    failed,
    failureTarget: is("FailureTarget"),
    success: is("SuccessCriteriaMet"),
    finished: complete || failed,
  };
}

const count = (status: Fields, key: string): number => (typeof status[key] === "number" ? status[key] : 0);

/** Contradictions within one status. */
function outcomeErrors(now: Outcome, was: Outcome): FieldError[] {
  const errors: FieldError[] = [];
  const completeChanged = now.complete !== was.complete;
  if ((completeChanged || now.failed !== was.failed) && now.complete && now.failed)
    errors.push(plain("cannot set Complete=True and Failed=true conditions"));
  if ((completeChanged || now.failureTarget !== was.failureTarget) && now.complete && now.failureTarget)
    errors.push(plain("cannot set Complete=True and FailureTarget=true conditions"));
  return errors;
}

function timeErrors(status: Fields, old: Fields, now: Outcome, was: Outcome): FieldError[] {
  const { completionTime, startTime } = status;
  const here = "status.completionTime";
  const changed = completionTime !== old["completionTime"];
  const errors: FieldError[] = [];
  if (now.complete !== was.complete || changed) {
    if (completionTime !== undefined && !now.complete)
      errors.push(invalid(here, completionTime, "cannot set completionTime when there is no Complete=True condition"));
    if (completionTime === undefined && now.complete)
      errors.push(required(here, "completionTime is required for Complete jobs"));
  }
  const moved = changed || startTime !== old["startTime"];
  if (moved && typeof startTime === "string" && typeof completionTime === "string" && completionTime < startTime)
    errors.push(invalid(here, completionTime, "must be equal to or after `startTime`"));
  return errors;
}

function finishedErrors(job: ApiObject, old: Fields, now: Outcome, was: Outcome): FieldError[] {
  const status = job.status ?? {};
  const errors: FieldError[] = [];
  const changed = now.finished !== was.finished;
  if (
    (now.failed !== was.failed || status["failedIndexes"] !== old["failedIndexes"]) &&
    now.failed &&
    !now.failureTarget
  )
    errors.push(plain("cannot set Failed=True condition without the FailureTarget=true condition"));
  if ((now.complete !== was.complete || now.success !== was.success) && now.complete && !now.success)
    errors.push(plain("cannot set Complete=True condition without the SuccessCriteriaMet=true condition"));
  if (!now.finished) return errors;
  if ((changed || status["active"] !== old["active"]) && count(status, "active") > 0)
    errors.push(invalid("status.active", status["active"], "active>0 is invalid for finished job"));
  const nothingToDo = job.spec?.["suspend"] === true && job.spec["completions"] === 0;
  if ((changed || status["startTime"] !== old["startTime"]) && !nothingToDo && status["startTime"] === undefined)
    errors.push(required("status.startTime", "startTime is required for finished job"));
  const uncounted = uncountedIn(status);
  if ((changed || !deepEqual(uncounted, uncountedIn(old))) && uncounted.some((uids) => uids.length > 0)) {
    const there = "status.uncountedTerminatedPods";
    errors.push(invalid(there, goUncounted(status["uncountedTerminatedPods"]), "must be empty for finished job"));
  }
  return errors;
}

/** The pods in `uncountedTerminatedPods`; a missing list equals an empty one. */
const uncountedIn = (status: Fields): string[][] =>
  uncountedKeys.map((key) => textsIn(at(status["uncountedTerminatedPods"], key)));

/** Printed like the Go type. */
const goUncounted = (uncounted: unknown): Fields => ({
  Succeeded: at(uncounted, "succeeded") ?? null,
  Failed: at(uncounted, "failed") ?? null,
});

/** Counts of pods that contradict each other or the outcome. */
function countErrors(job: ApiObject, before: ApiObject): FieldError[] {
  const { status = {} } = job;
  const { status: old = {} } = before;
  const { ready, terminating } = status;
  const [{ finished }, was] = [outcomeOf(job), outcomeOf(before)];
  const errors: FieldError[] = [];
  if ((finished !== was.finished || terminating !== old["terminating"]) && finished && count(status, "terminating") > 0)
    errors.push(invalid("status.terminating", terminating, "terminating>0 is invalid for finished job"));
  const active = count(status, "active");
  const changed = ready !== old["ready"] || active !== count(old, "active");
  if (changed && typeof ready === "number" && ready > active)
    errors.push(invalid("status.ready", ready, "cannot set more ready pods than active"));
  return errors;
}

function successErrors(job: ApiObject, now: Outcome): FieldError[] {
  const errors: FieldError[] = [];
  if (now.success && now.failed) errors.push(plain("cannot set SuccessCriteriaMet=True and Failed=true conditions"));
  if (now.success && now.failureTarget)
    errors.push(plain("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"));
  if (job.spec?.["successPolicy"] !== undefined && !now.success && now.complete)
    errors.push(plain("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"));
  return errors;
}

/** Transitions that cannot be undone. */
function transitionErrors(job: ApiObject, old: ApiObject, now: Outcome, was: Outcome): FieldError[] {
  const [status, before, spec] = [job.status ?? {}, old.status ?? {}, job.spec ?? {}];
  const errors: FieldError[] = [];
  for (const [type, key] of [
    ["Failed", "failed"],
    ["Complete", "complete"],
    ["FailureTarget", "failureTarget"],
  ] as const) {
    if (was[key] && !now[key]) errors.push(plain(`cannot disable the terminal ${type}=True condition`));
  }
  if (count(status, "failed") < count(before, "failed"))
    errors.push(invalid("status.failed", count(status, "failed"), "cannot decrease the failed counter"));
  const scaled = spec["completionMode"] === "Indexed" && spec["completions"] === spec["parallelism"];
  if (!scaled && count(status, "succeeded") < count(before, "succeeded"))
    errors.push(invalid("status.succeeded", count(status, "succeeded"), "cannot decrease the succeeded counter"));
  const [ended, hadEnded] = [status["completionTime"], before["completionTime"]];
  if (ended !== undefined && hadEnded !== undefined && ended !== hadEnded)
    errors.push(invalid("status.completionTime", ended, "field is immutable"));
  const started = before["startTime"];
  if (
    started !== undefined &&
    started !== status["startTime"] &&
    spec["suspend"] !== true &&
    !isResuming(status, before)
  )
    errors.push(
      invalid("status.startTime", status["startTime"] ?? null, "field is immutable for unsuspended job once set"),
    );
  if (was.success && !now.success) errors.push(plain("cannot disable the SuccessCriteriaMet=True condition"));
  if (was.complete && !was.success && now.success)
    errors.push(plain("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"));
  return errors;
}

function isResuming(status: Fields, before: Fields): boolean {
  const suspended = ({ conditions }: Fields, wanted: string): boolean =>
    fieldsIn(conditions).some((c) => c["type"] === "Suspended" && c["status"] === wanted);
  return suspended(before, "True") && suspended(status, "False");
}

/** UIDs of pods, without duplicates. */
function uncountedErrors(uncounted: unknown): FieldError[] {
  const seen = new Set<string>();
  return uncountedKeys.flatMap((key) =>
    textsIn(at(uncounted, key)).flatMap((uid, index): FieldError[] => {
      const here = `status.uncountedTerminatedPods.${key}[${index}]`;
      if (uid === "") return [invalid(here, uid, "must not be empty")];
      if (seen.has(uid)) return [duplicate(here, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

/** Validates a write of a Job's status: counters, conditions, completed indexes. */
export function jobStatusErrors(job: ApiObject, old: ApiObject): FieldError[] {
  const [status, before] = [job.status ?? {}, old.status ?? {}];
  const [now, was] = [outcomeOf(job), outcomeOf(old)];
  return [
    ...negativeErrors(status, "status", "active", "succeeded", "failed", "ready", "terminating"),
    ...uncountedErrors(status["uncountedTerminatedPods"]),
    ...outcomeErrors(now, was),
    ...timeErrors(status, before, now, was),
    ...finishedErrors(job, before, now, was),
    ...indexErrors(job, before),
    ...countErrors(job, old),
    ...successErrors(job, now),
    ...transitionErrors(job, old, now, was),
  ];
}
