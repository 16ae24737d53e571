/** What a DaemonSet requests. Source: kubernetes v1.36 pkg/controller/daemon/util/daemonset_util.go. */
import { selectorOf, type Selector } from "../../api/labels.ts";
import type { DaemonSet } from "../../api/types.ts";
import { scaledValue } from "../../controller/workload/int-or-percent.ts";
import { parseInt64 } from "../../controller/workload/revision-history.ts";

/** The template generation: the API server keeps it for pods created by controllers older than Kubernetes 1.8. */
const templateGenerationAnnotation = "deprecated.daemonset.template.generation";

/** Whether pods of an earlier template are replaced by the controller. */
export function rollsOut({ spec }: DaemonSet): boolean {
  return spec?.updateStrategy?.type === "RollingUpdate";
}

/** How long a pod must be ready to be available, in seconds. */
export function minReadySeconds({ spec }: DaemonSet): number {
  return spec?.minReadySeconds ?? 0;
}

/** Which pods and revisions may be its own. @throws RangeError for an invalid selector, which the API server never accepts. */
export function selectorFor({ spec }: DaemonSet): Selector {
  return selectorOf(spec?.selector);
}

/** Whether the selector is `{}`: it selects every pod. */
export function selectsAll({ spec }: DaemonSet): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return spec?.selector !== undefined && Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** The number in the annotation, which is also a label on its pods; undefined if it is missing or not a number. */
export function templateGeneration({ metadata }: DaemonSet): bigint | undefined {
  const text = metadata.annotations?.[templateGenerationAnnotation];
  return text === undefined ? undefined : parseInt64(text);
}

/** How many of `desired` nodes may have a second pod during a rollout. @throws RangeError for a string that is not a percentage. */
export function maxSurge(set: DaemonSet, desired: number): number {
  const value = rollsOut(set) ? set.spec?.updateStrategy?.rollingUpdate?.maxSurge : undefined;
  return value === undefined ? 0 : scaledValue(value, desired, "up");
}

/** How many of `desired` nodes may lack an available pod during a rollout. @throws RangeError for a string that is not a percentage. */
export function maxUnavailable(set: DaemonSet, desired: number): number {
  const rolling = rollsOut(set) ? set.spec?.updateStrategy?.rollingUpdate : undefined;
  if (rolling === undefined) return 0;
  if (rolling.maxUnavailable === undefined) throw new RangeError("nil value for IntOrString");
  return scaledValue(rolling.maxUnavailable, desired, "up");
}

/** Whether a node may ever have two pods. */
export function allowsSurge(set: DaemonSet): boolean {
  try {
    return maxSurge(set, 1) > 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
