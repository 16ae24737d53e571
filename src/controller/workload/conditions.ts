/**
 * Lists of conditions, each type once. Upstream sets a condition in four ways, which differ in what the API server gets to see:
 *
 * | function | its place | when nothing changes | its time |
 * |---|---|---|---|
 * | `withCondition` (ReplicaSet, Deployment) | it moves to the end | status and reason are as before | the caller's |
 * | `withStatusCondition` (PodDisruptionBudget) | it stays | never: all fields are taken | kept while the status stays |
 * | `withSaid`, in the autoscaler | it stays | never | kept while the status stays, also where there is none |
 * | `withJobCondition`, in the Job controller | it stays | status, reason and message are as before | the caller's |
 */

/** What the conditions of all kinds have in common. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/** The condition of a type; undefined if there is none. */
export function findCondition<C extends Condition>(conditions: readonly C[] | undefined, type: string): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** The conditions with this one in place of any of its type; the same list if its status and reason are as they were. */
export function withCondition<C extends Condition>(conditions: readonly C[] | undefined, condition: C): readonly C[] {
  const current = findCondition(conditions, condition.type);
  if (conditions !== undefined && current?.status === condition.status && current.reason === condition.reason)
    return conditions;
  return [...withoutCondition(conditions, condition.type), condition];
}

/** The conditions but those of a type. */
export function withoutCondition<C extends Condition>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}

/** A condition with a time and a message, as `metav1.Condition` has it. */
export interface StatusCondition extends Condition {
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  /** RFC 3339, in whole seconds. */
  readonly lastTransitionTime: string;
}

/**
 * The conditions with this one in its type's place, or last if there was none. Its `lastTransitionTime` is taken only where its status
 * differs from before; otherwise the time stays.
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
