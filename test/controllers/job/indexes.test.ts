import { describe, expect, test } from "bun:test";
import { Jobs } from "../../../src/api/kinds.ts";
import {
  completionIndexOf,
  failuresBefore,
  firstPendingIndexes,
  surplusOfIndexes,
} from "../../../src/controllers/job/completion-index.ts";
import {
  formatIntervals,
  hasIndex,
  parseIntervals,
  totalOf,
  union,
  withIndexes,
} from "../../../src/controllers/job/intervals.ts";
import { jobIndexes } from "../../../src/controllers/job/job-pods.ts";
import { namePrefix, podOf as podFor, podOfIndex } from "../../../src/controllers/job/pod.ts";
import {
  failureCountAnnotation,
  finalizer,
  ignoredCountAnnotation,
  indexAnnotation,
  indexedJobOf,
  jobOf,
  known,
  podOf,
} from "./objects.ts";

const text = (pods: readonly { readonly metadata: { readonly name: string } }[]): string =>
  pods.map(({ metadata }) => metadata.name).join();

describe("intervals of indexes", () => {
  const rows = [
    { text: "", completions: 5, is: "" },
    { text: "0,4,5,10-12", completions: 13, is: "0,4,5,10-12" },
    { text: "3,4,5", completions: 9, is: "3-5" },
    { text: "0-5,8-10", completions: 8, is: "0-5" },
    { text: "0-5,8-10", completions: 10, is: "0-5,8,9" },
    { text: "0,1-foo,bar,3", completions: 4, is: "0,3" },
    { text: "0-9", completions: 1, is: "0" },
  ];
  for (const { text, completions, is } of rows) {
    test(`"${text}" of ${completions} is parsed as "${is}"`, () => {
      expect(formatIntervals(parseIntervals(text, completions))).toBe(is);
    });
  }

  const unions = [
    { a: "0,4,5,10-12", indexes: [2, 7, 8], is: "0,2,4,5,7,8,10-12", total: 9 },
    { a: "3,4,6", indexes: [2, 7, 8], is: "2-4,6-8", total: 6 },
    { a: "2,7,8", indexes: [6, 4, 3], is: "2-4,6-8", total: 6 },
    { a: "2-7", indexes: [0, 3, 5, 9], is: "0,2-7,9", total: 8 },
    { a: "", indexes: [5, 5], is: "5", total: 1 },
  ];
  for (const { a, indexes, is, total } of unions) {
    test(`"${a}" with ${indexes.join()} is "${is}", ${total} indexes`, () => {
      const all = withIndexes(parseIntervals(a, 20), indexes);
      expect(formatIntervals(all)).toBe(is);
      expect(totalOf(all)).toBe(total);
    });
  }

  test("an interval inside another, or adjacent to it, is merged", () => {
    expect(union([{ first: 0, last: 9 }], [{ first: 2, last: 3 }])).toEqual([{ first: 0, last: 9 }]);
    expect(union([{ first: 0, last: 1 }], [{ first: 2, last: 3 }])).toEqual([{ first: 0, last: 3 }]);
  });

  test("exactly the contained indexes are found", () => {
    const intervals = parseIntervals("2-4,6,9-11", 20);
    const found = Array.from({ length: 14 }, (_, index) => index).filter((index) => hasIndex(intervals, index));
    expect(found).toEqual([2, 3, 4, 6, 9, 10, 11]);
    expect(hasIndex([], 0)).toBe(false);
  });
});

describe("a pod's index", () => {
  const rows: readonly { value: string | undefined; index: number | undefined }[] = [
    { value: "3", index: 3 },
    { value: "+3", index: 3 },
    { value: "007", index: 7 },
    { value: "-1", index: undefined },
    { value: "1.5", index: undefined },
    { value: "", index: undefined },
    { value: undefined, index: undefined },
  ];
  for (const { value, index } of rows) {
    test(`with the annotation ${value} is ${index}`, () => {
      expect(completionIndexOf(podOf("p", value === undefined ? {} : { index: value }))).toBe(index);
    });
  }

  const counts = [
    { value: "2", counted: 2 },
    { value: "-1", counted: 0 },
    { value: "2147483647", counted: 2 ** 31 - 1 },
    { value: "2147483648", counted: 0 },
    { value: "many", counted: 0 },
  ];
  for (const { value, counted } of counts) {
    test(`failed ${counted} times before, by the annotation ${value}`, () => {
      expect(failuresBefore(podOf("p", { annotations: { [failureCountAnnotation]: value } }))).toEqual({
        counted,
        ignored: 0,
      });
      expect(failuresBefore(podOf("p", { annotations: { [ignoredCountAnnotation]: value } })).ignored).toBe(counted);
    });
  }
});

describe("the indexes that need a pod", () => {
  const none = { succeeded: [], failed: [], pods: [] };
  const pods = (...indexes: readonly (number | string)[]): ReturnType<typeof podOf>[] =>
    indexes.map((index, n) => podOf(`p${n}`, { index }));
  const rows = [
    { says: "are limited by the completions", settled: none, count: 5, completions: 3, is: [0, 1, 2] },
    { says: "are limited by the requested number", settled: none, count: 2, completions: 5, is: [0, 1] },
    {
      says: "follow active ones",
      settled: { ...none, pods: pods(0, 1) },
      count: 3,
      completions: 10,
      is: [2, 3, 4],
    },
    {
      says: "end before the last finished ones",
      settled: { ...none, succeeded: parseIntervals("4,5", 6), pods: pods(6) },
      count: 6,
      completions: 6,
      is: [0, 1, 2, 3],
    },
    {
      says: "are in the gaps, ignoring pods without an index",
      settled: { ...none, succeeded: parseIntervals("2-4,9", 20), pods: pods(3, 5, 8, "", "-3") },
      count: 5,
      completions: 20,
      is: [0, 1, 6, 7, 10],
    },
    {
      says: "exclude failed ones",
      settled: { succeeded: parseIntervals("1,5,9", 20), failed: parseIntervals("2,6-7", 20), pods: pods(3, 9) },
      count: 5,
      completions: 20,
      is: [0, 4, 8, 10, 11],
    },
    { says: "are empty without completions", settled: none, count: 3, completions: 0, is: [] },
  ];
  for (const { says, settled, count, completions, is } of rows) {
    test(says, () => expect(firstPendingIndexes(settled, { count, completions })).toEqual(is));
  }
});

describe("the surplus pods", () => {
  test("are those without an index, those above the last one, and all but one of each index", () => {
    const pods = [
      podOf("none"),
      podOf("a0", { index: 0 }),
      podOf("b0", { index: 0, phase: "Pending" }),
      podOf("a1", { index: 1 }),
      podOf("c0", { index: 0, phase: "Pending" }),
      podOf("a2", { index: 2 }),
    ];
    const { surplus, rest } = surplusOfIndexes(pods, 2);
    expect(text(surplus)).toBe("none,a2,b0,c0");
    expect(text(rest)).toBe("a0,a1");
  });
});

describe("the indexes of a Job", () => {
  test("succeed with pods that have their finalizers, in addition to those of the status", () => {
    const job = indexedJobOf(8, { status: { completedIndexes: "0,7-9" } });
    const pods = [
      podOf("a", { index: 2, phase: "Succeeded" }),
      podOf("b", { index: 3, phase: "Succeeded", tracked: false }),
      podOf("c", { index: 4, phase: "Failed" }),
      podOf("d", { index: 8, phase: "Succeeded" }),
    ];
    const { succeededBefore, succeeded, failed, replaced } = jobIndexes(known(job, pods));
    expect(formatIntervals(succeededBefore)).toBe("0,7");
    expect(formatIntervals(succeeded)).toBe("0,2,7");
    expect(failed).toBeUndefined();
    expect(replaced.size).toBe(0);
  });

  const limited = (limit: number, spec: object = {}): ReturnType<typeof indexedJobOf> =>
    indexedJobOf(5, { spec: { backoffLimitPerIndex: limit, ...spec }, status: { failedIndexes: "4" } });
  const unfailed = indexedJobOf(5, { spec: { backoffLimitPerIndex: 3 } });

  test("fail with the pod that failed once more than permitted", () => {
    const failedOf = (limit: number, before: string): string =>
      formatIntervals(
        jobIndexes(
          known(limited(limit), [
            podOf("a", { index: 1, phase: "Failed", annotations: { [failureCountAnnotation]: before } }),
          ]),
        ).failed ?? [],
      );
    expect([failedOf(1, "0"), failedOf(1, "1"), failedOf(0, "0")]).toEqual(["4", "1,4", "1,4"]);
  });

  test("fail at once by the action FailIndex, and not at all by Ignore", () => {
    const policy = (action: string): object => ({
      podFailurePolicy: { rules: [{ action, onExitCodes: { operator: "In", values: [3] } }] },
    });
    const pod = podOf("a", { index: 1, phase: "Failed", endedMs: 0, exitCode: 3 });
    const failedOf = (action: string, limit: number): string =>
      formatIntervals(jobIndexes(known(limited(limit, policy(action)), [pod])).failed ?? []);
    expect(failedOf("FailIndex", 5)).toBe("1,4");
    expect(failedOf("Ignore", 0)).toBe("4");
    expect(failedOf("Count", 0)).toBe("1,4");
  });

  test("keep their last failed pod until it is replaced", () => {
    const failed = (name: string, index: number, before: number, endedMs: number): ReturnType<typeof podOf> =>
      podOf(name, { index, phase: "Failed", endedMs, annotations: { [failureCountAnnotation]: String(before) } });
    const pods = [
      failed("first", 0, 0, 1000),
      failed("second", 0, 1, 2000),
      failed("early", 0, 1, 500),
      failed("lone", 1, 0, 1000),
      podOf("again", { index: 1 }),
      failed("done", 2, 0, 1000),
      podOf("well", { index: 2, phase: "Succeeded" }),
      failed("over", 3, 5, 1000),
      failed("once", 4, 1, 1000),
      failed("then", 4, 1, 2000),
    ];
    const { replaced } = jobIndexes(known(unfailed, pods));
    expect([...replaced].map(([index, { metadata }]) => `${index}: ${metadata.name}`)).toEqual([
      "0: second",
      "4: then",
    ]);
    // A pod whose finalizer was already removed is not waiting to be replaced.
    expect(jobIndexes(known(limited(3), pods, ["second"])).replaced.get(0)?.metadata.name).toBe("first");
  });
});

describe("a new pod", () => {
  test("has the template's parts and the finalizer, once", () => {
    const job = jobOf({ template: { annotations: { note: "1" }, finalizers: ["example.com/keep"] } });
    expect(podFor(job).metadata).toMatchObject({
      generateName: "data-",
      namespace: "shop",
      labels: { job: "data" },
      annotations: { note: "1" },
      finalizers: ["example.com/keep", finalizer],
      ownerReferences: [{ kind: Jobs.kind, uid: "uid-data", controller: true, blockOwnerDeletion: true }],
    });
    expect(podFor(jobOf({ template: { finalizers: [finalizer] } })).metadata.finalizers).toEqual([finalizer]);
    expect(podFor(job).spec?.containers[0]).not.toHaveProperty("env");
  });

  test("of an index has it as annotation, label, hostname and variable of every container", () => {
    const env = [{ name: "JOB_COMPLETION_INDEX", value: "mine" }];
    const podSpec = {
      initContainers: [{ name: "init" }],
      containers: [
        { name: "main", env: [{ name: "A", value: "1" }] },
        { name: "own", env },
      ],
    };
    const pod = podOfIndex(indexedJobOf(5, { podSpec }), { index: 3, replaced: undefined });
    expect(pod.metadata).toMatchObject({
      generateName: "data-3-",
      labels: { job: "data", [indexAnnotation]: "3" },
      annotations: { [indexAnnotation]: "3" },
    });
    expect(pod.metadata.annotations).not.toHaveProperty([failureCountAnnotation]);
    expect(pod.spec?.hostname).toBe("data-3");
    const variable = {
      name: "JOB_COMPLETION_INDEX",
      valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } },
    };
    expect(pod.spec?.initContainers?.[0]?.env).toEqual([variable]);
    expect(pod.spec?.containers.map(({ env }) => env)).toEqual([[{ name: "A", value: "1" }, variable], env]);
  });

  const ignore = { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [3] } }] };
  const counts = [
    { says: "the first of its index", replaced: undefined, counted: "0", ignored: undefined },
    { says: "after a failure", replaced: { exitCode: 1 }, counted: "3", ignored: "1" },
    { says: "after an ignored one", replaced: { exitCode: 3 }, counted: "2", ignored: "2" },
  ];
  for (const { says, replaced, counted, ignored } of counts) {
    test(`has the number of failures of its index: ${says}`, () => {
      const job = indexedJobOf(5, { spec: { backoffLimitPerIndex: 9, podFailurePolicy: ignore } });
      const annotations = { [failureCountAnnotation]: "2", [ignoredCountAnnotation]: "1" };
      const failed =
        replaced && podOf("old", { index: 1, phase: "Failed", endedMs: 0, annotations, exitCode: replaced.exitCode });
      const made = podOfIndex(job, { index: 1, replaced: failed }).metadata.annotations;
      expect(made?.[failureCountAnnotation]).toBe(counted);
      expect(made?.[ignoredCountAnnotation]).toBe(ignored);
    });
  }

  test("keeps its index in a truncated name", () => {
    expect(namePrefix("data", 7)).toBe("data-7-");
    const long = "a".repeat(60);
    expect(namePrefix(long, 12)).toBe(`${"a".repeat(54)}-12-`);
    expect(namePrefix(long, 12)).toHaveLength(58);
  });
});
