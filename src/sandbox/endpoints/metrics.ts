/**
 * The metrics APIs that add-ons usually serve, from annotations: metrics.k8s.io of metrics-server, and an adapter's custom and external
 * metrics. Source: metrics v0.36 pkg/apis; metrics-server v0.8 pkg/api.
 */
import { addQuantities, formatQuantity, type Quantity } from "../../api/quantity.ts";
import { matches, type Selector } from "../../api/labels.ts";
import { parseSelector, SelectorError } from "../../api/selector-parser.ts";
import { formatTime } from "../../api/time.ts";
import type { Server } from "../context/server.ts";
import type { ApiObject } from "../meta/object.ts";
import { textOf } from "../meta/object.ts";
import { badRequest, notFound } from "../meta/refusal.ts";
import { param, type Query } from "../options/list-options.ts";
import { annotated, type SimulatedLoad, simulatedLoad } from "./simulated-load.ts";

/** A request to one of the metrics APIs. */
export interface MetricsRequest {
  readonly server: Server;
  /** `metrics.k8s.io/v1beta1`. */
  readonly apiVersion: string;
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
  readonly query: Query;
}

const window = "15s";
const windowSeconds = 15;

/** @throws StatusError 400 for an invalid selector. */
function selectorIn(query: Query, name: string): Selector {
  const text = param(query, name) ?? "";
  try {
    return parseSelector(text);
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.problem);
    throw error;
  }
}

/** Usage of pods and nodes. @throws StatusError 404 if the pod or node is not running. */
export function resourceMetrics(request: MetricsRequest): object {
  const { server, apiVersion, plural, name, query } = request;
  const isNodes = plural === "nodes";
  const kind = isNodes ? "NodeMetrics" : "PodMetrics";
  const load = simulatedLoad(server);
  const timestamp = formatTime(server.timeline.now());
  const metricsOf = (object: ApiObject): object => {
    const { name: own = "", namespace, labels } = object.metadata;
    const metadata = {
      name: own,
      ...(isNodes ? {} : { namespace }),
      creationTimestamp: timestamp,
      ...(labels === undefined ? {} : { labels }),
    };
    return { metadata, timestamp, window, ...(isNodes ? nodeUsage(load, own) : podUsage(load, object)) };
  };
  if (name !== "") {
    const found = measured(request, load).find(({ metadata }) => metadata.name === name);
    if (found === undefined) {
      const fullName = isNodes || request.namespace === "" ? name : `${request.namespace}/${name}`;
      throw notFound({ group: "metrics.k8s.io", name: plural }, fullName);
    }
    return { kind, apiVersion, ...metricsOf(found) };
  }
  const selector = selectorIn(query, "labelSelector");
  const selected = measured(request, load).filter(({ metadata }) => matches(selector, metadata.labels));
  return { kind: `${kind}List`, apiVersion, metadata: {}, items: selected.map(metricsOf) };
}

function measured({ server, plural, namespace }: MetricsRequest, load: SimulatedLoad): readonly ApiObject[] {
  if (plural === "pods") return load.running(namespace);
  return [...server.store.collection("nodes", false).range({})].map(({ object }) => object);
}

function podUsage(load: SimulatedLoad, pod: ApiObject): object {
  const containers = load.usageOf(pod);
  return {
    containers: containers.map(({ name, cpu, memory }) => ({ name, usage: usageText({ cpu, memory }) })),
  };
}

function usageText({ cpu, memory }: { readonly cpu: Quantity; readonly memory: Quantity }): object {
  return {
    cpu: formatQuantity({ ...cpu, format: "decimal" }),
    memory: formatQuantity({ ...memory, format: "binary" }),
  };
}

/** The sum over the pods on the node. */
function nodeUsage(load: SimulatedLoad, node: string): object {
  const on = load.running("").filter(({ spec }) => spec?.["nodeName"] === node);
  const zero: Quantity = { nano: 0n, format: "decimal" };
  let sum = { cpu: zero, memory: zero };
  for (const { cpu, memory } of on.flatMap((pod) => load.usageOf(pod)))
    sum = { cpu: addQuantities(sum.cpu, cpu), memory: addQuantities(sum.memory, memory) };
  return { usage: usageText(sum) };
}

/** One object that a custom metric describes. */
interface Described {
  readonly object: ApiObject;
  readonly kind: string;
  readonly apiVersion: string;
  readonly value: Quantity;
}

/**
 * Custom metrics of objects: the annotation `metric.NAME` of the object, or a pod's share of its workload's. A metric has one series:
 * metric selectors are ignored. @throws StatusError 404 for an object without it.
 */
export function customMetrics(request: MetricsRequest): object {
  const { server, apiVersion, plural, name, subresource } = request;
  // `namespaces/NS/metrics/NAME` is about the namespace itself.
  const metric = plural === "metrics" ? name : subresource;
  const described = plural === "metrics" ? ofNamespace(request, metric) : ofObjects(request, metric);
  if (described.length === 0 && name !== "*")
    throw notFound({ group: "custom.metrics.k8s.io", name: plural }, `${name}/${metric}`);
  const timestamp = formatTime(server.timeline.now());
  const isFirst = apiVersion.endsWith("/v1beta1");
  const items = described.map(({ object, kind, apiVersion: of, value }) => ({
    describedObject: {
      kind,
      ...(object.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace }),
      name: object.metadata.name,
      apiVersion: of,
    },
    ...(isFirst
      ? { metricName: metric, window: windowSeconds }
      : { metric: { name: metric, selector: null }, windowSeconds }),
    timestamp,
    value: formatQuantity(value),
    ...(isFirst ? { selector: null } : {}),
  }));
  return { kind: "MetricValueList", apiVersion, metadata: {}, items };
}

function ofNamespace({ server, namespace }: MetricsRequest, metric: string): readonly Described[] {
  const object = server.store.collection("namespaces", false).get("", namespace)?.object;
  const value = object && annotated(object, `metric.${metric}`);
  if (object === undefined || value === undefined) return [];
  return [{ object, kind: "Namespace", apiVersion: "v1", value }];
}

function ofObjects({ server, namespace, plural, name, query }: MetricsRequest, metric: string): readonly Described[] {
  const [bare = "", ...rest] = plural.split(".");
  const group = rest.join(".");
  const resource = server.registry.resources.find((each) => each.plural === bare && each.group === group);
  if (resource === undefined) return [];
  const { storage, namespaced } = server.registry.stored(resource);
  const selector = selectorIn(query, "labelSelector");
  const load = simulatedLoad(server);
  const all = [...server.store.collection(storage, namespaced).range(namespace === "" ? {} : { namespace })];
  const objects = all
    .map(({ object }) => object)
    .filter(({ metadata }) => (name === "*" ? matches(selector, metadata.labels) : metadata.name === name));
  return objects.flatMap((object) => {
    const key = `metric.${metric}`;
    const isPod = storage === "pods";
    if (isPod && textOf(object.status?.["phase"]) !== "Running") return [];
    const value = isPod ? load.shareOf(object, key) : annotated(object, key);
    return value === undefined ? [] : [{ object, kind: resource.kind, apiVersion: resource.apiVersion, value }];
  });
}

/** An external metric: the annotation `external.NAME` of the namespace; one series, without labels. */
export function externalMetrics({ server, apiVersion, namespace, plural }: MetricsRequest): object {
  const object = server.store.collection("namespaces", false).get("", namespace)?.object;
  const value = object && annotated(object, `external.${plural}`);
  const timestamp = formatTime(server.timeline.now());
  const items =
    value === undefined ? [] : [{ metricName: plural, metricLabels: {}, timestamp, value: formatQuantity(value) }];
  return { kind: "ExternalMetricValueList", apiVersion, metadata: {}, items };
}
