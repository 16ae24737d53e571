/**
 * All metrics of an autoscaler: the one that proposes the most replicas wins.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go computeReplicasForMetrics.
 */
import type { Scale } from "../../client/api/verbs.ts";
import { messageOf } from "../../api/error-message.ts";
import { podsOf } from "./ambiguous.ts";
import { type AutoscalerSync, type MetricStatus, setCondition } from "./draft.ts";
import { MetricError, type MetricProposal, propose } from "./metric.ts";
import { noReplicaCount } from "./rules.ts";

/** What the metrics propose together. */
export interface Computed {
  readonly replicas: number;
  /** The metric that proposes the most replicas; empty if none does. */
  readonly metric: string;
  readonly statuses: readonly MetricStatus[];
  /** Set if some metrics failed but the others suffice. */
  readonly error?: Error;
}

/** No metric to scale by; the condition ScalingActive reports why. */
export class NoReplicaCountError extends Error {
  override readonly name = "NoReplicaCountError";
  /** The status of the metrics that were read. */
  readonly statuses: readonly MetricStatus[];

  constructor(
    message: string,
    { statuses, ...options }: ErrorOptions & { readonly statuses: readonly MetricStatus[] },
  ) {
    super(message, options);
    this.statuses = statuses;
  }
}

/** The status of a metric that failed. */
const unknownMetric: MetricStatus = { type: "" };

/** @throws NoReplicaCountError */
export async function compute(sync: AutoscalerSync, { spec, status }: Scale): Promise<Computed> {
  const scaled = { specReplicas: spec.replicas ?? 0, statusReplicas: status?.replicas ?? 0 };
  const pods = selected(sync, status?.selector ?? "");
  const metrics = sync.spec.metrics ?? [];
  const statuses: MetricStatus[] = [];
  const failures: MetricError[] = [];
  let best: Pick<MetricProposal, "replicas" | "name"> = { replicas: 0, name: "" };
  for (const metric of metrics) {
    try {
      const proposal = await propose({ sync, ...scaled, ...pods }, metric);
      if (best.replicas === 0 || proposal.replicas > best.replicas) best = proposal;
      statuses.push(proposal.status);
    } catch (error) {
      if (!(error instanceof MetricError)) throw error;
      failures.push(error);
      statuses.push(unknownMetric);
    }
  }
  const [first] = failures;
  const counts = { failed: failures.length, metrics: metrics.length };
  const text = `invalid metrics (${counts.failed} invalid out of ${counts.metrics}), first error is: ${first?.message}`;
  if (first !== undefined && (failures.length === metrics.length || best.replicas < scaled.specReplicas)) {
    sync.context.decide(noReplicaCount, counts);
    setCondition(sync, {
      type: "ScalingActive",
      status: "False",
      reason: first.reason,
      message: first.conditionMessage,
    });
    throw new NoReplicaCountError(text, { statuses, cause: first });
  }
  const message = `the HPA was able to successfully calculate a replica count from ${best.name}`;
  setCondition(sync, { type: "ScalingActive", status: "True", reason: "ValidMetricFound", message });
  const error = first === undefined ? {} : { error: new Error(text, { cause: first }) };
  return { replicas: best.replicas, metric: best.name, statuses, ...error };
}

function selected(sync: AutoscalerSync, selector: string): ReturnType<typeof podsOf> {
  try {
    return podsOf(sync, selector);
  } catch (error) {
    throw new NoReplicaCountError(messageOf(error), { statuses: [], cause: error });
  }
}
