/** Statuses of Jobs, as controllers outside the cluster may write them. */
import { get, patch, paths, post, type Case, type Step, type Table } from "../case.ts";

type Json = Readonly<Record<string, unknown>>;

const { jobs } = paths;
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
const indexed = { completionMode: "Indexed", completions: 10, parallelism: 2, backoffLimitPerIndex: 1 };
const job = (spec: Json): Step => post(jobs, { metadata: { name: "a" }, spec: { template, ...spec } });
const written = (status: Json, query?: string): Step => patch("merge", `${jobs}/a/status`, { status }, query);
const dry = (status: Json): Step => written(status, "dryRun=All");
const time = "2026-01-02T03:04:05Z";
const later = "2026-01-02T03:04:06Z";
const is = (...types: readonly string[]): Json => ({
  conditions: types.map((type) => ({ type, status: "True", lastProbeTime: time, lastTransitionTime: time })),
});
const complete = { startTime: time, completionTime: later, ...is("SuccessCriteriaMet", "Complete") };

const malformed = [
  "0",
  "0,2-4,7",
  "9",
  "10",
  "0-10",
  "0-3-5",
  "3-1",
  "3-3",
  "1,1",
  "1-4,3",
  "4,1",
  "a",
  "1-",
  "-1",
  "1,,2",
  "1, 2",
  "+1",
  "007",
  "1_0",
  "99999999999999999999",
  '"',
  ",",
];

const cases: readonly Case[] = [
  {
    name: "the format of completed indexes",
    steps: [job(indexed), ...malformed.map((completedIndexes) => dry({ completedIndexes }))],
  },
  {
    name: "the format of failed indexes",
    steps: [job(indexed), ...["", ...malformed].map((failedIndexes) => dry({ failedIndexes }))],
  },
  {
    name: "indexes that completed and failed",
    steps: [
      job(indexed),
      ...[
        ["0-2", "3"],
        ["0-2", "2-4"],
        ["5", "1-6"],
        ["0,4-6", "1-2,6-8"],
        ["a,4", "4"],
        ["4", "a,4"],
        ["4", "a"],
        ["0-9", ""],
        ["7,2", "2"],
      ].map(([completedIndexes, failedIndexes]) => dry({ completedIndexes, failedIndexes })),
      written({ completedIndexes: "0-2", failedIndexes: "4" }),
      dry({ completedIndexes: "0-4" }),
      dry({ failedIndexes: "1" }),
      dry({ failedIndexes: null }),
    ],
  },
  {
    name: "indexes beyond the completions stay until they change",
    steps: [
      job({ ...indexed, completions: 2 }),
      patch("merge", `${jobs}/a`, { spec: { completions: 8, parallelism: 8 } }),
      written({ completedIndexes: "0-7" }),
      patch("merge", `${jobs}/a`, { spec: { completions: 3, parallelism: 3 } }),
      written({ active: 1 }),
      written({ completedIndexes: "0-6" }),
      get(`${jobs}/a`),
    ],
  },
  {
    name: "indexes of Jobs that have none",
    steps: [
      job({ completions: 3 }),
      dry({ completedIndexes: "0" }),
      dry({ completedIndexes: "x" }),
      dry({ failedIndexes: "x" }),
      dry({ failedIndexes: "" }),
    ],
  },
  {
    name: "indexes of a Job without completions, and of one without limits per index",
    steps: [
      post(jobs, { metadata: { name: "b" }, spec: { template } }),
      patch("merge", `${jobs}/b/status`, { status: { completedIndexes: "x", failedIndexes: "y" } }),
      job({ completionMode: "Indexed", completions: 3 }),
      dry({ completedIndexes: "0-1", failedIndexes: "1" }),
      dry({ completedIndexes: "0-1", failedIndexes: "" }),
    ],
  },
  {
    name: "pods that a finished Job still has",
    steps: [
      job(indexed),
      dry({ ...complete, terminating: 1 }),
      dry({ ...complete, terminating: 0, active: 1, ready: 2 }),
      dry({ ...complete, uncountedTerminatedPods: { succeeded: ["u"] } }),
      dry({ ...complete, uncountedTerminatedPods: { failed: ["v"] } }),
      written({ ...complete, uncountedTerminatedPods: {} }),
      dry({ terminating: 1 }),
      dry({ uncountedTerminatedPods: { succeeded: ["u", ""], failed: ["u"] } }),
    ],
  },
];

export const jobStatuses: Table = { name: "job-statuses", cases };
