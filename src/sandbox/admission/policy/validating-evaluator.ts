/** Compiles and evaluates validating policies. Source: apiserver v0.36 admission/plugin/policy/validating/{plugin,validator}.go. */
import { Activation, type Evaluation, OutOfBudget } from "../../cel/admission/activation.ts";
import { type CompiledExpression, compileExpression, type Composition } from "../../cel/admission/compile.ts";
import type { MatchConditions } from "../../cel/admission/conditions.ts";
import type { ExpressionInput } from "../../cel/admission/input.ts";
import { typeText } from "../../cel/values/types.ts";
import { typeOf } from "../../cel/values/value.ts";
import { derived } from "../../meta/derived.ts";
import { fieldsIn, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { policyExpressions } from "./expressions.ts";
import { conditionInputOf, inputOf, type Seen } from "./input.ts";

interface Validation {
  readonly expression: CompiledExpression;
  readonly messageExpression: CompiledExpression | undefined;
  readonly message: string;
  readonly reason: string;
}

interface AnnotationExpression {
  readonly key: string;
  readonly valueExpression: string;
  readonly compiled: CompiledExpression;
}

/** A policy with compiled expressions. */
export interface ValidatingEvaluator {
  readonly conditions: MatchConditions;
  readonly composition: Composition;
  readonly validations: readonly Validation[];
  readonly annotations: readonly AnnotationExpression[];
  readonly ignoresFailure: boolean;
}

/** Why an operation is denied. */
export interface Decision {
  readonly message: string;
  /** A Status reason; `""` if the policy gives none. */
  readonly reason: string;
  /** The index of the expression; 0 if none could be evaluated. */
  readonly index: number;
}

/** An annotation for the audit log. */
export interface AuditAnnotation {
  readonly key: string;
  readonly value: string;
}

/** The results of a policy for one object and one parameter. */
export interface Decisions {
  /** Denials or warnings, depending on the binding. */
  readonly denied: readonly Decision[];
  /** Denials that do not depend on the binding. */
  readonly failed: readonly Decision[];
  readonly annotations: readonly AuditAnnotation[];
}

/** The compiled policy; compiled once for each of its versions. */
export const validatingEvaluator: (policy: ApiObject) => ValidatingEvaluator = derived(({ spec }: ApiObject) =>
  compiled(spec ?? {}),
);

function compiled(spec: Fields): ValidatingEvaluator {
  const { conditions, composition, declared } = policyExpressions(spec);
  return {
    conditions,
    composition,
    validations: fieldsIn(spec["validations"]).map((validation) => {
      const messageExpression = textOf(validation["messageExpression"]);
      return {
        expression: compileExpression(textOf(validation["expression"]), { ...declared, use: "condition" }),
        messageExpression:
          messageExpression === ""
            ? undefined
            : compileExpression(messageExpression, { ...declared, use: "message", hasAuthorizer: false }),
        message: textOf(validation["message"]),
        reason: textOf(validation["reason"]),
      };
    }),
    annotations: fieldsIn(spec["auditAnnotations"]).map((annotation) => {
      const valueExpression = textOf(annotation["valueExpression"]);
      return {
        key: textOf(annotation["key"]),
        valueExpression,
        compiled: compileExpression(valueExpression.trim(), { ...declared, use: "annotation" }),
      };
    }),
    ignoresFailure: spec["failurePolicy"] === "Ignore",
  };
}

const nothing: Decisions = { denied: [], failed: [], annotations: [] };

/** Evaluates a policy on an operation, with one parameter or none. */
export function evaluateValidations(
  evaluator: ValidatingEvaluator,
  { seen, params }: { readonly seen: Seen; readonly params: ApiObject | null },
): Decisions {
  const failed = (message: string): Decisions =>
    evaluator.ignoresFailure ? nothing : { ...nothing, denied: [{ message, reason: "", index: 0 }] };
  const met = evaluator.conditions.evaluate(conditionInputOf(seen, params));
  if (met.is === "failed") return failed(met.why);
  if (met.is === "not met") return nothing;
  const input = inputOf(seen, params);
  try {
    return { denied: deniedBy(evaluator, input), ...annotated(evaluator, input) };
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return failed(error.message);
  }
}

/** @throws OutOfBudget */
function deniedBy(
  { validations, composition, ignoresFailure }: ValidatingEvaluator,
  input: ExpressionInput,
): Decision[] {
  const activation = new Activation(input, { composition });
  const evaluations = validations.map(({ expression }) => activation.evaluate(expression));
  const { messages, problem } = messagesOf(validations, { input, composition, budget: activation.budget });
  return evaluations.flatMap((evaluation, n): Decision[] => {
    const validation = validations[n];
    if (validation === undefined) return [];
    const why = evaluation.is === "error" ? evaluation.message : problem;
    if (why !== undefined) return ignoresFailure ? [] : [{ message: why, reason: "", index: n }];
    if (evaluation.is === "value" && evaluation.value === true) return [];
    const { reason } = validation;
    const message = usableMessage(messages[n]) ?? ownMessage(validation);
    return [{ message, reason: reason === "" ? "Invalid" : reason, index: n }];
  });
}

interface Messages {
  readonly messages: readonly (Evaluation | undefined)[];
  /** Why messages could not be evaluated, which fails all validations. */
  readonly problem: string | undefined;
}

function messagesOf(
  validations: readonly Validation[],
  {
    input,
    ...options
  }: { readonly input: ExpressionInput; readonly composition: Composition; readonly budget: number },
): Messages {
  const activation = new Activation({ ...input, authorizer: undefined }, options);
  try {
    const messages = validations.map(({ messageExpression }) =>
      messageExpression === undefined ? undefined : activation.evaluate(messageExpression),
    );
    return { messages, problem: undefined };
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return { messages: [], problem: `failed messageExpression: ${error.message}` };
  }
}

const longestMessage = 5 * 1024;

function usableMessage(evaluation: Evaluation | undefined): string | undefined {
  if (evaluation?.is !== "value" || typeof evaluation.value !== "string") return undefined;
  const text = evaluation.value.trim();
  const isUsable = text !== "" && !text.includes("\n") && new TextEncoder().encode(text).length <= longestMessage;
  return isUsable ? text : undefined;
}

function ownMessage({ message, expression }: Validation): string {
  const text = message.trim();
  return text === "" ? `failed expression: ${expression.text.trim()}` : text;
}

/** @throws OutOfBudget */
function annotated(
  { annotations, composition, ignoresFailure }: ValidatingEvaluator,
  input: ExpressionInput,
): Pick<Decisions, "failed" | "annotations"> {
  const failed: Decision[] = [];
  const made: AuditAnnotation[] = [];
  if (annotations.length === 0) return { failed, annotations: made };
  const activation = new Activation({ ...input, authorizer: undefined }, { composition });
  for (const { key, valueExpression, compiled: expression } of annotations) {
    const evaluation = activation.evaluate(expression);
    if (evaluation.is === "error") {
      if (!ignoresFailure) failed.push({ message: evaluation.message, reason: "", index: 0 });
    } else if (typeof evaluation.value === "string") {
      const value = evaluation.value.trim();
      if (value !== "") made.push({ key, value });
    } else if (evaluation.value !== null) {
      const type = typeText(typeOf(evaluation.value));
      const why = `valueExpression '${valueExpression}' resulted in unsupported return type: ${type}. Return type must be either string or null.`;
      failed.push({ message: why, reason: "", index: 0 });
    }
  }
  return { failed, annotations: made };
}
