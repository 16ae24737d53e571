/**
 * Lists of conditions, with each type at most once. Upstream sets a condition in four ways, which differ in the result:
 *
 * | function | position | unchanged if | lastTransitionTime |
 * |---|---|---|---|
 * | `withCondition` (ReplicaSet, Deployment) | it moves to the end | status and reason are as before | the caller's |
 * | `withStatusCondition` (PodDisruptionBudget) | it stays | never: all fields are taken | kept while the status stays |
 * | `withAutoscalerCondition` | it stays | never | kept while the status stays, also where there is none |
 * | `withJobCondition`, in the Job controller | it stays | status, reason and message are as before | the caller's |
 */

/** The common fields of all conditions. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/** The condition of a type; undefined if there is none. */
export function findCondition<C extends Condition>(conditions: readonly C[] | undefined, type: string): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** The conditions with the one of this type replaced; the same list if status and reason are unchanged. */
export function withCondition<C extends Condition>(conditions: readonly C[] | undefined, condition: C): readonly C[] {
  const current = findCondition(conditions, condition.type);
  if (conditions !== undefined && current?.status === condition.status && current.reason === condition.reason)
    return conditions;
  return [...withoutCondition(conditions, condition.type), condition];
}

/** The conditions without those of a type. */
export function withoutCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}

/** A condition with time and message, like `metav1.Condition`. */
export interface StatusCondition extends Condition {
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  /** RFC 3339, in whole seconds. */
  readonly lastTransitionTime: string;
}

/**
 * The conditions with the one of this type replaced, or appended if there was none. `lastTransitionTime` changes only if the status does.
 *
 * Source: apimachinery v0.36 pkg/api/meta/conditions.go SetStatusCondition.
 */
export function withStatusCondition(
  conditions: readonly StatusCondition[] | undefined,
  condition: StatusCondition,
): readonly StatusCondition[] {
  const before = findCondition(conditions, condition.type);
  if (before === undefined) return [...(conditions ?? []), condition];
  const isSame = before.status === condition.status;
  const next = isSame ? { ...condition, lastTransitionTime: before.lastTransitionTime } : condition;
  return (conditions ?? []).map((each) => (each === before ? next : each));
}
