/** Lists of conditions, each type once. */

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
