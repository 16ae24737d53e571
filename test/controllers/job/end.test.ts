import { isJobFinished } from "../../../src/controller/workload/job-status.ts";
import { describe, expect, test } from "bun:test";
import { formatTime } from "../../../src/api/time.ts";
import type { Job, Pod } from "../../../src/api/types.ts";
import { conditionOf, resumed, suspended, withJobCondition } from "../../../src/controllers/job/conditions.ts";
import { deadlineInMs, endOf, isComplete } from "../../../src/controllers/job/end.ts";
import { jobIndexes, newlyEnded } from "../../../src/controllers/job/job-pods.ts";
import { hasFailed, isIndexed, type JobCondition, otherManager } from "../../../src/controllers/job/spec.ts";
import { sceneStart } from "../../support/sync-context.ts";
import { failureCountAnnotation, indexedJobOf, jobOf, known, podOf, running } from "./objects.ts";

const condition = (type: string, reason = "Because", status = "True"): JobCondition => ({
  type,
  status,
  reason,
  message: "why",
});

/** The end of a Job as `type reason: message`, with a star if the status already contains it. */
function endIn(job: Job, pods: readonly Pod[] = []): string | undefined {
  const of = known(job, pods);
  const end = endOf({
    known: of,
    newlyFailed: newlyEnded(of).failed,
    indexes: isIndexed(job) ? jobIndexes(of) : undefined,
    startTime: job.status?.startTime,
    now: sceneStart,
  });
  return end && `${end.condition.type} ${end.condition.reason}: ${end.condition.message}${end.isKnown ? " *" : ""}`;
}

const failJob = { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [3] } }] } };
const failed = (name: string, exitCode = 1): Pod => podOf(name, { phase: "Failed", endedMs: 0, exitCode });
const limitMessage = "FailureTarget BackoffLimitExceeded: Job has reached the specified backoff limit";
const deadlineMessage = "FailureTarget DeadlineExceeded: Job was active longer than specified deadline";

describe("a Job", () => {
  test("continues without failures", () => expect(endIn(jobOf(), [podOf("a")])).toBeUndefined());

  test("that has announced its end keeps it", () => {
    const all = { spec: { backoffLimit: 0, ...failJob }, status: {} };
    const pods = [failed("a", 3)];
    expect(endIn(jobOf({ ...all, status: { conditions: [condition("SuccessCriteriaMet")] } }), pods)).toBe(
      "SuccessCriteriaMet Because: why *",
    );
    expect(
      endIn(jobOf({ ...all, status: { conditions: [condition("FailureTarget", "DeadlineExceeded")] } }), pods),
    ).toBe("Failed DeadlineExceeded: why *");
    const withdrawn = [condition("FailureTarget", "Because", "False")];
    expect(endIn(jobOf({ status: { conditions: withdrawn } }))).toBeUndefined();
  });

  test("ends by its pod failure policy before its back-off limit", () => {
    expect(endIn(jobOf({ spec: { backoffLimit: 0, ...failJob } }), [failed("a"), failed("b", 3)])).toBe(
      "FailureTarget PodFailurePolicy: Container main for pod shop/b failed with exit code 3 matching FailJob rule at index 0",
    );
    // The pod is still running, so another container can still determine the outcome.
    expect(endIn(jobOf({ spec: failJob }), [podOf("a", { endedMs: 0, exitCode: 3 })])).toBeUndefined();
  });

  const limits = [
    { says: "as many failures as the limit", limit: 2, before: 0, pods: [failed("a"), failed("b")], ends: false },
    { says: "one above it", limit: 1, before: 0, pods: [failed("a"), failed("b")], ends: true },
    { says: "previously counted ones", limit: 1, before: 1, pods: [failed("a")], ends: true },
    { says: "none permitted", limit: 0, before: 0, pods: [failed("a")], ends: true },
  ];
  for (const { says, limit, before, pods, ends } of limits) {
    test(`and its back-off limit: ${says}`, () => {
      const job = jobOf({ spec: { backoffLimit: limit }, status: { failed: before } });
      expect(endIn(job, pods)).toBe(ends ? limitMessage : undefined);
    });
  }

  test("counts failures in its status toward the limit, but not those that it ignores", () => {
    const ignored = { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [3] } }] };
    const job = (uncounted: readonly string[]): Job =>
      jobOf({
        spec: { backoffLimit: 1, podFailurePolicy: ignored },
        status: { uncountedTerminatedPods: { failed: uncounted } },
      });
    expect(endIn(job(["uid-x", "uid-y"]))).toBe(limitMessage);
    expect(endIn(job(["uid-x", "uid-a"]), [failed("a")])).toBe(limitMessage);
    expect(endIn(job(["uid-x"]), [failed("a", 3), failed("b", 3)])).toBeUndefined();
  });

  const restarts = [
    { limit: 0, restarts: 0, phase: "Running", ends: false },
    { limit: 0, restarts: 1, phase: "Running", ends: true },
    { limit: 3, restarts: 2, phase: "Running", ends: false },
    { limit: 3, restarts: 3, phase: "Pending", ends: true },
    { limit: 3, restarts: 9, phase: "Succeeded", ends: false },
  ];
  for (const { limit, restarts: count, phase, ends } of restarts) {
    test(`with restartPolicy OnFailure and ${count} restarts of a ${phase} pod, of at most ${limit}`, () => {
      const job = jobOf({ spec: { backoffLimit: limit }, podSpec: { restartPolicy: "OnFailure" } });
      const pod = podOf("a", { phase, status: { containerStatuses: [running("main", count)] } });
      expect(endIn(job, [pod])).toBe(ends ? limitMessage : undefined);
    });
  }

  test("with restartPolicy OnFailure counts restarts of init containers, and of all pods together", () => {
    const job = jobOf({ spec: { backoffLimit: 2 }, podSpec: { restartPolicy: "OnFailure" } });
    const pod = (name: string): Pod => podOf(name, { status: { initContainerStatuses: [running("init", 1)] } });
    expect(endIn(job, [pod("a")])).toBeUndefined();
    expect(endIn(job, [pod("a"), pod("b")])).toBe(limitMessage);
    expect(endIn(jobOf({ spec: { backoffLimit: 2 } }), [pod("a"), pod("b")])).toBeUndefined();
  });

  test("ends when its deadline has passed, counted from its start, unless it is suspended", () => {
    const after = (seconds: number, spec: object = {}): Job =>
      jobOf({ spec: { activeDeadlineSeconds: seconds, ...spec } });
    expect(endIn(after(61))).toBeUndefined();
    expect(endIn(after(60))).toBe(deadlineMessage);
    expect(endIn(after(60, { suspend: true }))).toBeUndefined();
    const inMs = (job: Job): number =>
      deadlineInMs({ known: known(job, []), startTime: job.status?.startTime, now: sceneStart });
    expect([inMs(after(90)), inMs(jobOf()), inMs(after(90, { suspend: true }))]).toEqual([30_000, Infinity, Infinity]);
  });

  describe("that limits failures for each index", () => {
    const over = (index: number): Pod =>
      podOf(`p${index}`, { index, phase: "Failed", annotations: { [failureCountAnnotation]: "1" } });
    const done = (index: number): Pod => podOf(`d${index}`, { index, phase: "Succeeded" });
    const limited = (spec: object = {}): Job => indexedJobOf(3, { spec: { backoffLimitPerIndex: 1, ...spec } });

    test("ends when more indexes have failed than permitted", () => {
      expect(endIn(limited({ maxFailedIndexes: 1 }), [over(0)])).toBeUndefined();
      expect(endIn(limited({ maxFailedIndexes: 1 }), [over(0), over(1)])).toBe(
        "FailureTarget MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes",
      );
    });

    test("ends when all its indexes have ended, and one of them failed", () => {
      expect(endIn(limited(), [over(0), done(1)])).toBeUndefined();
      expect(endIn(limited(), [over(0), done(1), done(2)])).toBe("FailureTarget FailedIndexes: Job has failed indexes");
      expect(endIn(limited(), [done(0), done(1), done(2)])).toBeUndefined();
    });

    test("fails rather than meets its success policy", () => {
      const successPolicy = { rules: [{ succeededCount: 1 }] };
      expect(endIn(limited({ successPolicy }), [done(0)])).toBe(
        "SuccessCriteriaMet SuccessPolicy: Matched rules at index 0",
      );
      expect(endIn(limited({ successPolicy, maxFailedIndexes: 0 }), [done(0), over(1)])).toStartWith("FailureTarget");
    });
  });

  test("is complete with enough successes and no active pod; a work queue needs one success", () => {
    const of = (completions: number | undefined, succeeded: number, active: number): boolean =>
      isComplete(jobOf({ spec: { completions } }), { succeeded, active });
    expect([of(2, 1, 0), of(2, 2, 1), of(2, 2, 0), of(0, 0, 0)]).toEqual([false, false, true, true]);
    expect([of(undefined, 0, 0), of(undefined, 1, 1), of(undefined, 1, 0)]).toEqual([false, false, true]);
  });

  test("is finished only by a True condition Complete or Failed", () => {
    const by = (...conditions: readonly JobCondition[]): boolean => isJobFinished(jobOf({ status: { conditions } }));
    expect([by(condition("Complete")), by(condition("Failed"))]).toEqual([true, true]);
    expect([by(), by(condition("Failed", "Because", "False")), by(condition("FailureTarget"))]).toEqual([
      false,
      false,
      false,
    ]);
    expect(by(condition("Suspended", "x", "False"), condition("Complete"))).toBe(true);
  });

  test("is managed here without a manager, and by this controller's name", () => {
    const by = (managedBy?: string): string | undefined => otherManager(jobOf({ spec: { managedBy } }));
    expect([by(), by("kubernetes.io/job-controller"), by("example.com/queue")]).toEqual([
      undefined,
      undefined,
      "example.com/queue",
    ]);
  });
});

describe("a pod that is being deleted", () => {
  const leaving = podOf("a", { deleted: true });
  test("counts as failed, unless only failed pods are replaced", () => {
    expect(hasFailed(leaving, jobOf())).toBe(true);
    expect(hasFailed(leaving, jobOf({ spec: { podReplacementPolicy: "TerminatingOrFailed" } }))).toBe(true);
    expect(hasFailed(leaving, jobOf({ spec: { podReplacementPolicy: "Failed" } }))).toBe(false);
    expect(hasFailed(leaving, jobOf({ spec: failJob }))).toBe(false);
    expect(hasFailed(podOf("a", { deleted: true, phase: "Failed" }), jobOf({ spec: failJob }))).toBe(true);
    expect(hasFailed(podOf("a", { deleted: true, phase: "Succeeded" }), jobOf())).toBe(false);
    expect(hasFailed(podOf("a"), jobOf())).toBe(false);
  });
});

describe("the conditions of a Job", () => {
  const now = sceneStart;
  test("are added once, replaced in place, and not set to False if they are missing", () => {
    const on = conditionOf(suspended, now);
    expect(on).toEqual({
      type: "Suspended",
      status: "True",
      lastProbeTime: formatTime(now),
      lastTransitionTime: formatTime(now),
      reason: "JobSuspended",
      message: "Job suspended",
    });
    const other = condition("FailureTarget");
    const list = withJobCondition([], on);
    const both = withJobCondition(list, other);
    expect(both).toEqual([on, other]);
    expect(withJobCondition(both, conditionOf(suspended, now + 5000))).toBe(both);
    const off = conditionOf(resumed, now + 5000);
    expect(withJobCondition(both, off)).toEqual([off, other]);
    expect(withJobCondition([], off)).toEqual([]);
    expect(withJobCondition(undefined, off)).toEqual([]);
  });

  const changes = [{ status: "False" }, { reason: "Other" }, { message: "other" }];
  for (const change of changes) {
    test(`change with ${Object.keys(change).join()}`, () => {
      const old = condition("Suspended");
      const changed = { ...old, ...change };
      expect(withJobCondition([old], changed)).toEqual([changed]);
    });
  }
});
