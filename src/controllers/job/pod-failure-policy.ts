/**
 * What the pod failure policy requires for a failed pod.
 * Source: kubernetes v1.36 pkg/controller/job/pod_failure_policy.go. The messages are upstream's: they show in conditions.
 */
import type { Job, Pod } from "../../api/types.ts";

type Policy = NonNullable<NonNullable<Job["spec"]>["podFailurePolicy"]>;
type PolicyRule = Policy["rules"][number];
type ExitCodes = NonNullable<PolicyRule["onExitCodes"]>;
type ContainerStatuses = NonNullable<Pod["status"]>["containerStatuses"];

/** What happens to a failed pod. */
export interface FailureMatch {
  /** The action of the first rule that matches; undefined if none does. */
  readonly action: "FailJob" | "FailIndex" | "Ignore" | "Count" | undefined;
  /** Whether the failure counts towards the limits. */
  readonly isCounted: boolean;
  /** Why the Job fails; only with FailJob. */
  readonly message?: string;
}

/** The first rule that matches decides; without one, the failure counts. */
export function matchFailure(policy: Policy | undefined, pod: Pod): FailureMatch {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const what = matchRule(rule, pod);
    if (what === undefined) continue;
    switch (rule.action) {
      case "Ignore":
        return { action: "Ignore", isCounted: false };
      case "FailIndex":
      case "Count":
        return { action: rule.action, isCounted: true };
      case "FailJob":
        return { action: "FailJob", isCounted: true, message: `${what} matching FailJob rule at index ${index}` };
      default:
        // An action from a newer API: try the next rule.
        continue;
    }
  }
  return { action: undefined, isCounted: true };
}

/** What matched, in upstream's words; undefined if nothing does. */
function matchRule({ onExitCodes, onPodConditions }: PolicyRule, { metadata, status }: Pod): string | undefined {
  const name = `${metadata.namespace}/${metadata.name}`;
  if (onExitCodes !== undefined) {
    const match =
      matchExitCodes(status?.containerStatuses, onExitCodes) ??
      matchExitCodes(status?.initContainerStatuses, onExitCodes);
    return match && `Container ${match.name} for pod ${name} failed with exit code ${match.exitCode}`;
  }
  const condition = (status?.conditions ?? []).find((has) =>
    (onPodConditions ?? []).some((wanted) => wanted.type === has.type && (wanted.status ?? "True") === has.status),
  );
  return condition && `Pod ${name} has condition ${condition.type}`;
}

function matchExitCodes(
  statuses: ContainerStatuses,
  { containerName, operator, values }: ExitCodes,
): { readonly name: string; readonly exitCode: number } | undefined {
  for (const { name, state } of statuses ?? []) {
    const exitCode = state?.terminated?.exitCode ?? 0;
    if (exitCode === 0 || (containerName !== undefined && containerName !== name)) continue;
    const isListed = values.includes(exitCode);
    if (operator === "In" ? isListed : operator === "NotIn" && !isListed) return { name, exitCode };
  }
  return undefined;
}
