/** `pods/eviction`: a deletion that disruption budgets may reject. Source: kubernetes v1.36 pkg/registry/core/pod/storage/eviction.go. */
import { deepEqual } from "../../api/field-changes.ts";
import { matches, selectorOf } from "../../api/labels.ts";
import { formatTime } from "../../api/time.ts";
import { requestAdmission } from "../admission/admit.ts";
import { isTrue } from "../meta/conditions.ts";
import { at, fieldsIn, isFields, type ApiObject, type Fields } from "../meta/object.ts";
import { manageOwnStatus } from "../managedfields/managed-fields.ts";
import type { Steps } from "../meta/steps.ts";
import { badRequest, notFound, refusal, tooManyRequests } from "../meta/refusal.ts";
import type { RequestScope } from "../context/server.ts";
import type { Entry } from "../storage/entry.ts";
import { done } from "./bind.ts";
import { checkOptions, type DeleteOptions } from "./delete-options.ts";
import { deleteEntry } from "./delete.ts";
import { checkPreconditions } from "./preconditions.ts";
import { subresourceBody } from "./subresource-body.ts";

/** @throws StatusError 400, 404, 409, 422, 429, 500. */
export function* evict(scope: RequestScope): Steps<{ status: number; value: object }> {
  const eviction = subresourceBody(scope, {
    kind: "Eviction",
    apiVersion: "policy/v1",
    alsoVersions: ["policy/v1beta1"],
  });
  if (eviction.metadata.name !== scope.name) throw badRequest("name in URL does not match name in Eviction object");
  yield* requestAdmission({ scope, object: eviction });
  const entry = scope.collection.get(scope.namespace, scope.name);
  if (entry === undefined) throw notFound(scope.resource.asResource, scope.name);
  const options = optionsOf(scope, eviction);
  if (!ignoresBudgets(entry.object)) chargeBudget(scope, entry, options);
  const marked = options.dryRun ? entry : checkedAndMarked(scope, entry, options);
  checkOptions(options);
  const { resourceVersion } = options;
  // The mark is a separate write: the client's precondition was about the version before it.
  const own = resourceVersion === undefined ? undefined : marked.object.metadata.resourceVersion;
  yield* deleteEntry(scope, {
    entry: marked,
    options: options.dryRun ? options : { ...options, resourceVersion: own },
  });
  return { status: 201, value: done };
}

/** @throws StatusError 409 before anything is written. */
function checkedAndMarked(scope: RequestScope, entry: Entry, options: DeleteOptions): Entry {
  checkPreconditions(scope, entry, options);
  return withCondition(scope, entry);
}

function optionsOf(scope: RequestScope, eviction: unknown): DeleteOptions {
  const options = at(eviction, "deleteOptions");
  const grace = at(options, "gracePeriodSeconds");
  const policy = at(options, "propagationPolicy");
  const dryRun = at(options, "dryRun");
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  const own = Array.isArray(dryRun) ? (dryRun as string[]) : [];
  if (scope.dryRun && at(eviction, "deleteOptions") !== undefined && own.length > 0 && own.join() !== "All") {
    throw refusal(500, "", `Non-matching dry-run options in request and content: [All] and [${own.join(" ")}]`);
  }
  return {
    gracePeriodSeconds: typeof grace === "number" ? grace : undefined,
    propagationPolicy: text(policy) === "" ? undefined : text(policy),
    orphanDependents: undefined,
    uid: text(at(options, "preconditions", "uid")),
    resourceVersion: text(at(options, "preconditions", "resourceVersion")),
    dryRun: scope.dryRun || own.includes("All"),
  };
}

/** Pods that have terminated, are pending, or are being deleted: evicting them disrupts nothing. */
function ignoresBudgets({ metadata, status }: ApiObject): boolean {
  const phase = status?.["phase"];
  return phase === "Succeeded" || phase === "Failed" || phase === "Pending" || metadata.deletionTimestamp !== undefined;
}

function budgetsOf(scope: RequestScope, pod: ApiObject): Entry[] {
  const budgets = scope.server.store.collection("poddisruptionbudgets.policy", true);
  return [...budgets.range({ namespace: scope.namespace })].filter(({ object }) => {
    const selector = object.spec?.["selector"];
    return isFields(selector) && matches(selectorOf(selector), pod.metadata.labels);
  });
}

function chargeBudget(scope: RequestScope, { object: pod }: Entry, { dryRun }: DeleteOptions): void {
  const budgets = budgetsOf(scope, pod);
  if (budgets.length > 1) {
    throw refusal(
      500,
      "",
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }
  const [budget] = budgets;
  if (budget === undefined) return;
  const { object } = budget;
  const number = (key: string): number => (typeof object.status?.[key] === "number" ? object.status[key] : 0);
  if (!isTrue(pod, "Ready")) {
    if (object.spec?.["unhealthyPodEvictionPolicy"] === "AlwaysAllow") return;
    if (number("currentHealthy") >= number("desiredHealthy") && number("desiredHealthy") > 0) return;
  }
  const violated = "Cannot evict pod as it would violate the pod's disruption budget.";
  if (number("observedGeneration") < (object.metadata.generation ?? 0)) {
    throw tooManyRequests(violated, 10, [
      {
        reason: "DisruptionBudget",
        message: `The disruption budget ${budget.name} is still being processed by the server.`,
      },
    ]);
  }
  if (number("disruptionsAllowed") <= 0) {
    const message = `The disruption budget ${budget.name} needs ${number("desiredHealthy")} healthy pods and has ${number("currentHealthy")} currently`;
    throw tooManyRequests(violated, 0, [{ reason: "DisruptionBudget", message }]);
  }
  if (dryRun) return;
  const allowed = number("disruptionsAllowed") - 1;
  const status: Fields = {
    ...object.status,
    disruptionsAllowed: allowed,
    conditions: withAllowed(scope, object, allowed > 0),
    disruptedPods: {
      ...(isFields(object.status?.["disruptedPods"]) ? object.status["disruptedPods"] : {}),
      [scope.name]: formatTime(scope.server.timeline.now()),
    },
  };
  const budgetCollection = scope.server.store.collection("poddisruptionbudgets.policy", true);
  const charged: ApiObject = { ...object, metadata: { ...object.metadata }, status };
  const resource = scope.server.registry.find("policy/v1", "poddisruptionbudgets");
  if (resource !== undefined) manageOwnStatus(scope, resource, { live: object, object: charged });
  scope.server.store.put(budgetCollection, charged);
}

/** The budget's conditions, updated for the number of allowed disruptions. */
function withAllowed(scope: RequestScope, { status, metadata }: ApiObject, allowed: boolean): Fields[] {
  const conditions = fieldsIn(status?.["conditions"]);
  const there = conditions.find(({ type }) => type === "DisruptionAllowed");
  const [wanted, reason] = allowed ? ["True", "SufficientPods"] : ["False", "InsufficientPods"];
  const since = there?.["status"] === wanted ? there["lastTransitionTime"] : formatTime(scope.server.timeline.now());
  return [
    ...conditions.filter((condition) => condition !== there),
    {
      type: "DisruptionAllowed",
      status: wanted,
      observedGeneration: metadata.generation,
      lastTransitionTime: since,
      reason,
      message: "",
    },
  ];
}

/** Adds the disruption condition; a pod evicted earlier already has it. */
function withCondition(scope: RequestScope, entry: Entry): Entry {
  const { object } = entry;
  const conditions = [...fieldsIn(object.status?.["conditions"])];
  const place = conditions.findIndex(({ type }) => type === "DisruptionTarget");
  const before = conditions[place];
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime:
      before?.["status"] === "True" ? before["lastTransitionTime"] : formatTime(scope.server.timeline.now()),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  if (deepEqual(before, condition)) return entry;
  conditions.splice(before === undefined ? conditions.length : place, 1, condition);
  const status = { ...object.status, conditions };
  return scope.server.store.put(scope.collection, { ...object, metadata: { ...object.metadata }, status });
}
