import { describe, expect, test } from "bun:test";
import type { Job, Pod } from "../../../src/api/types.ts";
import type { Backoff } from "../../../src/controllers/job/backoff.ts";
import { jobIndexes } from "../../../src/controllers/job/job-pods.ts";
import { defaultOptions } from "../../../src/controllers/job/options.ts";
import { planPods } from "../../../src/controllers/job/plan-pods.ts";
import { isIndexed } from "../../../src/controllers/job/spec.ts";
import { sceneStart } from "../../support/sync-context.ts";
import { failureCountAnnotation, indexedJobOf, jobOf, known, podOf } from "./objects.ts";

const { maxChangesPerSync } = defaultOptions;

interface Case {
  readonly job: Job;
  readonly pods?: readonly Pod[];
  readonly succeeded?: number;
  readonly backoff?: Backoff;
}

const none: Backoff = { failures: 0, lastFailureAt: undefined };
const justFailed: Backoff = { failures: 1, lastFailureAt: sceneStart - 4000 };

function plan({ job, pods = [], succeeded = 0, backoff = none }: Case): string {
  const of = known(job, pods);
  const indexes = isIndexed(job) ? jobIndexes(of) : undefined;
  const it = planPods({ known: of, indexes, succeeded, backoff, now: sceneStart });
  switch (it.do) {
    case "nothing":
      return `nothing, ${it.desired}`;
    case "suspend":
    case "delete":
      return `${it.do} ${it.pods.map(({ metadata }) => metadata.name).join()}`;
    case "wait":
      return `wait ${it.ms} ms for ${it.missing}`;
    case "create":
      return `create ${it.count}${it.indexes === undefined ? "" : ` at ${it.indexes.join()}`}`;
  }
}

const running = (...names: readonly string[]): Pod[] => names.map((name) => podOf(name));
const many = (count: number): Pod[] => Array.from({ length: count }, (_, n) => podOf(`p${n}`));

describe("a Job", () => {
  const rows: readonly (Case & { readonly says: string; readonly is: string })[] = [
    {
      says: "fills up to its parallelism",
      job: jobOf({ spec: { parallelism: 3, completions: 9 } }),
      pods: running("a"),
      is: "create 2",
    },
    {
      says: "runs no more pods than missing completions",
      job: jobOf({ spec: { parallelism: 5, completions: 9 } }),
      succeeded: 7,
      is: "create 2",
    },
    {
      says: "deletes pods without a missing completion",
      job: jobOf({ spec: { parallelism: 5, completions: 9 } }),
      pods: running("a", "b"),
      succeeded: 8,
      is: "delete a",
    },
    {
      says: "deletes all when more have succeeded than required",
      job: jobOf({ spec: { parallelism: 5, completions: 1 } }),
      pods: running("a"),
      succeeded: 2,
      is: "delete a",
    },
    {
      says: "with the right number does nothing",
      job: jobOf({ spec: { parallelism: 2, completions: 9 } }),
      pods: running("a", "b"),
      is: "nothing, 2",
    },
    {
      says: "as a work queue runs as many as its parallelism",
      job: jobOf({ spec: { parallelism: 3 } }),
      pods: running("a"),
      is: "create 2",
    },
    {
      says: "as a work queue starts none after a success",
      job: jobOf({ spec: { parallelism: 3 } }),
      pods: running("a"),
      succeeded: 1,
      is: "nothing, 1",
    },
    {
      says: "with parallelism 0 deletes its pods",
      job: jobOf({ spec: { parallelism: 0, completions: 2 } }),
      pods: running("a"),
      is: "delete a",
    },
    {
      says: "that is suspended deletes all, whatever is missing",
      job: jobOf({ spec: { parallelism: 3, suspend: true } }),
      pods: running("a", "b"),
      is: "suspend a,b",
    },
    {
      says: "creates at most 500 at once",
      job: jobOf({ spec: { parallelism: 501 } }),
      is: `create ${maxChangesPerSync}`,
    },
    {
      says: "waits after a failure",
      job: jobOf({ spec: { parallelism: 2 } }),
      pods: running("a"),
      backoff: justFailed,
      is: "wait 6000 ms for 1",
    },
    {
      says: "deletes without waiting",
      job: jobOf({ spec: { parallelism: 1 } }),
      pods: running("a", "b"),
      backoff: justFailed,
      is: "delete a",
    },
    {
      says: "replaces pods that are being deleted at once",
      job: jobOf({ spec: { parallelism: 1 } }),
      pods: [podOf("a", { deleted: true })],
      is: "create 1",
    },
    {
      says: "waits until they have ended, if only failed ones are replaced",
      job: jobOf({ spec: { parallelism: 2, podReplacementPolicy: "Failed" } }),
      pods: [podOf("a", { deleted: true })],
      is: "create 1",
    },
  ];
  for (const { says, is, ...of } of rows) test(says, () => expect(plan(of)).toBe(is));

  test("deletes at most 500 at once", () => {
    const of = planPods({
      known: known(jobOf({ spec: { parallelism: 0 } }), many(501)),
      indexes: undefined,
      succeeded: 0,
      backoff: none,
      now: sceneStart,
    });
    expect(of.do === "delete" && of.pods).toHaveLength(maxChangesPerSync);
  });

  test("deletes the pods with the least progress first", () => {
    const ready = { conditions: [{ type: "Ready", status: "True" }] };
    const pods = [
      podOf("ready", { spec: { nodeName: "n" }, status: ready }),
      podOf("running", { spec: { nodeName: "n" } }),
      podOf("pending", { spec: { nodeName: "n" }, phase: "Pending" }),
      podOf("unassigned", { phase: "Pending" }),
      podOf("restarted", {
        spec: { nodeName: "n" },
        status: { containerStatuses: [{ name: "a", restartCount: 2, ready: false, image: "", imageID: "" }] },
      }),
    ];
    expect(plan({ job: jobOf({ spec: { parallelism: 1 } }), pods })).toBe(
      "delete unassigned,pending,restarted,running",
    );
  });
});

describe("an Indexed Job", () => {
  const at = (index: number, name = `p${index}`): Pod => podOf(name, { index });
  const failed = (index: number, before: string, endedMs: number): Pod =>
    podOf(`f${index}`, { index, phase: "Failed", endedMs, annotations: { [failureCountAnnotation]: before } });
  const limited = (completions: number, spec: object = {}): Job =>
    indexedJobOf(completions, { spec: { backoffLimitPerIndex: 5, ...spec } });

  const rows: readonly (Case & { readonly says: string; readonly is: string })[] = [
    {
      says: "fills the lowest free indexes",
      job: indexedJobOf(5, { spec: { parallelism: 3 } }),
      pods: [at(1)],
      is: "create 2 at 0,2",
    },
    {
      says: "skips indexes that have succeeded",
      job: indexedJobOf(4, { status: { completedIndexes: "0,2" } }),
      succeeded: 2,
      is: "create 2 at 1,3",
    },
    {
      says: "deletes a second pod of an index before it creates others",
      job: indexedJobOf(3),
      pods: [at(0), at(0, "again")],
      is: "delete p0",
    },
    { says: "deletes pods above its completions", job: indexedJobOf(1), pods: [at(0), at(1)], is: "delete p1" },
    { says: "deletes pods without an index", job: indexedJobOf(3), pods: [podOf("none")], is: "delete none" },
    {
      says: "deletes more than those, if too many are left",
      job: indexedJobOf(3, { spec: { parallelism: 1 } }),
      pods: [podOf("none"), at(0), at(1)],
      is: "delete none,p0",
    },
    { says: "waits as a whole after a failure", job: indexedJobOf(2), backoff: justFailed, is: "wait 6000 ms for 2" },
    {
      says: "keeps indexes of pods that are being deleted, if only failed ones are replaced",
      job: indexedJobOf(3, { spec: { podReplacementPolicy: "Failed" } }),
      pods: [podOf("p1", { index: 1, deleted: true })],
      is: "create 2 at 0,2",
    },
    {
      says: "with a limit for each index does not wait as a whole",
      job: limited(2),
      pods: [],
      backoff: justFailed,
      is: "create 2 at 0,1",
    },
    {
      says: "starts the indexes that need not wait",
      job: limited(3),
      pods: [failed(0, "0", -4000), failed(1, "0", -10_000)],
      is: "create 2 at 1,2",
    },
    {
      says: "waits for the first index if all have to wait",
      job: limited(2),
      pods: [failed(0, "1", -4000), failed(1, "0", -7000)],
      is: "wait 3000 ms for 2",
    },
    {
      says: "creates none when no index needs one",
      job: limited(2, { podReplacementPolicy: "Failed" }),
      pods: [podOf("p0", { index: 0, deleted: true }), podOf("p0b", { index: 0, deleted: true })],
      is: "nothing, 2",
    },
  ];
  for (const { says, is, ...of } of rows) test(says, () => expect(plan(of)).toBe(is));
});
