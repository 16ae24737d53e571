import { describe, expect, test } from "bun:test";
import type { Job, Pod } from "../../../src/api/types.ts";
import type { ConditionParts } from "../../../src/controllers/job/conditions.ts";
import { jobIndexes, newlyEnded } from "../../../src/controllers/job/job-pods.ts";
import { isIndexed, type JobStatus } from "../../../src/controllers/job/spec.ts";
import { defaultOptions } from "../../../src/controllers/job/options.ts";
import { countUntracked, planTracking } from "../../../src/controllers/job/tracking.ts";
import { failureCountAnnotation, indexedJobOf, jobOf, known, podOf } from "./objects.ts";

const { maxUncounted } = defaultOptions;

const fails: ConditionParts = { type: "FailureTarget", reason: "BackoffLimitExceeded", message: "" };
const succeeds: ConditionParts = { type: "SuccessCriteriaMet", reason: "CompletionsReached", message: "" };

interface Options {
  readonly end?: ConditionParts;
  readonly unseen?: readonly string[];
}

/** The plan as `released a,b; succeeded a; failed b`, with UIDs without their prefix. */
function tracking(job: Job, pods: readonly Pod[], { end, unseen = [] }: Options = {}): string {
  const of = known(job, pods, unseen);
  const indexes = isIndexed(job) ? jobIndexes(of) : undefined;
  const uncounted = job.status?.uncountedTerminatedPods ?? {};
  const { released, uncounted: named } = planTracking({ known: of, indexes, end, uncounted });
  const short = (uids: readonly string[]): string => uids.map((uid) => uid.replace("uid-", "")).join() || "none";
  return `released ${short(released.map(({ metadata }) => metadata.uid))}; succeeded ${short(named.succeeded)}; failed ${short(named.failed)}`;
}

const ended = (name: string, phase: string, parts: object = {}): Pod => podOf(name, { phase, endedMs: 0, ...parts });
const ignoring = {
  podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [3] } }] },
};

describe("the pods that a sync counts", () => {
  const pods = [
    podOf("run"),
    ended("good", "Succeeded"),
    ended("bad", "Failed"),
    podOf("old", { tracked: false, phase: "Failed" }),
  ];
  const rows: readonly ({ says: string; job: Job; pods?: readonly Pod[]; is: string } & Options)[] = [
    {
      says: "are those that have ended and have finalizers",
      job: jobOf(),
      is: "released good,bad; succeeded good; failed bad",
    },
    {
      says: "are not named twice",
      job: jobOf({ status: { uncountedTerminatedPods: { succeeded: ["uid-good"], failed: ["uid-bad", "uid-gone"] } } }),
      is: "released good,bad; succeeded good; failed bad,gone",
    },
    {
      says: "are not those whose finalizers are already removed",
      job: jobOf(),
      unseen: ["bad"],
      is: "released good; succeeded good; failed none",
    },
    {
      says: "are all of a Job that fails: unfinished ones failed",
      job: jobOf(),
      end: fails,
      is: "released run,good,bad; succeeded good; failed run,bad",
    },
    {
      says: "are released with a Job that succeeds, running ones uncounted",
      job: jobOf(),
      end: succeeds,
      is: "released run,good,bad; succeeded good; failed bad",
    },
    {
      says: "are released with a Job that is deleted",
      job: jobOf({ meta: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
      is: "released run,good,bad; succeeded good; failed bad",
    },
    {
      says: "are released, but not named, if their failure is ignored",
      job: jobOf({ spec: ignoring }),
      pods: [ended("bad", "Failed", { exitCode: 3 }), ended("worse", "Failed")],
      is: "released bad,worse; succeeded none; failed worse",
    },
    {
      says: "count once as failed, whatever happens to them",
      job: jobOf({ status: { uncountedTerminatedPods: { failed: ["uid-good"] } } }),
      pods: [ended("good", "Succeeded")],
      is: "released good; succeeded none; failed good",
    },
    {
      says: "are those that are being deleted",
      job: jobOf(),
      pods: [podOf("leaving", { deleted: true })],
      is: "released leaving; succeeded none; failed leaving",
    },
    {
      says: "are not, if only ended ones are replaced",
      job: jobOf({ spec: { podReplacementPolicy: "Failed" } }),
      pods: [podOf("leaving", { deleted: true })],
      is: "released none; succeeded none; failed none",
    },
  ];
  for (const { says, job, pods: own = pods, is, ...options } of rows) {
    test(says, () => expect(tracking(job, own, options)).toBe(is));
  }

  test("are at most 500 in the status; the sync that reaches them says so", () => {
    const many = (count: number): Pod[] => Array.from({ length: count }, (_, n) => ended(`p${n}`, "Succeeded"));
    const planOf = (count: number): ReturnType<typeof planTracking> =>
      planTracking({
        known: known(jobOf(), many(count)),
        indexes: undefined,
        end: undefined,
        uncounted: { failed: ["uid-x"] },
      });
    expect([planOf(498).isFull, planOf(498).released.length]).toEqual([false, 498]);
    expect([planOf(600).isFull, planOf(600).released.length]).toEqual([true, maxUncounted - 1]);
  });
});

describe("the pods that a sync of an Indexed Job counts", () => {
  test("are released in the order of their indexes; succeeded ones are kept only by their indexes", () => {
    const pods = [
      ended("c", "Succeeded", { index: 2 }),
      ended("b", "Failed", { index: 1 }),
      ended("a", "Succeeded", { index: 0 }),
      ended("x", "Failed", { index: 9 }),
      ended("y", "Succeeded"),
    ];
    expect(tracking(indexedJobOf(3), pods)).toBe("released y,a,b,c,x; succeeded none; failed b");
  });

  test("include each new index in the 500", () => {
    const pods = Array.from({ length: 600 }, (_, n) => ended(`p${n}`, "Succeeded", { index: n }));
    const of = known(indexedJobOf(1000, { status: { completedIndexes: "0-99" } }), pods);
    const { released, isFull } = planTracking({ known: of, indexes: jobIndexes(of), end: undefined, uncounted: {} });
    // The first hundred indexes are already in the status.
    expect([released.length, isFull]).toEqual([600, true]);
  });

  test("exclude the last failed pod of an index that will be replaced", () => {
    const job = indexedJobOf(3, { spec: { backoffLimitPerIndex: 3 } });
    const failed = (name: string, index: number, before: string): Pod =>
      ended(name, "Failed", { index, annotations: { [failureCountAnnotation]: before } });
    const pods = [
      failed("a", 0, "0"),
      failed("b", 0, "1"),
      failed("c", 1, "0"),
      podOf("d", { index: 1 }),
      failed("e", 2, "3"),
    ];
    expect(tracking(job, pods)).toBe("released a,c,e; succeeded none; failed a,c,e");
    expect(tracking(job, pods, { end: fails })).toBe("released a,b,c,d,e; succeeded none; failed a,b,c,d,e");
  });
});

describe("pods without finalizers", () => {
  const status: JobStatus = { succeeded: 1, uncountedTerminatedPods: { succeeded: ["a", "b"], failed: ["c", "d"] } };
  test("are counted, and no longer named", () => {
    expect(countUntracked(status, new Set(["b", "c", "d"]))).toEqual({
      succeeded: 2,
      failed: 0,
      uncountedTerminatedPods: { succeeded: ["b"], failed: ["c", "d"] },
    });
    expect(countUntracked(status, new Set())).toMatchObject({ succeeded: 3, failed: 2 });
  });
  test("leave the status unchanged if there are none", () => {
    expect(countUntracked(status, new Set(["a", "b", "c", "d"]))).toBe(status);
    const empty: JobStatus = {};
    expect(countUntracked(empty, new Set())).toBe(empty);
  });
});

describe("the pods that have ended, and are new to the status", () => {
  const pods = [
    podOf("run"),
    ended("good", "Succeeded"),
    ended("bad", "Failed"),
    ended("named", "Failed"),
    ended("counted", "Succeeded", { tracked: false }),
  ];
  const names = (of: readonly Pod[]): string => of.map(({ metadata }) => metadata.name).join();
  test("have finalizers, and are not named in it", () => {
    const job = jobOf({ status: { uncountedTerminatedPods: { failed: ["uid-named"] } } });
    const { succeeded, failed } = newlyEnded(known(job, pods));
    expect([names(succeeded), names(failed)]).toEqual(["good", "bad"]);
    expect(names(newlyEnded(known(job, pods, ["bad"])).failed)).toBe("");
  });
  test("have an index of the Job, if it has indexes", () => {
    const of = known(indexedJobOf(2), [
      ended("a", "Failed", { index: 1 }),
      ended("b", "Failed", { index: 2 }),
      ended("c", "Failed"),
    ]);
    expect(names(newlyEnded(of).failed)).toBe("a");
  });
});
