/**
 * What a Namespace's conditions report about its deletion. Source: kubernetes v1.36
 * pkg/controller/namespace/deletion/status_condition_utils.go.
 */
import { messageOf } from "../../api/error-message.ts";
import type { Namespace } from "../../api/types.ts";
import type { Outcome } from "./outcome.ts";

/** A condition of a Namespace. */
export type NamespaceCondition = NonNullable<NonNullable<Namespace["status"]>["conditions"]>[number];

/** The conditions that this controller writes, in upstream's order. */
export const conditionTypes = [
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
  "NamespaceDeletionContentFailure",
  "NamespaceContentRemaining",
  "NamespaceFinalizersRemaining",
] as const;

/** One of `conditionTypes`. */
export type ConditionType = (typeof conditionTypes)[number];

interface State {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** A condition as it will be written. */
export interface ConditionChange extends State {
  readonly type: ConditionType;
}

const fine: Readonly<Record<ConditionType, readonly [reason: string, message: string]>> = {
  NamespaceDeletionDiscoveryFailure: ["ResourcesDiscovered", "All resources successfully discovered"],
  NamespaceDeletionGroupVersionParsingFailure: ["ParsedGroupVersions", "All legacy kube types successfully parsed"],
  NamespaceDeletionContentFailure: [
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  NamespaceContentRemaining: ["ContentRemoved", "All content successfully removed"],
  NamespaceFinalizersRemaining: ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
};

/** The state that each condition should have. Remaining content is reported only once no pods are left. */
function wanted(outcome: Outcome): Readonly<Record<ConditionType, State>> {
  const { undiscovered, failures, counts } = outcome;
  const bad: Partial<Record<ConditionType, State>> = {
    ...(undiscovered !== undefined && {
      NamespaceDeletionDiscoveryFailure: isTrue("DiscoveryFailed", undiscovered.message),
    }),
    ...(failures.length > 0 && {
      NamespaceDeletionContentFailure: isTrue(
        "ContentDeletionFailed",
        `Failed to delete all resource types, ${failures.length} remaining: ${failures.map(messageOf).sort().join(", ")}`,
      ),
    }),
    ...(counts !== undefined &&
      counts.remaining.size > 0 && {
        NamespaceContentRemaining: isTrue(
          "SomeResourcesRemain",
          `Some resources are remaining: ${listed(counts.remaining, (resource, count) => `${resource} has ${count} resource instances`)}`,
        ),
      }),
    ...(counts !== undefined &&
      counts.finalizers.size > 0 && {
        NamespaceFinalizersRemaining: isTrue(
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${listed(counts.finalizers, (finalizer, count) => `${finalizer} in ${count} resource instances`)}`,
        ),
      }),
  };
  const good = ([reason, message]: readonly [string, string]): State => ({ status: "False", reason, message });
  const states = conditionTypes.map((type) => [type, bad[type] ?? good(fine[type])] as const);
  return Object.fromEntries(states) as Record<ConditionType, State>;
}

function isTrue(reason: string, message: string): State {
  return { status: "True", reason, message };
}

function listed(counts: ReadonlyMap<string, number>, format: (name: string, count: number) => string): string {
  return [...counts]
    .map(([name, count]) => format(name, count))
    .sort()
    .join(", ");
}

/** The conditions after a sync. */
export interface NextConditions {
  readonly conditions: readonly NamespaceCondition[];
  /** Empty if nothing needs to be written. */
  readonly changes: readonly ConditionChange[];
}

/** The conditions after a sync. Conditions of others are kept; a transition time changes only with the status. */
export function nextConditions(before: readonly NamespaceCondition[], outcome: Outcome, now: string): NextConditions {
  const states = wanted(outcome);
  const conditions = [...before];
  const changes: ConditionChange[] = [];
  for (const type of conditionTypes) {
    const { status, reason, message } = states[type];
    const index = conditions.findIndex((condition) => condition.type === type);
    const old = conditions[index];
    if (old === undefined) {
      conditions.push({ type, status, lastTransitionTime: now, reason, message });
    } else if (old.status !== status || old.message !== message || old.reason !== reason) {
      conditions[index] = {
        ...old,
        status,
        reason,
        message,
        ...(old.status !== status && { lastTransitionTime: now }),
      };
    } else continue;
    changes.push({ type, status, reason, message });
  }
  return { conditions, changes };
}
