/** Match conditions of webhooks. Source: apiserver v0.36 admission/plugin/webhook/generic/webhook.go ShouldCallHook. */
import type { MatchConditions } from "../../cel/admission/conditions.ts";
import { forbidden } from "../../meta/refusal.ts";
import type { Steps } from "../../meta/steps.ts";
import { conditionInputOf } from "../policy/input.ts";
import { loadedEvaluators } from "../policy/loading.ts";
import type { Hook } from "./configurations.ts";
import type { VersionedAttributes } from "./review.ts";

const compiled = new WeakMap<Hook, MatchConditions>();

/** True if an operation meets a webhook's match conditions. @throws StatusError 403 if one fails, unless failures are ignored. */
export function* meetsConditions(hook: Hook, seen: VersionedAttributes): Steps<boolean> {
  if (hook.matchConditions.length === 0) return true;
  const { MatchConditions: Conditions } = yield* loadedEvaluators();
  let conditions = compiled.get(hook);
  if (conditions === undefined) {
    conditions = new Conditions(hook.matchConditions, { failurePolicy: hook.ignoresFailure ? "Ignore" : "Fail" });
    compiled.set(hook, conditions);
  }
  const met = conditions.evaluate(conditionInputOf({ ...seen, namespaceObject: null }, null));
  if (met.is !== "failed") return met.is === "met";
  const { scope, name } = seen.attributes;
  throw forbidden(scope.served.asResource, name, met.why);
}
