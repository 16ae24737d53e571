/**
 * One metric of an autoscaler: the replicas that it proposes, and its status.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go computeReplicasForMetric and what it calls.
 */
import { messageOf } from "../../api/error-message.ts";
import { formatQuantity, ofMilli } from "../../api/quantity.ts";
import { InvalidSelectorError } from "../../api/selector-problems.ts";
import { type MetricStatus, warn } from "./draft.ts";
import { ofExternal, ofObject, ofPods } from "./other-metrics.ts";
import { ofResource } from "./resource-metric.ts";
import { metricFailed, metric as metricRule } from "./rules.ts";
import type { Scaled, Worked } from "./scaled.ts";
import type { MetricSpec } from "./spec.ts";

/** What a metric proposes. */
export interface MetricProposal {
  readonly replicas: number;
  /** `cpu resource utilization (percentage of request)`: in Events and conditions. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** A metric from which nothing can be calculated. */
export class MetricError extends Error {
  override readonly name = "MetricError";
  /** The reason in the condition ScalingActive and in an Event. */
  readonly reason: string;
  /** The message of the condition. */
  readonly conditionMessage: string;

  constructor(
    message: string,
    {
      reason,
      conditionMessage,
      ...options
    }: ErrorOptions & { readonly reason: string; readonly conditionMessage: string },
  ) {
    super(message, options);
    this.reason = reason;
    this.conditionMessage = conditionMessage;
  }
}

/** How a kind of metric fails. */
interface Failing {
  /** `FailedGetResourceMetric` */
  readonly reason: string;
  /** What upstream's log puts before the error, outermost first; only the condition and the Event leave it out. */
  readonly outer: string;
}

/** @throws MetricError, after recording a warning. */
export async function propose(scaled: Scaled, spec: MetricSpec): Promise<MetricProposal> {
  const { sync } = scaled;
  let worked: Worked;
  try {
    worked = await work(scaled, spec);
  } catch (error) {
    sync.context.signal.throwIfAborted();
    const inner = messageOf(error);
    const failing = failingOf(spec, error);
    sync.context.decide(metricFailed, { metric: describe(spec), error: inner });
    warn(sync, { reason: failing.reason, message: inner });
    const conditionMessage = `the HPA was unable to compute the replica count: ${inner}`;
    throw new MetricError(`${failing.outer}${inner}`, { reason: failing.reason, conditionMessage, cause: error });
  }
  const { replicas, name, status, target, usage, utilization, groups } = worked;
  sync.context.decide(metricRule, {
    metric: describe(spec),
    usage: utilization === undefined ? formatQuantity(ofMilli(usage)) : `${utilization}%`,
    target,
    current: scaled.specReplicas,
    replicas,
    unready: groups?.unready.size ?? 0,
    missing: groups?.missing.size ?? 0,
    ignored: groups?.ignored.size ?? 0,
  });
  return { replicas, name, status };
}

function failingOf(spec: MetricSpec, error: unknown): Failing {
  switch (spec.type) {
    case "Resource":
      return {
        reason: "FailedGetResourceMetric",
        outer: `failed to get ${spec.resource?.name} resource metric value: `,
      };
    case "ContainerResource": {
      const container = spec.containerResource?.container ?? "";
      return {
        reason: "FailedGetContainerResourceMetric",
        outer: `failed to get ${container} container metric value: `,
      };
    }
    case "Pods":
      return { reason: "FailedGetPodsMetric", outer: "failed to get pods metric value: " };
    case "Object": {
      const outer = "failed to get object metric value: ";
      const { metric, target } = spec.object ?? {};
      // A selector is parsed earlier.
      const isShared = target?.type === "AverageValue" && !(error instanceof InvalidSelectorError);
      const shared = isShared ? `failed to get ${metric?.name} object metric: ` : "";
      return { reason: "FailedGetObjectMetric", outer: `${outer}${shared}` };
    }
    case "External": {
      const { metric, target } = spec.external ?? {};
      const name = metric?.name ?? "";
      const how = target?.averageValue === undefined ? `external metric ${name}` : `${name} external metric`;
      return {
        reason: "FailedGetExternalMetric",
        outer: `failed to get ${name} external metric value: failed to get ${how}: `,
      };
    }
    default:
      return { reason: "InvalidMetricSourceType", outer: "" };
  }
}

/** The metric in a few words. */
function describe({ type, resource, containerResource, pods, object, external }: MetricSpec): string {
  switch (type) {
    case "Resource":
      return resource?.name ?? "";
    case "ContainerResource":
      return `${containerResource?.name} of container ${containerResource?.container}`;
    case "Pods":
      return `${pods?.metric.name} of pods`;
    case "Object":
      return `${object?.metric.name} of ${object?.describedObject.kind} ${object?.describedObject.name}`;
    case "External":
      return `${external?.metric.name}`;
    default:
      return type;
  }
}

async function work(scaled: Scaled, spec: MetricSpec): Promise<Worked> {
  const { type, resource, containerResource, pods, object, external } = spec;
  if (type === "Resource" && resource !== undefined) return ofResource(scaled, { ...resource, container: undefined });
  if (type === "ContainerResource" && containerResource !== undefined) return ofResource(scaled, containerResource);
  if (type === "Pods" && pods !== undefined) return ofPods(scaled, pods);
  if (type === "Object" && object !== undefined) return ofObject(scaled, object);
  if (type === "External" && external !== undefined) return ofExternal(scaled, external);
  throw new Error(`unknown metric source type ${JSON.stringify(type)}`);
}
