/** Runs validating policies. Source: apiserver v0.36 admission/plugin/policy/validating/dispatcher.go. */
import { StatusError } from "../../../api/status-error.ts";
import type { AdmissionAttributes } from "../../context/attributes.ts";
import { nameOrGenerateName, textOf, textsIn } from "../../meta/object.ts";
import { forbidden } from "../../meta/refusal.ts";
import type { Steps } from "../../meta/steps.ts";
import { invocationOf, type Invocation } from "../matching/invocation.ts";
import { hasPolicies, type Matching, policiesOf, type PolicyHook } from "./configured.ts";
import type * as Evaluators from "./evaluators.ts";
import { AuditAnnotations, auditFailure } from "./audit-annotations.ts";
import type { Seen } from "./input.ts";
import { loadedEvaluators } from "./loading.ts";
import { ConfigurationError, type ParamKind, paramKindOf, paramsOf } from "./params.ts";
import { SeenVersions } from "./versions.ts";

/** A denial, and its policy and binding. */
interface Denial {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason: string;
}

/** Evaluates the policies on an operation; some only warn. @throws StatusError, mostly 422 */
export function* validateByPolicies(attributes: AdmissionAttributes): Steps<void> {
  const { scope } = attributes;
  if (!hasPolicies(scope, "validating")) return;
  const evaluators = yield* loadedEvaluators();
  const denials: Denial[] = [];
  for (const hook of policiesOf(scope, "validating"))
    denials.push(...(yield* denialsBy(hook, { attributes, evaluators })));
  const [first] = denials;
  if (first !== undefined) throw refusalOf(attributes, first);
}

interface PolicyContext {
  readonly attributes: AdmissionAttributes;
  readonly evaluators: typeof Evaluators;
}

function* denialsBy(hook: PolicyHook, context: PolicyContext): Steps<Denial[]> {
  const { attributes } = context;
  const { policy, bindings } = hook;
  const invocation = policy.criteria === undefined ? undefined : invocationOf(policy.criteria, attributes);
  if (invocation === undefined) return [];
  const annotations = new AuditAnnotations(policy.name);
  const versions = new SeenVersions(attributes);
  try {
    const kind = paramKindOf(attributes.scope, hook);
    const denials: Denial[] = [];
    for (const binding of bindings)
      denials.push(...(yield* deniedBy({ policy, binding, kind, invocation, versions, annotations }, context)));
    return denials;
  } catch (error) {
    return misconfigured(error, { policy, binding: undefined });
  } finally {
    annotations.publish(attributes);
  }
}

/** A policy that cannot be evaluated denies, unless its failures are ignored. */
function misconfigured(
  error: unknown,
  { policy, binding }: { readonly policy: Matching; readonly binding: Matching | undefined },
): Denial[] {
  if (!(error instanceof ConfigurationError)) throw error;
  if (policy.spec["failurePolicy"] === "Ignore") return [];
  const message = `failed to configure ${binding === undefined ? "policy" : "binding"}: ${error.message}`;
  return [{ policy: policy.name, binding: binding?.name, message, reason: "" }];
}

interface Bound {
  readonly policy: Matching;
  readonly binding: Matching;
  readonly kind: ParamKind | undefined;
  readonly invocation: Invocation;
  readonly versions: SeenVersions;
  readonly annotations: AuditAnnotations;
}

function* deniedBy(
  { policy, binding, kind, invocation, versions, annotations }: Bound,
  { attributes, evaluators }: PolicyContext,
): Steps<Denial[]> {
  const { scope, namespace } = attributes;
  if (binding.criteria !== undefined && invocationOf(binding.criteria, attributes) === undefined) return [];
  try {
    const params = yield* paramsOf(scope, { kind, ref: binding.spec["paramRef"], namespace });
    if (params.length === 0) return [];
    const seen = yield* seenAs(versions, invocation);
    const evaluator = evaluators.validatingEvaluator(policy.object);
    const found = params.map((param) => evaluators.evaluateValidations(evaluator, { seen, params: param }));
    const by = { policy: policy.name, binding: binding.name };
    return found.flatMap(({ denied, failed, annotations: made }): Denial[] => {
      const actions = textsIn(binding.spec["validationActions"]);
      for (const annotation of made) annotations.add(annotation);
      if (actions.includes("Audit"))
        for (const decision of denied) auditFailure(attributes, { ...by, ...decision, actions });
      if (actions.includes("Warn")) {
        for (const { message } of denied)
          scope.warnings.push(
            `Validation failed for ValidatingAdmissionPolicy '${by.policy}' with binding '${by.binding}': ${message}`,
          );
      }
      return [...(actions.includes("Deny") ? denied : []), ...failed].map(({ message, reason }) => ({
        ...by,
        message,
        reason,
      }));
    });
  } catch (error) {
    return misconfigured(error, { policy, binding });
  }
}

/** @throws ConfigurationError, StatusError 404 */
function* seenAs(versions: SeenVersions, invocation: Invocation): Steps<Seen> {
  try {
    yield* versions.make(invocation);
  } catch (cause) {
    if (!(cause instanceof ConfigurationError)) throw cause;
    throw new ConfigurationError(`failed to convert object version: ${cause.message}`, { cause });
  }
  return versions.seenAs(invocation);
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };

function refusalOf({ scope, name, object }: AdmissionAttributes, denial: Denial): StatusError {
  const bound = denial.binding === undefined ? "" : ` with binding '${denial.binding}'`;
  const message = `ValidatingAdmissionPolicy '${denial.policy}'${bound} denied request: ${denial.message}`;
  const own = name !== "" ? name : object === undefined ? "" : nameOrGenerateName(object);
  const { status } = forbidden(scope.served.asResource, own === "" ? "Unknown" : own, message, [{ message }]);
  const reason = textOf(denial.reason) === "" ? "Invalid" : denial.reason;
  const code = codes[reason] ?? 422;
  return new StatusError(code, { ...status, reason, code });
}
