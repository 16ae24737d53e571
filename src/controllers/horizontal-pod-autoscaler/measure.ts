/**
 * What the metrics APIs return, in the form that the calculations use.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/metrics/client.go.
 */
import { messageOf } from "../../api/error-message.ts";
import { groupOf, resourceOf } from "../../api/kind.ts";
import { formatSelector, type Selector } from "../../api/labels.ts";
import { milliValue, parseQuantity } from "../../api/quantity.ts";
import {
  customMetric,
  type CustomAsked,
  customMetricsVersion,
  externalMetric,
  type MetricValue,
  podUsage,
  type PodUsage,
} from "../../client/metrics/metrics.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { discoveredKinds } from "../../controller/workload/discovered-kind.ts";
import type { PodMetric, PodMetrics } from "./pod-metric.ts";

/** The window if the custom metrics API does not return one. */
const defaultWindowMs = 60_000;

/** The pods to measure. */
export interface PodsMeasured {
  readonly namespace: string;
  readonly selector: Selector;
}

/** A resource that pods use. */
export interface ResourceMeasured extends PodsMeasured {
  readonly resource: string;
  /** Of this container only; undefined for the sum of all. */
  readonly container: string | undefined;
}

interface Api {
  readonly context: SyncContext;
  readonly api: "resource" | "custom" | "external";
}

/** Runs a request to a metrics API. @throws an Error that names the API. */
async function from<T>({ context, api }: Api, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    context.signal.throwIfAborted();
    throw new Error(`unable to fetch metrics from ${api} metrics API: ${messageOf(error)}`, { cause: error });
  }
}

function noneEmpty<T>(items: readonly T[], api: string): readonly T[] {
  if (items.length === 0) throw new Error(`no metrics returned from ${api} metrics API`);
  return items;
}

/** Usage by pod. A pod with an unmeasured container is left out. @throws Error if the API is unavailable or returns nothing. */
export async function resourceMetrics(context: SyncContext, query: ResourceMeasured): Promise<PodMetrics> {
  const { namespace, resource, container } = query;
  const labelSelector = formatSelector(query.selector);
  const { signal } = context;
  const items = await from({ context, api: "resource" }, () =>
    podUsage(context.client, { namespace, labelSelector, signal }),
  );
  const metrics = new Map<string, PodMetric>();
  for (const item of noneEmpty(items, "resource")) {
    const value = container === undefined ? ofPod(item, resource) : ofContainer(item, { resource, container });
    if (value !== undefined) metrics.set(item.pod, { timestamp: item.timestamp, windowMs: item.windowMs, value });
  }
  return metrics;
}

function milli(text: string | undefined): bigint | undefined {
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return quantity && milliValue(quantity);
}

function ofPod({ containers }: PodUsage, resource: string): bigint | undefined {
  if (containers.length === 0) return undefined;
  let sum = 0n;
  for (const { usage } of containers) {
    const value = milli(usage[resource]);
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}

function ofContainer(
  { containers }: PodUsage,
  { resource, container }: { readonly resource: string; readonly container: string },
): bigint | undefined {
  return milli(containers.find(({ name }) => name === container)?.usage[resource]);
}

/** A metric by name, and the selector of its series. */
export interface MetricNamed {
  readonly name: string;
  readonly selector: Selector;
}

interface Named {
  readonly metric: MetricNamed;
}

/** A custom metric of pods. @throws Error if the API is unavailable or returns nothing. */
export async function podsMetrics(
  context: SyncContext,
  { namespace, selector, metric }: PodsMeasured & Named,
): Promise<PodMetrics> {
  const of = { labelSelector: formatSelector(selector) };
  const items = await custom(context, { namespace, resource: "pods", of, metric });
  return new Map(
    noneEmpty(items, "custom").map(({ object, timestamp, windowMs = defaultWindowMs, value }) => {
      return [object, { timestamp, windowMs, value: milli(value) ?? 0n }] as const;
    }),
  );
}

/** An object that a custom metric describes, in the namespace of the autoscaler. */
export interface ObjectMeasured {
  readonly namespace: string;
  readonly described: { readonly apiVersion?: string; readonly kind: string; readonly name: string };
}

/** A custom metric of one object. @throws Error if the API is unavailable, or does not return exactly one value. */
export async function objectMetric(
  context: SyncContext,
  { namespace, described, metric }: ObjectMeasured & Named,
): Promise<bigint> {
  const { apiVersion = "", kind, name } = described;
  const group = groupOf(apiVersion);
  const [item] = await from({ context, api: "custom" }, async () => {
    // The name is ignored: a metric of a namespace is always that of the autoscaler's namespace.
    const isNamespace = kind === "Namespace" && group === "";
    const resource = isNamespace ? undefined : await customResource(context, { group, kind });
    const of = isNamespace ? "namespace" : { name };
    const items = await readCustom(context, { namespace, resource, of, metric });
    if (items.length !== 1) {
      const found = items.length;
      throw new Error(`the custom metrics API server returned ${found} results when we asked for exactly one`);
    }
    return items;
  });
  return milli(item?.value) ?? 0n;
}

/** `ingresses.networking.k8s.io`: the custom metrics API's name for the resource of a kind. @throws Error for an unknown kind. */
async function customResource(
  context: SyncContext,
  wanted: { readonly group: string; readonly kind: string },
): Promise<string> {
  const [found] = await discoveredKinds(context, ({ group, kind }) => group === wanted.group && kind === wanted.kind);
  if (found !== undefined) return resourceOf(found);
  const { group, kind } = wanted;
  const named = group === "" ? kind : `${kind}.${group}`;
  throw new Error(`unable to map kind ${named} to resource: no matches for kind "${kind}" in group "${group}"`);
}

interface Custom extends Pick<CustomAsked, "namespace" | "resource" | "of">, Named {}

function custom(context: SyncContext, query: Custom): Promise<readonly MetricValue[]> {
  return from({ context, api: "custom" }, () => readCustom(context, query));
}

/** The version is discovered each time: an adapter may come and go, and syncs are infrequent. */
async function readCustom(context: SyncContext, { metric, ...query }: Custom): Promise<readonly MetricValue[]> {
  const { client, signal } = context;
  const version = await customMetricsVersion(client, { signal });
  const metricSelector = formatSelector(metric.selector);
  return customMetric(client, { ...query, version, metric: metric.name, metricSelector, signal });
}

/** The values of an external metric. @throws Error if the API is unavailable or returns nothing. */
export async function externalValues(
  context: SyncContext,
  { namespace, metric }: { readonly namespace: string; readonly metric: MetricNamed },
): Promise<readonly bigint[]> {
  const metricSelector = formatSelector(metric.selector);
  const { client, signal } = context;
  const query = { namespace, metric: metric.name, metricSelector, signal };
  const items = await from({ context, api: "external" }, () => externalMetric(client, query));
  return noneEmpty(items, "external").map(({ value }) => milli(value) ?? 0n);
}
