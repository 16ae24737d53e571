/**
 * Runs mutating policies in sequence, each on the output of the previous one. Source: apiserver v0.36
 * admission/plugin/policy/mutating/{dispatcher,reinvocationcontext}.go, generic/policy_dispatcher.go.
 */
import { deepEqual } from "../../../api/field-changes.ts";
import { StatusError } from "../../../api/status-error.ts";
import type { AdmissionAttributes, Reinvocation } from "../../context/attributes.ts";
import { copyOf, nameOrGenerateName, type ApiObject } from "../../meta/object.ts";
import { forbidden, internal } from "../../meta/refusal.ts";
import type { Steps } from "../../meta/steps.ts";
import { invocationOf, type Invocation } from "../matching/invocation.ts";
import { convertedBack, replaceContents } from "../matching/patched-object.ts";
import { hasPolicies, type Matching, policiesOf } from "./configured.ts";
import type * as Evaluators from "./evaluators.ts";
import { conditionInputOf, type Seen } from "./input.ts";
import { loadedEvaluators } from "./loading.ts";
import { ConfigurationError, type ParamKind, paramKindOf, paramsOf } from "./params.ts";
import { SeenVersions, versionKey } from "./versions.ts";

/** State of the first round for the second. */
export interface MutatingPolicies {
  /** The keys of invocations that want reinvocation if later ones change the object. */
  invoked: Set<string>;
  /** Those of them that must be reinvoked. */
  readonly reinvoked: Set<string>;
  lastOutput: unknown;
}

/** The state before the first round. */
export const mutatingPolicies = (): MutatingPolicies => ({
  invoked: new Set(),
  reinvoked: new Set(),
  lastOutput: undefined,
});

/** A policy that matches an operation, with a binding and a parameter. */
interface PolicyInvocation {
  readonly policy: Matching;
  readonly binding: Matching;
  readonly params: ApiObject | null;
  readonly invocation: Invocation;
}

interface PolicyError {
  readonly policy: Matching;
  readonly binding: Matching | undefined;
  readonly message: string;
  /** `""`: the reason of an admission rejection. */
  readonly reason: string;
}

/** Whether this is the first round, and its state. */
export interface PolicyRound {
  readonly policies: MutatingPolicies;
  readonly reinvocation: Reinvocation;
}

/** Runs the policies, which change the object in place. @throws StatusError 403 if one fails, 500 */
export function* mutateByPolicies(
  attributes: AdmissionAttributes,
  { policies, reinvocation }: PolicyRound,
): Steps<void> {
  if (attributes.object === undefined || !hasPolicies(attributes.scope, "mutating")) return;
  const errors: PolicyError[] = [];
  const versions = new SeenVersions(attributes);
  const invocations = yield* invocationsOf(attributes, { errors, versions });
  if (invocations.length > 0) {
    const evaluators = yield* loadedEvaluators();
    const round = new Round(attributes, { policies, reinvocation, evaluators, errors, versions });
    for (const invocation of invocations) round.invoke(invocation);
    yield* round.finish();
  }
  const counted = errors.filter(({ policy }) => policy.spec["failurePolicy"] !== "Ignore");
  if (counted.length > 0) throw refusalOf(attributes, counted);
}

/** Output of the search for invocations. */
interface Found {
  readonly errors: PolicyError[];
  readonly versions: SeenVersions;
}

function* invocationsOf(attributes: AdmissionAttributes, found: Found): Steps<PolicyInvocation[]> {
  const invocations: PolicyInvocation[] = [];
  for (const hook of policiesOf(attributes.scope, "mutating")) {
    const { policy, bindings } = hook;
    const invocation = policy.criteria === undefined ? undefined : invocationOf(policy.criteria, attributes);
    if (invocation === undefined) continue;
    try {
      const kind = paramKindOf(attributes.scope, hook);
      for (const binding of bindings)
        invocations.push(...(yield* boundInvocations({ policy, binding, kind, invocation }, { attributes, ...found })));
    } catch (error) {
      found.errors.push(misconfigured(error, { policy, binding: undefined }));
    }
  }
  return invocations;
}

interface Bound {
  readonly policy: Matching;
  readonly binding: Matching;
  readonly kind: ParamKind | undefined;
  readonly invocation: Invocation;
}

function* boundInvocations(
  { policy, binding, kind, invocation }: Bound,
  { attributes, errors, versions }: Found & { readonly attributes: AdmissionAttributes },
): Steps<PolicyInvocation[]> {
  const { scope, namespace } = attributes;
  if (binding.criteria !== undefined && invocationOf(binding.criteria, attributes) === undefined) return [];
  // A conversion failure is attributed to the policy, any other to the binding.
  let fault: Matching | undefined;
  try {
    yield* versions.make(invocation);
    fault = binding;
    const all = yield* paramsOf(scope, { kind, ref: binding.spec["paramRef"], namespace });
    return all.map((params) => ({ policy, binding, params, invocation }));
  } catch (error) {
    errors.push(misconfigured(error, { policy, binding: fault }));
    return [];
  }
}

function misconfigured(error: unknown, whose: Pick<PolicyError, "policy" | "binding">): PolicyError {
  if (!(error instanceof ConfigurationError)) throw error;
  const message = `failed to configure ${whose.binding === undefined ? "policy" : "binding"}: ${error.message}`;
  return { ...whose, message, reason: "" };
}

interface RoundOptions {
  readonly policies: MutatingPolicies;
  readonly reinvocation: Reinvocation;
  readonly evaluators: typeof Evaluators;
  readonly errors: PolicyError[];
  readonly versions: SeenVersions;
}

/** One round of the policies over an object. */
class Round {
  readonly #attributes: AdmissionAttributes;
  readonly #options: RoundOptions;
  /** The object at the versions that policies have seen; policies with the same version see earlier changes. */
  readonly #seen = new Map<string, Seen>();
  #last: Seen | undefined;
  #isDirty = false;

  constructor(attributes: AdmissionAttributes, options: RoundOptions) {
    this.#attributes = attributes;
    this.#options = options;
    const { policies, reinvocation } = options;
    if (reinvocation.isReinvoke && !deepEqual(policies.lastOutput, attributes.object)) this.#requireReinvoking();
  }

  #requireReinvoking(): void {
    const { policies } = this.#options;
    for (const key of policies.invoked) policies.reinvoked.add(key);
    policies.invoked = new Set();
  }

  #seenAs(invocation: Invocation): Seen {
    const known = this.#seen.get(versionKey(invocation.kind));
    return known === undefined ? this.#options.versions.seenAs(invocation) : { ...known, invocation };
  }

  invoke({ policy, binding, params, invocation }: PolicyInvocation): void {
    const { policies, reinvocation, evaluators, errors } = this.#options;
    const evaluator = evaluators.mutatingEvaluator(policy.object);
    let seen = this.#seenAs(invocation);
    const failed = (message: string): void => void errors.push({ policy, binding, message, reason: "Invalid" });
    const met = evaluator.conditions.evaluate(conditionInputOf(seen, params));
    if (met.is === "failed") failed(met.why);
    if (met.is !== "met") return;
    const { name: param = "", namespace = "" } = params?.metadata ?? {};
    const key = JSON.stringify([policy.name, binding.name, namespace, param]);
    if (reinvocation.isReinvoke && !policies.reinvoked.has(key)) return;
    const before = seen.object;
    for (const index of evaluator.mutations.keys()) {
      if (seen.object === undefined) break;
      try {
        seen = {
          ...seen,
          object: evaluators.evaluateMutation(evaluator, { index, seen, object: seen.object, params }),
        };
        this.#isDirty = true;
      } catch (error) {
        if (!(error instanceof evaluators.MutationError)) throw error;
        failed(error.message);
      }
    }
    this.#seen.set(versionKey(invocation.kind), seen);
    this.#last = seen;
    if (!deepEqual(before, seen.object)) {
      this.#requireReinvoking();
      reinvocation.shouldReinvoke = true;
    }
    if (policy.spec["reinvocationPolicy"] === "IfNeeded") policies.invoked.add(key);
  }

  /** Replaces the object with the last policy's output. @throws StatusError 500 if a webhook cannot convert it. */
  *finish(): Steps<void> {
    const { object } = this.#attributes;
    if (this.#isDirty && object !== undefined && this.#last?.object !== undefined) {
      this.#requireReinvoking();
      this.#options.reinvocation.shouldReinvoke = true;
      replaceContents(object, yield* this.#back(this.#last.object));
    }
    this.#options.policies.lastOutput = object === undefined ? undefined : copyOf(object);
  }

  *#back(changed: ApiObject): Steps<ApiObject> {
    try {
      return yield* convertedBack(this.#attributes, changed);
    } catch (error) {
      throw error instanceof StatusError ? internal(`failed to convert object: ${error.message}`) : error;
    }
  }
}

function textOfError({ policy, binding, message }: PolicyError): string {
  if (binding !== undefined) return `policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`;
  return `policy ${JSON.stringify(policy.name)} denied request: ${message}`;
}

function refusalOf({ scope, name, object }: AdmissionAttributes, errors: readonly PolicyError[]): StatusError {
  const own = name !== "" ? name : object === undefined ? "" : nameOrGenerateName(object);
  const causes = errors.map((error) => ({ message: textOfError(error) }));
  const { status } = forbidden(scope.served.asResource, own === "" ? "Unknown" : own, "", causes);
  const [first] = errors;
  const reason = first === undefined || first.reason === "" ? "Forbidden" : first.reason;
  return new StatusError(403, { ...status, message: causes[0]?.message ?? "", reason });
}
