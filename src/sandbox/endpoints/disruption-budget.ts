/**
 * The disruption budget of an evicted pod: allows the eviction and counts it, or refuses it.
 * Source: kubernetes v1.36 pkg/registry/core/pod/storage/eviction.go; component-helpers v0.36 apps/poddisruptionbudget/helpers.go.
 */
import { matches, selectorOf } from "../../api/labels.ts";
import { formatTime } from "../../api/time.ts";
import type { RequestScope } from "../context/server.ts";
import { manageOwnStatus } from "../managedfields/managed-fields.ts";
import { conditionOf, isTrue } from "../meta/conditions.ts";
import { fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../meta/object.ts";
import { forbidden, refusal, tooManyRequests } from "../meta/refusal.ts";
import type { Entry } from "../storage/entry.ts";

/** The number of evictions that the budget's controller has not yet seen, from which on no more are allowed. */
const mostDisrupted = 2000;
const conditionType = "DisruptionAllowed";

function budgetsOf(scope: RequestScope, pod: ApiObject): Entry[] {
  const budgets = scope.server.store.collection("poddisruptionbudgets.policy", true);
  return [...budgets.range({ namespace: scope.namespace })].filter(({ object }) => {
    const selector = object.spec?.["selector"];
    return isFields(selector) && matches(selectorOf(selector), pod.metadata.labels);
  });
}

const count = ({ status }: ApiObject, key: string): number => (typeof status?.[key] === "number" ? status[key] : 0);

/** Counts the eviction of a pod in its budget. @throws StatusError 403, 429; 500 for a pod of several budgets. */
export function chargeBudget(
  scope: RequestScope,
  { pod, dryRun }: { readonly pod: ApiObject; readonly dryRun: boolean },
): void {
  const budgets = budgetsOf(scope, pod);
  if (budgets.length > 1) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw refusal(500, "", message);
  }
  const budget = budgets[0]?.object;
  if (budget === undefined || isFree(budget, pod)) return;
  checkAllowed(budget);
  if (!dryRun) decrement(scope, budget);
}

/** True for a pod that is not ready, and thus not counted as healthy, if the budget lets such pods go. */
function isFree(budget: ApiObject, pod: ApiObject): boolean {
  if (isTrue(pod, "Ready")) return false;
  if (budget.spec?.["unhealthyPodEvictionPolicy"] === "AlwaysAllow") return true;
  const desired = count(budget, "desiredHealthy");
  return desired > 0 && count(budget, "currentHealthy") >= desired;
}

/** @throws StatusError unless the budget allows another eviction. */
function checkAllowed(budget: ApiObject): void {
  const { name = "", generation = 0 } = budget.metadata;
  const refused = (retryAfterSeconds: number, message: string): Error =>
    tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retryAfterSeconds, [
      { reason: "DisruptionBudget", message: `The disruption budget ${name} ${message}` },
    ]);
  if (count(budget, "observedGeneration") < generation) throw refused(10, "is still being processed by the server.");
  const disrupted = budget.status?.["disruptedPods"];
  if (isFields(disrupted) && Object.keys(disrupted).length > mostDisrupted) {
    const why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    throw forbidden({ group: "policy", name: "poddisruptionbudget" }, name, why);
  }
  if (count(budget, "disruptionsAllowed") <= 0) throw refused(0, reasonOf(budget));
}

/** Why the budget allows no eviction, after its name. */
function reasonOf(budget: ApiObject): string {
  const condition = conditionOf(budget, conditionType);
  const message = condition?.["status"] === "False" ? textOf(condition["message"]) : "";
  const reason = textOf(condition?.["reason"]);
  const none = "does not allow evicting pods currently";
  // If the controller failed to count pods, the counts mean nothing.
  if (message !== "" && reason === "SyncFailed") return `${none} because it failed sync: ${message}`;
  const [current, desired] = [count(budget, "currentHealthy"), count(budget, "desiredHealthy")];
  if (current <= desired) return `needs ${desired} healthy pods and has ${current} currently`;
  return message === "" ? none : `${none} (${reason}): ${message}`;
}

function decrement(scope: RequestScope, budget: ApiObject): void {
  const now = formatTime(scope.server.timeline.now());
  const { disruptedPods, ...before } = budget.status ?? {};
  const disruptionsAllowed = count(budget, "disruptionsAllowed") - 1;
  const status: Fields = {
    ...before,
    disruptionsAllowed,
    ...(disruptionsAllowed === 0 ? { conditions: withoutDisruptions(budget, now) } : {}),
    disruptedPods: { ...(isFields(disruptedPods) ? disruptedPods : {}), [scope.name]: now },
  };
  const charged: ApiObject = { ...budget, metadata: { ...budget.metadata }, status };
  const resource = scope.server.registry.find("policy/v1", "poddisruptionbudgets");
  if (resource !== undefined) manageOwnStatus(scope, resource, { live: budget, object: charged });
  scope.server.store.put(scope.server.store.collection("poddisruptionbudgets.policy", true), charged);
}

/** The conditions of a budget whose last eviction was allowed. */
function withoutDisruptions(budget: ApiObject, now: string): Fields[] {
  const conditions = fieldsIn(budget.status?.["conditions"]);
  const there = conditionOf(budget, conditionType);
  const condition = {
    type: conditionType,
    status: "False",
    observedGeneration: count(budget, "observedGeneration"),
    lastTransitionTime: there?.["status"] === "False" ? there["lastTransitionTime"] : now,
    reason: "InsufficientPods",
    message: "",
  };
  return there === undefined ? [...conditions, condition] : conditions.map((one) => (one === there ? condition : one));
}
