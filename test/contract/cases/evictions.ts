/** Evictions that disruption budgets allow and refuse. */
import { get, patch, paths, pod, post, put, type Case, type Step, type Table } from "../case.ts";

type Json = Readonly<Record<string, unknown>>;

const { pods, poddisruptionbudgets: budgets } = paths;
const selector = { matchLabels: { app: "x" } };
const time = "2026-01-02T03:04:05Z";

const running = (ready: "True" | "False" = "True"): readonly Step[] => [
  post(pods, pod("a", { labels: { app: "x" } }, { nodeName: "n" })),
  patch("strategic", `${pods}/a/status`, {
    status: { phase: "Running", conditions: [{ type: "Ready", status: ready }] },
  }),
];
const budget = (spec: Json = {}, name = "b"): Step =>
  post(budgets, { metadata: { name }, spec: { minAvailable: 1, selector, ...spec } });
const status = (fields: Json): Step =>
  patch("merge", `${budgets}/b/status`, {
    status: {
      observedGeneration: 1,
      expectedPods: 3,
      disruptionsAllowed: 0,
      currentHealthy: 2,
      desiredHealthy: 2,
      ...fields,
    },
  });
const evicted = (more: Json = {}, query?: string): Step => ({
  ...post(`${pods}/a/eviction`, { metadata: { name: "a" }, ...more }, query),
  shows: ["retry-after"],
});
const condition = (more: Json): Json => ({
  type: "DisruptionAllowed",
  status: "False",
  reason: "InsufficientPods",
  message: "",
  lastTransitionTime: time,
  observedGeneration: 1,
  ...more,
});
const other = { ...condition({ type: "Other", status: "True", reason: "R" }) };
const seen = [get(`${budgets}/b`), get(`${pods}/a`)];

const refused: readonly Case[] = [
  {
    name: "a refusal says how many pods are healthy, or why the budget is not known",
    steps: [
      ...running(),
      budget(),
      ...[
        { currentHealthy: 1 },
        { currentHealthy: 2 },
        { currentHealthy: 3 },
        { currentHealthy: 3, conditions: [condition({ message: "m" })] },
        { currentHealthy: 3, conditions: [condition({ reason: "Own", message: "is busy" })] },
        { currentHealthy: 2, conditions: [condition({ reason: "Own", message: "is busy" })] },
        { currentHealthy: 3, conditions: [condition({ status: "True", reason: "Own", message: "is busy" })] },
        { currentHealthy: 3, conditions: [condition({ reason: "SyncFailed", message: "found no controller" })] },
        { currentHealthy: 1, conditions: [condition({ reason: "SyncFailed", message: "found no controller" })] },
        { currentHealthy: 1, conditions: [condition({ reason: "SyncFailed" })] },
        { currentHealthy: 3, conditions: [condition({ reason: "SyncFailed" })] },
      ].flatMap((fields) => [status(fields), evicted()]),
      ...seen,
    ],
  },
  {
    name: "a budget whose controller lags behind",
    steps: [
      ...running(),
      budget(),
      evicted(),
      status({ disruptionsAllowed: 1 }),
      patch("merge", `${budgets}/b`, { spec: { minAvailable: 2 } }),
      evicted(),
      evicted({}, "dryRun=All"),
      ...seen,
    ],
  },
  {
    name: "a pod of two budgets",
    steps: [
      ...running(),
      budget(),
      budget({ selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } }, "c"),
      evicted(),
      evicted({}, "dryRun=All"),
      ...seen,
    ],
  },
  {
    name: "budgets that select every pod, or none",
    steps: [
      ...running(),
      budget({ selector: null }, "none"),
      budget({ selector: {} }, "every"),
      evicted({}, "dryRun=All"),
    ],
  },
  {
    name: "too many unconfirmed evictions",
    steps: [
      ...running(),
      budget(),
      status({
        disruptionsAllowed: 1,
        disruptedPods: Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`p${index}`, time])),
      }),
      evicted(),
      get(`${pods}/a`),
    ],
  },
  {
    name: "an option that evictions do not have",
    steps: [
      ...running(),
      evicted({ deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true } }),
      evicted({ deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: false } }, "dryRun=All"),
      post(`${pods}/nobody/eviction`, {
        metadata: { name: "nobody" },
        deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true },
      }),
      get(`${pods}/a`),
    ],
  },
];

const allowed: readonly Case[] = [
  {
    name: "an eviction that leaves others allowed does not touch the condition",
    steps: [
      ...running(),
      budget(),
      status({ disruptionsAllowed: 2, conditions: [condition({ status: "True", reason: "Own", message: "m" })] }),
      evicted({}, "dryRun=All"),
      get(`${budgets}/b`),
      evicted(),
      get(`${budgets}/b`),
    ],
  },
  {
    name: "the last allowed eviction sets the condition where it is",
    steps: [
      ...running(),
      budget(),
      status({
        disruptionsAllowed: 1,
        conditions: [condition({ status: "True", reason: "Own", message: "m" }), other],
      }),
      evicted(),
      get(`${budgets}/b`),
    ],
  },
  {
    name: "the last allowed eviction keeps the time of a condition that was False",
    steps: [
      ...running(),
      budget(),
      status({ observedGeneration: 2, disruptionsAllowed: 1, conditions: [other, condition({ message: "m" })] }),
      evicted(),
      get(`${budgets}/b`),
    ],
  },
  {
    name: "pods that are not ready",
    steps: [
      ...running("False"),
      budget(),
      status({ currentHealthy: 1 }),
      evicted({}, "dryRun=All"),
      status({ currentHealthy: 2 }),
      evicted({}, "dryRun=All"),
      status({ currentHealthy: 0, desiredHealthy: 0 }),
      evicted({}, "dryRun=All"),
      put(`${budgets}/b`, {
        metadata: { name: "b" },
        spec: { minAvailable: 1, selector, unhealthyPodEvictionPolicy: "AlwaysAllow" },
      }),
      evicted(),
      ...seen,
    ],
  },
];

export const evictions: Table = { name: "evictions", cases: [...refused, ...allowed] };
