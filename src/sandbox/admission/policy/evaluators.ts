/** The evaluators of policies; loaded when the first policy is in force. */
export { MatchConditions } from "../../cel/admission/conditions.ts";
export { evaluateMutation, MutationError, mutatingEvaluator } from "./mutating-evaluator.ts";
export { evaluateValidations, validatingEvaluator } from "./validating-evaluator.ts";
