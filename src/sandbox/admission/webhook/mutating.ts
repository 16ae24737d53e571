/**
 * Calls mutating webhooks in sequence, each with the output of the previous one. Source: apiserver v0.36 admission/plugin/webhook/mutating.
 */
import { deepEqual } from "../../../api/field-changes.ts";
import { jsonPatch, PatchError } from "../../../api/patch.ts";
import { StatusError } from "../../../api/status-error.ts";
import type { AdmissionAttributes, Reinvocation } from "../../context/attributes.ts";
import { readJson } from "../../meta/json.ts";
import { copyOf, isFields, type ApiObject, type Fields } from "../../meta/object.ts";
import { internal } from "../../meta/refusal.ts";
import { waitFor, type Steps } from "../../meta/steps.ts";
import { invocationOf, type Invocation } from "../matching/invocation.ts";
import { convertedBack, decodedAs, replaceContents } from "../matching/patched-object.ts";
import { CallAnnotations, type Turn } from "./audit-annotations.ts";
import { allowedBy, CallFailure, failsOpen, judgeFailure, versioned, type HookCall } from "./call.ts";
import { meetsConditions } from "./conditions.ts";
import { hooksOf, type Hook } from "./configurations.ts";
import { InvalidResponse, type VersionedAttributes } from "./review.ts";

/** State of the first round for the second. Source: reinvocationcontext.go. */
export interface MutatingCalls {
  /** The uids of webhooks that want reinvocation if later ones change the object. */
  invoked: Set<string>;
  /** Those of them that must be reinvoked. */
  readonly reinvoked: Set<string>;
  lastOutput: unknown;
}

/** The state before the first round. */
export const mutatingCalls = (): MutatingCalls => ({ invoked: new Set(), reinvoked: new Set(), lastOutput: undefined });

/** Calls the webhooks that match an operation; changes `attributes.object` in place. @throws StatusError */
export function* callMutating(
  attributes: AdmissionAttributes,
  calls: MutatingCalls,
  reinvocation: Reinvocation,
): Steps<void> {
  const hooks = hooksOf(attributes.scope, "mutating");
  if (hooks.length === 0) return;
  if (reinvocation.isReinvoke && !deepEqual(calls.lastOutput, attributes.object)) requireReinvoking(calls);
  const round = reinvocation.isReinvoke ? 1 : 0;
  for (const [index, hook] of hooks.entries()) {
    const invocation = invocationOf(hook.criteria, attributes);
    if (invocation === undefined) continue;
    // A webhook that was not called in the first round is not called in the second either.
    if (reinvocation.isReinvoke && !calls.reinvoked.has(hook.uid)) continue;
    const seen = yield* seenBy(attributes, invocation);
    if (!(yield* meetsConditions(hook, seen))) continue;
    const changed = yield* mutatedBy({ hook, invocation, round, index }, seen);
    if (changed) {
      requireReinvoking(calls);
      reinvocation.shouldReinvoke = true;
    }
    if (hook.isReinvoked) calls.invoked.add(hook.uid);
  }
  calls.lastOutput = attributes.object === undefined ? undefined : copyOf(attributes.object);
}

/** A conversion failure is wrapped in an internal error twice here. Source: mutating/dispatcher.go VersionedAttribute, Dispatch. */
function* seenBy(attributes: AdmissionAttributes, invocation: Invocation): Steps<VersionedAttributes> {
  try {
    return yield* versioned(attributes, invocation);
  } catch (error) {
    throw error instanceof StatusError ? internal(error.message) : error;
  }
}

function requireReinvoking(calls: MutatingCalls): void {
  for (const uid of calls.invoked) calls.reinvoked.add(uid);
  calls.invoked = new Set();
}

/** True if the webhook changed the object. @throws StatusError */
function* mutatedBy(call: HookCall & Turn, seen: VersionedAttributes): Steps<boolean> {
  const { hook } = call;
  const { attributes } = seen;
  const { audit, warnings } = attributes.scope;
  const annotations = new CallAnnotations(audit, call);
  let changed = false;
  try {
    const { patch, patchType } = yield* waitFor(
      allowedBy(call, { seen, type: "mutating", warn: (texts) => warnings.push(...texts) }),
    );
    changed = patch !== undefined && (yield* patched({ annotations, hook, seen, patchType }, patch));
  } catch (error) {
    if (failsOpen(hook, error)) annotations.failedOpen("mutating");
    judgeFailure(error, { hook, attributes });
  } finally {
    annotations.mutation(changed);
  }
  return changed;
}

interface Patching {
  readonly annotations: CallAnnotations;
  readonly hook: Hook;
  readonly seen: VersionedAttributes;
  readonly patchType: string;
}

/** Applies a webhook's patch to the object. Returns true if it changed. @throws CallFailure, StatusError 500. */
function* patched({ annotations, hook, seen, patchType }: Patching, patch: Uint8Array): Steps<boolean> {
  const operations = operationsOf(hook, patch);
  if (operations.length === 0) return false;
  const { attributes, object, invocation } = seen;
  if (object === undefined || attributes.object === undefined) {
    const name = JSON.stringify(hook.name);
    throw internal(
      `admission webhook ${name} attempted to modify the object, which is not supported for this operation`,
    );
  }
  if (patchType !== "JSONPatch")
    throw new CallFailure(hook, { why: `unsupported patch type ${JSON.stringify(patchType)}` });
  const result = patchedObject(object, operations);
  const { object: read } = decodedAs(result, { scope: attributes.scope, kind: invocation.kind });
  const changed = !deepEqual(object, read);
  annotations.patch(operations);
  replaceContents(attributes.object, yield* convertedBack(attributes, read));
  return changed;
}

/** Source: evanphx/json-patch v4 DecodePatch. */
function operationsOf(hook: Hook, patch: Uint8Array): readonly unknown[] {
  try {
    const { value } = readJson(patch, (problem) => problem);
    // The items of an array are checked when they are applied.
    if (Array.isArray(value)) return value as readonly unknown[];
    throw new InvalidResponse(
      `json: cannot unmarshal ${isFields(value) ? "object" : typeof value} into Go value of type jsonpatch.Patch`,
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CallFailure(hook, { why: `received undecodable patch in webhook response: ${why}`, cause: error });
  }
}

function patchedObject(object: ApiObject, operations: readonly unknown[]): Fields {
  try {
    const result = jsonPatch(object, operations);
    if (isFields(result)) return result;
    throw internal("the patched object is no object");
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw internal(error.message);
  }
}
