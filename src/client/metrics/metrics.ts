/**
 * Reads the three metrics APIs, which add-ons serve: metrics-server the resource metrics, adapters of monitoring systems custom and
 * external metrics. They support only GET, not watches.
 *
 * Source: metrics v0.36 pkg/apis, pkg/client/custom_metrics, pkg/client/external_metrics.
 */
import { parseGoDuration } from "../../api/duration.ts";
import { parseTime } from "../../api/time.ts";
import type { Client, ReadOptions } from "../api/verbs.ts";
import { type RequestedResource, withMessage } from "./refusal.ts";

/** The part of a client that the metrics APIs need. */
export type MetricsReader = Pick<Client, "raw">;

/** The resource usage of a pod's containers. */
export interface PodUsage {
  /** The name of the pod. */
  readonly pod: string;
  /** When it was measured, in ms since 1970. */
  readonly timestamp: number;
  /** The period of the measurement, in ms. */
  readonly windowMs: number;
  /** Quantities by resource: `{ cpu: "250m" }`. */
  readonly containers: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[];
}

/** A value of a custom or external metric. */
export interface MetricValue {
  /** The name of the described object; empty for an external metric. */
  readonly object: string;
  /** When it was measured, in ms since 1970. */
  readonly timestamp: number;
  /** The period of the measurement, in ms; undefined if the API does not report it. */
  readonly windowMs: number | undefined;
  /** A quantity. */
  readonly value: string;
}

/** Selects pods of a namespace. */
export interface PodsAsked extends ReadOptions {
  /** The namespace of the pods. */
  readonly namespace: string;
  /** A label selector as text; empty for all pods. */
  readonly labelSelector: string;
}

/**
 * Reads the usage of pods from `metrics.k8s.io/v1beta1`.
 *
 * @throws StatusError if the API is not registered (404) or its server is not available (503).
 * @example
 * ```ts
 * import { podUsage, type SyncContext } from "kubectl-reconcile";
 *
 * async function print(context: SyncContext): Promise<void> {
 *   for (const { pod, containers } of await podUsage(context.client, { namespace: "shop", labelSelector: "app=web" })) {
 *     console.log(pod, containers.map(({ usage }) => usage["cpu"]));
 *   }
 * }
 * console.log(print.name);
 * ```
 */
export async function podUsage(
  client: MetricsReader,
  { namespace, labelSelector, ...options }: PodsAsked,
): Promise<readonly PodUsage[]> {
  const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const items = await list(client, { ...options, path, query: { labelSelector }, resource: "pods.metrics.k8s.io" });
  // Whatever comes is read field by field.
  return (items as readonly WirePodUsage[]).map((item) => ({
    pod: item.metadata?.name ?? "",
    timestamp: timeOf(item.timestamp),
    windowMs: parseGoDuration(item.window ?? "0s") ?? 0,
    containers: (item.containers ?? []).map(({ name = "", usage = {} }) => ({ name, usage })),
  }));
}

interface WirePodUsage {
  readonly metadata?: { readonly name?: string };
  readonly timestamp?: string | null;
  readonly window?: string;
  readonly containers?: readonly { readonly name?: string; readonly usage?: Readonly<Record<string, string>> }[];
}

/** Selects a custom metric of objects. */
export interface CustomAsked extends ReadOptions {
  /** `v1beta2`: the result of `customMetricsVersion`. */
  readonly version: string;
  /** The namespace of the objects, or the described namespace itself. */
  readonly namespace: string;
  /** `pods`, `ingresses.networking.k8s.io`; undefined for the namespace itself. */
  readonly resource: string | undefined;
  /** One object, all objects that match a selector, or the namespace itself. */
  readonly of: { readonly name: string } | { readonly labelSelector: string } | "namespace";
  /** `http_requests`. */
  readonly metric: string;
  /** Which series of the metric, as text; empty for all. */
  readonly metricSelector: string;
}

/**
 * Reads a metric of objects from `custom.metrics.k8s.io`.
 *
 * @throws StatusError as `podUsage`.
 * @example
 * ```ts
 * import { customMetric, customMetricsVersion, type SyncContext } from "kubectl-reconcile";
 *
 * async function requestsOf(context: SyncContext, service: string): Promise<string | undefined> {
 *   const version = await customMetricsVersion(context.client);
 *   const of = { name: service };
 *   const query = { version, namespace: "shop", resource: "services", of, metric: "http_requests", metricSelector: "" };
 *   const [found] = await customMetric(context.client, query);
 *   return found?.value;
 * }
 * console.log(requestsOf.name);
 * ```
 */
export async function customMetric(client: MetricsReader, query: CustomAsked): Promise<readonly MetricValue[]> {
  const { version, namespace, resource, of, metric, metricSelector, ...options } = query;
  const inNamespace = `/apis/custom.metrics.k8s.io/${version}/namespaces/${encodeURIComponent(namespace)}`;
  const name = of === "namespace" ? metric : "name" in of ? of.name : "*";
  const path =
    of === "namespace"
      ? `${inNamespace}/metrics/${encodeURIComponent(metric)}`
      : `${inNamespace}/${resource}/${encodeURIComponent(name)}/${encodeURIComponent(metric)}`;
  const labelSelector = of !== "namespace" && "labelSelector" in of ? of.labelSelector : "";
  const items = await list(client, {
    ...options,
    path,
    query: { labelSelector, metricLabelSelector: metricSelector },
    resource: `${of === "namespace" ? "metrics" : resource}.custom.metrics.k8s.io`,
    name,
  });
  return items.map(valueOf);
}

/** Selects an external metric. */
export interface ExternalAsked extends ReadOptions {
  /** The namespace of the request: adapters may distinguish namespaces. */
  readonly namespace: string;
  /** The name of the metric. */
  readonly metric: string;
  /** Which series of the metric, as text; empty for all. */
  readonly metricSelector: string;
}

/**
 * Reads a metric that does not describe Kubernetes objects from `external.metrics.k8s.io/v1beta1`.
 *
 * @throws StatusError as `podUsage`.
 * @example
 * ```ts
 * import { externalMetric, type SyncContext } from "kubectl-reconcile";
 *
 * async function depthOf(context: SyncContext, queue: string): Promise<readonly string[]> {
 *   const query = { namespace: "shop", metric: "queue_depth", metricSelector: `queue=${queue}` };
 *   return (await externalMetric(context.client, query)).map(({ value }) => value);
 * }
 * console.log(depthOf.name);
 * ```
 */
export async function externalMetric(
  client: MetricsReader,
  { namespace, metric, metricSelector, ...options }: ExternalAsked,
): Promise<readonly MetricValue[]> {
  const inNamespace = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}`;
  const items = await list(client, {
    ...options,
    path: `${inNamespace}/${encodeURIComponent(metric)}`,
    query: { labelSelector: metricSelector },
    resource: `${metric}.external.metrics.k8s.io`,
  });
  return items.map(valueOf);
}

const customGroup = "custom.metrics.k8s.io";

/** The supported versions of the custom metrics API. */
const knownVersions: readonly string[] = ["v1beta1", "v1beta2"];

/**
 * The version of the custom metrics API to use: the one the server prefers, if it is supported.
 *
 * @throws Error if it has none.
 * Source: metrics v0.36 pkg/client/custom_metrics/discovery.go.
 * @example
 * ```ts
 * import { customMetricsVersion, type SyncContext } from "kubectl-reconcile";
 *
 * const versionFor = (context: SyncContext): Promise<string> => customMetricsVersion(context.client);
 * console.log(versionFor.name);
 * ```
 */
export async function customMetricsVersion(client: MetricsReader, options: ReadOptions = {}): Promise<string> {
  // Whatever comes is read field by field.
  const { groups = [] } = (await client.raw("/apis", options)) as WireGroups;
  const group = groups.find(({ name }) => name === customGroup);
  if (group === undefined) throw new Error(`no custom metrics API (${customGroup}) registered`);
  const versions = [group.preferredVersion, ...(group.versions ?? [])].map((each) => each?.version ?? "");
  const version = versions.find((each) => knownVersions.includes(each));
  if (version === undefined) throw new Error("no known available metric versions found");
  return version;
}

interface WireGroups {
  readonly groups?: readonly {
    readonly name?: string;
    readonly versions?: readonly { readonly version?: string }[];
    readonly preferredVersion?: { readonly version?: string };
  }[];
}

interface WireValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string | null;
  /** In v1beta2. */
  readonly windowSeconds?: number;
  /** In v1beta1 and in external metrics. */
  readonly window?: number;
  readonly value?: string;
}

function valueOf(item: unknown): MetricValue {
  // Whatever comes is read field by field.
  const { describedObject, timestamp, windowSeconds, window, value = "0" } = item as WireValue;
  const seconds = windowSeconds ?? window;
  return {
    object: describedObject?.name ?? "",
    timestamp: timeOf(timestamp),
    windowMs: seconds === undefined ? undefined : seconds * 1000,
    value,
  };
}

/** Parses a time, in ms since 1970; -Infinity if it is missing. */
function timeOf(text: string | null | undefined): number {
  return text === undefined || text === null ? -Infinity : parseTime(text);
}

interface Listing extends ReadOptions, RequestedResource {
  readonly path: string;
  /** Empty values are not sent. */
  readonly query: Readonly<Record<string, string>>;
}

async function list(client: MetricsReader, { path, query, ...requested }: Listing): Promise<readonly unknown[]> {
  const pairs = Object.entries(query).filter(([, value]) => value !== "");
  const search = pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
  const options = requested.signal === undefined ? {} : { signal: requested.signal };
  try {
    // Whatever comes is read field by field.
    const { items } = (await client.raw(`${path}${search}`, options)) as { readonly items?: readonly unknown[] | null };
    return items ?? [];
  } catch (error) {
    throw withMessage(error, requested);
  }
}
