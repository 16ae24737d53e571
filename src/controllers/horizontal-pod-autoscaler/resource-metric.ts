/**
 * CPU and memory, of pods or of one container.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go computeStatusForResourceMetricGeneric.
 */
import { formatQuantity, ofMilli } from "../../api/quantity.ts";
import type { MetricStatus } from "./draft.ts";
import { resourceMetrics } from "./measure.ts";
import type { Measured } from "./pod-groups.ts";
import { replicasForAverage, replicasForUtilization } from "./replica-calculator.ts";
import { doing, goalOf, milliOf, namespaceOf, type Scaled, type Worked } from "./scaled.ts";
import type { MetricSpec } from "./spec.ts";

/** A resource, and its target usage. */
export interface ResourceMetric {
  /** `cpu`, `memory`. */
  readonly name: string;
  /** Of this container only; undefined for the whole pod. */
  readonly container: string | undefined;
  readonly target: NonNullable<MetricSpec["resource"]>["target"];
}

/** @throws Error if the resource cannot be measured, or its pods request none. */
export async function ofResource(scaled: Scaled, spec: ResourceMetric): Promise<Worked> {
  const { name: resource, container, target } = spec;
  const { averageValue, averageUtilization } = target;
  const goal = { ...goalOf(scaled, scaled.specReplicas), resource, container };
  if (averageValue !== undefined) {
    const proposal = await doing(`failed to get ${resource} usage`, async () =>
      replicasForAverage(await measured(scaled, spec), { ...goal, target: milliOf(averageValue) }),
    );
    const current = { averageValue: usageText(resource, proposal.usage) };
    const name = `${resource} resource`;
    return { ...proposal, name, target: averageValue, status: statusOf(spec, current) };
  }
  if (averageUtilization === undefined) {
    throw new Error(
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
    );
  }
  const proposal = await doing(`failed to get ${resource} utilization`, async () =>
    replicasForUtilization(await measured(scaled, spec), { ...goal, target: averageUtilization }),
  );
  const { usage, utilization = 0 } = proposal;
  const current = { averageUtilization: utilization, averageValue: usageText(resource, usage) };
  const of = container === undefined ? "" : "container ";
  const name = `${resource} ${of}resource utilization (percentage of request)`;
  return { ...proposal, name, target: `${averageUtilization}%`, status: statusOf(spec, current) };
}

/** Memory is formatted as metrics-server formats it. Source: horizontal.go buildQuantity. */
function usageText(resource: string, usage: bigint): string {
  return formatQuantity(ofMilli(usage, resource === "memory" ? "binary" : "decimal"));
}

function statusOf({ name, container }: ResourceMetric, current: object): MetricStatus {
  return container === undefined
    ? { type: "Resource", resource: { name, current } }
    : { type: "ContainerResource", containerResource: { name, container, current } };
}

async function measured(scaled: Scaled, { name: resource, container }: ResourceMetric): Promise<Measured> {
  const { sync, selector, pods } = scaled;
  const query = { namespace: namespaceOf(scaled), selector, resource, container };
  const metrics = await doing(`unable to get metrics for resource ${resource}`, () =>
    resourceMetrics(sync.context, query),
  );
  return { pods: pods(), metrics, grouping: { ...sync.options, resource, now: sync.context.now() } };
}
