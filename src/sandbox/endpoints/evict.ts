/** `pods/eviction`: a deletion that disruption budgets may reject. Source: kubernetes v1.36 pkg/registry/core/pod/storage/eviction.go. */
import { deepEqual } from "../../api/field-changes.ts";
import { formatTime } from "../../api/time.ts";
import { requestAdmission } from "../admission/admit.ts";
import { invalid, invalidObject } from "../meta/field-errors.ts";
import { at, fieldsIn, type ApiObject } from "../meta/object.ts";
import type { Steps } from "../meta/steps.ts";
import { badRequest, notFound, refusal } from "../meta/refusal.ts";
import type { RequestScope } from "../context/server.ts";
import type { Entry } from "../storage/entry.ts";
import { done } from "./bind.ts";
import { checkOptions, type DeleteOptions } from "./delete-options.ts";
import { deleteEntry } from "./delete.ts";
import { chargeBudget } from "./disruption-budget.ts";
import { checkPreconditions } from "./preconditions.ts";
import { subresourceBody } from "./subresource-body.ts";

/** An option of other deletions. */
const unsafe = "ignoreStoreReadErrorWithClusterBreakingPotential";

/** @throws StatusError 400, 403, 404, 409, 422, 429, 500. */
export function* evict(scope: RequestScope): Steps<{ status: number; value: object }> {
  const eviction = subresourceBody(scope, {
    kind: "Eviction",
    apiVersion: "policy/v1",
    alsoVersions: ["policy/v1beta1"],
  });
  if (eviction.metadata.name !== scope.name) throw badRequest("name in URL does not match name in Eviction object");
  if (at(eviction, "deleteOptions", unsafe) === true) {
    const why = "can not be set for pod eviction, try after removing the option";
    const errors = [invalid(`deleteOptions.${unsafe}`, true, why)];
    throw invalidObject({ group: "policy", name: "Eviction" }, scope.name, errors);
  }
  yield* requestAdmission({ scope, object: eviction });
  const entry = scope.collection.get(scope.namespace, scope.name);
  if (entry === undefined) throw notFound(scope.resource.asResource, scope.name);
  const options = optionsOf(scope, eviction);
  if (!ignoresBudgets(entry.object)) chargeBudget(scope, { pod: entry.object, dryRun: options.dryRun });
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
