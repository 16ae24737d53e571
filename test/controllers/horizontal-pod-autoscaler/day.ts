/** Simulates a day of load for the controller, as golden_test.go does for upstream's controller. */
import { formatTime } from "../../../src/api/time.ts";
import type { Pod } from "../../../src/api/types.ts";
import { autoscalerScene, type AutoscalerScene, unavailable } from "./scene.ts";
import { type DayCase, goldenNow } from "./golden.ts";

export interface PlayedDay {
  /** The state after each tick: the replicas, and the reasons of AbleToScale, ScalingActive and ScalingLimited. */
  readonly ticks: readonly (readonly unknown[])[];
  readonly writes: number;
  readonly events: Readonly<Record<string, number>>;
}

interface DayPod {
  readonly number: number;
  readonly created: number;
  ready: number | undefined;
}

const readyAfterMs = 30_000;
const tickMs = 15_000;
const externalPath = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue";

export async function playedDay(day: DayCase): Promise<PlayedDay> {
  const it = autoscalerScene(day.spec);
  const { scene } = it;
  scene.now = goldenNow;
  it.replicas = 3;
  const pods: DayPod[] = [];
  let next = 0;
  let writes = 0;
  const events: Record<string, number> = {};
  const ticks: unknown[][] = [];
  for (const [tick, load] of day.load.entries()) {
    while (pods.length < it.replicas) pods.push({ number: next++, created: scene.now, ready: undefined });
    pods.length = it.replicas;
    for (const pod of pods) if (scene.now - pod.created >= readyAfterMs) pod.ready ??= scene.now;
    it.putPods(...pods.map(podOf));
    measure(it, { pods, load, missing: day.missing[tick] ?? 0 });
    await it.sync();
    writes += scene.calls.filter(({ verb }) => verb === "updateStatus").length;
    for (const { reason } of scene.events) events[reason] = (events[reason] ?? 0) + 1;
    const reasonOf = (type: string): string =>
      it.autoscaler().status?.conditions?.find((each) => each.type === type)?.reason ?? "";
    ticks.push([it.replicas, ...["AbleToScale", "ScalingActive", "ScalingLimited"].map(reasonOf)]);
    scene.now += tickMs;
  }
  return { ticks, writes, events };
}

function podOf({ number, created, ready }: DayPod): Pod {
  const status = ready === undefined ? "False" : "True";
  const object = {
    metadata: { name: `web-${number}`, namespace: "default", labels: { app: "web" } },
    spec: { containers: [{ name: "web", resources: { requests: { cpu: "500m" } } }] },
    status: {
      phase: "Running",
      startTime: formatTime(created),
      conditions: [{ type: "Ready", status, lastTransitionTime: formatTime(ready ?? created) }],
    },
  };
  // A pod with only the fields that the controller reads.
  return object as unknown as Pod;
}

interface Moment {
  readonly pods: readonly DayPod[];
  readonly load: number;
  readonly missing: number;
}

function measure(it: AutoscalerScene, { pods, load, missing }: Moment): void {
  const ready = pods.filter((pod) => pod.ready !== undefined).length;
  const cpu = `${Math.min(1000, Math.trunc(load / Math.max(1, ready)))}m`;
  const measured = pods.filter((pod, index) => pod.ready !== undefined && index >= missing);
  const usage = measured.map(({ number }) => ({ pod: `web-${number}`, cpu, ageMs: 10_000, window: "15s" }));
  it.usage = missing < 0 ? unavailable : usage;
  // Without metrics of any pod, golden_test.go fails requests for the external metric, too.
  const fails = missing < 0 || usage.length === 0;
  it.values.set(externalPath, fails ? unavailable : [{ value: `${load}m`, timestamp: formatTime(it.scene.now) }]);
}
