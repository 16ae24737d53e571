/** Calls validating webhooks in parallel, independently of each other. Source: apiserver v0.36 admission/plugin/webhook/validating. */
import type { AdmissionAttributes } from "../../context/attributes.ts";
import { gatewayTimeout } from "../../meta/refusal.ts";
import { waitFor, type Steps } from "../../meta/steps.ts";
import { invocationOf } from "../matching/invocation.ts";
import { CallAnnotations } from "./audit-annotations.ts";
import { allowedBy, failsOpen, judgeFailure, versioned, type HookCall } from "./call.ts";
import { meetsConditions } from "./conditions.ts";
import { type Hook, hooksOf } from "./configurations.ts";
import type { VersionedAttributes } from "./review.ts";

/** Calls the webhooks that match an operation. @throws StatusError of the first one, in their order, that denies it. */
export function* callValidating(attributes: AdmissionAttributes): Steps<void> {
  const { scope } = attributes;
  const calls: { readonly call: HookCall; readonly seen: VersionedAttributes; readonly warnings: string[] }[] = [];
  for (const hook of hooksOf(scope, "validating")) {
    const invocation = invocationOf(hook.criteria, attributes);
    if (invocation === undefined) continue;
    const seen = yield* versioned(attributes, invocation);
    if (yield* meetsConditions(hook, seen)) calls.push({ call: { hook, invocation }, seen, warnings: [] });
  }
  if (calls.length === 0) return;
  if (scope.server.timeline.now() >= scope.deadline) throw gatewayTimeout();
  const responses = calls.map(({ call, seen, warnings }) =>
    allowedBy(call, { seen, type: "validating", warn: (texts) => warnings.push(...texts) }),
  );
  const outcomes = yield* waitFor(Promise.allSettled(responses));
  // In the order of the webhooks, regardless of which responded first.
  scope.warnings.push(...calls.flatMap(({ warnings }) => warnings));
  const failures: { readonly hook: Hook; readonly index: number; readonly reason: unknown }[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const hook = calls[index]?.call.hook;
    if (outcome.status === "rejected" && hook !== undefined) failures.push({ hook, index, reason: outcome.reason });
  }
  for (const { hook, index, reason } of failures)
    if (failsOpen(hook, reason)) new CallAnnotations(scope.audit, { hook, round: 0, index }).failedOpen("validating");
  for (const { hook, reason } of failures) judgeFailure(reason, { hook, attributes });
}
