/**
 * Custom and external metrics: of pods, of an object, from outside the cluster.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go computeStatusForPodsMetric, computeStatusForObjectMetric,
 * computeStatusForExternalMetric.
 */
import { messageOf } from "../../api/error-message.ts";
import { goSelector } from "../../api/go-selector.ts";
import { formatQuantity, ofMilli } from "../../api/quantity.ts";
import { validSelectorOf } from "../../api/selector-problems.ts";
import type { LabelSelector } from "../../api/types.ts";
import type { MetricStatus } from "./draft.ts";
import { externalValues, type MetricNamed, objectMetric, podsMetrics } from "./measure.ts";
import {
  externalShareUsage,
  externalUsage,
  replicasForAverage,
  replicasForExternalShare,
  replicasForShare,
  replicasForValue,
} from "./replica-calculator.ts";
import { doing, goalOf, milliOf, namespaceOf, type Scaled, type Worked } from "./scaled.ts";
import type { MetricSpec } from "./spec.ts";

/** @throws Error if the metric is unavailable, or no pod has a usable one. */
export async function ofPods(scaled: Scaled, spec: NonNullable<MetricSpec["pods"]>): Promise<Worked> {
  const { sync, selector, pods } = scaled;
  const { metric, target } = spec;
  const { averageValue = "0" } = target;
  const query = { namespace: namespaceOf(scaled), selector, metric: metricNamed(metric) };
  const metrics = await doing(`unable to get metric ${metric.name}`, () => podsMetrics(sync.context, query));
  const measured = { pods: pods(), metrics, grouping: { ...sync.options, now: sync.context.now() } };
  const goal = { ...goalOf(scaled, scaled.specReplicas), target: milliOf(averageValue) };
  const proposal = replicasForAverage(measured, goal);
  const current = { averageValue: amountText(proposal.usage) };
  const status: MetricStatus = { type: "Pods", pods: { metric: identifier(metric), current } };
  return { ...proposal, name: `pods metric ${metric.name}`, target: averageValue, status };
}

interface MetricIdentifier {
  readonly name: string;
  readonly selector?: LabelSelector;
}

/** The API server does not validate the selector. @throws InvalidSelectorError */
function metricNamed({ name, selector }: MetricIdentifier): MetricNamed {
  return { name, selector: validSelectorOf(selector) };
}

function identifier({ name, selector }: MetricIdentifier): MetricIdentifier {
  return { name, ...(selector !== undefined && { selector }) };
}

function amountText(usage: bigint): string {
  return formatQuantity(ofMilli(usage));
}

/** @throws Error if the metric is unavailable. */
export async function ofObject(scaled: Scaled, spec: NonNullable<MetricSpec["object"]>): Promise<Worked> {
  const { metric, target, describedObject } = spec;
  const query: ObjectQuery = { described: describedObject, metric: metricNamed(metric) };
  const status = (current: object): MetricStatus => ({
    type: "Object",
    object: { describedObject, metric: identifier(metric), current },
  });
  if (target.type === "Value" && target.value !== undefined) {
    const goal = { ...goalOf(scaled, scaled.specReplicas), target: milliOf(target.value) };
    const usage = await objectUsage(scaled, query);
    const proposal = replicasForValue({ ...goal, usage }, scaled.pods());
    const name = `${describedObject.kind} metric ${metric.name}`;
    return { ...proposal, name, target: target.value, status: status({ value: amountText(proposal.usage) }) };
  }
  if (target.type === "AverageValue" && target.averageValue !== undefined) {
    const goal = { ...goalOf(scaled, scaled.statusReplicas), target: milliOf(target.averageValue) };
    const proposal = replicasForShare({ ...goal, usage: await objectUsage(scaled, query) });
    const current = { averageValue: amountText(proposal.usage) };
    return { ...proposal, name: externalName(metric), target: target.averageValue, status: status(current) };
  }
  throw new Error("invalid object metric source: neither a value target nor an average value target was set");
}

/** A metric of one object. */
interface ObjectQuery {
  readonly described: NonNullable<MetricSpec["object"]>["describedObject"];
  readonly metric: MetricNamed;
}

async function objectUsage(scaled: Scaled, { described, metric }: ObjectQuery): Promise<bigint> {
  const namespace = namespaceOf(scaled);
  try {
    return await objectMetric(scaled.sync.context, { namespace, described, metric });
  } catch (error) {
    const of = `${described.kind} ${namespace}/${described.name}`;
    throw new Error(`unable to get metric ${metric.name}: ${messageOf(error)} on ${of}`, { cause: error });
  }
}

/** Upstream also names metrics of objects this way if they are divided among the pods. */
function externalName({ name, selector }: MetricIdentifier): string {
  return `external metric ${name}(${goSelector(selector)})`;
}

/** @throws Error if the metric is unavailable. */
export async function ofExternal(scaled: Scaled, spec: NonNullable<MetricSpec["external"]>): Promise<Worked> {
  const { metric, target } = spec;
  const status = (current: object): MetricStatus => ({
    type: "External",
    external: { metric: identifier(metric), current },
  });
  if (target.averageValue !== undefined) {
    const goal = { ...goalOf(scaled, scaled.statusReplicas), target: milliOf(target.averageValue) };
    const usage = externalShareUsage(await valuesOutside(scaled, metric));
    const proposal = replicasForExternalShare({ ...goal, usage });
    const current = { averageValue: amountText(proposal.usage) };
    return { ...proposal, name: externalName(metric), target: target.averageValue, status: status(current) };
  }
  if (target.value !== undefined) {
    const goal = { ...goalOf(scaled, scaled.specReplicas), target: milliOf(target.value) };
    const usage = externalUsage(await valuesOutside(scaled, metric));
    const proposal = replicasForValue({ ...goal, usage }, scaled.pods());
    const current = { value: amountText(proposal.usage) };
    return { ...proposal, name: externalName(metric), target: target.value, status: status(current) };
  }
  throw new Error("invalid external metric source: neither a value target nor an average value target was set");
}

/** The values of the metric's series. */
async function valuesOutside(scaled: Scaled, metric: MetricIdentifier): Promise<readonly bigint[]> {
  const namespace = namespaceOf(scaled);
  const query = { namespace, metric: metricNamed(metric) };
  const what = `unable to get external metric ${namespace}/${metric.name}/${goSelector(metric.selector)}`;
  return doing(what, () => externalValues(scaled.sync.context, query));
}
