/** What upstream's own functions say: made by `bun scripts/upstream-golden/extract.ts autoscaler`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CreateInput } from "../../../src/api/object.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Pod } from "../../../src/api/types.ts";
import type { Behavior, AutoscalerSpec } from "../../../src/controllers/horizontal-pod-autoscaler/spec.ts";

export interface GoldenPod {
  readonly name: string;
  readonly phase: string;
  readonly deleted?: boolean;
  readonly ready?: string;
  readonly changed?: number;
  readonly started?: number;
  readonly requests: Readonly<Record<string, string>>;
  readonly sidecar?: string;
  readonly init?: string;
  readonly podLevel?: Readonly<Record<string, string>>;
  readonly overhead?: string;
}

export interface ReplicaCase {
  readonly kind: "resource" | "raw" | "pods" | "object" | "object-per-pod" | "external" | "external-per-pod";
  readonly current: number;
  readonly target: string;
  readonly down: number;
  readonly up: number;
  readonly resource?: string;
  readonly container?: string;
  readonly pods: readonly GoldenPod[];
  readonly metrics?: Readonly<
    Record<string, { readonly age: number; readonly window: number; readonly value: string }>
  >;
  readonly values?: readonly string[];
  readonly result: {
    readonly replicas: number;
    readonly utilization?: number;
    readonly usage?: string;
    readonly error?: string;
  };
}

/** Milliseconds since the step before, recommended, desired, the reasons of AbleToScale and ScalingLimited; or somebody else's scaling. */
export type LimitStep =
  | readonly [ms: number, recommended: number, desired: number, able: string, limited: string]
  | readonly [ms: number, replicas: number, "scaled", null, null];

export interface LimitCase {
  readonly behavior?: Behavior;
  readonly min: number;
  readonly max: number;
  readonly start: number;
  readonly steps: readonly LimitStep[];
}

export interface DayCase {
  readonly name: string;
  readonly spec: AutoscalerSpec;
  readonly load: readonly number[];
  readonly missing: readonly number[];
  readonly ticks: readonly (readonly [replicas: number, able: string, active: string, limited: string] | null)[];
  readonly writes: number;
  readonly events: Readonly<Record<string, number>>;
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dir, "golden", `${name}.json`), "utf8"));
}

// golden_test.go writes them, and has these types.
export const replicaCases = (): readonly ReplicaCase[] => read("replicas") as readonly ReplicaCase[];
export const limitCases = (): readonly LimitCase[] => read("limits") as readonly LimitCase[];
export const dayCases = (): readonly DayCase[] => read("days") as readonly DayCase[];

/** The time in all calculations. */
export const goldenNow: number = Date.UTC(2000, 0, 1);

const before = (seconds: number): string => formatTime(goldenNow - seconds * 1000);

/** The pod that golden_test.go builds of the same. */
export function podOf(pod: GoldenPod, resource: string): CreateInput<Pod> & Pod {
  const resources = (text: string): object => (text === "" ? {} : { resources: { requests: { [resource]: text } } });
  const named = (name: string, text: string | undefined, more: object = {}): readonly object[] =>
    text === undefined ? [] : [{ name, ...resources(text), ...more }];
  const condition = {
    type: "Ready",
    status: pod.ready,
    lastTransitionTime: before(pod.changed ?? 0),
  };
  const object = {
    metadata: {
      name: pod.name,
      namespace: "default",
      labels: { app: "web" },
      ...(pod.deleted === true && { deletionTimestamp: before(0) }),
    },
    spec: {
      containers: [...named("a", pod.requests["a"]), ...named("b", pod.requests["b"])],
      initContainers: [...named("side", pod.sidecar, { restartPolicy: "Always" }), ...named("init", pod.init)],
      ...(pod.podLevel !== undefined && { resources: { requests: pod.podLevel } }),
      ...(pod.overhead !== undefined && { overhead: { [resource]: pod.overhead } }),
    },
    status: {
      phase: pod.phase,
      ...(pod.ready !== undefined && { conditions: [condition] }),
      ...(pod.started !== undefined && { startTime: before(pod.started) }),
    },
  };
  // Of a pod it has what is looked at.
  return object as unknown as CreateInput<Pod> & Pod;
}
