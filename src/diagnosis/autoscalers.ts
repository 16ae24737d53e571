/** Diagnoses HorizontalPodAutoscalers by their conditions and metrics. */
import { formatAge } from "../api/duration.ts";
import { pluralize } from "../api/pluralize.ts";
import { readTime } from "../api/time.ts";
import type { HorizontalPodAutoscaler } from "../api/types.ts";
import {
  type Advice,
  type Examined,
  type Finding,
  inNamespace,
  type Item,
  kubectl,
  refOf,
  since,
} from "./diagnosis.ts";
import type { Look } from "./look.ts";

type Spec = NonNullable<HorizontalPodAutoscaler["spec"]>;
type Status = NonNullable<HorizontalPodAutoscaler["status"]>;
type MetricSpec = NonNullable<Spec["metrics"]>[number];
type MetricStatus = NonNullable<Status["currentMetrics"]>[number];
type Condition = NonNullable<Status["conditions"]>[number];

/** The API that a metric comes from, by its type. */
const apis: Readonly<Record<string, string>> = {
  Resource: "metrics.k8s.io/v1beta1",
  ContainerResource: "metrics.k8s.io/v1beta1",
  Pods: "custom.metrics.k8s.io/v1beta2",
  Object: "custom.metrics.k8s.io/v1beta2",
  External: "external.metrics.k8s.io/v1beta1",
};

/**
 * A new autoscaler waits for its turn: a sync period of 15 s by default, then two reads of the metrics API.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/rate_limiters.go FixedItemIntervalRateLimiter.
 */
const firstSyncMs = 30_000;

/** Whether it scales, and if not, what holds it. */
export function examineAutoscaler({ now }: Look, item: Item<HorizontalPodAutoscaler>): Examined {
  const { spec, status, metadata } = item.object;
  const at = refOf(item);
  const conditions = status?.conditions ?? [];
  // At its limits it works as configured.
  const bad = conditions.filter(({ type, status: is }) => type !== "ScalingLimited" && is !== "True");
  const findings: Finding[] = bad.map((condition) => ({ at, ...whyNot(item, condition) }));
  const isSynced = conditions.length > 0;
  const ageMs = now - (readTime(metadata.creationTimestamp) ?? 0);
  const isDue = !isSynced && ageMs > firstSyncMs;
  if (isDue) findings.push({ at, why: "its status has not been written: is its controller running?" });
  const target = `${spec?.scaleTargetRef?.kind ?? ""} ${spec?.scaleTargetRef?.name ?? ""}`;
  const range = `between ${spec?.minReplicas ?? 1} and ${spec?.maxReplicas ?? 1}`;
  return {
    says: `${isSynced ? sizeOf(item.object, target) : `not synced yet; it scales ${target}`}, ${range}`,
    reached: isSynced && findings.length === 0,
    findings,
    seen: ["its status"],
    unseen: [],
    next: isSynced || isDue ? [] : [`its first sync, within ${formatAge(firstSyncMs - ageMs)}`],
    notes: [...metricNotes(item.object), ...heldBy(conditions)],
  };
}

/** The size of the target, and the one that it wants, if it could read and compute them. */
function sizeOf({ status }: HorizontalPodAutoscaler, target: string): string {
  const of = (type: string): Condition | undefined => status?.conditions?.find((each) => each.type === type);
  const { currentReplicas = 0, desiredReplicas = 0 } = status ?? {};
  if (of("AbleToScale")?.reason === "FailedGetScale") return `the size of ${target} is not known`;
  // Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go: without a metric the wanted number stays as it was, at first 0.
  if (desiredReplicas === 0 && of("ScalingActive")?.status !== "True" && currentReplicas > 0)
    return `${pluralize(currentReplicas, "replica")} of ${target}, and the wanted number is not known`;
  return `${currentReplicas} of ${pluralize(desiredReplicas, "replica")} of ${target}`;
}

function whyNot(
  { object: { spec, metadata } }: Item<HorizontalPodAutoscaler>,
  { type, status, reason = "", message = "", lastTransitionTime }: Condition,
): Omit<Finding, "at"> {
  const inIt = inNamespace(metadata.namespace);
  const why = `condition ${type} is ${status} (${reason}): ${message}`;
  const target = spec?.scaleTargetRef;
  const advice =
    reason === "ScalingDisabled"
      ? [kubectl(`scale ${target?.kind.toLowerCase()}/${target?.name} --replicas=${spec?.minReplicas ?? 1}${inIt}`)]
      : [...(lacksRequest.test(message) ? [] : apisOf(spec, reason)), kubectl(`describe hpa ${metadata.name}${inIt}`)];
  return { why, ...since(readTime(lastTransitionTime)), advice };
}

/** The metric is there, but a container has no request to compare it with. */
const lacksRequest = /missing request for \S+ in container/;

/** Where the metric that failed comes from: `FailedGetPodsMetric`. */
function apisOf(spec: Spec | undefined, reason: string): readonly Advice[] {
  const type = /^FailedGet(\w+)Metric$/.exec(reason)?.[1] ?? "";
  const api = apis[type];
  const hasMetric = (spec?.metrics ?? []).some((metric) => metric.type === type);
  return api === undefined || !hasMetric ? [] : [kubectl(`get --raw /apis/${api}`)];
}

/** The limits that keep it from the number of replicas that its metrics recommend, according to its conditions. */
function heldBy(conditions: readonly Condition[]): readonly string[] {
  const limiting = conditions.filter(
    ({ type, status, reason }) =>
      status === "True" &&
      (type === "ScalingLimited" || (type === "AbleToScale" && (reason ?? "").endsWith("Stabilized"))),
  );
  return limiting.flatMap(({ message = "" }) => (message === "" ? [] : [message]));
}

/** One line per metric: `cpu: 112%, target 60%`. */
function metricNotes({ spec, status }: HorizontalPodAutoscaler): readonly string[] {
  // An empty list is null on the wire, which the types do not say.
  const current: readonly MetricStatus[] | null | undefined = status?.currentMetrics;
  return (spec?.metrics ?? []).map((metric, index) => {
    const { name, target } = aimOf(metric);
    return `${name}: ${currentOf(current?.[index]) ?? "not known"}, target ${target}`;
  });
}

function aimOf(metric: MetricSpec): { readonly name: string; readonly target: string } {
  const { resource, containerResource, pods, object, external } = metric;
  const { target } = resource ?? containerResource ?? pods ?? object ?? external ?? {};
  const utilization = target?.averageUtilization;
  const each = target?.averageValue === undefined ? undefined : `${target.averageValue} a pod`;
  const aim = utilization === undefined ? (each ?? target?.value ?? "") : `${utilization}%`;
  return { name: nameOf(metric), target: aim };
}

function nameOf({ resource, containerResource, pods, object, external, type }: MetricSpec): string {
  if (containerResource !== undefined) return `${containerResource.name} of container ${containerResource.container}`;
  if (object !== undefined)
    return `${object.metric.name} of ${object.describedObject.kind} ${object.describedObject.name}`;
  return resource?.name ?? pods?.metric.name ?? external?.metric.name ?? type;
}

function currentOf(status: MetricStatus | undefined): string | undefined {
  const { resource, containerResource, pods, object, external } = status ?? {};
  const { current } = resource ?? containerResource ?? pods ?? object ?? external ?? {};
  if (current === undefined) return undefined;
  return current.averageUtilization === undefined
    ? (current.averageValue ?? current.value)
    : `${current.averageUtilization}%`;
}
