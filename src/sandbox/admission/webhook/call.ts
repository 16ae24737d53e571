/**
 * Calls a webhook: sends the review and checks the response. Source: apiserver v0.36
 * admission/plugin/webhook/{mutating,validating}/dispatcher.go, admission/plugin/webhook/errors/statuserror.go.
 */
import { StatusError, type Status } from "../../../api/status-error.ts";
import { randomUuid } from "../../../platform/random.ts";
import { badRequest, gatewayTimeout, internal } from "../../meta/refusal.ts";
import type { Steps } from "../../meta/steps.ts";
import { textOf, type Fields } from "../../meta/object.ts";
import { WebhookError } from "../../webhook/webhook-error.ts";
import { versionedObjects } from "../matching/versions.ts";
import type { AdmissionAttributes } from "../../context/attributes.ts";
import type { Invocation } from "../matching/invocation.ts";
import { annotateResponse } from "./audit-annotations.ts";
import type { Hook, HookType } from "./configurations.ts";
import { InvalidResponse, responseOf, reviewOf, type ReviewResponse, type VersionedAttributes } from "./review.ts";

/** A webhook that matches an operation. */
export interface HookCall {
  readonly hook: Hook;
  readonly invocation: Invocation;
}

/** A webhook call that failed: the webhook's failure policy applies. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";

  constructor(hook: Hook, { why, cause }: { readonly why: string; readonly cause?: unknown }) {
    super(`failed calling webhook ${JSON.stringify(hook.name)}: ${why}`, { cause });
  }
}

/** The operation as a webhook sees it. @throws StatusError 500 if an object cannot be converted. */
export function* versioned(attributes: AdmissionAttributes, invocation: Invocation): Steps<VersionedAttributes> {
  try {
    return { attributes, invocation, ...(yield* versionedObjects(attributes, invocation.kind)) };
  } catch (error) {
    throw error instanceof StatusError ? internal(error.message) : error;
  }
}

/** The input of a call, and the type of webhook. */
export interface CallInput {
  readonly seen: VersionedAttributes;
  readonly type: HookType;
  /** Receives the warnings, also those of a denial. */
  readonly warn: (texts: readonly string[]) => void;
}

/**
 * The response of a webhook that allows the operation.
 * @throws CallFailure; StatusError if it denies the operation or cannot be called for it.
 */
export async function allowedBy({ hook }: HookCall, { seen, type, warn }: CallInput): Promise<ReviewResponse> {
  const { scope, dryRun } = seen.attributes;
  if (dryRun && hook.sideEffects !== "None" && hook.sideEffects !== "NoneOnDryRun")
    throw badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
  const { webhooks, timeline, random } = scope.server;
  const review = reviewOf(seen, { uid: randomUuid(random), versions: hook.reviewVersions });
  if (review === undefined || webhooks === undefined) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new CallFailure(hook, { why: `could not create admission objects: ${why}` });
  }
  const deadline = Math.min(timeline.now() + hook.timeoutSeconds * 1000, scope.deadline);
  const bytes = await webhooks.call({ config: hook.client, body: review.body, deadline }).catch((error: unknown) => {
    if (!(error instanceof WebhookError)) throw error;
    const what = error.wasCalled ? "failed to call webhook" : "could not get REST client";
    throw new CallFailure(hook, { why: `${what}: ${error.message}`, cause: error });
  });
  const response = checked(bytes, {
    hook,
    read: (body) => responseOf(body, { ...review, isMutating: type === "mutating" }),
  });
  if (scope.audit !== undefined) annotateResponse(scope.audit, { hook, annotations: response.auditAnnotations });
  warn(response.warnings);
  if (!response.allowed) throw denial(hook.name, response.result ?? {});
  return response;
}

interface Checking {
  readonly hook: Hook;
  readonly read: (bytes: Uint8Array) => ReviewResponse;
}

function checked(bytes: Uint8Array, { hook, read }: Checking): ReviewResponse {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof InvalidResponse && error.wasRead)
      throw new CallFailure(hook, { why: `received invalid webhook response: ${error.message}`, cause: error });
    const why = error instanceof InvalidResponse || error instanceof StatusError ? error.message : undefined;
    if (why === undefined) throw error;
    throw new CallFailure(hook, { why: `failed to call webhook: ${why}`, cause: error });
  }
}

/** Converts a webhook's denial into an error. Source: ToStatusErr. */
function denial(name: string, result: Fields): StatusError {
  const by = `admission webhook ${JSON.stringify(name)} denied the request`;
  const [message, reason, status] = [textOf(result["message"]), textOf(result["reason"]), textOf(result["status"])];
  const responseCode = typeof result["code"] === "number" ? result["code"] : 0;
  const code = responseCode < 400 ? 400 : responseCode;
  const why = message === "" ? reason : message;
  const failure: Status & Fields = {
    ...result,
    kind: "Status",
    apiVersion: "v1",
    metadata: result["metadata"] ?? {},
    status: status === "" || status === "Success" ? "Failure" : status,
    message: why === "" ? `${by} without explanation` : `${by}: ${why}`,
    code,
  };
  return new StatusError(code, failure);
}

/** True if the webhook's call failed and its failures are ignored. */
export const failsOpen = ({ ignoresFailure }: Hook, error: unknown): boolean =>
  ignoresFailure && error instanceof CallFailure;

/**
 * Handles a failed call: returns if the failure is ignored.
 * @throws StatusError 500; 504 if the request has timed out. Other errors are rethrown.
 */
export function judgeFailure(
  error: unknown,
  { hook, attributes }: { readonly hook: Hook; readonly attributes: AdmissionAttributes },
): void {
  if (!(error instanceof CallFailure)) throw error;
  if (!hook.ignoresFailure) throw internal(error.message);
  if (attributes.scope.server.timeline.now() >= attributes.scope.deadline) throw gatewayTimeout();
}
